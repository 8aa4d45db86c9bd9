import Bus
import Foundation
import Protocols
import Testing

/// What comes too late is dropped by the one who would have handled it, and counted.
@Suite(.timeLimit(.minutes(1)))
struct LateMessageTests {
    @Test(arguments: TransportKind.allCases)
    func `a live message older than its TTL is dropped and counted, the next one is handled`(kind: TransportKind)
        async throws
    {
        let hub = try await TestHub(kind)
        let probe = Probe(["bio/heart-rate"])
        let body = Running(probe, as: .body, over: try hub.transport())
        await probe.wait { !$0.joins.isEmpty }
        let sensor = try RawLine(try hub.transport())
        await sensor.waitForLink()
        try sensor.hello(as: .sensor)
        let now = Moment.read()
        // The registry gives heart rates 10 s.
        let ages: [(bpm: Double, seconds: Double, flags: Header.Flags)] = [
            (61, 3600, []), (62, 11, []), (63, 3600, .virtualTime), (64, 0, []),
        ]
        for (index, sent) in ages.enumerated() {
            try sensor.send(
                HeartRate(at: noon, bpm: sent.bpm, source: "test"), on: Registry.heartRate(),
                sequence: UInt64(index + 1), at: now.adding(seconds: -sent.seconds), flags: sent.flags)
        }
        await probe.wait { $0.messages.count >= 2 }
        #expect(try await probe.bodies(Registry.heartRate).map(\.bpm) == [63, 64])
        #expect(body.peer.drops["ttl"] == 2)
        #expect(body.peer.drops["gap"] == nil)
        await sensor.stop()
        await body.stop()
        await hub.stop()
    }

    @Test(arguments: TransportKind.allCases)
    func `an event is never too late`(kind: TransportKind) async throws {
        let hub = try await TestHub(kind)
        let probe = Probe(["bio/workout"])
        let body = Running(probe, as: .body, over: try hub.transport())
        await probe.wait { !$0.joins.isEmpty }
        let sensor = try RawLine(try hub.transport())
        await sensor.waitForLink()
        try sensor.hello(as: .sensor)
        try sensor.send(
            workout(), on: Registry.workout(), sequence: 1, at: Moment.read().adding(seconds: -86_400))
        await probe.wait { $0.messages.count == 1 }
        #expect(body.peer.drops["ttl"] == nil)
        await sensor.stop()
        await body.stop()
        await hub.stop()
    }

    @Test func `a wall clock that is set by an hour makes no message too old or too new`() async throws {
        let hub = try await TestHub(.zeroMQ)
        let probe = Probe(["bio/heart-rate"])
        let body = Running(probe, as: .body, over: try hub.transport())
        await probe.wait { !$0.joins.isEmpty }
        let sensor = try RawLine(try hub.transport())
        await sensor.waitForLink()
        try sensor.hello(as: .sensor)
        let now = Moment.read()
        for (index, hours) in [-1, 1, 0].enumerated() {
            let moment = Moment(wallNs: now.wallNs + Int64(hours) * 3_600_000_000_000, monotonicNs: now.monotonicNs)
            try sensor.send(
                HeartRate(at: noon, bpm: 60, source: "test"), on: Registry.heartRate(), sequence: UInt64(index + 1),
                at: moment)
        }
        await probe.wait { $0.messages.count == 3 }
        #expect(body.peer.drops["ttl"] == nil)
        await sensor.stop()
        await body.stop()
        await hub.stop()
    }
}
