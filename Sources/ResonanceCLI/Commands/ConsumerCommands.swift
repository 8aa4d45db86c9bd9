import ArgumentParser
import Foundation
import Protocols

struct ConsumersCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "consumers", abstract: "See for whom events are kept, and keep them for a tool.",
        subcommands: [ConsumersList.self, ConsumersAdd.self, ConsumersRemove.self],
        defaultSubcommand: ConsumersList.self)
}

struct ConsumersList: HouseholdCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the consumers with what waits for each.",
        discussion: "Example: resonance consumers list")

    @OptionGroup var output: OutputOptions
    @OptionGroup(title: "Common options") var bus: BusOptions

    func run(in household: any Household, on terminal: Terminal) async throws {
        let list = try await household.request(ListConsumers())
        try terminal.answer(list, json: output.json) { lines(list, terminal) }
    }

    private func lines(_ list: ConsumerList, _ terminal: Terminal) -> [String] {
        var rows = TextTable([
            .word("consumer"), .word("state"), .figure("pending"), .figure("oldest"), .text("topics"),
        ])
        for row in list.consumers {
            rows.add(
                row.name.rawValue.printable, row.connected ? "connected" : "away", "\(row.pending)",
                row.oldestAgeSeconds.map(Wording.age) ?? "–",
                row.topics.isEmpty ? "all events" : row.topics.joined(separator: ", ").printable)
        }
        return rows.lines(width: terminal.width, style: terminal.style)
    }
}

struct ConsumersAdd: HouseholdCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Keep events for a tool from now on, whether it runs or not.",
        discussion: """
            The tool says hello under this name and acknowledges each event; docs/durability.md says how.

            Example: resonance consumers add scrobbler music/played
            """)

    @Argument(help: "Name of the tool.") var name: String
    @Argument(help: "Families of events; nothing = all.") var topics: [String] = []
    @Option(help: "Also what is still in the spool, from this number on.") var from: Int64?
    @OptionGroup var output: OutputOptions
    @OptionGroup(title: "Common options") var bus: BusOptions

    func run(in household: any Household, on terminal: Terminal) async throws {
        let done = try await household.request(
            AddConsumer(name: ProcessName(rawValue: name), topics: topics, from: from))
        try terminal.answer(done, json: output.json) { [done.note?.printable ?? "added"] }
    }
}

struct ConsumersRemove: HouseholdCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Keep no more events for a tool; what waits for it is let go.",
        discussion: "Example: resonance consumers remove scrobbler")

    @Argument(help: "Name of the tool.") var name: String
    @OptionGroup var output: OutputOptions
    @OptionGroup(title: "Common options") var bus: BusOptions

    func run(in household: any Household, on terminal: Terminal) async throws {
        let done = try await household.request(RemoveConsumer(name: ProcessName(rawValue: name)))
        try terminal.answer(done, json: output.json) { [done.note?.printable ?? "removed"] }
    }
}
