import Bus
import Foundation
import Logging
import Protocols
import Synchronization
import Testing

let silentLogger = Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })

/// A fresh private directory, removed at the end.
final class TemporaryDirectory: Sendable {
    let url: URL

    init() throws {
        url = URL(filePath: "/tmp/rsn-\(UUID().uuidString.prefix(8))", directoryHint: .isDirectory)
        try FileManager.default.createDirectory(
            at: url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }

    deinit { try? FileManager.default.removeItem(at: url) }
}

/// Which transport a contract test runs over.
enum TransportKind: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case zeroMQ, memory, lockStep
    var testDescription: String { rawValue }
}

/// A hub of any kind that can die and come back.
actor TestHub {
    nonisolated let directory: TemporaryDirectory
    nonisolated let kind: TransportKind
    nonisolated let memory: MemoryHub
    nonisolated let lockStep: LockStepHub
    /// What this hub would have on disk: it outlives ``kill()``.
    nonisolated let spool: any SpoolStore
    private var server: Task<Void, Never>?
    private var ticking: Task<Void, Never>?

    private let highWater: Int32

    /// - Parameter highWater: messages that wait for one slow subscriber; fewer than usual lose sooner.
    init(
        _ kind: TransportKind, spool: any SpoolStore = MemorySpool(), highWater: Int32 = HubServer.highWater
    ) async throws {
        self.kind = kind
        self.highWater = highWater
        self.spool = spool
        memory = MemoryHub(spool: spool)
        lockStep = LockStepHub(spool: spool)
        directory = try TemporaryDirectory()
        try await start()
    }

    nonisolated func transport() throws -> any BusTransport {
        switch kind {
        case .zeroMQ: ZeroMQTransport(try BusEndpoints(runtimeDirectory: directory.url))
        case .memory: memory.transport()
        case .lockStep: lockStep.transport()
        }
    }

    nonisolated var endpoints: BusEndpoints {
        get throws { try BusEndpoints(runtimeDirectory: directory.url) }
    }

    func start() async throws {
        switch kind {
        case .memory:
            guard ticking == nil else { return }
            let hub = memory
            ticking = Task {
                while !Task.isCancelled {
                    hub.tick()
                    try? await Task.sleep(for: .milliseconds(100))
                }
            }
        case .lockStep:
            guard ticking == nil else { return }
            let hub = lockStep
            ticking = Task {
                // Peers on the machine's clock want a hub on the same one; only its steps are ours.
                while !Task.isCancelled {
                    hub.step(to: .read())
                    try? await Task.sleep(for: .milliseconds(1))
                }
            }
        case .zeroMQ:
            let server = try HubServer(
                BusEndpoints(runtimeDirectory: directory.url), spool: spool, version: "test", logger: silentLogger,
                highWater: highWater)
            self.server = Task { await server.run() }
        }
    }

    /// Takes the hub away. Hubs in memory come back at once.
    func kill() async {
        switch kind {
        case .memory: memory.restart()
        case .lockStep: lockStep.restart()
        case .zeroMQ:
            server?.cancel()
            await server?.value
            server = nil
        }
    }

    func stop() async {
        server?.cancel()
        await server?.value
        ticking?.cancel()
    }
}

/// A service whose every event can be waited for.
actor Probe: BusService {
    nonisolated let subscriptions: [String]
    nonisolated let tick: Duration
    private(set) var messages: [Received] = []
    private(set) var joins: [UInt64] = []
    private(set) var lost = 0
    private(set) var ticks: [Timestamp] = []
    private(set) var requests: [String] = []
    private(set) var log: [String] = []
    private var failuresLeft: Int
    private let onMessage: (@Sendable (Received, any BusPort) -> Void)?
    private let onTick: (@Sendable (any BusPort) -> Void)?
    private let onJoin: (@Sendable (any BusPort) -> Void)?
    private let onRequest: @Sendable (IncomingRequest) -> Void
    private var waiters:
        [(condition: @Sendable (isolated Probe) -> Bool, continuation: CheckedContinuation<Void, Never>)] = []

    init(
        _ subscriptions: [String], tick: Duration = .seconds(1), failures: Int = 0,
        onMessage: (@Sendable (Received, any BusPort) -> Void)? = nil,
        onTick: (@Sendable (any BusPort) -> Void)? = nil, onJoin: (@Sendable (any BusPort) -> Void)? = nil,
        onRequest: @escaping @Sendable (IncomingRequest) -> Void = { $0.reply(Done(note: $0.name)) }
    ) {
        self.subscriptions = subscriptions
        self.tick = tick
        failuresLeft = failures
        self.onMessage = onMessage
        self.onTick = onTick
        self.onJoin = onJoin
        self.onRequest = onRequest
    }

    func receive(_ event: BusEvent, bus: any BusPort) async throws {
        defer { wake() }
        switch event {
        case .message(let message):
            if failuresLeft > 0, message.header.deliveryClass == .event {
                failuresLeft -= 1
                throw Refusal(code: "internal", message: "disk full")
            }
            messages.append(message)
            log.append("\(message.topic)#\(message.header.sequence)\(message.isTombstone ? " deleted" : "")")
            onMessage?(message, bus)
        case .request(let request):
            requests.append(request.name)
            log.append("\(request.name)? from \(request.from)")
            onRequest(request)
        case .tick:
            ticks.append(bus.now)
            onTick?(bus)
        case .joined(let epoch):
            joins.append(epoch)
            log.append("joined")
            onJoin?(bus)
        case .lost: lost += 1
        }
    }

    func note(_ text: String) {
        log.append(text)
        wake()
    }

    private func wake() {
        for waiter in waiters where waiter.condition(self) { waiter.continuation.resume() }
        waiters.removeAll { $0.condition(self) }
    }

    /// Waits for the event that makes the condition true; the time limit of the test ends a hopeless wait.
    func wait(until condition: @escaping @Sendable (isolated Probe) -> Bool) async {
        if condition(self) { return }
        await withCheckedContinuation { waiters.append((condition, $0)) }
    }

    func bodies<Body: Message>(_ family: TopicFamily<Body>) throws -> [Body] {
        try messages.compactMap { try $0.decode(family) }
    }
}

/// A running peer.
struct Running: Sendable {
    let peer: BusPeer
    let loop: Task<Void, any Error>

    init(
        _ service: any BusService, as name: ProcessName, roles: [ProcessName] = [], over transport: any BusTransport,
        outbox: Outbox = Outbox(), virtualTime: Bool = false, epoch: UInt64 = .random(in: 1...UInt64.max)
    ) {
        let peer = BusPeer(
            identity: PeerIdentity(
                name: name, roles: roles, version: "test", virtualTime: virtualTime, epoch: epoch),
            transport: transport, outbox: outbox, logger: silentLogger)
        self.peer = peer
        loop = Task { try await runPeer(service, on: peer) }
    }

    func stop() async {
        loop.cancel()
        _ = await loop.result
    }
}

func workout(_ phase: WorkoutPhase = .started) -> Workout { Workout(phase: phase, sport: "running", at: noon) }
func library(_ revision: Int64) -> LibraryRevision {
    LibraryRevision(revision: revision, songs: 0, playlists: 0, analysed: 0, pending: 0)
}

/// Polls something that no event tells of.
func eventually(_ condition: @Sendable () async throws -> Bool) async throws {
    while try await !condition() { try await Task.sleep(for: .milliseconds(5)) }
}
