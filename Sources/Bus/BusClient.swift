import Foundation
import Logging
import Protocols

/// The bus for a tool: connect, listen, ask, publish, leave.
///
///     let client = try await BusClient.connect(to: endpoints, subscriptions: ["state/vector"])
///     for await message in client.messages { … }
package final class BusClient: Sendable {
    /// Messages that wait for a slow reader; the oldest give way.
    package static let bufferLimit = 10_000

    package let peer: BusPeer
    /// What was heard, in order; kept values first. Ends when the client is closed or the hub refuses it.
    package let messages: AsyncStream<Received>
    private let listener: ClientListener
    private let loop: Task<Void, any Error>

    /// The name of a tool that nobody asks anything.
    package static var anonymousName: ProcessName {
        ProcessName(rawValue: "cli-\(ProcessInfo.processInfo.processIdentifier)")
    }

    /// Connects and waits until the hub has answered.
    ///
    /// - Parameters:
    ///   - name: a name of its own; a second client of the same process needs one.
    ///   - answering: handles questions to this name; without it they are refused as unknown.
    /// - Throws: ``BusError/noHub(endpoint:seconds:)``, ``BusError/refused(code:message:)``.
    package static func connect(
        to endpoints: BusEndpoints, as name: ProcessName = anonymousName, subscriptions: [String] = [],
        version: String = "0", timeout: Duration = .seconds(3),
        logger: Logger = Logger(label: "resonance.client", factory: { _ in SwiftLogNoOpLogHandler() }),
        answering: (@Sendable (IncomingRequest) async -> Void)? = nil
    ) async throws -> BusClient {
        try await connect(
            over: ZeroMQTransport(endpoints), as: name, subscriptions: subscriptions, version: version,
            timeout: timeout, logger: logger, answering: answering)
    }

    /// The same over any transport.
    package static func connect(
        over transport: any BusTransport, as name: ProcessName = anonymousName, subscriptions: [String] = [],
        version: String = "0", timeout: Duration = .seconds(3),
        logger: Logger = Logger(label: "resonance.client", factory: { _ in SwiftLogNoOpLogHandler() }),
        answering: (@Sendable (IncomingRequest) async -> Void)? = nil
    ) async throws -> BusClient {
        let peer = BusPeer(identity: PeerIdentity(name: name, version: version), transport: transport, logger: logger)
        let client = BusClient(peer: peer, subscriptions: subscriptions, answering: answering)
        do {
            try await client.waitForJoin(timeout)
        } catch {
            await client.close()
            throw error
        }
        return client
    }

    private init(
        peer: BusPeer, subscriptions: [String], answering: (@Sendable (IncomingRequest) async -> Void)?
    ) {
        self.peer = peer
        let (messages, sink) = AsyncStream.makeStream(
            of: Received.self, bufferingPolicy: .bufferingNewest(Self.bufferLimit))
        self.messages = messages
        let listener = ClientListener(subscriptions: subscriptions, sink: sink, answering: answering)
        self.listener = listener
        loop = Task {
            defer { sink.finish() }
            do {
                try await runPeer(listener, on: peer)
                await listener.end(nil)
            } catch {
                await listener.end(error)
                throw error
            }
        }
    }

    private func waitForJoin(_ timeout: Duration) async throws {
        let listener = listener
        let endpoint = peer.transport.endpoint
        let clock = Task { [peer] in
            let end = ContinuousClock.now + timeout
            while ContinuousClock.now < end {
                // Who is not let in knows why long before the time is over.
                if let problem = peer.handshakeProblem {
                    await listener.end(BusError.handshakeRefused(reason: problem))
                    return
                }
                try await Task.sleep(for: min(.milliseconds(20), timeout))
            }
            await listener.end(BusError.noHub(endpoint: endpoint, seconds: timeout / .seconds(1)))
        }
        defer { clock.cancel() }
        try await listener.waitForJoin()
    }

    /// Asks a process and waits for its answer.
    package func request<Query: Request>(
        _ query: Query, deadline: Duration = .seconds(5)
    ) async throws(Refusal) -> Query.Reply {
        try await peer.request(query, deadline: deadline)
    }

    /// Asks a process that is named at the call.
    package func request<Query: Message, Reply: Message>(
        _ process: ProcessName, _ name: String, _ query: Query, deadline: Duration = .seconds(5)
    ) async throws(Refusal) -> Reply {
        let result: Result<Reply, Refusal> = await withCheckedContinuation { continuation in
            peer.ask(process, name, query, deadline: deadline) { continuation.resume(returning: $0) }
        }
        return try result.get()
    }

    package func publish<Body: Message>(_ body: Body, on topic: Topic<Body>) { peer.publish(body, on: topic) }

    /// Waits until every consumer has acknowledged the events of this client.
    ///
    /// - Returns: false when that did not happen in time.
    package func flush(timeout: Duration = .seconds(3)) async -> Bool {
        let end = ContinuousClock.now + timeout
        while peer.unacknowledged > 0 || peer.transport.backlog > 0 {
            guard ContinuousClock.now < end, !Task.isCancelled else { return false }
            try? await Task.sleep(for: .milliseconds(5))
        }
        return true
    }

    /// Takes leave of the hub and lets go of the sockets.
    package func close() async {
        loop.cancel()
        _ = await loop.result
    }
}

/// Passes what a client hears into its stream.
private actor ClientListener: BusService {
    nonisolated let subscriptions: [String]
    nonisolated let tick = Duration.seconds(1)
    private let sink: AsyncStream<Received>.Continuation
    private let answering: (@Sendable (IncomingRequest) async -> Void)?
    private var outcome: Result<Void, any Error>?
    private var waiters: [CheckedContinuation<Void, any Error>] = []

    init(
        subscriptions: [String], sink: AsyncStream<Received>.Continuation,
        answering: (@Sendable (IncomingRequest) async -> Void)?
    ) {
        self.subscriptions = subscriptions
        self.sink = sink
        self.answering = answering
    }

    func receive(_ event: BusEvent, bus: any BusPort) async throws {
        switch event {
        case .message(let message): sink.yield(message)
        case .request(let request):
            if let answering {
                await answering(request)
            } else {
                request.refuse(Refusal(code: "unknown-request", message: "this process answers no requests"))
            }
        case .joined: settle(.success(()))
        case .tick, .lost: break
        }
    }

    func end(_ error: (any Error)?) { settle(.failure(error ?? CancellationError())) }

    private func settle(_ result: Result<Void, any Error>) {
        guard outcome == nil else { return }
        outcome = result
        for waiter in waiters { waiter.resume(with: result) }
        waiters = []
    }

    func waitForJoin() async throws {
        if let outcome { return try outcome.get() }
        try await withCheckedThrowingContinuation { waiters.append($0) }
    }
}
