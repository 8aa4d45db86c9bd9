import CZeroMQ
import Foundation
import Logging
import Protocols
import Synchronization

/// The hub with its sockets: ROUTER in, XPUB out, one thread, ``HubCore`` between them.
///
/// Slow subscribers: XPUB drops for a subscriber whose queue of ``highWater`` messages is full, and only for that one
/// (`ZMQ_XPUB_NODROP` stays off: with it one frozen process would stop the whole house). A frozen process is cut off
/// after 2.5 s by the heartbeats of ZeroMQ, so the queue of a living one never fills at our rates; were it to, the
/// subscriber counts the gap by the sequences.
package final class HubServer: Sendable {
    package static let highWater: Int32 = 100_000

    /// What an operator may look at; posted once a second.
    package let board = HubBoard()
    let io: HubIO

    /// Binds both sockets.
    ///
    /// - Parameters:
    ///   - endpoints: usually of the runtime directory, whose lock must be held (``HubLock``).
    ///   - more: further addresses, such as TCP on this machine.
    ///   - remote: open to other machines as well, by CURVE and for the keys on the list alone.
    ///   - spool: keeps the events; without one they are kept in memory, for tests.
    ///   - supervision: asked once a second for what the supervisor says; must not block.
    ///   - highWater: messages that wait for one peer.
    /// - Throws: ``BusError/socket(operation:reason:)``.
    package init(
        _ endpoints: BusEndpoints, also more: [BusEndpoints] = [], remote: RemoteAccess? = nil,
        spool: any SpoolStore = MemorySpool(), version: String, logger: Logger,
        supervision: @escaping @Sendable () -> SupervisorReport? = { nil }, highWater: Int32 = HubServer.highWater
    ) throws(BusError) {
        io = try HubIO(
            endpoints: [endpoints] + more, remote: remote, spool: spool, version: version, logger: logger, board: board,
            supervision: supervision, highWater: highWater)
    }

    /// Serves until the task is cancelled.
    package func run() async {
        io.start()
        await withTaskCancellationHandler {
            await io.ended.wait()
        } onCancel: {
            io.loop.stop()
        }
        await io.zap?.finish()
        io.writer.stop(limit: .milliseconds(300))
    }

    /// Seconds since the loop last came round; it does so at least once a second.
    package var secondsSinceProgress: Double? {
        io.progress.secondsBusy(nowNs: Moment.read().monotonicNs)
    }
}

/// Owns the hub's sockets, on a thread of its own.
actor HubIO {
    private static let batchLimit = 512
    private static let tickNs: Int64 = 1_000_000_000

    nonisolated let loop: IOLoop
    nonisolated let ended = Ended()
    nonisolated let progress = Progress()
    nonisolated let writer: SpoolWriter
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    /// Judges the keys of other machines.
    nonisolated let zap: ZAPHandler?
    private let router: ZMQSocket
    private let publisher: ZMQSocket
    private let board: HubBoard
    private let supervision: @Sendable () -> SupervisorReport?
    let remote: RemoteGate?
    let logger: Logger
    private let epoch = UInt64.random(in: 1...UInt64.max)
    let topics = TopicTable()
    var core: HubCore
    /// Taken from the core, being done; the two arrays change places, so that none is made for each message.
    private var actions: [HubAction] = []
    private var nextTickNs: Int64 = 0

    /// Jobs for the spool since it was last given some.
    private var jobs: [SpoolJob] = []

    init(
        endpoints: [BusEndpoints], remote access: RemoteAccess?, spool: any SpoolStore, version: String,
        logger: Logger, board: HubBoard,
        supervision: @escaping @Sendable () -> SupervisorReport?, highWater: Int32
    ) throws(BusError) {
        let loop = try IOLoop()
        self.loop = loop
        writer = SpoolWriter(spool) { loop.wake() }
        if let access {
            let gate = try RemoteGate(access) { loop.wake() }
            zap = gate.zap
            remote = gate
        } else {
            zap = nil
            remote = nil
        }
        self.logger = logger
        self.board = board
        self.supervision = supervision
        let context = try ZMQContext()
        router = try ZMQSocket(context, ZMQ_ROUTER)
        publisher = try ZMQSocket(context, ZMQ_XPUB)
        core = HubCore(
            epoch: epoch, version: version,
            pid: ProcessInfo.processInfo.processIdentifier, now: Moment.read())
        core.isOpenToOthers = remote != nil
        router.setCommonOptions()
        router.set(ZMQ_ROUTER_MANDATORY, 1)
        publisher.setCommonOptions()
        for socket in 0...1 {
            if socket == 0 {
                router.set(ZMQ_SNDHWM, highWater)
                router.set(ZMQ_RCVHWM, highWater)
            } else {
                publisher.set(ZMQ_SNDHWM, highWater)
                // Subscriptions come in here.
                publisher.set(ZMQ_RCVHWM, 0)
            }
        }
        for endpoint in endpoints {
            try router.bind(endpoint.input)
            try publisher.bind(endpoint.output)
        }
    }

    nonisolated func start() {
        let thread = Thread { [self] in
            loop.adopt()
            assumeIsolated { $0.readKeys() }
            loop.run(
                { assumeIsolated { $0.pollItems } }, wanted: { assumeIsolated { $0.wanted() } },
                ready: { assumeIsolated { $0.work() } })
            ended.set()
        }
        thread.name = "hub-io"
        thread.start()
    }

    private var pollItems: [ZMQPollItem] {
        [router.pollItem(ZMQ_POLLIN), publisher.pollItem(ZMQ_POLLIN)] + (remote?.door?.pollItems ?? [])
    }

    private func wanted() -> (events: [Int32], timeoutMs: Int) {
        progress.rest()
        let due = min(nextTickNs, remote?.reopenNs ?? .max)
        let left = max(0, due - Moment.read().monotonicNs)
        return ([], Int(left / 1_000_000) + (left > 0 ? 1 : 0))
    }

    private func work() {
        var now = Moment.read()
        progress.begin(nowNs: now.monotonicNs)
        var more = true
        while more, !loop.isStopped {
            takeSpooled(now)
            let subscriptions = readSubscriptions()
            let messages = readMessages(now)
            let others = workRemotely(now)
            submitJobs()
            more = subscriptions || messages || others
            now = Moment.read()
            tickIfDue(now)
        }
        submitJobs()
    }

    /// One commit for all that a round brought.
    private func submitJobs() {
        guard !jobs.isEmpty else { return }
        writer.submit(jobs)
        jobs.removeAll(keepingCapacity: true)
    }

    /// What the disk has done meanwhile.
    private func takeSpooled(_ now: Moment) {
        for batch in writer.take() {
            core.spooled(batch, now: now)
            perform()
        }
    }

    private func tickIfDue(_ now: Moment) {
        guard now.monotonicNs >= nextTickNs else { return }
        // With the heartbeats of the peers, which wake this process anyway.
        nextTickNs = (now.monotonicNs / Self.tickNs + 1) * Self.tickNs
        if remote?.hasNewFile == true { readKeys() }
        core.supervision = supervision()
        core.tick(now: now) { isReachable($0) }
        perform()
        board.post(core.figures(now: now))
    }

    /// A beat that nobody needs: ROUTER_MANDATORY says whether there is a connection behind the route.
    func isReachable(_ route: Route) -> Bool {
        if case .noRoute = send(.control(ControlTopic.beat, epoch: epoch, hubEpoch: epoch), to: route) {
            return false
        }
        return true
    }

    private func send(_ message: Received, to route: Route) -> ZMQSendResult {
        guard route.isRemote else { return router.send(message, to: route) }
        guard let door = remote?.door else { return .noRoute }
        return door.router.send(message, to: route.withoutMark)
    }

    /// - Returns: true when there may be more.
    private func readMessages(_ now: Moment) -> Bool {
        for _ in 0..<Self.batchLimit {
            var reader = FrameReader(routed: true, topics: topics)
            guard router.receive({ reader.add($0, $1) }) > 0 else { return false }
            switch reader.finish() {
            case .message(_, let route) where route?.isRemote == true:
                core.garbage("a route that only other machines have", from: route)
            case .message(let message, let route):
                core.receive(message, from: route ?? [], now: now) { isReachable($0) }
            case .garbage(let reason, let route):
                core.garbage(reason, from: route)
            }
            perform()
        }
        return true
    }

    /// A subscription to `~sync/EPOCH` is the last one of a peer: it is answered on the way of the topics.
    private func readSubscriptions() -> Bool {
        for _ in 0..<Self.batchLimit {
            var prefix: [UInt8] = []
            guard publisher.receive({ if $0 == 0 { prefix = Array($1) } }) > 0 else { return false }
            guard prefix.first == 1 else { continue }
            noteSync(prefix.dropFirst())
        }
        return true
    }

    func noteSync(_ prefix: ArraySlice<UInt8>) {
        guard prefix.last == 0, let topic = String(validating: prefix.dropLast(), as: UTF8.self),
            let text = ControlTopic.rest(topic, after: ControlTopic.sync), let epoch = UInt64(text, radix: 16)
        else { return }
        core.sync(epoch: epoch)
        perform()
    }

    func perform() {
        while !core.actions.isEmpty {
            swap(&actions, &core.actions)
            for action in actions {
                switch action {
                case .publish(let message):
                    _ = publisher.send(message)
                    if let door = remote?.door { _ = door.publisher.send(message) }
                case .send(let route, let message):
                    switch send(message, to: route) {
                    case .sent: break
                    case .notNow: core.undeliverable(message, to: route, gone: false)
                    case .noRoute: core.undeliverable(message, to: route, gone: true)
                    }
                case .spool(let job): jobs.append(job)
                case .notice(let text, let metadata):
                    logger.warning("\(text)", metadata: metadata.mapValues { .string($0) })
                case .reloadKeys: readKeys()
                }
            }
            actions.removeAll(keepingCapacity: true)
        }
    }
}
