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
    /// When that was, in ms of the hub's monotonic clock.
    package var clockMs: Int64
    package init(positions: [StreamPosition], clockMs: Int64) {
        self.positions = positions
        self.clockMs = clockMs
    }
}

/// Asks the hub for live messages that did not come, on `~replay`.
package struct LiveReplay: Message {
    package var topic: String
    package var epoch: UInt64
    /// First and last missing sequence; `to` below `from` asks for no message, only for the end.
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
    /// As ``base``: this hub knows nothing of the stream.
    package static let unknown = UInt64(Int64.max)
    /// When the publisher's epoch began, in ms of the hub's monotonic clock; nil = not known.
    package var bornMs: Int64?
    package init(base: UInt64, bornMs: Int64? = nil) {
        self.base = base
        self.bornMs = bornMs
    }
}
