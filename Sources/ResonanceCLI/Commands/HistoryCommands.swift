import ArgumentParser
import Foundation
import Protocols

struct SessionsCommand: HouseholdCommand {
    static let configuration = CommandConfiguration(
        commandName: "sessions", abstract: "List the latest listening sessions with their quality.",
        discussion: "Example: resonance sessions --limit 5")

    @Option(help: "At most so many.") var limit = 20
    @OptionGroup var output: OutputOptions
    @OptionGroup(title: "Common options") var bus: BusOptions

    func validate() throws { guard limit > 0 else { throw ValidationError("--limit must be above 0") } }

    func run(in household: any Household, on terminal: Terminal) async throws {
        let list = try await household.request(ListSessions(limit: limit))
        try terminal.answer(list, json: output.json) {
            guard !list.sessions.isEmpty else { return ["No session yet."] }
            var table = TextTable([
                .word("started"), .figure("length"), .text("playlist"), .word("context"), .figure("songs"),
                .figure("skips"), .figure("heard"), .figure("quality"), .word("heart"),
            ])
            for row in list.sessions {
                let length = row.endedAt.map { Wording.clock($0.milliseconds - row.startedAt.milliseconds) } ?? "now"
                let heart =
                    row.startBpm == nil && row.endBpm == nil
                    ? "–" : "\(Wording.decimal(row.startBpm, 0)) → \(Wording.decimal(row.endBpm, 0))"
                table.add(
                    Wording.moment(row.startedAt, terminal.timeZone), length, row.playlist ?? "–", row.activityContext,
                    "\(row.songs)", "\(row.skips)", Wording.percent(row.averageListenShare),
                    Wording.decimal(row.quality), heart)
            }
            return table.lines(width: terminal.width, style: terminal.style)
        }
    }
}

/// A moment on the command line: RFC 3339, `2026-01-31`, `2026-01-31 14:05`, `2026-01-31T14:05:30`; local without a zone.
struct MomentArgument: ExpressibleByArgument, Equatable {
    var at: Timestamp

    init(at: Timestamp) { self.at = at }

    init?(argument: String) { self.init(argument, in: .current) }

    init?(_ text: String, in zone: TimeZone) {
        for fractional in [false, true] {
            let style = Date.ISO8601FormatStyle(includingFractionalSeconds: fractional)
            if let date = try? Date(text, strategy: style) {
                at = Timestamp(date)
                return
            }
        }
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = zone
        let pattern = /(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d))?)?/
        guard let match = text.wholeMatch(of: pattern), let year = Int(match.1), let month = Int(match.2),
            let day = Int(match.3)
        else { return nil }
        let hour = match.4.flatMap { Int($0) } ?? 0
        let minute = match.5.flatMap { Int($0) } ?? 0
        let second = match.6.flatMap { Int($0) } ?? 0
        guard (1...12).contains(month), (1...31).contains(day), hour < 24, minute < 60, second < 60 else { return nil }
        let parts = DateComponents(year: year, month: month, day: day, hour: hour, minute: minute, second: second)
        guard let date = calendar.date(from: parts), calendar.component(.day, from: date) == day else { return nil }
        at = Timestamp(date)
    }
}

struct HistoryCommand: HouseholdCommand {
    static let configuration = CommandConfiguration(
        commandName: "history", abstract: "List the latest plays with their outcome and what was learnt.",
        discussion: """
            Example: resonance history --limit 10
            Example: resonance history --before "2026-01-31 18:00"
            """)

    @Option(help: "At most so many.") var limit = 50
    @Option(help: "Only plays that began before this moment (RFC 3339, or local as 2026-01-31 18:00).") var before:
        MomentArgument?
    @OptionGroup var output: OutputOptions
    @OptionGroup(title: "Common options") var bus: BusOptions

    func validate() throws { guard limit > 0 else { throw ValidationError("--limit must be above 0") } }

    func run(in household: any Household, on terminal: Terminal) async throws {
        let history = try await household.request(ListHistory(limit: limit, before: before?.at))
        try terminal.answer(history, json: output.json) {
            guard !history.plays.isEmpty else { return ["Nothing was played yet."] }
            var table = TextTable([
                .word("started"), .text("song"), .figure("heard"), .word("outcome"), .word("picked by"),
                .word("context"), .word("need"), .figure("calm"), .figure("energy"),
            ])
            for row in history.plays {
                let picker = PickKind(rawValue: row.pick).map { BoardView.picker(Open($0)) } ?? row.pick
                table.add(
                    Wording.moment(row.startedAt, terminal.timeZone), Wording.song(row.song),
                    Wording.clock(row.listenedMs), row.outcome ?? "playing", picker, row.activityContext ?? "–",
                    row.need ?? "–", Wording.signed(row.calmEffect), Wording.signed(row.energyEffect))
            }
            return table.lines(width: terminal.width, style: terminal.style)
        }
    }
}

struct EffectsCommand: HouseholdCommand {
    static let configuration = CommandConfiguration(
        commandName: "effects", abstract: "Show what has been learnt about songs, and how sure it is.",
        discussion: """
            An effect counts as evidence only when its interval excludes zero.

            Example: resonance effects
            Example: resonance effects --song "blue monday"
            """)

    @Option(help: "Only this song: its id, or part of its title.") var song: String?
    @OptionGroup var output: OutputOptions
    @OptionGroup(title: "Common options") var bus: BusOptions

    func run(in household: any Household, on terminal: Terminal) async throws {
        var id: String?
        if let song { id = try await household.songId(of: [song]) }
        let list = try await household.request(ListEffects(songId: id))
        try terminal.answer(list, json: output.json) {
            guard !list.effects.isEmpty else { return ["Nothing has been learnt yet."] }
            var table = TextTable([
                .text("song"), .word("context"), .word("slot"), .figure("calm"), .figure("focus"), .figure("energy"),
                .figure("mood"), .figure("plays"), .figure("sure"), .text("evidence"),
            ])
            for row in list.effects {
                table.add(
                    "\(row.title) — \(row.artist)", row.activityContext, row.slot, Wording.signed(row.calm),
                    Wording.signed(row.focus), Wording.signed(row.energy), Wording.signed(row.moodLift), "\(row.plays)",
                    Wording.percent(row.confidence), row.evidence)
            }
            return table.lines(width: terminal.width, style: terminal.style)
        }
    }
}

struct UndoCommand: HouseholdCommand {
    static let configuration = CommandConfiguration(
        commandName: "undo", abstract: "Forget what was learnt from the last play, or the last minutes.",
        discussion: """
            The plays stay in the history; only what was learnt from them goes.

            Example: resonance undo
            Example: resonance undo --minutes 30
            """)

    @Option(help: "Forget what was learnt in so many minutes; without it the last play.") var minutes: Double?
    @OptionGroup var output: OutputOptions
    @OptionGroup(title: "Common options") var bus: BusOptions

    func validate() throws {
        if let minutes, !(minutes > 0) { throw ValidationError("--minutes \(minutes): must be above 0") }
    }

    func run(in household: any Household, on terminal: Terminal) async throws {
        try await household.obey(Undo(minutes: minutes), terminal, json: output.json, else: "forgotten")
    }
}
