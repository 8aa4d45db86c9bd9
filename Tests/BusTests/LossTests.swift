import Bus
import Foundation
import Protocols
import Synchronization
import Testing

/// Over real sockets: what was published is what was handled plus what was counted, exactly.
@Suite(.timeLimit(.minutes(2)), .serialized)
struct LossTests {
    private let topic = "bio/heart-rate/me"

    private func publish(_ count: Int, from sensor: Running) {
        for bpm in 0..<count {
            sensor.peer.publish(HeartRate(at: noon, bpm: Double(bpm), source: "t"), on: Registry.heartRate())
        }
    }

    private func lost(_ running: Running) -> Int {
        Int(running.peer.lostByTopic[topic]?.values.reduce(0, +) ?? 0)
    }

    private func handled(_ probe: Probe) async -> Int { await probe.messages.count { $0.topic == topic } }

    @Test func `a burst far above every high-water mark: counted loss is real loss for each reader`() async throws {
        let hub = try await TestHub(.zeroMQ, highWater: 400)
        func transport() throws -> ZeroMQTransport {
            ZeroMQTransport(try hub.endpoints, receiveHighWater: 400, outboundLimit: 8000)
        }
        let frozenLine = FreezableTransport(try transport())
        let (frozenProbe, awakeProbe) = (Probe(["bio/"]), Probe(["bio/"]))
        let frozen = Running(frozenProbe, as: .body, over: frozenLine)
        let awake = Running(awakeProbe, as: .brain, over: try transport())
        await frozenProbe.wait { !$0.joins.isEmpty }
        await awakeProbe.wait { !$0.joins.isEmpty }
        let sensorLine = try transport()
        let sensor = Running(Probe([]), as: .sensor, over: sensorLine)
        try await eventually { sensor.peer.isJoined }
        publish(100, from: sensor)
        await frozenProbe.wait { $0.messages.count == 100 }
        frozenLine.freeze()
        publish(30_000, from: sensor)
        try await eventually { sensorLine.backlog == 0 }
        frozenLine.thaw()
        // The sum is right as soon as the next heartbeat has told up to where was sent, and stays so.
        for extra in 0...2 {
            for (reader, probe) in [(frozen, frozenProbe), (awake, awakeProbe)] {
                try await eventually {
                    await handled(probe) + lost(reader) + lost(sensor) == 100 + 30_000 + extra
                }
            }
            if extra < 2 { publish(1, from: sensor) }
        }
        // The run did lose, at the hub: more waited for the frozen reader than fits.
        #expect((frozen.peer.lostByTopic[topic]?["gap"] ?? 0) > 0)
        #expect(await Set(frozenProbe.messages.map(\.header.sequence)).count == handled(frozenProbe))
        let order = await frozenProbe.messages.map(\.header.sequence)
        #expect(order == order.sorted())
        for running in [frozen, awake, sensor] { await running.stop() }
        await hub.stop()
    }

    @Test func `what a frozen process finds on waking is not older than its topic allows, the rest is counted`()
        async throws
    {
        let hub = try await TestHub(.zeroMQ)
        let line = FreezableTransport(try hub.transport())
        let ages = Mutex<[Double]>([])
        let probe = Probe(
            ["bio/heart-rate"],
            onMessage: { message, _ in
                let age = Double(Moment.read().monotonicNs - message.header.monotonicNs) / 1e9
                if message.header.ttlMs == 500 { ages.withLock { $0.append(age) } }
            })
        let body = Running(probe, as: .body, over: line)
        await probe.wait { !$0.joins.isEmpty }
        let sensor = try RawLine(try hub.transport())
        await sensor.waitForLink()
        try sensor.hello(as: .sensor)
        line.freeze()
        let total = 10_000
        // 10 kHz for a second, each message worth half a second.
        for burst in 0..<100 {
            for index in 1...100 {
                try sensor.send(
                    HeartRate(at: noon, bpm: 60, source: "t"), on: Registry.heartRate(),
                    sequence: UInt64(burst * 100 + index), at: .read(), ttl: 0.5)
            }
            try await Task.sleep(for: .milliseconds(10))
        }
        line.thaw()
        try sensor.send(
            HeartRate(at: noon, bpm: 61, source: "t"), on: Registry.heartRate(), sequence: UInt64(total + 1),
            at: .read(), ttl: 60)
        await probe.wait { $0.messages.last?.header.sequence == UInt64(total + 1) }
        try await eventually { await handled(probe) + lost(body) == total + 1 }
        // Without the guard the first ones would be a second old and more; the handler itself may start a little after it.
        #expect(ages.withLock { $0.max() ?? 0 } < 0.9)
        #expect(lost(body) > 0)
        await sensor.stop()
        await body.stop()
        await hub.stop()
    }

    @Test func `a sender whose hub is away counts exactly what is missing`() async throws {
        let hub = try await TestHub(.zeroMQ)
        let probe = Probe(["bio/heart-rate"])
        let reader = Running(probe, as: .body, over: try hub.transport())
        await probe.wait { !$0.joins.isEmpty }
        let sensor = Running(Probe([]), as: .sensor, over: try hub.transport())
        try await eventually { sensor.peer.isJoined }
        for life in 1...3 {
            publish(200, from: sensor)
            // Some are on their way when the hub ends, some come while it is away.
            await hub.kill()
            publish(200, from: sensor)
            try await hub.start()
            await probe.wait { $0.joins.count == life + 1 }
            try await eventually { sensor.peer.isJoined }
            publish(200, from: sensor)
            try await eventually { await handled(probe) + lost(reader) + lost(sensor) == 600 * life }
        }
        #expect((sensor.peer.lostByTopic[topic]?["live-away"] ?? 0) > 0)
        await sensor.stop()
        await reader.stop()
        await hub.stop()
    }

    @Test(arguments: TransportKind.allCases)
    func `what did not come on its way comes from the hub, in order and once`(kind: TransportKind) async throws {
        let hub = try await TestHub(kind)
        let probe = Probe(["bio/heart-rate"])
        let line = FreezableTransport(try hub.transport()) { message in
            (6...9).contains(message.header.sequence) && message.topic.hasPrefix("bio/")
        }
        let reader = Running(probe, as: .body, over: line)
        await probe.wait { !$0.joins.isEmpty }
        let sensor = Running(Probe([]), as: .sensor, over: try hub.transport())
        publish(12, from: sensor)
        await probe.wait { $0.messages.count == 12 }
        #expect(await probe.messages.map(\.header.sequence) == Array(1...12))
        #expect(reader.peer.lostByTopic.isEmpty)
        await sensor.stop()
        await reader.stop()
        await hub.stop()
    }

    @Test func `no socket of ours keeps only the newest message: that breaks messages of several frames`() throws {
        let sources = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Sources/Bus")
        let files = try #require(FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil))
        var count = 0
        for case let file as URL in files where file.pathExtension == "swift" {
            count += 1
            #expect(
                try !String(contentsOf: file, encoding: .utf8).contains("ZMQ_CONFLATE"), "\(file.lastPathComponent)")
        }
        #expect(count > 30)
    }
}
