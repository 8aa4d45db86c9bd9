/// How a topic is delivered.
package enum DeliveryClass: UInt8, Codable, Sendable, CaseIterable {
    /// Newest wins; late is dropped by TTL and counted.
    case live = 1
    /// The hub keeps the last value per topic.
    case state = 2
    /// At least once: from the sender's outbox to the hub's spool, from there to every named consumer.
    case event = 3
    /// To a process by name, with a deadline.
    case request = 4
    /// The answer to a request.
    case reply = 5
    /// Between a peer and the hub.
    case control = 6
}

/// One row of the contract: everything that is agreed about a topic.
package struct TopicSpec: Sendable, Hashable {
    /// Thing and detail; the name on the wire adds `/` and the listener (or the process).
    package let family: String
    package let deliveryClass: DeliveryClass
    /// Name of the Swift type of the body.
    package let type: String
    package let schema: SchemaVersion
    /// The process that answers for it.
    package let owner: ProcessName
    /// Who may publish; empty = anybody (`input/…`).
    package let publishers: [ProcessName]
    /// For events: for whom the hub keeps them until they are acknowledged.
    package let consumers: [ProcessName]
    /// Expected seconds between two messages; nil = on change.
    package let period: Double?
    /// True when the period is a rate that is kept, not only the longest silence.
    package let isStrict: Bool
    /// Seconds after which a message is worthless; nil = never.
    package let ttl: Double?
    /// Messages kept for a reader that is behind.
    package let depth: Int
    package let recorded: Bool
    package let summary: String

    /// The family a topic name belongs to: everything before its last `/`.
    package static func family(of topic: String) -> String {
        topic.lastIndex(of: "/").map { String(topic[..<$0]) } ?? topic
    }
}

/// A row with the type of its body: `Registry.heartRate("me")` is the topic `bio/heart-rate/me`.
package struct TopicFamily<Body: Message>: Sendable {
    package let spec: TopicSpec

    package init(
        _ family: String, _ deliveryClass: DeliveryClass, owner: ProcessName, publishers: [ProcessName]? = nil,
        consumers: [ProcessName] = [], period: Double? = nil, isStrict: Bool = false, ttl: Double? = nil,
        depth: Int = 64, recorded: Bool = true, _ summary: String
    ) {
        spec = TopicSpec(
            family: family, deliveryClass: deliveryClass, type: "\(Body.self)", schema: Body.schema, owner: owner,
            publishers: publishers ?? [owner], consumers: consumers, period: period, isStrict: isStrict, ttl: ttl,
            depth: depth, recorded: recorded, summary: summary)
    }

    /// The topic of one listener (default) or, for `sys/…`, of one process.
    package func callAsFunction(_ instance: String = "me") -> Topic<Body> {
        Topic(spec: spec, name: "\(spec.family)/\(instance)")
    }
}

/// A topic by its full name, with the type of its body.
package struct Topic<Body: Message>: Sendable {
    package let spec: TopicSpec
    package let name: String
}

/// The contract: every topic there is.
package enum Registry {
    package static let heartRate = TopicFamily<HeartRate>(
        "bio/heart-rate", .live, owner: .sensor, period: 1, isStrict: true, ttl: 10, depth: 256,
        "heart rate, about once a second")
    package static let rr = TopicFamily<RRIntervals>(
        "bio/rr", .live, owner: .sensor, period: 2, ttl: 10, depth: 256, "beat-to-beat intervals")
    package static let motion = TopicFamily<Motion>(
        "bio/motion", .live, owner: .sensor, period: 5, isStrict: true, ttl: 15, depth: 256,
        "movement, steps, kind of activity")
    package static let bioBatch = TopicFamily<BioBatch>(
        "bio/batch", .event, owner: .sensor, consumers: [.body], period: 30, depth: 4096, recorded: false,
        "the samples of 30 s again, for keeping")
    package static let workout = TopicFamily<Workout>(
        "bio/workout", .event, owner: .sensor, consumers: [.brain, .body], depth: 1024, "workout started … ended")
    package static let mood = TopicFamily<MoodInput>(
        "input/mood", .event, owner: .brain, publishers: [], consumers: [.brain, .body], depth: 1024,
        "how the listener says they feel")
    package static let nudge = TopicFamily<Nudge>(
        "input/nudge", .event, owner: .brain, publishers: [], consumers: [.brain], depth: 1024,
        "a turn of the crown")
    package static let desktop = TopicFamily<DesktopContext>(
        "context/desktop", .state, owner: .context, period: 30, ttl: 600, depth: 16, "focus, app, minutes, work state")
    package static let calendar = TopicFamily<CalendarContext>(
        "context/calendar", .state, owner: .context, ttl: 3600, depth: 16, "what is on and what comes next")
    package static let baseline = TopicFamily<Baseline>(
        "body/baseline", .state, owner: .body, depth: 4, "what is usual for this body")
    package static let stress = TopicFamily<StressReading>(
        "body/stress", .state, owner: .body, period: 360, ttl: 3600, depth: 4, "stress level with its factors")
    package static let battery = TopicFamily<BatteryReading>(
        "body/battery", .state, owner: .body, depth: 4, "readiness of the day, with what suits it")
    package static let sleep = TopicFamily<SleepReport>(
        "body/sleep", .state, owner: .body, depth: 4, "the last night")
    package static let alert = TopicFamily<BodyAlert>(
        "body/alert", .event, owner: .body, publishers: [.body, "quests"], depth: 256,
        "something to be told now: stress, summaries, milestones, bedtime")
    package static let state = TopicFamily<StateVector>(
        "state/vector", .state, owner: .brain, period: 30, ttl: 120, depth: 16, "how the listener is")
    package static let now = TopicFamily<NowPlaying>("music/now", .state, owner: .brain, depth: 16, "what plays")
    package static let glance = TopicFamily<Glance>(
        "music/glance", .state, owner: .brain, depth: 16, "what small faces show")
    package static let progress = TopicFamily<Progress>(
        "music/progress", .live, owner: .player, period: 1, isStrict: true, ttl: 5, depth: 4, recorded: false,
        "where the song is")
    package static let queue = TopicFamily<MusicQueue>(
        "music/queue", .state, owner: .brain, depth: 16, "played, playing, next")
    package static let why = TopicFamily<Why>("music/why", .state, owner: .brain, depth: 16, "why this song")
    package static let decision = TopicFamily<DecisionMade>(
        "music/decision", .event, owner: .brain, depth: 1024, "candidates, probabilities, guards of one pick")
    package static let played = TopicFamily<Played>(
        "music/played", .event, owner: .brain, depth: 1024, "one play, over")
    package static let playerEvent = TopicFamily<PlayerEvent>(
        "player/event", .event, owner: .player, consumers: [.brain], depth: 1024, "what the player saw")
    package static let library = TopicFamily<LibraryRevision>(
        "library/revision", .state, owner: .librarian, depth: 4, "the library changed")
    package static let heartbeat = TopicFamily<Heartbeat>(
        "sys/heartbeat", .live, owner: .hub, publishers: [], period: 1, isStrict: true, ttl: 5, depth: 4,
        recorded: false,
        "a process says that it lives")
    package static let metrics = TopicFamily<ProcessMetrics>(
        "sys/metrics", .live, owner: .hub, publishers: [], period: 5, ttl: 15, depth: 4, recorded: false,
        "figures of a process for operators")
    package static let processes = TopicFamily<ProcessTable>(
        "sys/processes", .state, owner: .hub, period: 1, depth: 4, recorded: false, "the processes")
    /// Live: the letter itself is kept in the hub's spool, this only rings the bell.
    package static let deadLetter = TopicFamily<DeadLetter>(
        "sys/dead-letter", .live, owner: .hub, depth: 64, recorded: false, "an event that a consumer could not handle")
    package static let virtualNow = TopicFamily<VirtualNow>(
        "time/now", .live, owner: .conductor, depth: 4, "virtual time")

    /// Every row, in the order of the documentation.
    package static let all: [TopicSpec] = [
        heartRate.spec, rr.spec, motion.spec, bioBatch.spec, workout.spec, mood.spec, nudge.spec, desktop.spec,
        calendar.spec, baseline.spec, stress.spec, battery.spec, sleep.spec, alert.spec, state.spec, now.spec,
        glance.spec, progress.spec, queue.spec,
        why.spec, decision.spec, played.spec, playerEvent.spec, library.spec, heartbeat.spec, metrics.spec,
        processes.spec, deadLetter.spec, virtualNow.spec,
    ]

    /// The row of a topic's full name, or nil for a topic that nobody agreed on.
    package static func spec(of topic: String) -> TopicSpec? {
        // Asked several times for each message: no string is made.
        var topic = topic
        return topic.withUTF8 { name in
            let length = name.lastIndex(of: UInt8(ascii: "/")) ?? name.count
            guard length < byLength.count else { return nil }
            for row in byLength[length] where row.family.elementsEqual(name[..<length]) { return row.spec }
            return nil
        }
    }

    private static let byLength: [[(family: [UInt8], spec: TopicSpec)]] = {
        let rows = all.map { (family: Array($0.family.utf8), spec: $0) }
        return (0...(rows.map(\.family.count).max() ?? 0)).map { length in rows.filter { $0.family.count == length } }
    }()
}
