import Foundation
import Protocols
import Testing

@testable import Bus

@Suite(.timeLimit(.minutes(2)))
struct VirtualTimeTests {
    /// Says four things each tick, and a fifth when it is answered: what is heard must not depend on the network.
    static func talker(_ name: String) -> Probe {
        Probe(
            ["input/"],
            onTick: { bus in
                for part in 1...3 {
                    bus.publish(MoodInput(at: bus.now, mood: part, energy: 1, via: name), on: Registry.mood(name))
                }
                bus.publish(Nudge(at: bus.now, delta: 0.1, kind: .energy), on: Registry.nudge(name))
                bus.ask(.librarian, "who", Done(note: name), deadline: .seconds(1)) { (result: Result<Done, Refusal>) in
                    let via = (try? result.get())?.note ?? "refused"
                    bus.publish(MoodInput(at: bus.now, mood: 5, energy: 5, via: via), on: Registry.mood(name))
                }
            })
    }

    @Test(arguments: TransportKind.allCases)
    func `the same steps give every process the same messages in the same order`(kind: TransportKind) async throws {
        var runs: [[[String]]] = []
        for _ in 1...2 {
            let hub = try await TestHub(kind)
            let names = ["sensor-b", "sensor-a", "sensor-c"]
            let probes = names.map { Self.talker($0) }
            let librarian = Probe([])
            var running = [
                Running(librarian, as: .librarian, over: try hub.transport(), virtualTime: true)
            ]
            for (name, probe) in zip(names, probes) {
                let process = ProcessName(rawValue: name)
                running.append(
                    Running(
                        probe, as: process, over: try hub.transport(), virtualTime: true))
            }
            let client = try await BusClient.connect(over: try hub.transport(), as: .conductor)
            let conductor = Conductor(
                client: client, processes: [.librarian] + names.map { ProcessName(rawValue: $0) }, start: noon)
            try await conductor.waitForProcesses()
            for step in 1...20 { try await conductor.step(to: noon.adding(seconds: Double(step * 5))) }
            var logs: [[String]] = []
            for probe in probes + [librarian] { logs.append(await probe.log) }
            runs.append(logs)
            #expect(await probes[0].ticks == (1...20).map { noon.adding(seconds: Double($0 * 5)) })
            for peer in running {
                #expect(peer.peer.drops.isEmpty, "\(peer.peer.drops)")
                await peer.stop()
            }
            await client.close()
            await hub.stop()
        }
        #expect(runs[0] == runs[1])
        #expect(runs[0][0] == runs[0][1])
        #expect(runs[0][0].first == "joined")
        // Three talkers, four messages a step, of 19 steps; their answered questions speak from step 3 to 19.
        let expected = 1 + 19 * 3 * 4 + 17 * 3
        #expect(runs[0][0].count == expected)
        let firstQuestions = Array(runs[0][3].prefix(4))
        #expect(firstQuestions == ["joined", "who? from sensor-a", "who? from sensor-b", "who? from sensor-c"])
    }

    @Test(arguments: TransportKind.allCases)
    func `the conductor names who it waits for, and goes on when that process is back`(kind: TransportKind) async throws
    {
        let hub = try await TestHub(kind)
        let first = Running(Probe([]), as: .brain, over: try hub.transport(), virtualTime: true)
        let second = Running(Probe([]), as: .body, over: try hub.transport(), virtualTime: true)
        let client = try await BusClient.connect(over: try hub.transport(), as: .conductor)
        let conductor = Conductor(client: client, processes: [.brain, .body], start: noon)
        try await conductor.waitForProcesses()
        try await conductor.step(to: noon.adding(seconds: 1))
        await second.stop()
        let probe = Probe([])
        let transport = try hub.transport()
        let named = Mailbox<[ProcessName]>()
        async let step: Void = conductor.step(to: noon.adding(seconds: 2)) { waiting in
            named.put(waiting.processes)
        }
        let waiting = await named.next()
        #expect(waiting == [.body])
        let back = Running(probe, as: .body, over: transport, virtualTime: true)
        try await step
        try await conductor.step(to: noon.adding(seconds: 3))
        #expect(await probe.ticks.last == noon.adding(seconds: 3))
        for peer in [first, back] { await peer.stop() }
        await client.close()
        await hub.stop()
    }

    @Test(arguments: TransportKind.allCases)
    func `the conductor asks across steps`(kind: TransportKind) async throws {
        let hub = try await TestHub(kind)
        let brain = Running(Probe([]), as: .brain, over: try hub.transport(), virtualTime: true)
        let client = try await BusClient.connect(over: try hub.transport(), as: .conductor)
        let conductor = Conductor(client: client, processes: [.brain], start: noon)
        try await conductor.waitForProcesses()
        let done: Done = try await conductor.request(.brain, "hello", Done())
        #expect(done.note == "hello")
        #expect(conductor.step == 1)
        await brain.stop()
        await client.close()
        await hub.stop()
    }

    @Test(arguments: TransportKind.allCases)
    func `a later conductor of the same processes goes on above the steps of the first`(kind: TransportKind)
        async throws
    {
        let hub = try await TestHub(kind)
        let probe = Probe([])
        let brain = Running(probe, as: .brain, over: try hub.transport(), virtualTime: true)
        let later = noon.adding(seconds: 3600)
        for (first, start) in [(UInt64(1000), noon), (2000, later)] {
            let client = try await BusClient.connect(over: try hub.transport(), as: .conductor)
            let conductor = Conductor(client: client, processes: [.brain], start: start, firstStep: first)
            try await conductor.waitForProcesses()
            for step in 1...2 { try await conductor.step(to: start.adding(seconds: Double(step))) }
            #expect(conductor.step == first + 1)
            await client.close()
        }
        let expected = [noon, later].flatMap { [$0.adding(seconds: 1), $0.adding(seconds: 2)] }
        #expect(await probe.ticks == expected)
        await brain.stop()
        await hub.stop()
    }

    @Test func `both markers must have come before a step is complete`() {
        var inbox = VirtualInboxProbe()
        inbox.add("b", 1, .topics)
        inbox.add("a", 2, .direct)
        #expect(inbox.mark(1, .topics) == nil)
        inbox.add("a", 5, .topics)
        inbox.add("a", 4, .direct)
        #expect(inbox.mark(1, .direct) == ["a2", "a4", "b1"])
        #expect(inbox.mark(2, .direct) == nil)
        #expect(inbox.mark(1, .topics) == nil)
        #expect(inbox.mark(2, .topics) == ["a5"])
    }
}
