import Protocols

/// What the hub knows of its spool and of those who wait for events.
struct EventDesk: Sendable {
    /// Events that may wait for the disk; more are refused as `spool-busy`, and stay with their senders.
    static let uncommittedEvents = 20_000
    static let uncommittedBytes = 64 << 20
    /// Changes that the disk refused and that are tried again each second. A change that is lost here only means that
    /// an event is delivered once more after a restart.
    static let retryLimit = 100_000
    /// Seconds between two looks for what may be forgotten.
    static let pruneSeconds = 60.0

    var lines: [ProcessName: ConsumerLine] = [:]
    /// Tools that registered themselves, and their families (empty = all).
    var registered: [ProcessName: TopicFilter] = [:]
    var depth = SpoolDepth()
    var uncommitted = (events: 0, bytes: 0)
    var retries: [SpoolJob] = []
    /// Why events are refused now.
    var refusing: String?
    /// Deliveries rest until then, for a backup.
    var heldUntilNs: Int64 = 0
    var prunedNs: Int64 = 0

    /// Consumers by the registry.
    static let builtIn: [ProcessName: [String]] = Registry.all.reduce(into: [:]) { consumers, spec in
        for name in spec.consumers { consumers[name, default: []].append(spec.family) }
    }

    func isConsumer(_ name: ProcessName) -> Bool { Self.builtIn[name] != nil || registered[name] != nil }

    /// For whom an event is kept.
    func consumers(of topic: String, _ spec: TopicSpec) -> [ProcessName] {
        guard !registered.isEmpty else { return spec.consumers }
        let tools = registered.keys.filter { name in
            registered[name].map { $0.subscriptions.isEmpty || $0.matches(topic) } ?? false
        }
        return spec.consumers + tools.sorted { $0.rawValue < $1.rawValue }
    }
}
