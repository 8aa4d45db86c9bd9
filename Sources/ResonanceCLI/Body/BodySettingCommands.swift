import ArgumentParser
import Protocols

struct BodySettingsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "settings", abstract: "Units, goals, alerts, quiet hours.",
        subcommands: [BodySettingsList.self, BodySettingsSet.self, BodySettingsReset.self],
        defaultSubcommand: BodySettingsList.self)
}

struct BodySettingsList: BodyCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Every setting with its value; a star marks what is not the default.",
        discussion: "Example: resonance body settings list")

    @OptionGroup var output: OutputOptions
    @OptionGroup var place: BodyPlace

    func run(in household: any Household, on terminal: Terminal) async throws {
        let list = try await household.request(GetBodySettings())
        try terminal.answer(list, json: output.json) { list.lines(terminal) }
    }
}

struct BodySettingsSet: BodyCommand {
    static let configuration = CommandConfiguration(
        commandName: "set", abstract: "Change one setting.",
        discussion: """
            Example: resonance body settings set units imperial
            Example: resonance body settings set quietFrom 22:30
            """)

    @Argument(help: "Name of the setting.") var name: String
    @Argument(help: "Its value.") var value: String
    @OptionGroup var output: OutputOptions
    @OptionGroup var place: BodyPlace

    var makesDatabase: Bool { true }

    func run(in household: any Household, on terminal: Terminal) async throws {
        let list = try await household.request(SetBodySetting(setting: name, value: value))
        try terminal.answer(list, json: output.json) { list.only(name).lines(terminal) }
    }
}

struct BodySettingsReset: BodyCommand {
    static let configuration = CommandConfiguration(
        commandName: "reset", abstract: "Set one setting back to its default.",
        discussion: "Example: resonance body settings reset units")

    @Argument(help: "Name of the setting.") var name: String
    @OptionGroup var output: OutputOptions
    @OptionGroup var place: BodyPlace

    func run(in household: any Household, on terminal: Terminal) async throws {
        let list = try await household.request(SetBodySetting(setting: name))
        try terminal.answer(list, json: output.json) { list.only(name).lines(terminal) }
    }
}

extension BodySettingList {
    fileprivate func only(_ name: String) -> BodySettingList {
        BodySettingList(rows: rows.filter { $0.name == name })
    }

    fileprivate func lines(_ terminal: Terminal) -> [String] {
        var table = TextTable([.word("setting"), .word("value"), .word("allowed"), .text("meaning")])
        for row in rows {
            table.add(row.name, row.value + (row.value == row.standard ? "" : " *"), row.range, row.meaning)
        }
        return table.lines(width: terminal.width, style: terminal.style)
    }
}
