import ArgumentParser
import Foundation
import Physiology
import Protocols

struct BodyThresholdsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "thresholds", abstract: "What your training is measured against, from a day on.",
        discussion: """
            A threshold holds from its day until the next one; days before it keep what held then. What you do not say is
            estimated where it can be, and the load says how it was told.
            """,
        subcommands: [BodyThresholdsList.self, BodyThresholdsSet.self, BodyThresholdsClear.self],
        defaultSubcommand: BodyThresholdsList.self)
}

/// A threshold as a person calls it.
enum ThresholdName: String, ExpressibleByArgument, CaseIterable {
    case power, run, swim, resting, maximum, heart

    var field: String {
        switch self {
        case .power: "thresholdPowerW"
        case .run: "thresholdRunMps"
        case .swim: "thresholdSwimMps"
        case .resting: "restingBpm"
        case .maximum: "maximumBpm"
        case .heart: "thresholdBpm"
        }
    }

    /// The value on the wire of `250`, `4:30/km`, `7:15/mi`, `1:40/100m`, `1:30/100yd`, `3.5`; nil for what is none.
    func value(_ text: String) -> Double? {
        guard self == .run || self == .swim else { return Double(text) }
        let word = text.lowercased().filter { !$0.isWhitespace }
        if let speed = word.wholeMatch(of: /(\d+(?:\.\d+)?)(m\/s)?/) { return Double(speed.1) }
        guard let pace = word.wholeMatch(of: /(\d{1,2}):([0-5]\d)(?:\/(km|mi|100m|100yd))?/),
            let minutes = Double(pace.1), let seconds = Double(pace.2), minutes * 60 + seconds > 0
        else { return nil }
        let metres =
            switch pace.3.map(String.init) {
            case "km": 1000.0
            case "mi": BodyFigures.metresPerMile
            case "100m": 100.0
            case "100yd": 91.44
            default: self == .run ? 1000.0 : 100.0
            }
        return metres / (minutes * 60 + seconds)
    }
}

struct BodyThresholdsList: BodyCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Show the thresholds, oldest first.",
        discussion: "Example: resonance body thresholds list")

    @OptionGroup var units: UnitsOption
    @OptionGroup var output: OutputOptions
    @OptionGroup var place: BodyPlace

    func run(in household: any Household, on terminal: Terminal) async throws {
        try await household.showThresholds(
            try await household.request(ListThresholds()), units, output, terminal)
    }
}

struct BodyThresholdsSet: BodyCommand {
    static let configuration = CommandConfiguration(
        commandName: "set", abstract: "Say a threshold, from today or from a day on.",
        discussion: """
            power    what you can hold for an hour on the bicycle, W
            run      threshold pace, 4:30/km or 7:15/mi, or m/s
            swim     critical swim pace, 1:40/100m, or m/s
            resting  heart rate at rest, maximum the highest, heart the one you can hold for an hour, beats per minute

            Example: resonance body thresholds set power 250
            Example: resonance body thresholds set run 4:30/km --since 2025-10-01
            """)

    @Argument(help: "power, run, swim, resting, maximum or heart.") var name: ThresholdName
    @Argument(help: "Its value.") var value: String
    @Option(help: "First day that it holds, as 2026-01-31 (default: today).") var since: String?
    @OptionGroup var units: UnitsOption
    @OptionGroup var output: OutputOptions
    @OptionGroup var place: BodyPlace

    var makesDatabase: Bool { true }

    func validate() throws {
        if name.value(value) == nil {
            throw ValidationError("\(name.rawValue) \(value): write 250, 4:30/km or 1:40/100m, see --help")
        }
    }

    func run(in household: any Household, on terminal: Terminal) async throws {
        let list = try await household.request(
            SetThreshold(since: since, field: name.field, value: name.value(value)))
        try await household.showThresholds(list, units, output, terminal)
    }
}

struct BodyThresholdsClear: BodyCommand {
    static let configuration = CommandConfiguration(
        commandName: "clear", abstract: "Take a threshold back: what held before that day holds on.",
        discussion: "Example: resonance body thresholds clear power --since 2025-10-01")

    @Argument(help: "power, run, swim, resting, maximum or heart.") var name: ThresholdName
    @Option(help: "The day from which it was said (default: today).") var since: String?
    @OptionGroup var units: UnitsOption
    @OptionGroup var output: OutputOptions
    @OptionGroup var place: BodyPlace

    func run(in household: any Household, on terminal: Terminal) async throws {
        let list = try await household.request(SetThreshold(since: since, field: name.field, value: nil))
        try await household.showThresholds(list, units, output, terminal)
    }
}

extension Household {
    fileprivate func showThresholds(
        _ list: ThresholdList, _ units: UnitsOption, _ output: OutputOptions, _ terminal: Terminal
    ) async throws {
        let figures = await units.figures(in: self)
        try terminal.answer(list, json: output.json) {
            guard !list.rows.isEmpty else {
                return ["No threshold is said yet; see `resonance body thresholds set --help`."]
            }
            var table = TextTable([
                .word("since"), .figure("power"), .figure("run"), .figure("swim"), .figure("resting"),
                .figure("maximum"), .figure("heart"),
            ])
            for row in list.rows {
                let swim = row.thresholdSwimMps.map {
                    "\(Wording.clock(Int64((100 / $0).rounded()) * 1000)) /100m"
                }
                table.add(
                    row.since, row.thresholdPowerW.map { "\(Wording.decimal($0, 0)) W" } ?? "–",
                    figures.pace(row.thresholdRunMps), swim ?? "–", Wording.bpm(row.restingBpm),
                    Wording.bpm(row.maximumBpm), Wording.bpm(row.thresholdBpm))
            }
            return table.lines(width: terminal.width, style: terminal.style)
        }
    }
}
