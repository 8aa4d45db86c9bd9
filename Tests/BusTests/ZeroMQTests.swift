import Bus
import Foundation
import Protocols
import Testing

/// What only a real network of sockets does.
@Suite(.timeLimit(.minutes(1)), .serialized)
struct ZeroMQTests {
    @Test func `a second hub on the same directory is refused`() throws {
        let directory = try TemporaryDirectory()
        let lock = try HubLock(runtimeDirectory: directory.url)
        let error = #expect(throws: BusError.self) { try HubLock(runtimeDirectory: directory.url) }
        let pid = ProcessInfo.processInfo.processIdentifier
        #expect(error?.description.contains("a hub already runs (pid \(pid)") == true)
        withExtendedLifetime(lock) {}
    }

    @Test func `TCP never leaves the machine`() throws {
        for address in ["127.0.0.1:7600", "tcp://127.8.0.1:1", "[::1]:7600", "localhost:9"] {
            _ = try BusEndpoints(tcp: address)
        }
        for address in ["192.168.1.2:7600", "0.0.0.0:7600", "*:7600", "example.org:7600", "127.0.0.1.example.org:1"] {
            #expect(throws: BusError.notLoopback(endpoint: address)) { try BusEndpoints(tcp: address) }
        }
        #expect(throws: BusError.self) { try BusEndpoints(tcp: "127.0.0.1") }
        #expect(throws: BusError.self) {
            try BusEndpoints(runtimeDirectory: URL(filePath: "/tmp/" + String(repeating: "x", count: 120)))
        }
    }

    @Test func `a prefix does not take its longer neighbour`() async throws {
        let hub = try await TestHub(.zeroMQ)
        let narrow = Probe(["input/mood"])
        let reader = Running(narrow, as: .brain, over: try hub.transport())
        await narrow.wait { !$0.joins.isEmpty }
        let client = try await BusClient.connect(to: hub.endpoints, as: "asker")
        // A family and its longer neighbour do not exist both in the registry, so the filter itself is asked as well.
        #expect(!TopicFilter(["state/player"]).matches("state/player2/me"))
        #expect(TopicFilter(["state/player"]).matches("state/player/me"))
        #expect(
            TopicFilter(["state/player"]).wirePrefixes == [Array("state/player\0".utf8), Array("state/player/".utf8)])
        client.publish(Nudge(at: noon, delta: 0.5, kind: .energy), on: Registry.nudge())
        client.publish(MoodInput(at: noon, mood: 3, energy: 3, via: "test"), on: Registry.mood("you"))
        await narrow.wait { !$0.messages.isEmpty }
        #expect(await narrow.messages.map(\.topic) == ["input/mood/you"])
        await client.close()
        await reader.stop()
        await hub.stop()
    }

    @Test func `three thousand subscriptions all work`() async throws {
        let hub = try await TestHub(.zeroMQ)
        let probe = Probe((0..<3000).map { "input/mood/listener-\($0)" })
        let reader = Running(probe, as: .brain, over: try hub.transport())
        await probe.wait { !$0.joins.isEmpty }
        let client = try await BusClient.connect(to: hub.endpoints, as: "asker")
        for index in 0..<3000 {
            client.publish(
                MoodInput(at: noon, mood: 3, energy: 3, via: "test"), on: Registry.mood("listener-\(index)"))
        }
        await probe.wait { $0.messages.count == 3000 }
        #expect(await Set(probe.messages.map(\.topic)).count == 3000)
        await client.close()
        await reader.stop()
        await hub.stop()
    }

    @Test func `a process ends at once although its hub is gone`() async throws {
        let hub = try await TestHub(.zeroMQ)
        let running = Running(Probe([]), as: .sensor, over: try hub.transport())
        try await eventually { running.peer.isJoined }
        await hub.kill()
        for _ in 1...100 { running.peer.publish(HeartRate(at: noon, bpm: 1, source: "t"), on: Registry.heartRate()) }
        // Would hang for ever with the LINGER of libzmq; the time limit of the suite is the assertion.
        await running.stop()
        let never = Running(Probe([]), as: .sensor, over: try hub.transport())
        await never.stop()
    }

    @Test func `live messages are counted while the hub is away, none arrives stale`() async throws {
        let hub = try await TestHub(.zeroMQ)
        let sensor = Running(Probe([]), as: .sensor, over: try hub.transport())
        try await eventually { sensor.peer.isJoined }
        await hub.kill()
        try await eventually { !sensor.peer.isJoined }
        let before = sensor.peer.drops["live-away"] ?? 0
        for bpm in 1...50 {
            sensor.peer.publish(HeartRate(at: noon, bpm: Double(bpm), source: "t"), on: Registry.heartRate())
        }
        try await eventually { (sensor.peer.drops["live-away"] ?? 0) - before >= 50 }
        try await hub.start()
        let probe = Probe(["bio/"])
        let reader = Running(probe, as: .body, over: try hub.transport())
        await probe.wait { !$0.joins.isEmpty }
        try await eventually { sensor.peer.isJoined }
        sensor.peer.publish(HeartRate(at: noon, bpm: 99, source: "t"), on: Registry.heartRate())
        await probe.wait { !$0.messages.isEmpty }
        #expect(try await probe.bodies(Registry.heartRate).map(\.bpm) == [99])
        await sensor.stop()
        await reader.stop()
        await hub.stop()
    }

    @Test func `events outlive the hub and their sender, each is handled once`() async throws {
        let hub = try await TestHub(.zeroMQ)
        let data = try TemporaryDirectory()
        let probe = Probe(["bio/batch"])
        let body = Running(probe, as: .body, over: try hub.transport())
        await probe.wait { !$0.joins.isEmpty }
        await hub.kill()
        do {
            let sensor = Running(
                Probe([]), as: .sensor, over: try hub.transport(), outbox: try Outbox(name: .sensor, in: data.url))
            for _ in 1...3 { sensor.peer.publish(BioBatch(), on: Registry.bioBatch()) }
            await sensor.stop()
        }
        try await hub.start()
        let again = Running(
            Probe([]), as: .sensor, over: try hub.transport(), outbox: try Outbox(name: .sensor, in: data.url))
        again.peer.publish(BioBatch(), on: Registry.bioBatch())
        await probe.wait { $0.messages.count == 4 }
        try await eventually { again.peer.unacknowledged == 0 }
        #expect(await probe.messages.map(\.header.sequence) == [1, 2, 3, 1])
        #expect(await Set(probe.messages.map(EventID.init)).count == 4)
        await again.stop()
        await body.stop()
        await hub.stop()
    }

    @Test func `frames that are no message are counted and hurt nobody`() async throws {
        let hub = try await TestHub(.zeroMQ)
        let probe = Probe(["sys/heartbeat"])
        let reader = Running(probe, as: .brain, over: try hub.transport())
        await probe.wait { !$0.joins.isEmpty }
        let vandal = try RawDealer(endpoint: hub.endpoints.input)
        let header = Received.control("~x").header.bytes
        let frames: [[[UInt8]]] = [
            [[]], [[0]], [Array("bio/x".utf8)], [Array("bio/x\0".utf8), header],
            [Array("bio/x\0".utf8), Array(header.dropLast()), []], [Array("no-nul".utf8), header, []],
            [[0xFF, 0xFE, 0], header, []], [Array("a\0".utf8), header, [], [], [], []],
            [[UInt8](repeating: 65, count: 5000) + [0], header, []],
        ]
        for message in frames { vandal.send(message) }
        await probe.wait {
            $0.messages.contains { ((try? $0.decode(Registry.heartbeat))?.drops["garbage"] ?? 0) == 9 }
        }
        // A well-formed stranger that never said hello is told to, and nothing else.
        vandal.send([Array("library/revision/me\0".utf8), header, Array("{}".utf8)])
        await probe.wait {
            $0.messages.contains { ((try? $0.decode(Registry.heartbeat))?.drops["not-joined"] ?? 0) == 1 }
        }
        await reader.stop()
        await hub.stop()
    }

    @Test func `a repeated question is answered from memory`() async throws {
        let hub = try await TestHub(.zeroMQ)
        let probe = Probe([])
        let librarian = Running(probe, as: .librarian, over: try hub.transport())
        try await eventually { librarian.peer.isJoined }
        let dealer = try RawDealer(endpoint: hub.endpoints.input)
        func control(_ topic: String, _ body: String, correlation: UInt64 = 0, kind: DeliveryClass = .control) {
            let header = Header(
                deliveryClass: kind, schema: SchemaVersion(major: 1, minor: 0), epoch: 5, sequence: 0, wallNs: 0,
                monotonicNs: 0, correlation: correlation)
            dealer.send([Array(topic.utf8) + [0], header.bytes, Array(body.utf8)])
        }
        control("~hello", #"{"process":"stranger","roles":[],"pid":1,"version":"0","virtualTime":false}"#)
        for _ in 1...3 {
            control("~request/librarian/playlists", "{}", correlation: 99, kind: .request)
            var frames: [[UInt8]] = []
            while frames.first != Array("~reply/librarian/playlists\0".utf8) { frames = try await dealer.receive() }
            #expect(frames.last == Array(#"{"note":"playlists"}"#.utf8))
        }
        #expect(await probe.requests == ["playlists"])
        await librarian.stop()
        await hub.stop()
    }
}
