import ArgumentParser
import Protocols

struct WhyThis: HouseholdCommand {
    static let configuration = CommandConfiguration(
        commandName: "why", abstract: "Explain why the current song was picked: every term of its score.",
        discussion: "Example: resonance why")

    @OptionGroup var output: OutputOptions
    @OptionGroup(title: "Common options") var bus: BusOptions

    func run(in household: any Household, on terminal: Terminal) async throws {
        let why = try await household.request(Explain())
        try terminal.answer(why, json: output.json) { ExplanationView(terminal: terminal).lines(why) }
    }
}

struct WhyNotThat: HouseholdCommand {
    static let configuration = CommandConfiguration(
        commandName: "why-not", abstract: "Explain why a song was not picked at the last decision.",
        discussion: """
            Shows the guards that kept it out, or its score beside that of the pick.

            Example: resonance why-not "blue monday"
            """)

    @Argument(help: "Id of a song, or part of its title.") var song: [String]
    @OptionGroup var output: OutputOptions
    @OptionGroup(title: "Common options") var bus: BusOptions

    func run(in household: any Household, on terminal: Terminal) async throws {
        let answer = try await household.explained(
            WhyNot(song: song.joined(separator: " ")), song: song)
        try terminal.answer(answer, json: output.json) { ExplanationView(terminal: terminal).lines(answer) }
    }
}
