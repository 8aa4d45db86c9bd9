import Bus
import Foundation
import Logging
import Protocols

/// The processes of a measurement over the bus.
enum Roles {
    static let logger = Logger(label: "benchmark", factory: { _ in SwiftLogNoOpLogHandler() })
    /// Messages on their way before the publisher waits for the listener: below the bound of an inbox.
    static let window = 16_000
    static let credit = 4_000

    /// Listeners whose intervals are sent: all together their inbox holds more than the window.
    static let listeners = 64

    /// 256 bytes of JSON.
    static func intervals(_ number: Int) -> RRIntervals {
        RRIntervals(startAt: Timestamp(milliseconds: firstAt + Int64(number)), rrMs: beats, source: "simulation")
    }

    static let firstAt: Int64 = 1_700_000_000_000
    private static let beats = (0..<28).map { 800 + Double($0 * 37 % 100) + 0.5 }

    static func peer(_ directory: URL, _ name: ProcessName, virtualTime: Bool = false) throws -> BusPeer {
        BusPeer(
            identity: PeerIdentity(name: name, version: "benchmark", virtualTime: virtualTime),
            transport: ZeroMQTransport(try NetworkHub.endpoints(directory)), logger: logger)
    }

    static func hub(_ directory: URL) async throws {
        let server = try HubServer(
            BusEndpoints(runtimeDirectory: directory), version: "benchmark", logger: logger)
        await server.run()
    }

    /// Starts a listener in this process and waits until its subscriptions are active.
    static func listen(_ directory: URL, _ sink: some BusService) async throws -> Task<Void, any Error> {
        let peer = try peer(directory, .body)
        let loop = Task { try await runPeer(sink, on: peer) }
        while !peer.isJoined { try await Task.sleep(for: .milliseconds(5)) }
        return loop
    }

    static func publishPaced(_ directory: URL, count: Int) async throws {
        let peer = try peer(directory, .sensor)
        let loop = Task { try await runPeer(Quiet(), on: peer) }
        while !peer.isJoined { try await Task.sleep(for: .milliseconds(5)) }
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                pace(count) { number in
                    let at = Timestamp(milliseconds: 1_700_000_000_000 + Int64(number))
                    // The header's time is the hub's where there are keys, and known to some 0.1 ms only.
                    let source = "\(Moment.readMonotonic())"
                    peer.publish(HeartRate(at: at, bpm: 61.5, source: source), on: Registry.heartRate())
                }
                continuation.resume()
            }
        }
        try await Task.sleep(for: .milliseconds(300))
        loop.cancel()
        _ = await loop.result
    }

    /// Calls `body` each millisecond on the calling thread.
    static func pace(_ count: Int, _ body: (Int) -> Void) {
        var due = Moment.read().monotonicNs
        for number in 0..<count {
            due += 1_000_000
            let left = due - Moment.read().monotonicNs
            if left > 0 {
                var pause = timespec(tv_sec: 0, tv_nsec: Int(left))
                nanosleep(&pause, nil)
            }
            body(number)
        }
    }

    static func publishFlood(_ directory: URL, count: Int) async throws {
        let peer = try peer(directory, .sensor)
        let flow = FlowControl()
        let loop = Task { try await runPeer(flow, on: peer) }
        while !peer.isJoined { try await Task.sleep(for: .milliseconds(5)) }
        let topics = (0..<listeners).map { Registry.rr("listener-\($0)") }
        for number in 0..<count {
            if number % 500 == 0 { await flow.wait(until: number - window) }
            peer.publish(intervals(number), on: topics[number % listeners])
        }
        await flow.wait(until: count)
        loop.cancel()
        _ = await loop.result
    }

    static func stepPeer(_ directory: URL, name: String) async throws {
        let peer = try peer(directory, ProcessName(rawValue: name), virtualTime: true)
        try await runPeer(StepTalker(name: name), on: peer)
    }
}

/// Hears nothing.
actor Quiet: BusService {
    nonisolated let subscriptions: [String] = []
    func receive(_ event: BusEvent, bus: any BusPort) async throws {}
}

/// Says one thing each step and hears what the others say, as a day in virtual time does.
actor StepTalker: BusService {
    nonisolated let subscriptions = ["input/", "bio/"]
    private let name: String
    init(name: String) { self.name = name }

    func receive(_ event: BusEvent, bus: any BusPort) async throws {
        switch event {
        case .tick where name == "sensor-emitter":
            bus.publish(HeartRate(at: bus.now, bpm: 60, source: name), on: Registry.heartRate())
        case .message(let message): _ = try message.decode(Registry.heartRate)
        default: break
        }
    }
}

/// Tells the publisher how far the listener is.
actor FlowControl: BusService {
    nonisolated let subscriptions: [String] = []
    private var done = 0
    private var waiting: (goal: Int, continuation: CheckedContinuation<Void, Never>)?

    func receive(_ event: BusEvent, bus: any BusPort) async throws {
        guard case .request(let request) = event else { return }
        done += Roles.credit
        request.reply(Done())
        if let waiter = waiting, done >= waiter.goal {
            waiting = nil
            waiter.continuation.resume()
        }
    }

    func wait(until goal: Int) async {
        guard done < goal else { return }
        await withCheckedContinuation { waiting = (goal, $0) }
    }
}

/// Notes the time between publishing and the handler with the decoded message in hand.
actor LatencySink: BusService {
    nonisolated let subscriptions = ["bio/heart-rate"]
    private let expected: Int
    private var latencies: [Int64] = []
    private var waiter: CheckedContinuation<[Int64], Never>?

    init(expected: Int) {
        self.expected = expected
        latencies.reserveCapacity(expected)
    }

    func receive(_ event: BusEvent, bus: any BusPort) async throws {
        guard case .message(let message) = event, let rate = try message.decode(Registry.heartRate), rate.bpm > 0,
            let sentNs = Int64(rate.source)
        else { return }
        latencies.append(Moment.readMonotonic() - sentNs)
        if latencies.count == expected { waiter?.resume(returning: latencies) }
    }

    func result() async -> [Int64] {
        if latencies.count == expected { return latencies }
        return await withCheckedContinuation { waiter = $0 }
    }
}

/// Decodes everything, tells the publisher each ``Roles/credit`` messages, and refuses a hole.
actor FloodSink: BusService {
    nonisolated let subscriptions = ["bio/rr"]
    private let expected: Int
    private var count = 0
    private var first: Int64 = 0
    private var last: Int64 = 0
    private var lost = 0
    private var waiter: CheckedContinuation<Double, Never>?

    init(expected: Int) { self.expected = expected }

    func receive(_ event: BusEvent, bus: any BusPort) async throws {
        guard case .message(let message) = event, let beats = try message.decode(Registry.rr) else { return }
        if count == 0 { first = Moment.read().monotonicNs }
        if beats.startAt.milliseconds != Roles.firstAt + Int64(count) { lost += 1 }
        count += 1
        if count % Roles.credit == 0 {
            bus.ask(.sensor, "credit", Done(), deadline: .seconds(60)) { (_: Result<Done, Refusal>) in }
        }
        guard count == expected else { return }
        last = Moment.read().monotonicNs
        waiter?.resume(returning: result)
    }

    private var result: Double { lost > 0 ? -1 : Double(count - 1) / (Double(last - first) / 1e9) }

    func rate() async -> Double {
        if count == expected { return result }
        return await withCheckedContinuation { waiter = $0 }
    }
}
