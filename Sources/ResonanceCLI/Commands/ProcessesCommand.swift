import ArgumentParser
import Glibc
import Protocols
import ServiceKit

struct ProcessesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ps", abstract: "List the processes: wanted, state, restarts, last exit, silence.",
        discussion: """
            The hub's word and the supervisor's: starting, ready, silent (there, but nothing was heard for 3 s: frozen, or
            the machine is overloaded) or ended. The tool that asks is not listed. Without a hub it shows what the supervisor knows, and ends with 69.
            `resonance peers` is the same.

            Example: resonance ps
            Example: resonance ps --json | jq '.processes[] | select(.wanted == "givenUp").process'
            """, aliases: ["peers"])

    @OptionGroup var output: OutputOptions
    @OptionGroup(title: "Common options") var bus: BusOptions

    func run() async throws {
        let terminal = Terminal.standard()
        do {
            let household = try await BusHousehold.join(bus, subscriptions: [])
            let answer = await household.attempt(HubPeers())
            await household.leave()
            var table = try answer.get()
            table.processes.removeAll { $0.process.isTool && $0.pid == getpid() }
            try show(table, on: terminal)
        } catch let failure as CommandFailure where failure.status == .unavailable {
            let file = SupervisorReportFile(runtimeDirectory: bus.directories.runtime)
            guard bus.hub == nil, let report = file.ofLiving() else { throw failure }
            try show(Self.table(report), on: terminal)
            throw failure
        }
    }

    func show(_ table: ProcessTable, on terminal: Terminal) throws {
        try terminal.answer(table, json: output.json) { ProcessesView(terminal: terminal).lines(table) }
    }

    /// What the supervisor alone knows.
    static func table(_ report: SupervisorReport) -> ProcessTable {
        ProcessTable(at: report.at, hubEpoch: 0, processes: []).merged(with: report)
    }
}
