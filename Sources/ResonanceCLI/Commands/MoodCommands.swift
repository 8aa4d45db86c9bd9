import ArgumentParser
import Foundation
import Protocols

struct Mood: HouseholdCommand {
    static let configuration = CommandConfiguration(
        abstract: "Say how you feel; it counts for 15 minutes.",
        discussion: """
            Two numbers 1…5 (mood, energy), a named mood, or `auto` to go back to what the sensors say.
            Named moods: veryHappy happy calm neutral anxious stressed sad verySad (upper case does not matter).

            Example: resonance mood 4 2
            Example: resonance mood calm
            Example: resonance mood auto
            """)

    /// What the words mean.
    enum Wish: Equatable {
        case scales(mood: Int, energy: Int)
        case named(NamedMood)
        case auto

        init(_ words: [String]) throws {
            let numbers = words.compactMap(Int.init)
            if words.count == 2, numbers.count == 2 {
                guard numbers.allSatisfy((1...5).contains) else {
                    throw ValidationError("mood \(words.joined(separator: " ")): both numbers must be 1…5")
                }
                self = .scales(mood: numbers[0], energy: numbers[1])
                return
            }
            if words.count == 1, numbers.count == 1 {
                throw ValidationError("mood \(words[0]): two numbers are needed, mood and energy, as in `mood 4 2`")
            }
            let word = words.joined().lowercased().filter(\.isLetter)
            if word == "auto" {
                self = .auto
            } else if let named = NamedMood.allCases.first(where: { $0.rawValue.lowercased() == word }) {
                self = .named(named)
            } else {
                let names = NamedMood.allCases.map(\.rawValue).joined(separator: ", ")
                throw ValidationError(
                    "mood \(words.joined(separator: " ")): say two numbers 1…5, or one of \(names), or auto")
            }
        }
    }

    @Argument(help: ArgumentHelp("MOOD ENERGY (1…5 each), a named mood, or auto.", valueName: "mood"))
    var words: [String]
    @OptionGroup var output: OutputOptions
    @OptionGroup(title: "Common options") var bus: BusOptions

    func validate() throws { _ = try Wish(words) }

    func run(in household: any Household, on terminal: Terminal) async throws {
        switch try Wish(words) {
        case .scales(let mood, let energy):
            let query = SetMood(mood: mood, energy: energy)
            try await household.obey(
                query, terminal, json: output.json, else: "mood \(mood), energy \(energy) for 15 minutes")
        case .named(let named):
            let query = SetMood(named: named.rawValue)
            try await household.obey(query, terminal, json: output.json, else: "\(named.rawValue) for 15 minutes")
        case .auto:
            try await household.obey(
                ClearMood(), terminal, json: output.json, else: "back to what the sensors say")
        }
    }
}

/// `on` or `off`.
enum Switch: String, ExpressibleByArgument, CaseIterable { case on, off }

struct DJModeCommand: HouseholdCommand {
    static let configuration = CommandConfiguration(
        commandName: "dj-mode", abstract: "Turn DJ mode on or off, or ask how it stands.",
        discussion: """
            In DJ mode a turn of the crown, or `resonance nudge`, moves the energy or tempo that is looked for.
            Leaving it clears both nudges.

            Example: resonance dj-mode on
            """)

    @Argument(help: "on or off; nothing = ask only.") var state: Switch?
    @OptionGroup var output: OutputOptions
    @OptionGroup(title: "Common options") var bus: BusOptions

    func run(in household: any Household, on terminal: Terminal) async throws {
        let mode = try await household.request(SetDJMode(on: state.map { $0 == .on }))
        try terminal.answer(mode, json: output.json) {
            guard mode.on else { return ["DJ mode is off"] }
            return [
                "DJ mode is on: energy \(Wording.signed(mode.energyNudge)), "
                    + "tempo \(Wording.signed(mode.tempoNudge, 0)) BPM"
            ]
        }
    }
}

/// A turn of the crown: `0.3`, `+0.3`, `-0.3`, `up`, `down`.
struct Turn: ExpressibleByArgument, Equatable {
    var delta: Double

    init(delta: Double) { self.delta = delta }

    init?(argument: String) {
        switch argument {
        case "up": delta = 0.25
        case "down": delta = -0.25
        default:
            // The command line turns the hyphen of a negative number into a minus sign (see CommandLineText).
            guard let number = Double(argument.replacing("\u{2212}", with: "-")), (-1...1).contains(number) else {
                return nil
            }
            delta = number
        }
    }
}

enum TurnKind: String, ExpressibleByArgument, CaseIterable { case energy, intensity }

struct NudgeCommand: HouseholdCommand {
    static let configuration = CommandConfiguration(
        commandName: "nudge", abstract: "Turn the crown: more or less energy, or tempo, in DJ mode.",
        discussion: """
            Needs DJ mode (`resonance dj-mode on`). The nudge fades with a half-life of 20 minutes.

            Example: resonance nudge +0.3
            Example: resonance nudge -0.5 --kind intensity
            Example: resonance nudge down
            """)

    @Argument(help: "−1…1, or `up` (+0.25) or `down` (−0.25).") var delta: Turn
    @Option(help: "energy moves the target energy, intensity the target tempo.") var kind: TurnKind = .energy
    @OptionGroup var output: OutputOptions
    @OptionGroup(title: "Common options") var bus: BusOptions

    func run(in household: any Household, on terminal: Terminal) async throws {
        let query = SendNudge(delta: delta.delta, kind: kind.rawValue)
        try await household.obey(
            query, terminal, json: output.json, else: "\(kind.rawValue) \(Wording.signed(delta.delta))")
    }
}
