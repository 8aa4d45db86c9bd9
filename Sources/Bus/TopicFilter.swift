/// What a process listens to: exact topics, families, and prefixes, without surprises from prefix matching.
///
/// `bio/heart-rate` is a family: it takes `bio/heart-rate/me` but not `bio/heart-rate2/me`. `bio/` takes all below it.
package struct TopicFilter: Sendable, Hashable {
    /// What was asked for.
    package let subscriptions: [String]
    /// The same, for a match that takes no longer with many; empty where it is quicker to compare with each.
    private let index: Set<String>
    private static let few = 8

    package init(_ subscriptions: [String]) {
        self.subscriptions = subscriptions
        index = subscriptions.count > Self.few ? Set(subscriptions) : []
    }

    /// Whether a topic (without NUL) is wanted.
    package func matches(_ topic: String) -> Bool {
        index.isEmpty ? subscriptions.contains { Self.matches(topic, $0) } : isIndexed(topic)
    }

    private static func matches(_ topic: String, _ subscription: String) -> Bool {
        if subscription.isEmpty { return true }
        if subscription.hasSuffix("/") { return topic.hasPrefix(subscription) }
        guard topic.hasPrefix(subscription) else { return false }
        let rest = topic.utf8.dropFirst(subscription.utf8.count)
        return rest.isEmpty || rest.first == UInt8(ascii: "/")
    }

    /// The topic itself, a family that it belongs to or a prefix above it is among the subscriptions.
    private func isIndexed(_ topic: String) -> Bool {
        if index.contains(topic) || index.contains("") { return true }
        let bytes = topic.utf8
        var place = bytes.startIndex
        while let slash = bytes[place...].firstIndex(of: UInt8(ascii: "/")) {
            place = bytes.index(after: slash)
            if index.contains(String(topic[..<slash])) || index.contains(String(topic[..<place])) { return true }
        }
        return false
    }

    /// The same as byte prefixes of the first frame: a family is its name with `/`, and with the NUL alone.
    package var wirePrefixes: [[UInt8]] {
        subscriptions.flatMap { subscription -> [[UInt8]] in
            let bytes = Array(subscription.utf8)
            if subscription.isEmpty || subscription.hasSuffix("/") { return [bytes] }
            return [bytes + [0], bytes + [UInt8(ascii: "/")]]
        }
    }
}
