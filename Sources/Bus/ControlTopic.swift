import Protocols

/// First frames of the talk between a peer and the hub. They begin with `~`, after all topics in byte order: libzmq
/// repeats subscriptions in byte order when it reconnects, so `~sync/…` is the last one to become active.
package enum ControlTopic {
    package static let hello = "~hello"
    package static let welcome = "~welcome"
    package static let refused = "~refused"
    package static let bye = "~bye"
    /// The hub does not know the sender (it is new): say hello.
    package static let who = "~who"
    package static let sync = "~sync"
    package static let snapshot = "~snapshot"
    package static let snapshotEnd = "~snapshot-end"
    package static let replay = "~replay"
    package static let replayEnd = "~replay-end"
    package static let joined = "~joined"
    package static let beat = "~beat"
    /// The hub takes events again: what was refused may be sent at once.
    package static let room = "~room"
    /// Of which families a registered tool is a durable consumer.
    package static let consumes = "~consumes"
    package static let roster = "~roster"
    package static let marker = "~marker"
    package static let step = "~step"

    package static func sync(epoch: UInt64) -> String { "~sync/" + String(epoch, radix: 16) }
    package static func request(_ process: String, _ name: String) -> String { "~request/\(process)/\(name)" }
    package static func reply(_ process: String, _ name: String) -> String { "~reply/\(process)/\(name)" }
    package static func ack(_ topic: String) -> String { "~ack/\(topic)" }
    package static func nak(_ topic: String) -> String { "~nak/\(topic)" }
    package static func working(_ topic: String) -> String { "~working/\(topic)" }

    package static func isControl(_ topic: String) -> Bool { topic.utf8.first == UInt8(ascii: "~") }

    /// Parts of `~kind/process/name`, or nil when there are not three.
    package static func parts(_ topic: String) -> (process: String, name: String)? {
        let parts = topic.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, !parts[1].isEmpty, !parts[2].isEmpty else { return nil }
        return (String(parts[1]), String(parts[2]))
    }

    /// What follows `~kind/`.
    package static func rest(_ topic: String, after kind: String) -> String? {
        topic.hasPrefix(kind + "/") ? String(topic.dropFirst(kind.count + 1)) : nil
    }
}

extension Received {
    /// A message between a peer and the hub.
    package static func control(
        _ topic: String, body: [UInt8] = [], epoch: UInt64 = 0, sequence: UInt64 = 0, correlation: UInt64 = 0,
        flags: Header.Flags = [], hubEpoch: UInt64 = 0, hubSequence: UInt64 = 0
    ) -> Received {
        Received(
            topic: topic,
            header: Header(
                deliveryClass: .control, schema: SchemaVersion(major: 1, minor: 0), flags: flags, epoch: epoch,
                sequence: sequence, wallNs: 0, monotonicNs: 0, hubEpoch: hubEpoch, hubSequence: hubSequence,
                correlation: correlation),
            body: body)
    }

    package func with(_ change: (inout Header) -> Void) -> Received {
        var header = header
        change(&header)
        return Received(topic: topic, header: header, body: body)
    }
}
