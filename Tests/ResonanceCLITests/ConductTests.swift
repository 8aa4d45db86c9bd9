import Bus
import Foundation
import Protocols
import Synchronization
import Testing

@testable import ResonanceCLI

struct ConductTests {
    @Test func `steps begin at the first moment and end at the last`() {
        let even = ConductPlan(from: Sample.noon, to: Sample.noon.adding(seconds: 10), stepSeconds: 5)
        #expect((0..<even.count).map { even.moment($0).seconds(since: Sample.noon) } == [0, 5, 10])
        let odd = ConductPlan(from: Sample.noon, to: Sample.noon.adding(seconds: 11), stepSeconds: 5)
        #expect((0..<odd.count).map { odd.moment($0).seconds(since: Sample.noon) } == [0, 5, 10, 11])
    }

    @Test(
        arguments: [("max", ConductRate.max), ("60", .times(60)), ("2.5x", .times(2.5)), ("0", nil), ("fast", nil)]
            as [(String, ConductRate?)])
    func `a rate is max or a multiple of real time`(text: String, expected: ConductRate?) {
        #expect(ConductRate(argument: text) == expected)
    }

    @Test func `progress says where, how fast, and how long still`() {
        let plan = ConductPlan(from: Sample.noon, to: Sample.noon.adding(seconds: 995), stepSeconds: 5)
        let report = ConductReport(
            from: Sample.noon, reached: Sample.noon.adding(seconds: 245), seconds: 2.5, steps: 50, stepsPlanned: 200)
        #expect(
            Conduction.text(report, plan, .gmt) == "2026-01-01 12:04 · step 50 of 200 · 25 % · 98 × · 0:07 left")
        #expect(
            Conduction.waiting([.sensor, .brain], step: 7, seconds: 3)
                == "step 7 waits for brain, sensor-emitter since 3 s")
        #expect(report.lines(Paper().terminal()) == ["50 of 200 steps to 2026-01-01 12:04:05 in 2.5 s, 98 × real time"])
    }

    /// Remembers the virtual time of its ticks.
    private actor Clockwork: BusService {
        nonisolated let subscriptions: [String] = []
        private(set) var times: [Timestamp] = []

        func receive(_ event: BusEvent, bus: any BusPort) async throws {
            if case .tick = event { times.append(bus.now) }
        }
    }

    @Test func `every process lives through every step`() async throws {
        let hub = MemoryHub()
        let service = Clockwork()
        let peer = BusPeer(identity: PeerIdentity(name: .brain, virtualTime: true), transport: hub.transport())
        let loop = Task { try await runPeer(service, on: peer) }
        let client = try await BusClient.connect(over: hub.transport(), as: .conductor, timeout: .seconds(20))
        let plan = ConductPlan(from: Sample.noon, to: Sample.noon.adding(seconds: 12), stepSeconds: 5)
        let conduction = Conduction(
            client: client, processes: [.brain], plan: plan, rate: .max, terminal: Paper().terminal())
        try await conduction.run()
        #expect(await service.times.map { $0.seconds(since: Sample.noon) } == [0, 5, 10, 12])
        #expect(conduction.report.steps == 4)
        #expect(conduction.report.reached == Sample.noon.adding(seconds: 12))
        await client.close()
        loop.cancel()
        _ = await loop.result
    }
}
