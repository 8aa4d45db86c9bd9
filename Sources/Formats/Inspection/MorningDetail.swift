import Foundation
import Physiology
import Protocols

/// Morning readings against what is usual, and the load series of a log, as `inspect` tells them.
package struct MorningDetail: InspectionDetail {
    /// One local day. Windows never hold the day itself; logarithms are natural, RMSSD in ms.
    package struct Day: Encodable, Sendable {
        package var date: String
        package var lnRmssd: Double?
        package var hr: Double?
        package var sdnnMs: Double?
        package var sick: Bool?
        /// Mean and coefficient of variation (%) of ln RMSSD over seven days, this one among them.
        package var roll7Mean: Double?
        package var roll7CvPct: Double?
        package var base30: Baseline?
        package var base60: Baseline?
        /// `below`, `within`, `above`: the week's mean against the 60 days before.
        package var trend: String?
        package var rzLnRmssd30d: Score?
        package var rzHr30d: Score?
        package var rzLnRmssd60d: Score?
        package var rzHr60d: Score?
        /// Robust z of the 30 days before, without a floor of the MAD.
        package var zHrv: Double?
        package var zHr: Double?
        /// Heart rate above the median of the 30 days before.
        package var excessBpm: Double?
        /// Three rules that look at one day alone, for comparison: z ≤ −2 and ≥ 2, z ≤ −1.5 and ≥ 1.5, 4 bpm above.
        package var singleDayRule2: Bool?
        package var singleDayRule1p5: Bool?
        package var singleDayRule4bpm: Bool?
        /// Ours, on two signals and two nights: `none`, `watch`, `likely`.
        package var illness: String?
        package var load: Double?
        package var fitness: Double?
        package var fatigue: Double?
        package var form: Double?
    }

    package struct Baseline: Encodable, Sendable {
        package var n: Int
        package var mean: Double
        package var sd: Double
        package var swcLow: Double
        package var swcHigh: Double
        package var normalLow: Double
        package var normalHigh: Double

        init(_ baseline: SignalBaseline) {
            n = baseline.count
            mean = baseline.mean
            sd = baseline.sd
            swcLow = baseline.usualLow
            swcHigh = baseline.usualHigh
            normalLow = baseline.normalLow
            normalHigh = baseline.normalHigh
        }
    }

    package struct Score: Encodable, Sendable {
        package var n: Int
        package var median: Double
        package var mad: Double
        /// Absent for a MAD of 0.
        package var z: Double?
        /// With the floor of the MAD: what decisions use.
        package var flooredZ: Double

        init(_ score: SignalScore) {
            n = score.count
            median = score.median
            mad = score.mad
            z = score.unflooredZ
            flooredZ = score.z
        }
    }

    package var source: String
    /// Of the load series.
    package var convention: String?
    package var days: [Day]

    private static let shortWindow = 30
    private static let longWindowNeeds = 20

    init(_ log: MorningLog, convention: FitnessConvention) {
        source = log.source
        let first = log.entries.first?.day ?? 0
        let last = log.entries.last?.day ?? 0
        let byDay = Dictionary(uniqueKeysWithValues: log.entries.map { ($0.day, $0) })
        let variability = SignalSeries(
            firstDay: first, values: (first...last).map { byDay[$0]?.rmssdMs.map { Foundation.log($0) } },
            floor: SignalSeries.variabilityFloor)
        let resting = SignalSeries(
            firstDay: first, values: (first...last).map { byDay[$0]?.bpm }, floor: SignalSeries.restingFloor)
        var watch = IllnessWatch()
        days = (first...last).map { day in
            Self.day(day, byDay[day], variability, resting, &watch, hasReadings: log.hasReadings)
        }
        guard log.hasLoads else { return }
        self.convention = convention.rawValue
        let loads = (first...last).map { byDay[$0]?.load ?? 0 }
        let figures = FitnessModel(convention: convention, start: .zero).days(loads, firstDay: first)
        for (index, figure) in figures.enumerated() {
            days[index].load = figure.load
            days[index].fitness = figure.fitness
            days[index].fatigue = figure.fatigue
            days[index].form = figure.form
        }
    }

    private static func day(
        _ day: Int, _ entry: MorningLog.Entry?, _ variability: SignalSeries, _ resting: SignalSeries,
        _ watch: inout IllnessWatch, hasReadings: Bool
    ) -> Day {
        var told = Day(date: LocalDay.text(day))
        guard hasReadings else { return told }
        told.lnRmssd = variability[day]
        told.hr = resting[day]
        told.sdnnMs = entry?.sdnnMs
        told.sick = entry?.isSick
        told.roll7Mean = variability.weekMean(day)
        told.roll7CvPct = variability.weekVariationPercent(day)
        told.base30 = variability.baseline(before: day, days: shortWindow).map(Baseline.init)
        told.base60 = variability.baseline(before: day, needed: longWindowNeeds).map(Baseline.init)
        let trend = variability.trend(day)
        told.trend = trend == .notEnoughData ? nil : trend.rawValue
        let hrv = variability.score(day, days: shortWindow)
        let heart = resting.score(day, days: shortWindow)
        told.rzLnRmssd30d = hrv.map(Score.init)
        told.rzHr30d = heart.map(Score.init)
        told.zHrv = hrv?.unflooredZ
        told.zHr = heart?.unflooredZ
        told.excessBpm = heart?.excess
        if let low = told.zHrv, let high = told.zHr, let excess = told.excessBpm {
            told.singleDayRule2 = low <= -2 && high >= 2
            told.singleDayRule1p5 = low <= -1.5 && high >= 1.5
            told.singleDayRule4bpm = excess >= 4
        }
        let longHrv = variability.score(day)
        let longHeart = resting.score(day)
        told.rzLnRmssd60d = longHrv.map(Score.init)
        told.rzHr60d = longHeart.map(Score.init)
        let sign = watch.next(day: day, variability: longHrv, resting: longHeart)
        told.illness = longHeart == nil ? nil : sign.rawValue
        return told
    }

    package var lines: [String] {
        var lines = ["  \(source), \(days.first?.date ?? "?") – \(days.last?.date ?? "?"), \(days.count) days"]
        let readings = days.count { $0.lnRmssd != nil }
        if readings > 0 {
            let signs = days.filter { $0.illness == "watch" || $0.illness == "likely" }
            lines.append("  \(readings) readings; unusual nights: \(signs.isEmpty ? "none" : "")")
            lines += signs.map { day in
                "    \(day.date) \(day.illness ?? "") (HRV z \(Self.tenths(day.rzLnRmssd60d?.flooredZ)), "
                    + "heart rate z \(Self.tenths(day.rzHr60d?.flooredZ)))"
            }
        }
        if let convention, let last = days.last {
            lines.append(
                "  load (\(convention)): fitness \(Self.tenths(last.fitness)), fatigue \(Self.tenths(last.fatigue)), "
                    + "form \(Self.tenths(last.form)) on \(last.date)")
            lines.append("  " + Sparkline.text(days.suffix(90).map(\.load), range: nil))
        }
        return lines
    }

    private static func tenths(_ value: Double?) -> String { value.map { "\(($0 * 10).rounded() / 10)" } ?? "–" }
}
