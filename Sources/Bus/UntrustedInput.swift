import Protocols

/// Where bytes of others enter the bus, for the fuzzers: every call takes any bytes and returns.
///
/// Each returns what is wrong with the outcome, or nil.
package enum UntrustedInput {
    /// Frames of one message as a socket would give them.
    package static func frames(_ frames: [[UInt8]], routed: Bool) -> String? {
        var reader = FrameReader(routed: routed, topics: TopicTable())
        for (number, frame) in frames.enumerated() { frame.withUnsafeBytes { reader.add(number, $0) } }
        guard case .message(let message, let route) = reader.finish() else { return nil }
        if message.topic.isEmpty || message.topic.utf8.count > 255 { return "a topic of impossible length" }
        if routed != (route != nil) { return "a route where there is none, or none where there is one" }
        return nil
    }

    /// The content of an outbox file: what is read of it can be written, and gives the same bytes again.
    package static func outboxFile(_ bytes: [UInt8]) -> String? {
        let (records, length) = OutboxRecord.parse(bytes)
        guard length <= bytes.count else { return "more bytes were read than there are" }
        let again = OutboxRecord.parse(records.flatMap(\.bytes))
        return again.records.count == records.count ? nil : "records that were read cannot be read again"
    }
}
