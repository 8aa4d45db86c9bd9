import ArgumentParser
import Protocols

struct ContextCommand: HouseholdCommand {
    static let configuration = CommandConfiguration(
        commandName: "context", abstract: "Say what you are doing, when the sensors cannot know, or `auto`.",
        discussion: """
            One of workout, postWorkout, work, deepWork, commute, relaxation, preSleep, morning, social. It holds for
            --minutes, then the sensors decide again.

            Example: resonance context social --minutes 180
            Example: resonance context auto
            """)

    @Argument(help: "What you are doing, or auto.") var context: String
    @Option(help: "For so many minutes, 1…1440.") var minutes: Double = 120
    @OptionGroup var output: OutputOptions
    @OptionGroup(title: "Common options") var bus: BusOptions

    func validate() throws {
        let names = ActivityContext.allCases.filter { $0 != .unknown }.map(\.rawValue)
        guard context == "auto" || names.contains(context) else {
            throw ValidationError("\(context): choose from \(names.joined(separator: ", ")), or auto")
        }
        guard (1...1440).contains(minutes) else { throw ValidationError("--minutes \(minutes): must be 1…1440") }
    }

    func run(in household: any Household, on terminal: Terminal) async throws {
        let done = try await household.request(
            SayContext(context: context == "auto" ? nil : context, minutes: minutes))
        try terminal.answer(done, json: output.json) { [done.note ?? "noted"] }
    }
}
