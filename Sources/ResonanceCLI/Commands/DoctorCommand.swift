import ArgumentParser
import Foundation
import Protocols

struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor", abstract: "Check everything and say what to do about what is wrong.",
        discussion: """
            Looks at the directories and their rights, the hub, every process and topic, what the supervisor has given
            up, who hangs with a lock, losses that grow, queues, clocks, the sources of the desktop context, the chosen
            playlists, the disk and the versions. Ends with 1 when something is wrong.

            Example: resonance doctor
            Example: resonance doctor --json | jq '.findings[] | select(.status != "ok")'
            """)

    @Option(help: "Names of the processes that should run.") var expect: [String] = []
    @OptionGroup var output: OutputOptions
    @OptionGroup(title: "Common options") var bus: BusOptions

    func run() async throws {
        let terminal = Terminal.standard()
        let expected = expect.isEmpty ? ExpectedProcesses.names : expect.map(ProcessName.init(rawValue:))
        var facts = HouseFacts(directories: bus.directories, expected: expected)
        do {
            terminal.progress("asking the hub …")
            let household = try await BusHousehold.join(bus, subscriptions: [Registry.heartbeat.spec.family])
            await facts.ask(household)
            await household.leave()
        } catch let failure as CommandFailure {
            facts.hubFailure = failure.cause
        } catch let refusal as Refusal {
            facts.hubFailure = refusal.message
        }
        terminal.endProgress()
        try report(Diagnosis(facts), on: terminal)
    }

    func report(_ diagnosis: Diagnosis, on terminal: Terminal) throws {
        try terminal.answer(diagnosis, json: output.json) { diagnosis.lines(terminal) }
        let wrong = diagnosis.findings.filter { $0.status == .wrong }.count
        if wrong > 0 { throw CommandFailure(.finding, "\(Wording.count(wrong, "thing is", "things are")) wrong") }
    }
}
