import ArgumentParser
import Foundation
import Physiology
import Protocols

struct BodyTrendsCommand: BodyCommand {
    static let configuration = CommandConfiguration(
        commandName: "trends",
        abstract: "How your figures went, as lines of bars: heart, HRV, sleep, stress, training.",
        discussion: """
            The last 30 days unless you say otherwise. Long stretches are told by week or month: the mean of the days
            that have the figure. A gap in a line is a day without one.

            Example: resonance body trends
            Example: resonance body trends --days 365 --by month
            Example: resonance body trends --from 2025-01-01 --to 2025-07-01 --json
            """)

    /// What a bar stands for.
    enum Bucket: String, ExpressibleByArgument, CaseIterable, Encodable { case day, week, month }

    @OptionGroup var span: BodySpan
    @Option(help: "day, week or month (default: what fits).") var by: Bucket?
    @OptionGroup var output: OutputOptions
    @OptionGroup var place: BodyPlace

    func run(in household: any Household, on terminal: Terminal) async throws {
        let (from, to) = try span.edges(usualDays: 30, now: Timestamp(.now), zone: terminal.timeZone)
        let trends = BodyTrends(days: try await household.days(from: from, to: to), by: by)
        try terminal.answer(trends, json: output.json) { trends.lines(terminal) }
        if trends.series.isEmpty {
            throw CommandFailure(
                .finding, "there is no measurement in that time",
                cure: "choose a longer one with --days, or see `resonance body today`")
        }
    }
}

/// Figures of a stretch of days, by day, week or month.
struct BodyTrends: Encodable {
    /// One figure.
    struct Series: Encodable, Equatable {
        var name: String
        var unit: String
        var points: [Point]
        /// Of the days, not of the buckets.
        var mean: Double
        var minimum: Double
        var maximum: Double
        /// Days that have it.
        var n: Int
    }

    struct Point: Encodable, Equatable {
        /// First day of the bucket.
        var date: String
        /// Mean of its days; absent when none has the figure.
        var value: Double?
        var n: Int
    }

    /// Buckets of more than this many days are not drawn by day.
    private static let widestByDay = 92
    private static let widestByWeek = 600

    var by: BodyTrendsCommand.Bucket
    /// First and last day that is told about; absent when there is none.
    var first: String?
    var last: String?
    var series: [Series]

    private static let figures: [(name: String, unit: String, value: @Sendable (DaySummary) -> Double?)] = [
        ("resting heart rate", "BPM", { $0.restingBpm }), ("HRV (RMSSD)", "ms", { $0.rmssdMs }),
        ("HRV (SDNN)", "ms", { $0.sdnnMs }), ("asleep", "h", { $0.asleepMinutes.map { $0 / 60 } }),
        ("sleep score", "", { $0.sleepScore.map(Double.init) }), ("stress", "", { $0.stress }),
        ("load", "", { $0.load }), ("fitness", "", { $0.fitness }), ("fatigue", "", { $0.fatigue }),
        ("form", "", { $0.form }), ("battery", "", { $0.battery }), ("steps", "", { $0.steps }),
        ("active energy", "kcal", { $0.activeEnergyKcal }), ("drunk", "ml", { $0.hydrationMl }),
        ("caffeine", "mg", { $0.caffeineMg }),
    ]

    /// - Parameters:
    ///   - days: oldest first, days without anything may be absent.
    ///   - by: nil = what fits.
    init(days: [DaySummary], by wanted: BodyTrendsCommand.Bucket?) {
        let numbered = days.filter { $0.hasMeasurement || $0.battery != nil }.compactMap { day in
            LocalDate(day.date).map { (number: $0.number, day: day) }
        }
        (first, last) = (numbered.first?.day.date, numbered.last?.day.date)
        guard let low = numbered.first?.number, let high = numbered.last?.number else {
            (by, series) = (wanted ?? .day, [])
            return
        }
        let width = high - low + 1
        let by = wanted ?? (width <= Self.widestByDay ? .day : width <= Self.widestByWeek ? .week : .month)
        self.by = by
        var buckets: [Int] = []
        for number in low...high where buckets.last != Self.bucket(number, by) {
            buckets.append(Self.bucket(number, by))
        }
        series = Self.figures.compactMap { figure in
            let known = numbered.compactMap { row in figure.value(row.day).map { (number: row.number, value: $0) } }
            let values = known.map(\.value)
            guard let mean = mean(of: values), let minimum = values.min(), let maximum = values.max() else {
                return nil
            }
            let grouped = Dictionary(grouping: known) { Self.bucket($0.number, by) }
            let points = buckets.map { bucket in
                let inside = grouped[bucket] ?? []
                return Point(
                    date: "\(LocalDate(number: bucket))", value: Physiology.mean(of: inside.map(\.value)),
                    n: inside.count)
            }
            return Series(
                name: figure.name, unit: figure.unit, points: points, mean: mean, minimum: minimum, maximum: maximum,
                n: known.count)
        }
    }

    /// Number of the first day of the bucket that a day is in; weeks begin on Monday.
    private static func bucket(_ day: Int, _ by: BodyTrendsCommand.Bucket) -> Int {
        switch by {
        case .day: day
        // Day 0 was a Thursday.
        case .week: day - (((day + 3) % 7) + 7) % 7
        case .month:
            {
                let date = LocalDate(number: day)
                return LocalDate(year: date.year, month: date.month, day: 1).number
            }()
        }
    }

    func lines(_ terminal: Terminal) -> [String] {
        guard let first, let last else { return ["Nothing was measured in that time."] }
        let style = terminal.style
        let head = style.bold("\(first) … \(last), by \(by.rawValue)")
        // What stands beside the bars takes some 50 columns.
        let room = max(10, (terminal.width ?? 140) - 50)
        return [head]
            + series.map { series in
                let shown = series.points.suffix(room)
                let known = shown.compactMap(\.value)
                let digits = series.maximum < 10 ? (series.maximum <= 1 ? 2 : 1) : 0
                func text(_ value: Double?) -> String { Wording.decimal(value, digits) }
                let unit = series.unit.isEmpty ? "" : " \(series.unit)"
                return Wording.pad(series.name, to: 19) + style.cyan(Sparkline.text(shown.map(\.value)))
                    + "  \(text(known.first))→\(text(known.last))\(unit)"
                    + style.dim(
                        "  mean \(text(series.mean)), \(text(series.minimum))…\(text(series.maximum)), "
                            + Wording.count(series.n, "day"))
            }
    }
}
