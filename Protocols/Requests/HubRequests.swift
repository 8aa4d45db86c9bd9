/// A consumer of durable events: a process of the registry, or a tool that registered itself by name.
package struct DurableConsumer: Codable, Hashable, Sendable {
    package var name: ProcessName
    /// Event families that are kept for it; empty = all.
    package var topics: [String]
    /// True for a row of the registry, which cannot be removed.
    package var builtIn: Bool
    package var connected: Bool
    /// Events that it has not acknowledged.
    package var pending: Int
    /// Of these, how many are on their way to it now.
    package var inFlight: Int
    /// Spool number of the oldest event that it has not acknowledged; nil when it is up to date.
    package var cursor: Int64?
    /// Seconds since that event was stored.
    package var oldestAgeSeconds: Double?

    package init(
        name: ProcessName, topics: [String], builtIn: Bool, connected: Bool = false, pending: Int = 0,
        inFlight: Int = 0, cursor: Int64? = nil, oldestAgeSeconds: Double? = nil
    ) {
        self.name = name
        self.topics = topics
        self.builtIn = builtIn
        self.connected = connected
        self.pending = pending
        self.inFlight = inFlight
        self.cursor = cursor
        self.oldestAgeSeconds = oldestAgeSeconds
    }
}

/// Everybody for whom events are kept.
package struct ListConsumers: Request {
    package typealias Reply = ConsumerList
    package static let target = ProcessName.hub
    package static let name = "consumers"
    package init() {}
}

package struct ConsumerList: Message {
    package var consumers: [DurableConsumer]
    package init(consumers: [DurableConsumer]) { self.consumers = consumers }
}

/// Keeps the events of some families for a tool from now on, whether it is connected or not.
package struct AddConsumer: Request {
    package typealias Reply = Done
    package static let target = ProcessName.hub
    package static let name = "add-consumer"
    /// The name with which the tool says hello.
    package var name: ProcessName
    /// Event families such as `music/played`; empty = all.
    package var topics: [String]
    /// Also what is still in the spool, from this spool number on; nil = only what comes.
    package var from: Int64?

    package init(name: ProcessName, topics: [String], from: Int64? = nil) {
        self.name = name
        self.topics = topics
        self.from = from
    }
}

/// Ends that; what waited for the tool is no longer kept for it.
package struct RemoveConsumer: Request {
    package typealias Reply = Done
    package static let target = ProcessName.hub
    package static let name = "remove-consumer"
    package var name: ProcessName
    package init(name: ProcessName) { self.name = name }
}

/// An event that a consumer could not handle: taken out of the way, kept whole.
package struct DeadLetter: Message {
    package var id: Int64
    package var topic: String
    package var epoch: UInt64
    package var sequence: UInt64
    /// Who could not handle it.
    package var consumer: ProcessName
    /// `failed`, `died`, `unanswered` or `not-subscribed`, and what the consumer said; never a value of the event.
    package var reason: String
    /// How often it was delivered.
    package var deliveries: Int
    package var at: Timestamp
    /// Length of its body.
    package var bytes: Int

    package init(
        id: Int64, topic: String, epoch: UInt64, sequence: UInt64, consumer: ProcessName, reason: String,
        deliveries: Int, at: Timestamp, bytes: Int
    ) {
        self.id = id
        self.topic = topic
        self.epoch = epoch
        self.sequence = sequence
        self.consumer = consumer
        self.reason = reason
        self.deliveries = deliveries
        self.at = at
        self.bytes = bytes
    }
}

/// The dead letters, newest first.
package struct ListDeadLetters: Request {
    package typealias Reply = DeadLetterList
    package static let target = ProcessName.hub
    package static let name = "dead-letters"
    /// At most so many, 1…1000.
    package var limit: Int
    package init(limit: Int = 100) { self.limit = limit }
}

package struct DeadLetterList: Message {
    /// How many there are in all.
    package var total: Int
    package var deadLetters: [DeadLetter]
    package init(total: Int, deadLetters: [DeadLetter]) {
        self.total = total
        self.deadLetters = deadLetters
    }
}

/// One dead letter with its body.
package struct ShowDeadLetter: Request {
    package typealias Reply = DeadLetterContent
    package static let target = ProcessName.hub
    package static let name = "dead-letter"
    package var id: Int64
    package init(id: Int64) { self.id = id }
}

package struct DeadLetterContent: Message {
    package var letter: DeadLetter
    package var schema: SchemaVersion
    package var sentAt: Timestamp
    package var json: String
    package init(letter: DeadLetter, schema: SchemaVersion, sentAt: Timestamp, json: String) {
        self.letter = letter
        self.schema = schema
        self.sentAt = sentAt
        self.json = json
    }
}

/// Delivers a dead letter once more, with the count of its deliveries begun anew.
package struct ReplayDeadLetter: Request {
    package typealias Reply = Done
    package static let target = ProcessName.hub
    package static let name = "replay-dead-letter"
    package var id: Int64
    package init(id: Int64) { self.id = id }
}

/// Deletes a dead letter.
package struct DropDeadLetter: Request {
    package typealias Reply = Done
    package static let target = ProcessName.hub
    package static let name = "drop-dead-letter"
    package var id: Int64
    package init(id: Int64) { self.id = id }
}

/// Events that are still in the spool, handled or not, oldest first.
package struct ListEvents: Request {
    package typealias Reply = EventPage
    package static let target = ProcessName.hub
    package static let name = "events"
    /// Full topic, family, or prefix ending in `/`; empty = all.
    package var topic: String
    /// Spool number to begin at; nil = the oldest.
    package var from: Int64?
    /// Only what was stored at this time or later.
    package var since: Timestamp?
    /// At most so many, 1…1000; a page also ends at 256 KiB of bodies.
    package var limit: Int

    package init(topic: String, from: Int64? = nil, since: Timestamp? = nil, limit: Int = 100) {
        self.topic = topic
        self.from = from
        self.since = since
        self.limit = limit
    }
}

/// An event of the spool.
package struct StoredEvent: Codable, Hashable, Sendable {
    /// Number in the spool: the order in which the hub stored.
    package var number: Int64
    package var topic: String
    package var epoch: UInt64
    package var sequence: UInt64
    package var schema: SchemaVersion
    package var sentAt: Timestamp
    package var storedAt: Timestamp
    package var json: String

    package init(
        number: Int64, topic: String, epoch: UInt64, sequence: UInt64, schema: SchemaVersion, sentAt: Timestamp,
        storedAt: Timestamp, json: String
    ) {
        self.number = number
        self.topic = topic
        self.epoch = epoch
        self.sequence = sequence
        self.schema = schema
        self.sentAt = sentAt
        self.storedAt = storedAt
        self.json = json
    }
}

package struct EventPage: Message {
    package var events: [StoredEvent]
    /// Number to go on from; nil at the end.
    package var next: Int64?
    package init(events: [StoredEvent], next: Int64?) {
        self.events = events
        self.next = next
    }
}

/// Lets deliveries rest while a backup is made: events are stored and acknowledged, but reach no consumer.
package struct HoldEvents: Request {
    package typealias Reply = Done
    package static let target = ProcessName.hub
    package static let name = "hold-events"
    /// For so long, at most 300; 0 = go on.
    package var seconds: Double
    package init(seconds: Double) { self.seconds = seconds }
}

/// How the hub's spool is.
package struct SpoolStatus: Request {
    package typealias Reply = SpoolReport
    package static let target = ProcessName.hub
    package static let name = "spool"
    package init() {}
}

package struct SpoolReport: Message {
    /// Events in the spool, handled or not.
    package var events: Int
    package var bytes: Int64
    /// Deliveries that are owed: an event that two consumers have not acknowledged counts twice.
    package var pending: Int
    package var deadLetters: Int
    package var maxEvents: Int
    package var maxBytes: Int64
    /// Why events are refused now; nil while they are accepted.
    package var refusing: String?
    /// Unreadable files of earlier spools that were moved aside, by path.
    package var movedAside: [String]
    /// False for a hub that keeps events in memory only.
    package var durable: Bool

    package init(
        events: Int, bytes: Int64, pending: Int, deadLetters: Int, maxEvents: Int, maxBytes: Int64,
        refusing: String? = nil, movedAside: [String] = [], durable: Bool
    ) {
        self.events = events
        self.bytes = bytes
        self.pending = pending
        self.deadLetters = deadLetters
        self.maxEvents = maxEvents
        self.maxBytes = maxBytes
        self.refusing = refusing
        self.movedAside = movedAside
        self.durable = durable
    }
}
