import Protocols

/// The rules of a peer, without sockets, threads or clock: what comes from the hub and from the service goes in, what
/// is to be sent and what the service is to hear comes out.
struct PeerCore: Sendable {
    enum Phase: Equatable, Sendable {
        /// No connection.
        case away
        /// Hello said, no welcome yet.
        case greeting
        /// Waits until its subscriptions are known to be active.
        case syncing
        case snapshot(correlation: UInt64)
        case joined
    }

    struct Ask: Sendable {
        let process: ProcessName
        let name: String
        let dueNs: Int64
        let dueAt: Timestamp
        let dueStep: UInt64
        let answer: @Sendable (Result<[UInt8], Refusal>) async -> Void
    }

    enum Served: Sendable {
        case open
        case answered(Received)
    }

    static let pendingLimit = 4096
    static let joinBufferLimit = 100_000
    static let serveLimit = 2048
    static let helloInterval: Int64 = 200_000_000
    static let syncInterval: Int64 = 100_000_000
    static let snapshotInterval: Int64 = 1_000_000_000
    static let heartbeatInterval: Int64 = 1_000_000_000
    static let hubSilenceLimit: Int64 = 3_000_000_000
    /// A name is still taken for a moment after kill -9 of its holder.
    static let refusalPatience: Int64 = 3_000_000_000

    let identity: PeerIdentity
    var filter: TopicFilter
    var phase = Phase.away
    var hubEpoch: UInt64 = 0
    /// Messages for the hub, in order; the shell takes them.
    var outgoing: [Received] = []
    /// Items for the service, in order; the shell takes them.
    var items: [InboxItem] = []
    /// Own events that the hub has stored, or will never take; the shell tells the outbox.
    var settled: [EventID] = []
    /// Families that this peer is a registered consumer of, beside those of the registry.
    var consumes: TopicFilter?
    /// The hub refuses events: none is sent before then, so that their order stays.
    var holdUntilNs: Int64 = 0
    var refusals = 0
    /// Set when the outbox is to be sent from the start.
    var wantsOutbox = false
    var notices: [(String, [String: String])] = []
    var drops: [String: UInt64] = [:]
    /// Messages that came from the hub, and that were handed to the transport, by class.
    var received = ClassCounts()
    var sent = ClassCounts()
    var serviceReady = false
    var virtualNow = Timestamp(milliseconds: 0)
    var steps: [ClockStep] = []
    /// Why the hub does not let this peer in; nil once it does.
    var handshakeProblem: String?
    var refusalNoticedNs: Int64?
    /// The hub's time, for a peer on another machine.
    var hubClock = HubClock()
    let measuresHubClock: Bool
    /// What the rights of its key let it hear; nil = everything.
    var reach: TopicFilter?

    var everWelcome = false
    var everJoined = false
    var linkIsUp = false
    var lastSentNs: Int64 = 0
    var lastHeartbeatNs: Int64 = 0
    var hubHeardNs: Int64 = 0
    var firstRefusalNs: Int64?
    var sequences: [String: UInt64] = [:]
    var ownStates: [String: Received] = [:]
    var pending: [Received] = []
    var asks: [UInt64: Ask] = [:]
    var correlation: UInt64
    var served: [ServeKey: Served] = [:]
    var servedOrder: [ServeKey] = []
    var joinBuffer: [Received] = []
    var snapshotValues: [Received] = []
    var delivered: [String: DeliveredState] = [:]
    var joinedHubEpoch: UInt64 = 0
    /// What the snapshot of the last joining covers: older states that are still on their way have been overtaken.
    var joinedHubSequence: UInt64 = 0
    /// States of which a new hub knows nothing yet, with the time at which they count as deleted.
    var orphans: [String: Int64] = [:]
    /// Single states that were asked for, by correlation.
    var stateRepairs: [UInt64: StateRepair] = [:]
    var streams = StreamLedger()
    /// Open gaps of live streams; nearly always empty.
    var repairs: [StreamKey: Repair] = [:]
    /// Streams whose gaps are only counted until a monotonic time in ns.
    var unrepaired: [StreamKey: Int64] = [:]
    /// Beginnings of streams of which the hub did not say how much is owed.
    var unsettled: [StreamKey: Unsettled] = [:]
    /// Live messages that were lost here, by topic and cause.
    var lost: [String: [String: UInt64]] = [:]
    var anchor: Anchor?
    /// True once the positions of a first snapshot are known: a stream that appears later is owed from its beginning.
    var isAnchored = false
    /// When that was, in ms of the hub's monotonic clock.
    var joinedClockMs: Int64 = 0
    /// Time of the first connection.
    var bornNs: Int64?
    /// What the service says of its topics; only what is not as usual.
    var conditions: [String: TopicCondition] = [:]
    var seen = SeenEvents()
    var virtual = VirtualInbox()
    var roster: [UInt64: String] = [:]
    var noticed: Set<String> = []
    /// Joined, but the service learns of it only with its first step of virtual time.
    var virtualJoin = false
    var hasLeft = false
    /// What ``isHurried`` was when the shell last looked.
    var wasHurried = false
    var finishedStep: UInt64 = 0

    /// - Parameter isRemote: the hub may be on another machine, with clocks of its own.
    init(identity: PeerIdentity, subscriptions: [String], isRemote: Bool = false) {
        self.identity = identity
        measuresHubClock = isRemote && !identity.virtualTime
        filter = TopicFilter(subscriptions)
        correlation = stableHash("\(identity.name) \(identity.epoch)".utf8)
    }

    var isWelcome: Bool {
        switch phase {
        case .away, .greeting: false
        case .syncing, .snapshot, .joined: true
        }
    }

    // MARK: - Out

    /// Gives a body its header.
    mutating func prepare(
        _ body: [UInt8], spec: TopicSpec, topic: String, flags: Header.Flags, now: Moment, realTime: Bool = false
    ) -> Received {
        let sequence = Self.next(&sequences[topic, default: 0])
        let virtual = identity.virtualTime && !realTime
        let virtualNs = virtualNow.milliseconds * 1_000_000
        let now = hubTime(now)
        return Received(
            topic: topic,
            header: Header(
                deliveryClass: spec.deliveryClass, schema: spec.schema,
                flags: virtual ? flags.union(.virtualTime) : flags, ttlMs: UInt32((spec.ttl ?? 0) * 1000),
                epoch: identity.epoch, sequence: sequence, wallNs: virtual ? virtualNs : now.wallNs,
                monotonicNs: virtual ? virtualNs : now.monotonicNs),
            body: body)
    }

    private static func next(_ sequence: inout UInt64) -> UInt64 {
        sequence += 1
        return sequence
    }

    /// Sends a message by its class, or keeps or drops it while the hub is away.
    ///
    /// - Parameter isStored: the message is in the outbox, which will send it when the hub is there.
    mutating func send(_ message: Received, isStored: Bool = false) {
        if message.header.deliveryClass == .state { ownStates[message.topic] = message }
        if isWelcome {
            outgoing.append(message)
            return
        }
        switch message.header.deliveryClass {
        case .state: break
        case .event where isStored: break
        case .live where everWelcome: unsend(message, "live-away")
        case .live where pending.count >= Self.pendingLimit: unsend(message, "pending-full")
        case .live, .event, .request, .reply, .control:
            if pending.count < Self.pendingLimit { pending.append(message) } else { drop("pending-full") }
        }
    }

    mutating func ask(
        _ process: ProcessName, _ name: String, _ body: [UInt8], deadline: Duration, now: Moment,
        answer: @escaping @Sendable (Result<[UInt8], Refusal>) async -> Void
    ) {
        if everWelcome, !isWelcome, !identity.virtualTime {
            let refusal = Refusal(code: "unavailable", message: "the hub is away: \(process) cannot be asked")
            items.append(.answer({ await answer(.failure(refusal)) }))
            return
        }
        correlation &+= 1
        let nanoseconds = max(0, deadline.nanoseconds)
        let milliseconds = nanoseconds / 1_000_000
        let sentAt = hubTime(now)
        asks[correlation] = Ask(
            process: process, name: name, dueNs: now.monotonicNs.addingReportingOverflow(nanoseconds).partialValue,
            dueAt: virtualNow.adding(milliseconds: milliseconds),
            dueStep: virtual.lastStep + UInt64(VirtualTime.minimumDeadlineSteps), answer: answer)
        send(
            Received(
                topic: ControlTopic.request(process.rawValue, name),
                header: Header(
                    deliveryClass: .request, schema: SchemaVersion(major: 1, minor: 0),
                    flags: identity.virtualTime ? .virtualTime : [], ttlMs: UInt32(clamping: milliseconds),
                    epoch: identity.epoch, sequence: 0, wallNs: sentAt.wallNs,
                    monotonicNs: sentAt.monotonicNs, correlation: correlation),
                body: body))
    }

    /// Sends the answer to a question, and remembers it for a repeat.
    mutating func reply(_ key: ServeKey, name: String, _ result: Result<[UInt8], Refusal>) {
        guard case .open = served[key] else { return }
        let (body, flags): ([UInt8], Header.Flags) =
            switch result {
            case .success(let bytes): (bytes, [])
            case .failure(let refusal): ((try? MessageCoding.encode(refusal)) ?? [], .refused)
            }
        let message = Received(
            topic: ControlTopic.reply(key.asker, name),
            header: Header(
                deliveryClass: .reply, schema: SchemaVersion(major: 1, minor: 0), flags: flags,
                epoch: identity.epoch, sequence: 0, wallNs: 0, monotonicNs: 0, correlation: key.correlation),
            body: body)
        served[key] = .answered(message)
        send(message)
    }

    /// The service has done all its work of a step.
    mutating func finish(step: UInt64) {
        finishedStep = max(finishedStep, step)
        guard let body = try? MessageCoding.encode(ClockStep(process: identity.name, step: step)) else { return }
        outgoing.append(.control(ControlTopic.step, body: body, epoch: identity.epoch))
    }

    /// A message that the transport could not send.
    ///
    /// - Parameter atOnce: in the call that sent it, so that nothing newer of its topic has been sent.
    mutating func undelivered(_ message: Received, atOnce: Bool = false) {
        switch message.header.deliveryClass {
        case .live where atOnce: unsend(message, "live-full")
        // It has a sequence: its readers count it.
        case .live: drop("live-unsent")
        case .request:
            let refusal = Refusal(code: "unavailable", message: "the hub is away: the question was not sent")
            answer(message.header.correlation, .failure(refusal))
        // The outbox has it.
        case .event, .state, .reply, .control: break
        }
    }

    mutating func drop(_ cause: String, _ count: UInt64 = 1) { drops[cause, default: 0] += count }

    /// Counts a message that does not reach the service; a live one is lost here.
    mutating func drop(_ cause: String, _ message: Received) {
        if message.header.deliveryClass == .live { lose(cause, message.topic) } else { drop(cause) }
    }

    mutating func noticeOnce(_ text: String, _ metadata: [String: String]) {
        let key = text + metadata.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined()
        guard noticed.count < 1000, noticed.insert(key).inserted else { return }
        notices.append((text, metadata))
    }

    // MARK: - Time

    /// Repeats what got no answer, says the heartbeat, gives up on late answers.
    mutating func tick(now: Moment, loopLagMs: Double, queueDepths: [String: Int]) {
        let since = now.monotonicNs - lastSentNs
        switch phase {
        case .away: break
        case .greeting: if since >= Self.helloInterval { sayHello(now) }
        case .syncing: if since >= Self.syncInterval { saySync(now) }
        case .snapshot: if since >= Self.snapshotInterval { askSnapshot(now) }
        case .joined: break
        }
        if isWelcome, now.monotonicNs - hubHeardNs > Self.hubSilenceLimit {
            lose("the hub has been silent for 3 s")
            phase = linkIsUp ? .greeting : .away
        }
        if isWelcome, Self.beatNumber(now.monotonicNs) != Self.beatNumber(lastHeartbeatNs) {
            sayHeartbeat(now, loopLagMs: loopLagMs, queueDepths: queueDepths)
        }
        askHubTime(now)
        guard !identity.virtualTime else { return }
        tickRepairs(now: now)
        tickStates(now: now)
        for (id, ask) in asks.sorted(by: { $0.key < $1.key }) where ask.dueNs <= now.monotonicNs {
            answer(id, .failure(Self.late(ask)))
        }
    }

    /// Heartbeats are due when a second since boot begins, for all processes of a host at once; a timer may be a little
    /// early.
    private static func beatNumber(_ ns: Int64) -> Int64 { (ns + heartbeatInterval / 100) / heartbeatInterval }

    /// True while something may be due before the next second begins.
    var isHurried: Bool {
        switch phase {
        case .greeting, .syncing, .snapshot: true
        case .away, .joined: !asks.isEmpty || !repairs.isEmpty || isLearningHubTime
        }
    }

    static func late(_ ask: Ask) -> Refusal {
        Refusal(code: "deadline", message: "\(ask.process) did not answer \(ask.name) in time")
    }

    mutating func sayHeartbeat(_ now: Moment, loopLagMs: Double, queueDepths: [String: Int]) {
        lastHeartbeatNs = now.monotonicNs
        let topic = Registry.heartbeat(identity.name.rawValue)
        let beat = Heartbeat(
            process: identity.name, pid: identity.pid, version: identity.version, epoch: identity.epoch,
            loopLagMs: loopLagMs, queueDepths: queueDepths, drops: drops,
            lastSequence: sequences.filter { $0.key != topic.name },
            ready: identity.virtualTime ? phase == .joined : serviceReady, lostByTopic: lost.isEmpty ? nil : lost,
            conditions: conditions.isEmpty ? nil : conditions.mapValues { Open($0) })
        guard let body = try? MessageCoding.encode(beat) else { return }
        send(prepare(body, spec: topic.spec, topic: topic.name, flags: [], now: now, realTime: true))
    }

    /// Hands an answer over, once.
    mutating func answer(_ id: UInt64, _ result: Result<[UInt8], Refusal>) {
        guard let ask = asks.removeValue(forKey: id) else { return }
        let item = InboxItem.answer({ await ask.answer(result) })
        if identity.virtualTime {
            virtual.add(.init(sender: "", hubSequence: id, item: item), by: .direct)
        } else {
            items.append(item)
        }
    }
}
