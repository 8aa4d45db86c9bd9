import ArgumentParser
import Foundation
import Physiology
import Protocols

struct BodyJournalCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "journal", abstract: "What you say about yourself: moods, drinks, caffeine, how hard it was.",
        discussion: "What goes together with HRV and stress is told by `resonance body correlations`.",
        subcommands: [BodyJournalAdd.self, BodyJournalList.self, BodyJournalUndo.self],
        defaultSubcommand: BodyJournalList.self)
}

extension JournalKind: ExpressibleByArgument {}
extension Drink: ExpressibleByArgument {}

struct BodyJournalAdd: BodyCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Write one entry into the journal.",
        discussion: """
            mood NAME       one of veryHappy happy calm neutral anxious stressed sad verySad, and --energy, --stress 1…5
            water AMOUNT    also coffee, tea, soda, other: 250, 250ml, 0.3l, 12oz; a bare number is in your units
            caffeine WHAT   espresso 80 mg, coffee 90, tea 50, cola 40, energy 80, none 0; or a number of mg
            exertion 0…10   how hard the whole session was (0 rest, 10 maximal), --workout for its start

            Every entry takes --note and --at. The same moment and kind again replaces the entry.

            Example: resonance body journal add mood calm --energy 3 --stress 2 --note "day off"
            Example: resonance body journal add water 300
            Example: resonance body journal add caffeine espresso --at 14:05
            Example: resonance body journal add exertion 7
            """)

    @Argument(help: "mood, water, coffee, tea, soda, other, caffeine or exertion.") var kind: String
    @Argument(help: "Name of the mood, an amount, a figure; may be left out for a mood with --energy or --stress.")
    var value: String?
    @Option(help: "Mood: 1 (low) … 5 (high).") var energy: Int?
    @Option(help: "Mood: 1 (calm) … 5 (very stressed).") var stress: Int?
    @Option(help: "Caffeine: what it was in.") var source: String?
    @Option(help: "Exertion: start of the workout that it belongs to.") var workout: MomentArgument?
    @Option(help: "A note, at most 2000 characters.") var note: String?
    @Option(help: "When it was: 14:05 today, or a moment (default: now).") var at: JournalMoment?
    @OptionGroup var units: UnitsOption
    @OptionGroup var output: OutputOptions
    @OptionGroup var place: BodyPlace

    var makesDatabase: Bool { true }

    func run(in household: any Household, on terminal: Terminal) async throws {
        let figures = await units.figures(in: household)
        let entry = try entry(figures, now: Timestamp(.now), zone: terminal.timeZone)
        let kept = try await household.request(AddJournal(entry: entry))
        try terminal.answer(kept, json: output.json) { [kept.line(figures, terminal)] }
    }

    /// What the words mean; ranges are checked where entries are kept.
    ///
    /// - Throws: ``CommandFailure`` of status 64.
    func entry(_ figures: BodyFigures, now: Timestamp, zone: TimeZone) throws(CommandFailure) -> JournalEntry {
        let at = at?.at(now: now, zone: zone) ?? now
        let word = kind.lowercased()
        if let drink = Drink(rawValue: word) {
            guard let ml = value.flatMap({ figures.millilitres($0) }) else {
                throw Self.usage("\(word) \(value ?? "")", "say how much, as in `\(word) 250ml`")
            }
            return JournalEntry(at: at, kind: .hydration, amountMl: ml, drink: drink, note: note)
        }
        switch word {
        case "mood":
            let name = value?.lowercased().filter(\.isLetter)
            let mood = name.flatMap { name in NamedMood.allCases.first { $0.rawValue.lowercased() == name } }
            if let value, mood == nil {
                let names = NamedMood.allCases.map(\.rawValue).joined(separator: ", ")
                throw Self.usage("there is no mood \(value)", "say one of \(names)")
            }
            return JournalEntry(at: at, kind: .mood, mood: mood, energy: energy, stress: stress, note: note)
        case "caffeine":
            let serving = Caffeine.servings.first { $0.name == value?.lowercased() }
            guard let value, let mg = serving?.mg ?? Double(value.lowercased().replacing("mg", with: "")) else {
                let names = Caffeine.servings.map(\.name).joined(separator: ", ")
                throw Self.usage("caffeine \(value ?? "")", "say a number of mg, or one of \(names)")
            }
            let name = serving.flatMap { $0.mg > 0 ? $0.name : nil }
            return JournalEntry(at: at, kind: .caffeine, caffeineMg: mg, source: source ?? name, note: note)
        case "exertion":
            guard let number = value.flatMap(Double.init) else {
                throw Self.usage("exertion \(value ?? "")", "say a number 0…10, as in `exertion 7`")
            }
            return JournalEntry(
                at: at, kind: .exertion, exertion: number, workoutAt: workout?.at, note: note)
        default:
            let kinds = ["mood"] + Drink.allCases.map(\.rawValue) + ["caffeine", "exertion"]
            throw Self.usage("there is no entry \(kind)", "say one of \(kinds.joined(separator: ", "))")
        }
    }

    private static func usage(_ cause: String, _ cure: String) -> CommandFailure {
        CommandFailure(.usage, cause.trimmingCharacters(in: .whitespaces).printable, cure: cure)
    }
}

/// `14:05` of today, or a moment with its day.
struct JournalMoment: ExpressibleByArgument, Equatable {
    private enum Meaning: Equatable {
        case minute(Int)
        case moment(Timestamp)
    }
    private let meaning: Meaning

    init?(argument: String) {
        if let minute = BodySettings.minute(argument) {
            meaning = .minute(minute)
        } else if let moment = MomentArgument(argument: argument) {
            meaning = .moment(moment.at)
        } else {
            return nil
        }
    }

    func at(now: Timestamp, zone: TimeZone) -> Timestamp {
        switch meaning {
        case .moment(let at): return at
        case .minute(let minute):
            let clock = LocalClock(timeZone: zone)
            let midnight = clock.start(ofDay: clock.day(of: now))
            let at = midnight.adding(seconds: Double(minute) * 60)
            // On a day with summer time the minutes since midnight are not those of the clock.
            return at.adding(seconds: Double(minute - clock.minuteOfDay(of: at)) * 60)
        }
    }
}

struct BodyJournalList: BodyCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Entries of the journal, newest first; caffeine that is left; what you drank today.",
        discussion: """
            The last 7 days unless you say otherwise.

            Example: resonance body journal list
            Example: resonance body journal list --kind caffeine --days 30 --json
            """)

    @OptionGroup var span: BodySpan
    @Option(help: "mood, hydration, caffeine or exertion alone.") var kind: JournalKind?
    @Option(help: "At most so many.") var limit = 200
    @OptionGroup var units: UnitsOption
    @OptionGroup var output: OutputOptions
    @OptionGroup var place: BodyPlace

    func run(in household: any Household, on terminal: Terminal) async throws {
        let (from, to) = try span.edges(usualDays: 7, now: Timestamp(.now), zone: terminal.timeZone)
        let page = try await household.request(
            ListJournal(from: from, to: to, limit: limit, kind: kind?.rawValue))
        let figures = await units.figures(in: household)
        try terminal.answer(page, json: output.json) {
            var lines = page.entries.map { $0.line(figures, terminal) }
            if lines.isEmpty { lines = ["Nothing was written in that time."] }
            if page.truncated { lines.append("… and more: raise --limit") }
            lines.append("Drunk today: \(figures.volume(page.hydrationTodayMl))")
            if page.caffeineNowMg > 0 {
                let clears = page.caffeineClearsAt.map {
                    ", below 25 mg at \(Wording.moment($0, terminal.timeZone).suffix(5))"
                }
                lines.append(
                    "Caffeine now: some \(Wording.decimal(page.caffeineNowMg, 0)) mg\(clears ?? "") "
                        + "(by a half-life of 5 h, which differs from person to person)")
            }
            return lines
        }
    }
}

struct BodyJournalUndo: BodyCommand {
    static let configuration = CommandConfiguration(
        commandName: "undo", abstract: "Take back the entry that was written last.",
        discussion: """
            Example: resonance body journal undo
            Example: resonance body journal undo --kind caffeine
            """)

    @Option(help: "mood, hydration, caffeine or exertion alone.") var kind: JournalKind?
    @OptionGroup var units: UnitsOption
    @OptionGroup var output: OutputOptions
    @OptionGroup var place: BodyPlace

    func run(in household: any Household, on terminal: Terminal) async throws {
        let entry = try await household.request(UndoJournal(kind: kind?.rawValue))
        let figures = await units.figures(in: household)
        try terminal.answer(entry, json: output.json) { ["taken back: " + entry.line(figures, terminal)] }
    }
}

extension JournalEntry {
    /// `2026-03-03 09:00  caffeine  80 mg (espresso)  after lunch`.
    func line(_ figures: BodyFigures, _ terminal: Terminal) -> String {
        var parts: [String] = []
        if let mood { parts.append(mood.rawValue) }
        if let energy { parts.append("energy \(energy)") }
        if let stress { parts.append("stress \(stress)") }
        if let amountMl { parts.append("\(figures.volume(amountMl)) \(drink?.rawValue ?? "")") }
        if let caffeineMg { parts.append("\(Wording.decimal(caffeineMg, 0)) mg" + (source.map { " (\($0))" } ?? "")) }
        if let exertion { parts.append("\(Wording.decimal(exertion, exertion == exertion.rounded() ? 0 : 1)) of 10") }
        if let workoutAt { parts.append("workout of \(Wording.moment(workoutAt, terminal.timeZone))") }
        if let note { parts.append("“\(note)”") }
        return
            "\(Wording.moment(at, terminal.timeZone))  \(Wording.pad(kind.rawValue, to: 9))  \(parts.joined(separator: ", "))"
            .printable
    }
}
