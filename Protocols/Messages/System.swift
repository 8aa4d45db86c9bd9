/// A process says that it lives, and what it has sent.
package struct Heartbeat: Message {
    package var process: ProcessName
    package var pid: Int32
    package var version: String
    /// Of its messages: new with each start.
    package var epoch: UInt64
    /// How late its main loop is, ms.
    package var loopLagMs: Double
    /// Messages that wait, by queue.
    package var queueDepths: [String: Int]
    /// Messages lost at this process, by cause: `live-full`, `ttl`, `decode`, `version`, `gap`, `outbox-full` …
    package var drops: [String: UInt64]
    /// Last sequence sent on each topic it owns.
    package var lastSequence: [String: UInt64]
    /// True once its service has run its start-up.
    package var ready: Bool
    /// Live messages that were lost here, by topic and cause: each is counted by exactly one process. nil = none.
    package var lostByTopic: [String: [String: UInt64]]?
    /// The word of the process itself about topics it owns that are not as usual. nil = all are.
    package var conditions: [String: Open<TopicCondition>]?
    /// From the hub: where the live streams of processes that ended lately stood. Nobody else can say it any more.
    package var ended: [StreamPosition]?

    package static var schema: SchemaVersion { SchemaVersion(major: 1, minor: 1) }

    package init(
        process: ProcessName, pid: Int32, version: String, epoch: UInt64, loopLagMs: Double,
        queueDepths: [String: Int], drops: [String: UInt64], lastSequence: [String: UInt64], ready: Bool,
        lostByTopic: [String: [String: UInt64]]? = nil, conditions: [String: Open<TopicCondition>]? = nil,
        ended: [StreamPosition]? = nil
    ) {
        self.ended = ended
        self.lostByTopic = lostByTopic
        self.conditions = conditions
        self.process = process
        self.pid = pid
        self.version = version
        self.epoch = epoch
        self.loopLagMs = loopLagMs
        self.queueDepths = queueDepths
        self.drops = drops
        self.lastSequence = lastSequence
        self.ready = ready
    }
}

/// What the owner of a topic says of it.
package enum TopicCondition: String, Codable, Sendable {
    /// Nothing is said on it at present, and that is right: a player that is paused.
    case idle
    /// What is said on it is not to be relied on, or what should be said cannot be: a sensor that is not worn.
    case invalid
}

/// The processes, as the hub sees them.
package struct ProcessTable: Message {
    package struct Row: Codable, Hashable, Sendable {
        package var process: ProcessName
        /// On the bus, and heard within the last 3 s.
        package var running: Bool
        package var ready: Bool
        /// Of its present life; 0 when it has ended.
        package var pid: Int32
        package var version: String
        /// Starts after the first: by the supervisor's count, or without one those that this hub has seen.
        package var restarts: Int
        package var silentSeconds: Double
        package var topics: [TopicHealth]
        /// Whether a supervisor keeps it running; nil without a supervisor.
        package var wanted: Open<Wanted>?
        /// How it last ended under this supervisor; nil = never, or no supervisor.
        package var lastExit: ProcessExit?
        /// nil from a hub that does not say it.
        package var state: Open<State>?
        package init(
            process: ProcessName, running: Bool, ready: Bool, pid: Int32, version: String, restarts: Int,
            silentSeconds: Double, topics: [TopicHealth]
        ) {
            self.process = process
            self.running = running
            self.ready = ready
            self.pid = pid
            self.version = version
            self.restarts = restarts
            self.silentSeconds = silentSeconds
            self.topics = topics
        }
    }

    /// Where a process is in its life.
    package enum State: String, Codable, Sendable {
        /// Its start-up is not done; it may not even be on the bus yet.
        case starting
        case ready
        /// Its connection stands and nothing has come for 3 s: it is frozen, or its machine is overloaded.
        case silent
        /// Its connection is gone.
        case ended
    }

    /// Whether a supervisor keeps a process running.
    package enum Wanted: String, Codable, Sendable {
        case yes
        /// Stopped on request, or never started.
        case no
        /// It failed too often: the supervisor has stopped starting it.
        case givenUp
    }

    /// Health of one topic by the registry's own figures.
    package struct TopicHealth: Codable, Hashable, Sendable {
        package var topic: String
        /// Younger than 3 periods; nil for topics without a period, and for idle ones.
        package var alive: Bool?
        package var silentSeconds: Double
        /// As often as agreed, within 20 %; nil for topics without a strict period, idle ones and until that is known.
        package var rateOk: Bool?
        /// False when its owner says that it is not to be relied on; nil when the owner has said nothing yet.
        package var valid: Bool?
        /// True when its owner says that there is nothing to say at present.
        package var idle: Bool?
        /// What is wrong, for a person: "bio/heart-rate/me from sensor-emitter: silent 12 s".
        package var problem: String?
        package init(topic: String, alive: Bool?, silentSeconds: Double) {
            self.topic = topic
            self.alive = alive
            self.silentSeconds = silentSeconds
        }
    }

    package static var schema: SchemaVersion { SchemaVersion(major: 1, minor: 2) }

    package var at: Timestamp
    package var hubEpoch: UInt64
    package var processes: [Row]
    package init(at: Timestamp, hubEpoch: UInt64, processes: [Row]) {
        self.at = at
        self.hubEpoch = hubEpoch
        self.processes = processes
    }
}

/// Virtual time: everybody on `--clock bus` steps to `nowAt`, works, and answers with ``ClockStep``.
package struct VirtualNow: Message {
    package var nowAt: Timestamp
    /// Number of the step, from 1.
    package var step: UInt64
    /// Virtual seconds per real second; 0 = as fast as possible.
    package var rate: Double
    package init(nowAt: Timestamp, step: UInt64, rate: Double) {
        self.nowAt = nowAt
        self.step = step
        self.rate = rate
    }
}

/// A process has done all its work of one step of virtual time.
package struct ClockStep: Message {
    package var process: ProcessName
    package var step: UInt64
    package init(process: ProcessName, step: UInt64) {
        self.process = process
        self.step = step
    }
}
