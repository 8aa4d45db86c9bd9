import ArgumentParser
import Foundation
import Protocols

struct DeadLettersCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "dead-letters", abstract: "See and settle events that a process could not handle.",
        subcommands: [DeadLettersList.self, DeadLettersShow.self, DeadLettersReplay.self, DeadLettersDrop.self],
        defaultSubcommand: DeadLettersList.self)
}

struct DeadLettersList: HouseholdCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List them, newest first; ends with 1 when there are any.",
        discussion: "Example: resonance dead-letters list")

    @Option(help: "At most so many, 1…1000.") var limit = 100
    @OptionGroup var output: OutputOptions
    @OptionGroup(title: "Common options") var bus: BusOptions

    func run(in household: any Household, on terminal: Terminal) async throws {
        let list = try await household.request(ListDeadLetters(limit: limit))
        try terminal.answer(list, json: output.json) { DeadLettersView(terminal: terminal).lines(list) }
        if list.total > 0 { throw ExitCode(CommandStatus.finding.rawValue) }
    }
}

struct DeadLettersShow: HouseholdCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show one with its body, which may hold health data.",
        discussion: "Example: resonance dead-letters show 3")

    @Argument(help: "Number from the list.") var id: Int64
    @OptionGroup var output: OutputOptions
    @OptionGroup(title: "Common options") var bus: BusOptions

    func run(in household: any Household, on terminal: Terminal) async throws {
        let content = try await household.request(ShowDeadLetter(id: id))
        try terminal.answer(content, json: output.json) { DeadLettersView(terminal: terminal).lines(content) }
    }
}

struct DeadLettersReplay: HouseholdCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay", abstract: "Deliver one again, when the cause is gone.",
        discussion: "Example: resonance dead-letters replay 3")

    @Argument(help: "Number from the list.") var id: Int64
    @OptionGroup var output: OutputOptions
    @OptionGroup(title: "Common options") var bus: BusOptions

    func run(in household: any Household, on terminal: Terminal) async throws {
        let done = try await household.request(ReplayDeadLetter(id: id))
        try terminal.answer(done, json: output.json) { [done.note?.printable ?? "replayed"] }
    }
}

struct DeadLettersDrop: HouseholdCommand {
    static let configuration = CommandConfiguration(
        commandName: "drop", abstract: "Delete one for good.",
        discussion: "Example: resonance dead-letters drop 3")

    @Argument(help: "Number from the list.") var id: Int64
    @OptionGroup var output: OutputOptions
    @OptionGroup(title: "Common options") var bus: BusOptions

    func run(in household: any Household, on terminal: Terminal) async throws {
        let done = try await household.request(DropDeadLetter(id: id))
        try terminal.answer(done, json: output.json) { [done.note?.printable ?? "deleted"] }
    }
}

/// Shows dead letters to a person.
struct DeadLettersView {
    var terminal: Terminal

    func lines(_ list: DeadLetterList) -> [String] {
        guard !list.deadLetters.isEmpty else { return ["No dead letters."] }
        var rows = TextTable([
            .figure("id"), .word("topic"), .word("consumer"), .figure("deliveries"), .figure("bytes"), .word("since"),
            .text("reason"),
        ])
        for letter in list.deadLetters {
            rows.add(
                "\(letter.id)", letter.topic.printable, letter.consumer.rawValue.printable, "\(letter.deliveries)",
                "\(letter.bytes)", Wording.age(max(0, Timestamp(.now).seconds(since: letter.at))),
                letter.reason.printable)
        }
        let rest = list.total - list.deadLetters.count
        return rows.lines(width: terminal.width, style: terminal.style) + (rest > 0 ? ["… and \(rest) more"] : [])
    }

    func lines(_ content: DeadLetterContent) -> [String] {
        let letter = content.letter
        return [
            "\(letter.topic) of \(letter.consumer), delivered \(letter.deliveries) times: \(letter.reason)".printable,
            "epoch \(letter.epoch), sequence \(letter.sequence), version \(content.schema)", content.json.printable,
        ]
    }
}
