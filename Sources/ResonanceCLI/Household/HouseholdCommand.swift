import ArgumentParser
import Bus
import Protocols

/// A command that works without any process: all it needs is a place to write.
protocol OfflineCommand: AsyncParsableCommand {
    func run(on terminal: Terminal) async throws
}

extension OfflineCommand {
    func run() async throws { try await run(on: .standard()) }
}

/// A command that speaks with the running processes.
protocol HouseholdCommand: AsyncParsableCommand {
    var bus: BusOptions { get }
    /// Topic families or prefixes that it hears while it runs.
    var subscriptions: [String] { get }
    func run(in household: any Household, on terminal: Terminal) async throws
}

extension HouseholdCommand {
    var subscriptions: [String] { [] }

    func run() async throws { try await runInHousehold() }

    /// Joins the household, runs, and leaves it whatever happened.
    func runInHousehold() async throws {
        let household = try await BusHousehold.join(bus, subscriptions: subscriptions)
        do {
            try await run(in: household, on: .standard())
        } catch let refusal as Refusal {
            let table = try? await household.attempt(HubPeers(), deadline: .seconds(1)).get()
            await household.leave()
            throw CommandFailure(refusal, in: table)
        } catch {
            await household.leave()
            throw error
        }
        await household.leave()
    }
}
