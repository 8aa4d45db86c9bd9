import Bus
import Foundation
import Logging
import Protocols
import ServiceKit
import Synchronization

/// The household through its hub: this command is a visitor on the bus.
final class BusHousehold: Household {
    let listener: String
    let events: AsyncStream<BusEvent>
    private let peer: BusPeer
    private let loop: Task<Void, Never>
    private let deadline: Duration

    private init(
        listener: String, events: AsyncStream<BusEvent>, peer: BusPeer, loop: Task<Void, Never>, deadline: Duration
    ) {
        self.listener = listener
        self.events = events
        self.peer = peer
        self.loop = loop
        self.deadline = deadline
    }

    /// Joins over the sockets that the options name.
    ///
    /// - Throws: ``CommandFailure`` with status 69 when no hub answers in time, or when it refuses.
    static func join(_ options: BusOptions, subscriptions: [String]) async throws -> BusHousehold {
        let endpoints = try options.endpoints()
        do {
            return try await join(
                over: ZeroMQTransport(endpoints), listener: options.listenerName,
                deadline: options.deadline, subscriptions: subscriptions)
        } catch let failure as CommandFailure {
            if endpoints.isRemote { throw failure.ofRemoteHub() }
            guard options.hub == nil else { throw failure }
            throw failure.explained(by: Traces(directories: options.directories).holders())
        }
    }

    /// Joins over any transport.
    static func join(
        over transport: any BusTransport, listener: String, deadline: Duration, subscriptions: [String]
    ) async throws -> BusHousehold {
        let visitor = Visitor(subscriptions: subscriptions)
        let peer = BusPeer(
            identity: PeerIdentity(name: VisitorName.next(), version: ResonanceVersion.current), transport: transport)
        let loop = Task {
            do {
                try await runPeer(visitor, on: peer)
                visitor.end()
            } catch {
                visitor.end(error)
            }
        }
        let household = BusHousehold(
            listener: listener, events: visitor.events, peer: peer, loop: loop, deadline: deadline)
        switch await visitor.arrival(within: deadline, problem: { peer.handshakeProblem }) {
        case .joined: return household
        case .notLetIn(let reason):
            await household.leave()
            throw CommandFailure(.notAllowed, reason, cure: "what this host has is shown by `resonance pair --show`")
        case .failed(let error as BusError) where error.isNotAllowed:
            throw CommandFailure(.notAllowed, "\(error)")
        case .failed(let error):
            throw CommandFailure(
                .unavailable, "no hub: \(error)", cure: "start everything with deploy/up, or see `resonance doctor`")
        case .late:
            await household.leave()
            let seconds = Wording.decimal(deadline / .seconds(1), 1)
            throw CommandFailure(
                .unavailable, "no hub answers at \(transport.endpoint) within \(seconds) s",
                cure: "start everything with deploy/up, or name its place with --runtime-dir or --hub")
        }
    }

    func request<Query: Request>(_ query: Query, deadline: Duration?) async throws(Refusal) -> Query.Reply {
        try await request(Query.target, Query.name, query, deadline: deadline)
    }

    func request<Query: Message, Reply: Message>(
        _ process: ProcessName, _ name: String, _ query: Query, deadline: Duration?
    ) async throws(Refusal) -> Reply {
        let result: Result<Reply, Refusal> = await withCheckedContinuation { continuation in
            peer.ask(process, name, query, deadline: deadline ?? self.deadline) { (answer: Result<Reply, Refusal>) in
                continuation.resume(returning: answer)
            }
        }
        return try result.get()
    }

    func leave() async {
        loop.cancel()
        await loop.value
    }
}

/// What a command is on the bus: it hears what it subscribed to, and when the hub comes and goes; it answers nothing.
private actor Visitor: BusService {
    enum Arrival: Sendable {
        case joined
        case failed(any Error)
        case notLetIn(reason: String)
        case late
    }

    /// Messages that wait for a command that is slower than the bus; beyond it the oldest are lost.
    private static let bound = 100_000

    nonisolated let subscriptions: [String]
    nonisolated let events: AsyncStream<BusEvent>
    private nonisolated let sink: AsyncStream<BusEvent>.Continuation
    private nonisolated let arrivals: AsyncStream<Arrival>
    private nonisolated let arrivalSink: AsyncStream<Arrival>.Continuation

    init(subscriptions: [String]) {
        self.subscriptions = subscriptions
        (events, sink) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(Self.bound))
        (arrivals, arrivalSink) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(1))
    }

    func receive(_ event: BusEvent, bus: any BusPort) async throws {
        switch event {
        case .request(let request):
            request.refuse(Refusal(code: "unknown-request", message: "\(request.name): this is a command line tool"))
        case .joined:
            arrivalSink.yield(.joined)
            sink.yield(event)
        case .message, .lost: sink.yield(event)
        case .tick: break
        }
    }

    nonisolated func end(_ error: (any Error)? = nil) {
        if let error { arrivalSink.yield(.failed(error)) }
        arrivalSink.finish()
        sink.finish()
    }

    /// - Parameter problem: why the hub does not let this visitor in, as soon as that is known.
    nonisolated func arrival(
        within deadline: Duration, problem: @escaping @Sendable () -> String?
    ) async -> Arrival {
        await withTaskGroup(of: Arrival.self) { [arrivals] group in
            group.addTask {
                for await arrival in arrivals { return arrival }
                return .late
            }
            group.addTask {
                let end = ContinuousClock.now + deadline
                while ContinuousClock.now < end, !Task.isCancelled {
                    if let reason = problem() { return .notLetIn(reason: reason) }
                    try? await Task.sleep(for: min(.milliseconds(20), deadline))
                }
                return .late
            }
            defer { group.cancelAll() }
            return await group.next() ?? .late
        }
    }
}

/// Names on the bus for the visits of this process, which may follow each other closely.
private enum VisitorName {
    private static let visits = Atomic<Int>(0)

    static func next() -> ProcessName {
        let visit = visits.add(1, ordering: .relaxed).newValue
        return ProcessName(
            rawValue: "cli-\(ProcessInfo.processInfo.processIdentifier)" + (visit > 1 ? "-\(visit)" : ""))
    }
}
