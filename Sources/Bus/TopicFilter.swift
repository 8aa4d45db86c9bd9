/// What a process listens to: exact topics, families, and prefixes, without surprises from prefix matching.
///
/// `bio/heart-rate` is a family: it takes `bio/heart-rate/me` but not `bio/heart-rate2/me`. `bio/` takes all below it.
package struct TopicFilter: Sendable, Hashable {
    /// What was asked for.
    package let subscriptions: [String]

    package init(_ subscriptions: [String]) { self.subscriptions = subscriptions }

    /// Whether a topic (without NUL) is wanted.
    package func matches(_ topic: String) -> Bool {
        subscriptions.contains { Self.matches(topic, $0) }
    }

    private static func matches(_ topic: String, _ subscription: String) -> Bool {
        if subscription.isEmpty { return true }
        if subscription.hasSuffix("/") { return topic.hasPrefix(subscription) }
        guard topic.hasPrefix(subscription) else { return false }
        let rest = topic.utf8.dropFirst(subscription.utf8.count)
        return rest.isEmpty || rest.first == UInt8(ascii: "/")
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
