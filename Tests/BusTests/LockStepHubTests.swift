import Bus
import Foundation
import Protocols
import Testing

/// What the lock-step transport promises beyond the contract of all of them.
struct LockStepHubTests {
    private let start = Moment(wallNs: 1_000_000_000_000, monotonicNs: 1_000_000_000_000)

    private func rate(_ bpm: Double) -> HeartRate { HeartRate(at: noon, bpm: bpm, source: "test") }

    @Test func `nothing moves before a step, and what a step causes waits for the next`() throws {
        let hub = LockStepHub(start: start)
        let listener = try RawLine(hub.transport(), subscriptions: ["bio/"])
        let sensor = try RawLine(hub.transport())
        try sensor.hello(as: .sensor)
        try sensor.send(rate(61), on: Registry.heartRate(), sequence: 1, at: start)
        #expect(listener.messages.isEmpty)
        // Two connections, a hello, a message.
        #expect(hub.step(to: start) == 4)
        #expect(listener.messages.map(\.header.sequence) == [1])
        #expect(hub.step(to: start) == 0)
    }

    @Test func `whichever peer was faster, the hub numbers its messages in the order of the lines`() async throws {
        var runs: [[String]] = []
        for order in [[0, 1, 2], [2, 1, 0], [1, 2, 0]] {
            let hub = LockStepHub(start: start, epoch: 9)
            let listener = try RawLine(hub.transport(), subscriptions: ["sys/heartbeat/"])
            let peers = try (0...2).map { _ in try RawLine(hub.transport()) }
            for index in order {
                let name = ProcessName(rawValue: "peer-\(index)")
                let beat = Heartbeat(
                    process: name, pid: 1, version: "1", epoch: UInt64(index + 1), loopLagMs: 0, queueDepths: [:],
                    drops: [:], lastSequence: [:], ready: true)
                try peers[index].hello(as: name, epoch: UInt64(index + 1))
                for sequence in 1...2 {
                    try peers[index].send(
                        beat, on: Registry.heartbeat(name.rawValue), sequence: UInt64(sequence), at: start,
                        epoch: UInt64(index + 1))
                }
            }
            hub.step(to: start)
            runs.append(
                listener.messages.map { "\($0.topic)#\($0.header.sequence) as \($0.header.hubSequence)" })
        }
        #expect(
            runs[0].map { $0.prefix { $0 != " " } } == [
                "sys/heartbeat/peer-0#1", "sys/heartbeat/peer-0#2", "sys/heartbeat/peer-1#1",
                "sys/heartbeat/peer-1#2", "sys/heartbeat/peer-2#1", "sys/heartbeat/peer-2#2",
            ])
        #expect(runs[1] == runs[0])
        #expect(runs[2] == runs[0])
    }

    @Test func `what the hub keeps expires by the time of the steps`() throws {
        let hub = LockStepHub(start: start)
        let listener = try RawLine(hub.transport(), subscriptions: ["context/desktop"])
        let context = try RawLine(hub.transport())
        try context.hello(as: .context)
        let desktop = DesktopContext(at: noon, confidence: 1, sources: [])
        try context.send(desktop, on: Registry.desktop(), sequence: 1, at: start)
        hub.step(to: start)
        // The registry gives desktop context 600 s.
        hub.step(to: start.adding(seconds: 599))
        #expect(listener.messages.map(\.isTombstone) == [false])
        hub.step(to: start.adding(seconds: 602))
        #expect(listener.messages.map(\.isTombstone) == [false, true])
        // Time does not run back.
        hub.step(to: start)
        #expect(listener.messages.count == 2)
    }
}
