import Bus
import Foundation
import Protocols
import Synchronization
import Testing

/// Durable events with the real hub, its real disk and real signals.
@Suite(
    .serialized, .timeLimit(.minutes(3)),
    .enabled(if: Binaries.directory != nil, "the executables are not built: run deploy/build"))
struct DurabilityTests {
    private actor Counter: BusService {
        nonisolated let subscriptions = ["bio/workout"]
        private(set) var handled: [EventID] = []

        func receive(_ event: BusEvent, bus: any BusPort) async throws {
            if case .message(let message) = event { handled.append(EventID(message)) }
        }

        var sequences: [UInt64] { handled.map(\.sequence) }
    }

    private actor Idle: BusService {
        nonisolated let subscriptions: [String] = []
        func receive(_ event: BusEvent, bus: any BusPort) async throws {}
    }

    private struct Peer {
        let peer: BusPeer
        let loop: Task<Void, any Error>

        init(_ name: ProcessName, _ service: any BusService, _ system: RunningSystem, outbox: Outbox = Outbox()) throws
        {
            let endpoints = try BusEndpoints(runtimeDirectory: system.root.appending(path: "run"))
            let peer = BusPeer(
                identity: PeerIdentity(name: name), transport: ZeroMQTransport(endpoints), outbox: outbox)
            self.peer = peer
            loop = Task { try await runPeer(service, on: peer) }
        }

        func stop() async {
            loop.cancel()
            _ = await loop.result
        }
    }

    private let workout = Workout(phase: .started, sport: "running", at: Timestamp(milliseconds: 1_767_270_000_000))

    private func startHub(_ system: RunningSystem) async throws {
        try system.start("hub")
        let ready = try await system.resonance(["wait-ready", "hub", "--timeout", "30"])
        #expect(ready.status == 0, "\(ready.errors)")
    }

    @Test func `a hub that is killed again and again loses no event and delivers each once in effect`() async throws {
        let system = try RunningSystem()
        try await startHub(system)
        let counter = Counter()
        let body = try Peer(.body, counter, system)
        let sensor = try Peer(.sensor, Idle(), system, outbox: try Outbox(name: .sensor, in: system.data))
        let total = 1500
        let sending = Task {
            for _ in 1...total {
                sensor.peer.publish(workout, on: Registry.workout())
                try await Task.sleep(for: .milliseconds(3))
            }
        }
        for _ in 1...4 {
            let before = await counter.handled.count
            _ = try await eventually("events to flow", within: 60) {
                await counter.handled.count > before + 100 ? true : nil
            }
            system.signal("hub", SIGKILL)
            _ = try await system.waitForExit("hub")
            try system.start("hub")
        }
        try await sending.value
        _ = try await eventually("every event", within: 60) {
            await Set(counter.handled).count >= total && sensor.peer.unacknowledged == 0 ? true : nil
        }
        #expect(await counter.sequences == (1...UInt64(total)).map { $0 })
        let rows = try #require(try await system.json(["consumers", "list"]) as? [String: Any])
        let consumers = try #require(rows["consumers"] as? [[String: Any]])
        _ = try await eventually("the acknowledgement of the last", within: 20) {
            let rows = try await system.json(["consumers", "list"]) as? [String: Any]
            let row = (rows?["consumers"] as? [[String: Any]])?.first { $0["name"] as? String == "body" }
            return row?["pending"] as? Int == 0 ? true : nil
        }
        // The brain was never there: all waits for it.
        #expect(consumers.first { $0["name"] as? String == "brain" }?["pending"] as? Int == total)
        await body.stop()
        await sensor.stop()
        try await system.stop(["hub"])
    }

    @Test func `the sender may die as soon as it is acknowledged, and the hub as well`() async throws {
        let system = try RunningSystem()
        try await startHub(system)
        let sensor = try Peer(.sensor, Idle(), system, outbox: try Outbox(name: .sensor, in: system.data))
        for _ in 1...50 { sensor.peer.publish(workout, on: Registry.workout()) }
        _ = try await eventually("the acknowledgements") { sensor.peer.unacknowledged == 0 ? true : nil }
        await sensor.stop()
        system.signal("hub", SIGKILL)
        _ = try await system.waitForExit("hub")
        try FileManager.default.removeItem(at: system.data.appending(path: "outbox"))
        try await startHub(system)
        let counter = Counter()
        let body = try Peer(.body, counter, system)
        _ = try await eventually("the events") { await counter.handled.count == 50 ? true : nil }
        #expect(await counter.sequences == Array(1...50))
        await body.stop()
        try await system.stop(["hub"])
    }

    @Test func `with a full disk the hub lives, refuses events by name, and takes them when there is room`()
        async throws
    {
        let system = try RunningSystem()
        // Writing beyond this size fails as on a full disk; the signal that comes with it is ignored.
        let command = "trap '' XFSZ; ulimit -S -f 400; exec \(system.binaries.appending(path: "hub").path())"
        let shell = try system.startShell("hub", command)
        let ready = try await system.resonance(["wait-ready", "hub", "--timeout", "30"])
        #expect(ready.status == 0, "\(ready.errors)")
        let counter = Counter()
        let body = try Peer(.body, counter, system)
        let sensor = try Peer(.sensor, Idle(), system, outbox: try Outbox(name: .sensor, in: system.data))
        let long = Workout(phase: .started, sport: String(repeating: "x", count: 3000), at: workout.at)
        let total = 400
        for _ in 1...total { sensor.peer.publish(long, on: Registry.workout()) }
        _ = try await eventually("a refusal", within: 30) {
            let spool = try await system.json(["spool"]) as? [String: Any]
            return (spool?["refusing"] as? String).map { _ in true }
        }
        #expect(sensor.peer.unacknowledged > 0)
        #expect(system.log("hub").contains("events are refused"))
        #expect(!system.log("hub").contains("xxxx"))
        // Live traffic goes on.
        let status = try await system.resonance(["peers"])
        #expect(status.status == 0)
        let freed = try await system.run(
            URL(filePath: "/usr/bin/prlimit"), ["--pid", "\(shell)", "--fsize=unlimited"], within: 10)
        #expect(freed.status == 0, "\(freed.errors)")
        _ = try await eventually("every event", within: 90) {
            await Set(counter.handled).count == total && sensor.peer.unacknowledged == 0 ? true : nil
        }
        #expect(await counter.sequences == (1...UInt64(total)).map { $0 })
        await body.stop()
        await sensor.stop()
        try await system.stop(["hub"])
    }
}
