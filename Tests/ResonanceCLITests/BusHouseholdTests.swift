import Bus
import Protocols
import Testing

@testable import ResonanceCLI

/// The visitor on a real bus, in memory.
struct BusHouseholdTests {
    /// A brain that knows one thing, and says it.
    private actor Brain: BusService {
        nonisolated let subscriptions: [String] = []

        func receive(_ event: BusEvent, bus: any BusPort) async throws {
            switch event {
            case .joined: bus.publish(Sample.now, on: Registry.now())
            case .request(let request):
                if try request.decode(SetDJMode.self) != nil {
                    request.reply(DJMode(on: true, energyNudge: 0.5, tempoNudge: 0))
                } else {
                    request.refuse(Refusal(code: "not-found", message: "there is no such song"))
                }
            case .message, .tick, .lost: break
            }
        }
    }

    private func withBrain(_ body: (MemoryHub) async throws -> Void) async throws {
        let hub = MemoryHub()
        let peer = BusPeer(identity: PeerIdentity(name: .brain), transport: hub.transport())
        let loop = Task { try await runPeer(Brain(), on: peer) }
        try await body(hub)
        loop.cancel()
        _ = await loop.result
    }

    @Test func `asks, hears kept values, takes refusals, and leaves`() async throws {
        try await withBrain { hub in
            let household = try await BusHousehold.join(
                over: hub.transport(), listener: "me", deadline: .seconds(20),
                subscriptions: [Registry.now.spec.family])
            var heard: String?
            for await case .message(let message) in household.events {
                heard = message.topic
                break
            }
            #expect(heard == "music/now/me")
            #expect(try await household.request(SetDJMode(on: true)).energyNudge == 0.5)
            let refusal = await #expect(throws: Refusal.self) { _ = try await household.request(WhyNot(song: "x")) }
            #expect(refusal?.code == "not-found")
            await household.leave()
        }
    }

    @Test func `an absent process is named at once`() async throws {
        let household = try await BusHousehold.join(
            over: MemoryHub().transport(), listener: "me", deadline: .seconds(20), subscriptions: [])
        let refusal = await #expect(throws: Refusal.self) { _ = try await household.request(GetProfile()) }
        #expect(refusal?.code == "unknown-process")
        await household.leave()
    }

    @Test func `a hub that never answers is given up`() async throws {
        // Nobody makes a step.
        let silent = LockStepHub()
        let failure = try await #require(throws: CommandFailure.self) {
            _ = try await BusHousehold.join(
                over: silent.transport(), listener: "me", deadline: .milliseconds(50), subscriptions: [])
        }
        #expect(failure.status == .unavailable)
    }
}
