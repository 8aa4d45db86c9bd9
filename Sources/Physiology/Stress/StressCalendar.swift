import Protocols

/// One square of the calendar.
package struct StressCalendarDay: Hashable, Codable, Sendable {
    package var day: Int
    /// `2026-03-04`.
    package var date: String
    /// The day among the person's days; nil when it has too few readings.
    package var level: StressLevel?
    /// Name of the colour; `gray` without a level.
    package var colour: String
    /// True until 14 days are there: then days are compared with days instead of with moments.
    package var isProvisional: Bool
    package var readings: Int
    package var score: Double?
    /// Highest level that was read at least three times that day.
    package var highest: StressLevel?
}

/// Level per day.
///
/// The mean of a day varies less than its moments, so by the cut points of moments nearly every day is Normal. From 14 days
/// on a day is therefore placed among the person's own days, at the same 30/75/92/98 % points.
package enum StressCalendar {
    /// Readings below which a day has no level: with one each six minutes an hour.
    package static let minimumReadings = 10
    /// Readings of a level that make it the highest of a day: a single one may be a moment's start.
    package static let repeatedReadings = 3

    /// - Parameters:
    ///   - daily: from ``StressTrend/buckets(of:_:clock:)`` with `daily`; all days known, they are the comparison.
    ///   - days: which are shown; days without data have no level.
    package static func days(_ days: ClosedRange<Int>, daily: [StressBucket]) -> [StressCalendarDay] {
        let known = daily.filter { $0.readings >= minimumReadings }
        let byDay = Dictionary(daily.map { ($0.day, $0) }) { first, _ in first }
        return days.map { day in
            let bucket = byDay[day]
            // A day is judged by the days before it: what comes later does not change its colour.
            let before = known.filter { (day - BaselineBuilder.windowDays..<day).contains($0.day) }.compactMap(\.z)
            let enough = before.count >= StressScale.daysForPersonalCutPoints
            let sorted = before.sorted()
            let points =
                enough
                ? StressScale.personalQuantiles.compactMap { quantile($0, ofSorted: sorted) } : StressScale.cutPoints
            let level = bucket.flatMap { bucket in
                bucket.readings >= minimumReadings ? bucket.z.map { StressScale.level(z: $0, cutPoints: points) } : nil
            }
            let highest = StressLevel.allCases.last {
                (bucket?.levels[$0.rawValue, default: 0] ?? 0) >= repeatedReadings
            }
            return StressCalendarDay(
                day: day, date: "\(LocalDate(number: day))", level: level,
                colour: level?.colour ?? StressLevel.undefinedColour, isProvisional: !enough,
                readings: bucket?.readings ?? 0, score: bucket?.score, highest: highest)
        }
    }
}
