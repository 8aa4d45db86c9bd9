import ArgumentParser
import Protocols

struct WaitReadyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "wait-ready", abstract: "Wait until processes are ready, for scripts that start them.",
        discussion: """
            Waits for the hub too. Ends with 0 when all are ready, with 75 when --timeout is over.

            Example: resonance wait-ready hub --timeout 30
            Example: resonance wait-ready librarian brain
            """)

    private struct Ready: Encodable { var ready: [String] }

    @Argument(help: "Names of processes.") var names: [String]
    @OptionGroup var output: OutputOptions
    @OptionGroup(title: "Common options") var bus: BusOptions

    func run() async throws {
        let terminal = Terminal.standard()
        let clock = ContinuousClock()
        let end = clock.now + bus.deadline
        var reason = "no hub answers"
        var patient = bus
        while clock.now < end {
            patient.timeout = max(0.1, min(2, (end - clock.now) / .seconds(1)))
            do {
                let household = try await BusHousehold.join(patient, subscriptions: [])
                let missing = try? await waitInside(household, until: end, terminal)
                await household.leave()
                if missing == [] {
                    terminal.endProgress()
                    return try terminal.answer(Ready(ready: names), json: output.json) {
                        ["ready: \(names.joined(separator: ", "))"]
                    }
                }
                if let missing { reason = "not ready: \(missing.joined(separator: ", "))" }
            } catch let failure as CommandFailure where failure.status == .unavailable {
                reason = failure.cause
                try await Task.sleep(for: .milliseconds(100))
            }
        }
        terminal.endProgress()
        throw CommandFailure(
            .tryAgain, "\(reason), after \(Wording.decimal(bus.timeout, 0)) s",
            cure: "see `resonance doctor` and the logs")
    }

    /// - Returns: the processes that are still not ready at the end.
    private func waitInside(
        _ household: any Household, until end: ContinuousClock.Instant, _ terminal: Terminal
    ) async throws -> [String] {
        let expected = names.map(ProcessName.init(rawValue:))
        while true {
            let missing = ExpectedProcesses.missing(from: try await household.request(HubPeers()), expected: expected)
            if missing.isEmpty || ContinuousClock.now >= end { return missing }
            terminal.progress("not ready: \(missing.joined(separator: ", "))")
            try await Task.sleep(for: .milliseconds(100))
        }
    }
}
