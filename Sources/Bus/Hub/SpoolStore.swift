import Protocols

/// Where the hub keeps events: on disk in a real hub, in memory in tests.
///
/// One call is one group commit: when it returns, all that it accepted survives a power cut. It may block for as long
/// as the disk does, so the hub calls it from a thread of its own (``SpoolWriter``), one call at a time.
package protocol SpoolStore: Sendable {
    /// Does the jobs in their order, all changes in one transaction. Never throws: what could not be done says so.
    func run(_ jobs: [SpoolJob]) -> SpoolBatch
}

/// An event with its place in the spool.
package struct SpooledEvent: Sendable {
    /// The order in which the hub stored, from 1.
    package let number: Int64
    package let message: Received
    /// How often it was delivered to the consumer in question, as far as that was noted.
    package let deliveries: Int

    package init(number: Int64, message: Received, deliveries: Int = 0) {
        self.number = number
        self.message = message
        self.deliveries = deliveries
    }

    /// Bytes that count against the limits.
    package static func size(_ message: Received) -> Int {
        message.topic.utf8.count + Header.byteCount + message.body.count
    }
}

/// How full the spool is.
package struct SpoolDepth: Sendable, Equatable {
    package var events = 0
    package var bytes: Int64 = 0
    package var pending = 0
    package var deadLetters = 0
    package init() {}
}

/// What the hub must know of its spool to begin.
package struct SpoolOverview: Sendable {
    /// Tools that registered themselves, with the families that they want; empty = all.
    package var registered: [ProcessName: [String]] = [:]
    /// Highest number that each consumer has not acknowledged.
    package var newest: [ProcessName: Int64] = [:]
    /// What the operator must know, such as an unreadable file that was moved aside: cause of a drop, and text.
    package var complaints: [(cause: String, text: String)] = []
    package init() {}
}

/// What a spool is asked to do.
package enum SpoolJob: Sendable {
    /// First of all: what is there.
    case open
    /// Keep an event for these consumers; a second copy of it changes nothing.
    case append(Received, consumers: [ProcessName], at: Timestamp)
    case acknowledge(EventID, by: ProcessName)
    case noteDeliveries(EventID, to: ProcessName, Int)
    /// Take an event out of a consumer's way and keep it as a dead letter.
    case bury(EventID, of: ProcessName, reason: String, deliveries: Int, at: Timestamp)
    /// The consumer's next events after a number: at most `limit`, and not far more than `bytes`.
    case load(ProcessName, after: Int64, limit: Int, bytes: Int)
    case ask(SpoolQuestion, id: UInt64, at: Timestamp)
    /// Forget a batch of what is handled and too old or too much.
    case prune(at: Timestamp)
}

/// A question of a person or a tool.
package enum SpoolQuestion: Sendable {
    case consumers
    case add(AddConsumer)
    case remove(ProcessName)
    case deadLetters(limit: Int)
    case deadLetter(Int64)
    case replay(Int64)
    case drop(Int64)
    case events(ListEvents)
    case status
    case export(path: String)
    /// A consistent copy of the whole spool in a new file.
    case copy(path: String)
    /// Delete everything, with every byte on disk.
    case wipe
}

package enum SpoolAnswer: Sendable {
    case consumers([DurableConsumer])
    /// `newest` = highest number that already waits for it.
    case added(ProcessName, topics: [String], newest: Int64?)
    case removed(ProcessName, pending: Int)
    case deadLetters(DeadLetterList)
    case deadLetter(DeadLetterContent)
    case replayed(ProcessName, number: Int64)
    case dropped
    case events(EventPage)
    case status(SpoolReport)
    case exported(Exported)
    case copied(BackedUp)
    case wiped
}

/// What became of a job, in the order of the jobs. Jobs that just succeeded have no outcome.
package enum SpoolOutcome: Sendable {
    case opened(SpoolOverview)
    /// On disk. `isNew` is false for a second copy.
    case stored(SpooledEvent, consumers: [ProcessName], isNew: Bool)
    /// Not stored; `reason` is `spool-full` or `spool-disk`, `detail` is for the log.
    case refused(EventID, bytes: Int, reason: String, detail: String)
    /// `upTo`: everything up to this number was looked at.
    case loaded(ProcessName, [SpooledEvent], upTo: Int64)
    case buried(DeadLetter)
    case answered(UInt64, Result<SpoolAnswer, Refusal>)
    /// To be tried again.
    case failed(SpoolJob, reason: String)
}

package struct SpoolBatch: Sendable {
    package var outcomes: [SpoolOutcome]
    package var depth: SpoolDepth
    package init(outcomes: [SpoolOutcome], depth: SpoolDepth) {
        self.outcomes = outcomes
        self.depth = depth
    }
}

/// How much a spool may hold.
package struct SpoolLimits: Sendable, Equatable {
    /// More than this is refused, and said so.
    package var maxEvents = 200_000
    package var maxBytes: Int64 = 512_000_000
    /// What is handled stays this long for replay …
    package var keepSeconds: Double = 7 * 86_400
    /// … and while the spool is not larger than this.
    package var keepBytes: Int64 = 64_000_000
    package init() {}
}
