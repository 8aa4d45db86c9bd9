/// Up to where one life of a publisher has spoken on a topic.
package struct StreamPosition: Codable, Hashable, Sendable {
    package var topic: String
    package var epoch: UInt64
    package var sequence: UInt64
    package init(topic: String, epoch: UInt64, sequence: UInt64) {
        self.topic = topic
        self.epoch = epoch
        self.sequence = sequence
    }
}

/// The end of a snapshot, on `~snapshot-end`: where every stream of the subscribed topics stood at its hub sequence.
/// What comes later is owed to the reader; what came before is not.
package struct SnapshotEnd: Message {
    package var positions: [StreamPosition]
    package init(positions: [StreamPosition]) { self.positions = positions }
}

/// Asks the hub for live messages that did not come, on `~replay`.
package struct LiveReplay: Message {
    package var topic: String
    package var epoch: UInt64
    /// First and last missing sequence.
    package var from: UInt64
    package var to: UInt64
    package init(topic: String, epoch: UInt64, from: UInt64, to: UInt64) {
        self.topic = topic
        self.epoch = epoch
        self.from = from
        self.to = to
    }
}

/// No more of a replay will come, on `~replay-end`: what has not come by now is lost.
package struct ReplayEnd: Message {
    /// Where the stream stood when this hub first heard of it; what was before has never passed here.
    package var base: UInt64
    /// How long the publisher's epoch has lasted, in ms; nil = not known.
    package var ageMs: Int64?
    package init(base: UInt64, ageMs: Int64? = nil) {
        self.base = base
        self.ageMs = ageMs
    }
}
