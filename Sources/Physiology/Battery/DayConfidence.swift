import Foundation

/// How far a day's figures are trusted, 0…1. Whatever record is taken away, it never rises.
///
/// Half for load: known days of 42, times 1 − e^(−E/6), E being the sum over the last 42 days of the most trusted load of each
/// day. A quarter each for HRV and resting heart rate: values among the last 60 days of 28, halved every two days since the
/// newest one, and nothing after a week. (No workout is not the same as rest: nobody knows what was not recorded.)
struct DayConfidence: Sendable {
    private let variability: [SignalSource: SignalSeries]
    private let resting: [SignalSource: SignalSeries]
    private let trustByDay: [Int: Double]
    private let firstDay: Int?
    private let hasOwnStart: Bool

    static let fullCount = 28.0
    static let evidence = 6.0
    static let halfLifeDays = 2.0
    static let longestAge = 7

    init(
        loads: DailyLoads, variability: [SignalSource: SignalSeries], resting: [SignalSource: SignalSeries],
        hasOwnStart: Bool
    ) {
        self.variability = variability
        self.resting = resting
        self.hasOwnStart = hasOwnStart
        let known = loads.entries.filter { $0.load.load != nil }
        trustByDay = known.reduce(into: [:]) { days, entry in
            days[entry.day] = max(days[entry.day] ?? 0, entry.load.confidence)
        }
        firstDay = known.map(\.day).min()
    }

    /// Calendar days since the first load, that day among them.
    func daysKnown(_ day: Int) -> Int {
        if hasOwnStart { return FitnessModel.calibrationDays }
        return firstDay.map { max(day - $0, 0) } ?? 0
    }

    func confidence(_ day: Int) -> Double {
        let known = min(Double(daysKnown(day)) / Double(FitnessModel.calibrationDays), 1)
        var sum = 0.0
        for past in (day - FitnessModel.calibrationDays)..<day { sum += trustByDay[past] ?? 0 }
        let load = known * -expm1(-sum / Self.evidence)
        return 0.5 * load + 0.25 * best(day, variability) + 0.25 * best(day, resting)
    }

    private func best(_ day: Int, _ series: [SignalSource: SignalSeries]) -> Double {
        series.values.reduce(0) { max($0, signal(day, $1)) }
    }

    private func signal(_ day: Int, _ series: SignalSeries) -> Double {
        guard let age = (0...Self.longestAge).first(where: { series[day - $0] != nil }) else { return 0 }
        let count = series.before(day + 1, days: SignalSeries.windowDays).count
        return min(Double(count) / Self.fullCount, 1) * pow(0.5, Double(age) / Self.halfLifeDays)
    }

    /// The day's value of the origin that is trusted most among those that can be judged.
    func score(
        _ day: Int, _ series: [SignalSource: SignalSeries]
    ) -> (source: SignalSource, score: SignalScore)? {
        var best: (source: SignalSource, score: SignalScore)?
        for source in SignalSource.allCases {
            guard let one = series[source], let score = one.score(day), score.count > best?.score.count ?? 0 else {
                continue
            }
            best = (source, score)
        }
        return best
    }

    /// The origin with the most values of late.
    func mainSource(_ day: Int, _ series: [SignalSource: SignalSeries]) -> SignalSource? {
        var best: (source: SignalSource, count: Int)?
        for source in SignalSource.allCases {
            let count = series[source]?.before(day + 1, days: SignalSeries.windowDays).count ?? 0
            if count > best?.count ?? 0 { best = (source, count) }
        }
        return best?.source
    }
}
