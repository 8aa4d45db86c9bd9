import Foundation
import Protocols

/// One comparison of the week, with its numbers; never a bare claim.
package struct Insight: Hashable, Codable, Sendable {
    /// `week` `highShare` `hrv` `weekday` `hour` `sleep`.
    package var kind: String
    package var sentence: String
    /// nil when there is too little to compare.
    package var comparison: MeanComparison?
    /// True when the 95 % interval, widened for the number of questions asked, leaves out 0.
    package var isClear: Bool { comparison?.isClear ?? false }
}

/// A week beside the four weeks before it.
package struct WeeklyInsight: Hashable, Codable, Sendable {
    /// Monday of the week.
    package var weekStart: Int
    package var date: String
    /// Days of the week, and of the weeks before, with enough readings.
    package var days: Int
    package var daysBefore: Int
    package var insights: [Insight]

    package static let title = "Weekly Insights"
    package static let weeksBefore = 4

    /// - Parameters:
    ///   - week: any local day of the week that is told.
    ///   - daily: day buckets, any number, in any order.
    ///   - sleep: asleep minutes by the local day on which the night ended.
    ///   - goalMinutes: of sleep.
    package init(week: Int, daily: [StressBucket], sleep: [Int: Double] = [:], goalMinutes: Double = 480) {
        let start = LocalDate.weekStart(of: week)
        weekStart = start
        date = "\(LocalDate(number: start))"
        let known = daily.filter { $0.readings >= StressCalendar.minimumReadings }.sorted { $0.day < $1.day }
        let now = known.filter { (start..<start + 7).contains($0.day) }
        let before = known.filter { (start - 7 * Self.weeksBefore..<start).contains($0.day) }
        days = now.count
        daysBefore = before.count
        insights = [
            Self.insight(
                "week", "Mean stress score", now.compactMap(\.score), before.compactMap(\.score),
                groups: ("this week", "the weeks before"), count: 3),
            Self.insight(
                "highShare", "Share of readings at High or Overload", now.compactMap { $0.share(from: .high) },
                before.compactMap { $0.share(from: .high) }, groups: ("this week", "the weeks before"), count: 3),
            Self.insight(
                "hrv", "ln RMSSD of still moments", now.compactMap { $0.rmssdMs.map { log($0) } },
                before.compactMap { $0.rmssdMs.map { log($0) } }, groups: ("this week", "the weeks before"), count: 3),
            Self.weekday(known.filter { $0.day < start + 7 && $0.day >= start - 7 * 11 }),
            Self.sleep(known.filter { $0.day < start + 7 && $0.day >= start - 7 * 7 }, sleep, goalMinutes),
        ]
    }

    private static func insight(
        _ kind: String, _ what: String, _ first: [Double], _ second: [Double],
        groups: (String, String), count: Int
    ) -> Insight {
        guard let comparison = MeanComparison(first, against: second, comparisons: count) else {
            return Insight(
                kind: kind,
                sentence:
                    "\(what): not enough data (\(first.count) days \(groups.0), \(second.count) \(groups.1); \(MeanComparison.minimumCount) each are needed).",
                comparison: nil)
        }
        return Insight(kind: kind, sentence: sentence(what, comparison, groups), comparison: comparison)
    }

    private static func sentence(_ what: String, _ c: MeanComparison, _ groups: (String, String)) -> String {
        let two = DailyStressSummary.two
        let verdict =
            c.isClear ? "a clear difference" : "no clear difference; the interval of the difference includes 0"
        return
            "\(what): \(two(c.firstMean)) \(groups.0) (\(c.firstCount) days), \(two(c.secondMean)) \(groups.1) (\(c.secondCount) days): \(verdict) (difference \(two(c.difference)), 95 % interval \(two(c.low)) to \(two(c.high)))."
    }

    /// The weekday that differs most from the others, asked for all seven at once.
    private static func weekday(_ days: [StressBucket]) -> Insight {
        let candidates = (1...7).compactMap { weekday -> (Int, MeanComparison)? in
            let these = days.filter { LocalDate.weekday(of: $0.day) == weekday }.compactMap(\.score)
            let others = days.filter { LocalDate.weekday(of: $0.day) != weekday }.compactMap(\.score)
            guard these.count >= 4, let comparison = MeanComparison(these, against: others, comparisons: 7) else {
                return nil
            }
            return (weekday, comparison)
        }
        // By how far the interval is from 0, in its own width.
        func strength(_ c: MeanComparison) -> Double { abs(c.difference) / max((c.high - c.low) / 2, 1e-9) }
        guard let best = candidates.max(by: { strength($0.1) < strength($1.1) }) else {
            return Insight(
                kind: "weekday", sentence: "Days of the week: not enough data (four weeks of a weekday are needed).",
                comparison: nil)
        }
        let name = LocalDate.weekdayNames[best.0 - 1]
        return Insight(
            kind: "weekday",
            sentence: sentence("Mean stress score", best.1, ("on \(name)s", "on the other days")), comparison: best.1)
    }

    /// Days after a night that met the goal beside days after one that did not: what goes together, not what causes what.
    private static func sleep(_ days: [StressBucket], _ sleep: [Int: Double], _ goal: Double) -> Insight {
        let known = days.compactMap { day in sleep[day.day].flatMap { slept in day.score.map { (slept, $0) } } }
        return insight(
            "sleep", "Mean stress score", known.filter { $0.0 < goal }.map(\.1),
            known.filter { $0.0 >= goal }.map(\.1),
            groups: ("after nights below the sleep goal", "after nights that met it"), count: 1)
    }

    /// The sentences, clear differences first.
    package var sentences: [String] {
        insights.filter(\.isClear).map(\.sentence) + insights.filter { !$0.isClear }.map(\.sentence)
    }

    /// One line for an alert: what is clear, or that nothing is.
    package var headline: String {
        let clear = insights.filter(\.isClear)
        if let first = clear.first { return first.sentence }
        return days < MeanComparison.minimumCount
            ? "\(days) days were measured this week; three are needed to compare."
            : "This week was like the weeks before, as far as \(days) measured days can tell."
    }
}
