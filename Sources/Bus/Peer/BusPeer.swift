import Foundation
import Logging
import Protocols
import Synchronization

/// One process on the bus: the rules of ``PeerCore`` over any ``BusTransport``, with an ``Outbox`` for its events.
///
/// Publishing never blocks, but for events with consumers, which wait for the disk. All its state is behind one lock
/// that is never held while anything is awaited.
package final class BusPeer: BusPort {
    let identity: PeerIdentity
    let logger: Logger
    let transport: any BusTransport
    let outbox: Outbox
    let core: Mutex<PeerCore>
    let inbox: Inbox
    let progress = Progress()
    /// Rung when something may be due before the next second.
    let alarm = Alarm()
    let stepHandler = Mutex<StepHandler?>(nil)
    private let started = Mutex(false)

    package init(
        identity: PeerIdentity, transport: any BusTransport, outbox: Outbox = Outbox(),
        logger: Logger = Logger(label: "resonance.bus", factory: { _ in SwiftLogNoOpLogHandler() })
    ) {
        self.identity = identity
        self.transport = transport
        self.outbox = outbox
        self.logger = logger
        core = Mutex(PeerCore(identity: identity, subscriptions: [], isRemote: transport.isRemote))
        inbox = Inbox(bounded: !identity.virtualTime)
    }

    /// Connects. Called once, by the loop that feeds the service.
    func start(subscriptions: [String]) throws(BusError) {
        let isFirst = started.withLock { started in
            defer { started = true }
            return !started
        }
        guard isFirst else { throw .socket(operation: "start", reason: "this peer was started before") }
        core.withLock { $0.filter = TopicFilter(subscriptions) }
        var prefixes = TopicFilter(subscriptions).wirePrefixes
        prefixes.append(Array(ControlTopic.sync(epoch: identity.epoch).utf8) + [0])
        if !subscriptions.isEmpty { prefixes.append(Array("\(Registry.heartbeat.spec.family)/".utf8)) }
        if identity.virtualTime { prefixes.append(Array("\(Registry.virtualNow.spec.family)/".utf8)) }
        try transport.start(prefixes: prefixes) { [weak self] events in self?.handle(events) }
    }

    // MARK: - BusPort

    package var now: Timestamp {
        identity.virtualTime ? core.withLock { $0.virtualNow } : hubNow.timestamp
    }

    /// Both clocks now, in the hub's time: for a peer on the hub's machine its own.
    var hubNow: Moment {
        let now = Moment.read()
        return transport.isRemote ? core.withLock { $0.hubTime(now) } : now
    }

    /// False until a peer on another machine knows the hub's time: what it stamped before would be wrong.
    var isTimeKnown: Bool { !transport.isRemote || core.withLock { !$0.measuresHubClock || $0.hubClock.isKnown } }

    package func publish<Body: Message>(_ body: Body, on topic: Topic<Body>) {
        do {
            publish(try MessageCoding.encode(body), spec: topic.spec, topic: topic.name, flags: [])
        } catch {
            count("encode")
            logger.error("message has no JSON and was not sent", metadata: ["topic": "\(topic.name)"])
        }
    }

    package func withdraw<Body: Message>(_ topic: Topic<Body>) {
        publish([], spec: topic.spec, topic: topic.name, flags: .tombstone)
    }

    /// Publishes bytes that are JSON already, as a recording holds them.
    package func publish(_ body: [UInt8], spec: TopicSpec, topic: String, flags: Header.Flags) {
        let now = Moment.read()
        guard body.count <= maximumMessageBytes else {
            // The hub would end the connection over it.
            count("too-large")
            logger.error("message is too large and was not sent", metadata: ["topic": "\(topic)"])
            return
        }
        guard spec.deliveryClass == .event else {
            act { core in core.send(core.prepare(body, spec: spec, topic: topic, flags: flags, now: now)) }
            return
        }
        let message = core.withLock { $0.prepare(body, spec: spec, topic: topic, flags: flags, now: now) }
        do {
            try outbox.append(message)
        } catch {
            if case .full = error { count("outbox-full") } else { count("outbox-disk") }
            logger.error(
                "event could not be kept and is lost", metadata: ["topic": "\(topic)", "reason": "\(error)"])
            return
        }
        act { core in
            guard core.isWelcome, !core.isHolding(now) else { return }
            outbox.markSent(EventID(message), nowNs: now.monotonicNs)
            core.send(message, isStored: true)
        }
    }

    package func say<Body: Message>(_ condition: TopicCondition?, of topic: Topic<Body>) {
        core.withLock { $0.conditions[topic.name] = condition }
    }

    package func ask<Query: Request>(
        _ query: Query, deadline: Duration,
        answer: @escaping @Sendable (Result<Query.Reply, Refusal>) async -> Void
    ) {
        ask(Query.target, Query.name, query, deadline: deadline, answer: answer)
    }

    package func ask<Query: Message, Reply: Message>(
        _ process: ProcessName, _ name: String, _ query: Query, deadline: Duration,
        answer: @escaping @Sendable (Result<Reply, Refusal>) async -> Void
    ) {
        do {
            ask(process, name, body: try MessageCoding.encode(query), deadline: deadline) { result in
                await answer(MessageCoding.outcome(of: result, as: Reply.self))
            }
        } catch {
            let refusal = Refusal(code: "invalid", message: "request \(name) cannot be encoded: \(error)")
            act { $0.items.append(.answer({ await answer(.failure(refusal)) })) }
        }
    }

    /// Asks with bytes that are JSON already.
    package func ask(
        _ process: ProcessName, _ name: String, body: [UInt8], deadline: Duration,
        answer: @escaping @Sendable (Result<[UInt8], Refusal>) async -> Void
    ) {
        let now = Moment.read()
        act { core in
            guard !inbox.isClosed else {
                let refusal = Refusal(code: "unavailable", message: "\(identity.name) has left the bus")
                core.items.append(.answer({ await answer(.failure(refusal)) }))
                return
            }
            core.ask(process, name, body, deadline: deadline, now: now, answer: answer)
        }
    }

    // MARK: - What the process shows

    /// Seconds that the main loop has been busy with one thing; 0 while it waits, nil before its first beat.
    package var secondsSinceProgress: Double? { progress.secondsBusy(nowNs: Moment.read().monotonicNs) }

    /// Messages lost at this process, by cause.
    package var drops: [String: UInt64] { core.withLock { $0.drops } }

    /// Live messages lost at this process, by topic and cause; see ``Heartbeat/lostByTopic``.
    package var lostByTopic: [String: [String: UInt64]] { core.withLock { $0.lost } }

    /// True once the kept values of all subscriptions are known.
    package var isJoined: Bool { core.withLock { $0.phase == .joined } }

    /// Why the hub does not let this peer in, with what to do about it; nil once it does.
    package var handshakeProblem: String? { core.withLock { $0.handshakeProblem } }

    /// Events that the hub has not stored yet.
    package var unacknowledged: Int { outbox.count }

    // MARK: - Work

    /// Deletes what waits to be sent: the owner deleted everything.
    ///
    /// - Returns: why it could not, for the one who asked.
    func forgetOutbox() -> Refusal? {
        do {
            try outbox.removeAll()
            return nil
        } catch {
            logger.error("the outbox could not be emptied", metadata: ["error": "\(error)"])
            return Refusal(code: "internal", message: "the outbox could not be emptied: \(error)")
        }
    }

    func count(_ cause: String) { core.withLock { $0.drop(cause) } }

    /// Counts a message that the service did not get, or could not handle.
    func count(_ cause: String, _ message: Received) { core.withLock { $0.drop(cause, message) } }

    /// Changes the core, and does what it wants done. Order of sending is order of the lock.
    func act(_ change: (inout PeerCore) -> Void) {
        var notices: [(String, [String: String])] = []
        var steps: [ClockStep] = []
        var isHurried = false
        core.withLock { core in
            change(&core)
            settle(&core)
            isHurried = core.isHurried && !core.wasHurried
            core.wasHurried = core.isHurried
            notices = core.notices
            steps = core.steps
            core.notices = []
            core.steps = []
        }
        if isHurried { alarm.ring() }
        for (text, metadata) in notices {
            logger.warning("\(text)", metadata: metadata.mapValues { .string($0) })
        }
        if !steps.isEmpty, let handler = stepHandler.withLock({ $0 }) { steps.forEach(handler.call) }
    }

    private func settle(_ core: inout PeerCore) {
        if !core.settled.isEmpty {
            outbox.acknowledge(core.settled)
            core.settled.removeAll(keepingCapacity: true)
        }
        if core.wantsOutbox {
            core.wantsOutbox = false
            let nowNs = Moment.read().monotonicNs
            for message in outbox.take(nowNs: nowNs) { core.send(message, isStored: true) }
        }
        if !core.outgoing.isEmpty {
            for message in core.outgoing { core.sent.count(message.header.deliveryClass) }
            let refused = transport.send(core.outgoing)
            core.outgoing.removeAll(keepingCapacity: true)
            // From the newest back: each sequence that is freed is the last one of its topic.
            for message in refused.reversed() { core.undelivered(message, atOnce: true) }
        }
        if !core.items.isEmpty {
            let lost = inbox.append(core.items)
            core.items.removeAll(keepingCapacity: true)
            for (cause, item) in lost { lose(item, cause, &core) }
        }
    }

    /// Waits until the loop has handled what is in the inbox now.
    func drainInbox() async {
        await withCheckedContinuation { continuation in
            act { $0.items.append(.answer({ continuation.resume() })) }
        }
    }

    /// Nobody will read the inbox any more: whoever waits for an answer gets one.
    func closeInbox() async {
        let rest = inbox.takeRest()
        let open = core.withLock { core in
            defer { core.asks = [:] }
            return core.asks.sorted { $0.key < $1.key }.map(\.value)
        }
        for case .answer(let answer) in rest { await answer() }
        for ask in open {
            await ask.answer(.failure(Refusal(code: "unavailable", message: "\(identity.name) ends")))
        }
    }

    private func lose(_ item: InboxItem, _ cause: String, _ core: inout PeerCore) {
        if case .message(let message, _) = item { core.drop(cause, message) } else { core.drop(cause) }
        switch item {
        case .answer(let answer):
            // The loop has ended: nobody else can tell the one who asked.
            Task { await answer() }
        case .message(let message, _) where message.header.deliveryClass == .event:
            core.seen.forget(EventID(message))
        case .request(let key, let name, _):
            core.reply(key, name: name, .failure(Refusal(code: "unavailable", message: "\(identity.name) is too busy")))
        default: break
        }
    }

    private func handle(_ events: [TransportEvent]) {
        let now = Moment.read()
        act { core in
            for event in events { core.handle(event, now: now) }
        }
    }

    /// Seconds after which an event without acknowledgement is sent again: doubles from 5 up to 300.
    private static func resendAfter(_ sent: Int) -> Int64 { min(300, 5 << Int64(min(sent, 7))) * 1_000_000_000 / 2 }

    /// Repeats, gives up, says the heartbeat; called each second by the loop, more often when something may be due.
    ///
    /// - Returns: whether something may be due before the next second.
    func maintain() -> Bool {
        let now = Moment.read()
        let depths = ["inbox": inbox.count, "outgoing": transport.backlog, "outbox": outbox.count]
        act { core in
            core.tick(now: now, loopLagMs: progress.lagMs, queueDepths: depths)
            core.releaseHold(now)
            guard core.phase == .joined, !identity.virtualTime, !core.isHolding(now) else { return }
            let due = outbox.take(limit: 64, nowNs: now.monotonicNs) {
                $0.sent > 0 && now.monotonicNs - $0.lastSentNs > Self.resendAfter($0.sent)
            }
            for message in due { core.send(message, isStored: true) }
        }
        return core.withLock(\.isHurried)
    }
}

/// What the conductor does with a finished step.
///
/// In a type of its own: a bare closure in a `Mutex` is wrapped once more each time it is read.
struct StepHandler: Sendable {
    let call: @Sendable (ClockStep) -> Void
}
