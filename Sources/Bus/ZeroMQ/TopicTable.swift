import Protocols

/// Topics that were read before: the same bytes give the same string, without another allocation or check of UTF-8.
///
/// Belongs to one thread, as the socket whose frames it names.
final class TopicTable {
    /// Topics that are remembered; beyond it the table starts anew.
    static let limit = 4096

    private struct Entry {
        let bytes: [UInt8]
        let topic: String
    }

    private var entries: [UInt64: Entry] = [:]

    /// The bytes as a topic, or nil when they are not UTF-8.
    func topic(_ bytes: Slice<UnsafeRawBufferPointer>) -> String? {
        let key = stableHash(bytes)
        if let entry = entries[key], entry.bytes.elementsEqual(bytes) { return entry.topic }
        guard let topic = String(validating: bytes, as: UTF8.self) else { return nil }
        if entries.count >= Self.limit { entries.removeAll(keepingCapacity: true) }
        entries[key] = Entry(bytes: Array(bytes), topic: topic)
        return topic
    }
}
