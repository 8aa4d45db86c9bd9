import ArgumentParser
import Protocols

struct PrefsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "prefs", abstract: "See and change how the DJ decides.",
        subcommands: [PrefsList.self, PrefsGet.self, PrefsSet.self, PrefsReset.self],
        defaultSubcommand: PrefsList.self)
}

struct PrefsList: HouseholdCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List every preference with its range and default.",
        discussion: "Example: resonance prefs")

    @OptionGroup var output: OutputOptions
    @OptionGroup(title: "Common options") var bus: BusOptions

    func run(in household: any Household, on terminal: Terminal) async throws {
        let list = try await household.request(GetPreferences())
        try terminal.answer(list, json: output.json) { list.lines(terminal) }
    }
}

struct PrefsGet: HouseholdCommand {
    static let configuration = CommandConfiguration(
        commandName: "get", abstract: "Show one preference.", discussion: "Example: resonance prefs get randomShare")

    @Argument(help: "Name of a preference.") var name: String
    @OptionGroup var output: OutputOptions
    @OptionGroup(title: "Common options") var bus: BusOptions

    func run(in household: any Household, on terminal: Terminal) async throws {
        let list = try await household.request(GetPreferences())
        let preference = try list.find(name)
        try terminal.answer(preference, json: output.json) { preference.lines(terminal) }
    }
}

struct PrefsSet: HouseholdCommand {
    static let configuration = CommandConfiguration(
        commandName: "set", abstract: "Change one preference.",
        discussion: """
            Weights of the score are normalised to a sum of 1; the answer says when that moved others.

            Example: resonance prefs set randomShare 0
            """)

    @Argument(help: "Name of a preference.") var name: String
    @Argument(help: "Its value, in the unit that `prefs list` shows.") var value: String
    @OptionGroup var output: OutputOptions
    @OptionGroup(title: "Common options") var bus: BusOptions

    func run(in household: any Household, on terminal: Terminal) async throws {
        let list = try await household.request(SetPreference(name: name, value: value))
        try terminal.answer(list, json: output.json) {
            let one = try? list.find(name)
            return (one?.lines(terminal) ?? []) + (list.notice.map { [$0.printable] } ?? [])
        }
    }
}

struct PrefsReset: HouseholdCommand {
    static let configuration = CommandConfiguration(
        commandName: "reset", abstract: "Back to the default: one preference, or all.",
        discussion: """
            Example: resonance prefs reset randomShare
            Example: resonance prefs reset
            """)

    @Argument(help: "Name of a preference; nothing = all of them.") var name: String?
    @OptionGroup var output: OutputOptions
    @OptionGroup(title: "Common options") var bus: BusOptions

    func run(in household: any Household, on terminal: Terminal) async throws {
        let list: PreferenceList
        if let name {
            list = try await household.request(SetPreference(name: name))
        } else {
            list = try await household.request(ResetPreferences())
        }
        try terminal.answer(list, json: output.json) { list.lines(terminal) }
    }
}

extension PreferenceList {
    func find(_ name: String) throws(CommandFailure) -> Preference {
        if let found = preferences.first(where: { $0.name.lowercased() == name.lowercased() }) { return found }
        let near = preferences.map(\.name).filter { $0.lowercased().contains(name.lowercased()) }
        throw CommandFailure(
            .finding, "there is no preference named \(name)",
            cure: near.isEmpty ? "see `resonance prefs`" : "did you mean \(near.joined(separator: ", "))?")
    }

    func lines(_ terminal: Terminal) -> [String] {
        var table = TextTable([.word("name"), .text("value"), .text("what it does")])
        for row in preferences {
            let unit = row.unit.isEmpty || ["share", "score"].contains(row.unit) ? "" : " \(row.unit)"
            let mark = row.value == row.defaultValue ? "" : " *"
            table.add(row.name, row.value + unit + mark, row.summary)
        }
        let changed = preferences.contains { $0.value != $0.defaultValue } ? ["* not the default"] : []
        let hint = "range and default of one: `resonance prefs get NAME`"
        return table.lines(width: terminal.width, style: terminal.style) + changed + [hint]
            + (notice.map { [$0.printable] } ?? [])
    }
}

extension Preference {
    func lines(_ terminal: Terminal) -> [String] {
        let unit = unit.isEmpty ? "" : " \(unit)"
        return ["\(name) = \(value)\(unit)", "  \(summary)", "  range \(range)\(unit), default \(defaultValue)"]
            .map(\.printable)
    }
}
