import ArgumentParser
import Foundation
import Physiology
import Protocols

struct BodyWorkoutsCommand: BodyCommand {
    static let configuration = CommandConfiguration(
        commandName: "workouts", abstract: "Workouts with load, intensity and how that was told.",
        discussion: """
            The last 30 days unless you say otherwise, newest first. The first column names a workout for
            `resonance body workout`. An estimate is called one; a workout that two devices recorded counts once.

            Example: resonance body workouts
            Example: resonance body workouts --days 365 --sport cycling --json
            """)

    @OptionGroup var span: BodySpan
    @Option(help: "cycling, running, swimming, rowing, walking, strength or other.") var sport: String?
    @Option(help: "At most so many, 1…1000.") var limit = 200
    @OptionGroup var units: UnitsOption
    @OptionGroup var output: OutputOptions
    @OptionGroup var place: BodyPlace

    func validate() throws {
        guard (1...1000).contains(limit) else { throw ValidationError("--limit \(limit): must be 1…1000") }
        if let sport, Sport(rawValue: sport) == nil {
            let names = Sport.allCases.map(\.rawValue).joined(separator: ", ")
            throw ValidationError("--sport \(sport): give one of \(names)")
        }
    }

    func run(in household: any Household, on terminal: Terminal) async throws {
        let (from, to) = try span.edges(usualDays: 30, now: Timestamp(.now), zone: terminal.timeZone)
        var page = try await household.request(ListWorkouts(from: from, to: to, limit: limit))
        if let sport { page.workouts.removeAll { $0.sport != sport } }
        let figures = await units.figures(in: household)
        try terminal.answer(page, json: output.json) { page.lines(figures, terminal) }
    }
}

extension WorkoutPage {
    func lines(_ figures: BodyFigures, _ terminal: Terminal) -> [String] {
        guard !workouts.isEmpty else { return ["No workout in that time."] }
        var table = TextTable([
            .word("workout"), .word("sport"), .figure("moving"), .figure("distance"), .figure("load"), .word("by"),
            .figure("intensity"), .figure("heart"), .figure("weighted"), .text("remark"),
        ])
        for workout in workouts {
            table.add(
                workout.id(terminal.timeZone), workout.sport, Wording.clock(Int64(workout.movingSeconds * 1000)),
                figures.distance(workout.distanceM), Wording.decimal(workout.load, 0), workout.how,
                Wording.decimal(workout.intensity), Wording.decimal(workout.meanBpm, 0),
                workout.weightedPowerW.map { "\(Wording.decimal($0, 0)) W" } ?? "–", workout.remark(terminal.timeZone))
        }
        let rest = truncated ? ["There are more: see --limit and --from."] : []
        return table.lines(width: terminal.width, style: terminal.style) + rest
    }
}

extension WorkoutSummary {
    /// `2026-01-31T14:05`, local.
    func id(_ zone: TimeZone) -> String { Wording.moment(startAt, zone).replacing(" ", with: "T") }

    var how: String { method.flatMap { LoadMethod(rawValue: $0)?.label } ?? "–" }

    func remark(_ zone: TimeZone) -> String {
        if let countsAs, let other = MomentArgument(countsAs, in: zone) {
            return "recorded twice, \(Wording.moment(other.at, zone).suffix(5)) counts"
        }
        return title ?? ""
    }
}
