import ArgumentParser
import Protocols

struct ProfileCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "profile", abstract: "What you told about your body: age, sex, resting and maximum heart rate …",
        discussion: "All of it is optional, stays on this machine, and makes the first minutes better.",
        subcommands: [ProfileGet.self, ProfileSet.self, ProfileClear.self], defaultSubcommand: ProfileGet.self)
}

/// A figure of the profile, by its name on the wire.
enum ProfileField: String, ExpressibleByArgument, CaseIterable {
    case age, sex, restingBpm, maximumBpm, usualRmssdMs, usualSdnnMs

    init?(argument: String) {
        let word = argument.lowercased().filter { $0.isLetter || $0.isNumber }
        guard let field = Self.allCases.first(where: { $0.rawValue.lowercased() == word }) else { return nil }
        self = field
    }
}

struct ProfileGet: HouseholdCommand {
    static let configuration = CommandConfiguration(
        commandName: "get", abstract: "Show the profile.", discussion: "Example: resonance profile")

    @OptionGroup var output: OutputOptions
    @OptionGroup(title: "Common options") var bus: BusOptions

    func run(in household: any Household, on terminal: Terminal) async throws {
        let profile = try await household.request(GetProfile())
        try terminal.answer(profile, json: output.json) { profile.lines() }
    }
}

struct ProfileSet: HouseholdCommand {
    static let configuration = CommandConfiguration(
        commandName: "set", abstract: "Tell one thing.",
        discussion: """
            Names: age (years), sex (female or male), restingBpm, maximumBpm, usualRmssdMs, usualSdnnMs.

            Example: resonance profile set age 41
            Example: resonance profile set restingBpm 58
            """)

    @Argument(help: "What to set.") var name: ProfileField
    @Argument(help: "Its value.") var value: String
    @OptionGroup var output: OutputOptions
    @OptionGroup(title: "Common options") var bus: BusOptions

    func run(in household: any Household, on terminal: Terminal) async throws {
        let profile = try await household.request(SetProfile(name: name.rawValue, value: value))
        try terminal.answer(profile, json: output.json) { profile.lines() }
    }
}

struct ProfileClear: HouseholdCommand {
    static let configuration = CommandConfiguration(
        commandName: "clear", abstract: "Take one thing back.", discussion: "Example: resonance profile clear age")

    @Argument(help: "What to forget.") var name: ProfileField
    @OptionGroup var output: OutputOptions
    @OptionGroup(title: "Common options") var bus: BusOptions

    func run(in household: any Household, on terminal: Terminal) async throws {
        let profile = try await household.request(SetProfile(name: name.rawValue))
        try terminal.answer(profile, json: output.json) { profile.lines() }
    }
}

extension Profile {
    func lines() -> [String] {
        func figure(_ value: Double?, _ unit: String) -> String {
            value.map { "\(Wording.decimal($0, $0 == $0.rounded() ? 0 : 1)) \(unit)" } ?? "not told"
        }
        let rows = [
            ("age", age.map { "\($0) years" } ?? "not told"), ("sex", sex ?? "not told"),
            ("restingBpm", figure(restingBpm, "BPM")), ("maximumBpm", figure(maximumBpm, "BPM")),
            ("usualRmssdMs", figure(usualRmssdMs, "ms")), ("usualSdnnMs", figure(usualSdnnMs, "ms")),
        ]
        return rows.map { Wording.pad($0.0, to: 14) + $0.1.printable }
    }
}
