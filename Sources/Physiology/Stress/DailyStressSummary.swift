import Foundation
import Protocols

/// One day in figures, beside the days before it.
package struct DailyStressSummary: Hashable, Codable, Sendable {
    package var day: Int
    package var date: String
    package var bucket: StressBucket
    /// Minutes by level, as far as readings cover the day: each stands until the next one, for ten minutes at most.
    package var minutesByLevel: [String: Double]
    /// Local hours with the highest and the lowest mean; nil with fewer than two hours of readings.
    package var hardestHour: Int?
    package var calmestHour: Int?
    /// Mean score of the days before (28 at most), and how many they are.
    package var usualScore: Double?
    package var usualDays: Int
    /// Where the day lies among those days, 0…1; nil below 14 days.
    package var rank: Double?
    package var sleepScore: Int?
    package var sentences: [String]

    /// Texts of the specification (`stress.md` 6.3).
    package static let title = "Daily Stress Summary"
    package static let text = "Check your stress trends for today."
    package static let comparedDays = 28
    /// A reading stands for no longer than this, s.
    package static let longestReading = 600.0

    /// - Parameters:
    ///   - readings: of the day and of the days before it, any order.
    ///   - sleepScore: of the night that ended on this day.
    /// - Returns: nil when the day has no reading.
    package init?(
        day: Int, readings: [StressReading], sleepScore: Int? = nil, clock: LocalClock
    ) {
        let today = readings.filter { clock.day(of: $0.at) == day }.sorted { $0.at < $1.at }
        guard let bucket = StressTrend.buckets(of: today, .daily, clock: clock).first, bucket.readings > 0 else {
            return nil
        }
        self.day = day
        date = "\(LocalDate(number: day))"
        self.bucket = bucket
        self.sleepScore = sleepScore
        minutesByLevel = Self.minutes(of: today)
        let hours = StressTrend.buckets(of: today, .hourly, clock: clock).filter { $0.readings >= 2 }
        hardestHour = hours.count >= 2 ? hours.max { ($0.z ?? 0) < ($1.z ?? 0) }?.hour : nil
        calmestHour = hours.count >= 2 ? hours.min { ($0.z ?? 0) < ($1.z ?? 0) }?.hour : nil
        let before = StressTrend.buckets(
            of: readings.filter { (day - Self.comparedDays..<day).contains(clock.day(of: $0.at)) }, .daily, clock: clock
        ).filter { $0.readings >= StressCalendar.minimumReadings }.compactMap(\.score)
        usualDays = before.count
        usualScore = mean(of: before)
        rank =
            before.count >= StressScale.daysForPersonalCutPoints
            ? bucket.score.map { score in
                Double(before.count { $0 < score }) / Double(before.count)
            } : nil
        sentences = []
        sentences = told()
    }

    private static func minutes(of sorted: [StressReading]) -> [String: Double] {
        var minutes: [String: Double] = [:]
        for (index, reading) in sorted.enumerated() {
            let next = index + 1 < sorted.count ? sorted[index + 1].at.seconds(since: reading.at) : 360
            guard let level = reading.level?.value, reading.isMeasured else { continue }
            minutes[level.rawValue, default: 0] += min(next, longestReading) / 60
        }
        return minutes
    }

    private func told() -> [String] {
        var told: [String] = []
        let share = { (level: StressLevel) in Int(((bucket.share(from: level) ?? 0) * 100).rounded()) }
        told.append(
            "\(bucket.readings) readings: \(share(.elevated)) % Elevated or above, \(share(.high)) % High or Overload.")
        if let rank, let usualScore, let score = bucket.score {
            let place = Int((rank * 100).rounded())
            told.append(
                "Mean score \(Self.two(score)), usually \(Self.two(usualScore)); higher than on \(place) % of the last \(usualDays) measured days."
            )
        } else {
            told.append("\(usualDays) of 14 days are known to compare with.")
        }
        if let hardestHour, let calmestHour, hardestHour != calmestHour {
            told.append(
                "Highest around \(BodySettings.clockText(hardestHour * 60)), lowest around \(BodySettings.clockText(calmestHour * 60))."
            )
        }
        if let sleepScore { told.append("Sleep score of the night before: \(sleepScore).") }
        return told
    }

    static func two(_ value: Double) -> String {
        let hundredths = Int((value * 100).rounded())
        let rest = abs(hundredths) % 100
        return "\(hundredths < 0 ? "−" : "")\(abs(hundredths) / 100).\(rest < 10 ? "0" : "")\(rest)"
    }
}
