import Foundation
import Protocols

/// Nights of a week or a month together.
package struct SleepBucket: Hashable, Codable, Sendable {
    /// First local day of the period, by the mornings.
    package var day: Int
    package var label: String
    package var nights: Int
    package var nightsMetGoal: Int
    package var asleepMinutes: Double
    package var score: Double?
    package var efficiency: Double?
    package var deepMinutes: Double?
    package var remMinutes: Double?
    package var rmssdMs: Double?
    package var bpm: Double?
    /// Standard deviation of the middle of the night, min; nil below three nights.
    package var middleSpreadMinutes: Double?
}

/// Trends of sleep.
package enum SleepTrend {
    /// - Parameter period: `hourly` counts as `daily`.
    package static func buckets(of nights: [NightFigures], _ period: TrendPeriod) -> [SleepBucket] {
        let groups = Dictionary(grouping: nights) { night in
            switch period {
            case .hourly, .daily: night.day
            case .weekly: LocalDate.weekStart(of: night.day)
            case .monthly: LocalDate.monthStart(of: night.day)
            }
        }
        return groups.sorted { $0.key < $1.key }.map { day, nights in
            let nights = nights.sorted { $0.day < $1.day }
            let date = "\(LocalDate(number: day))"
            // Around the first night, so that no middle jumps at noon.
            let anchor = nights[0].middleMinute
            let middles = nights.map { night in
                let apart = (night.middleMinute - anchor).truncatingRemainder(dividingBy: 1440)
                return apart > 720 ? apart - 1440 : apart < -720 ? apart + 1440 : apart
            }
            return SleepBucket(
                day: day, label: period == .monthly ? String(date.prefix(7)) : date, nights: nights.count,
                nightsMetGoal: nights.count { $0.asleepMinutes >= $0.goalMinutes },
                asleepMinutes: mean(of: nights.map(\.asleepMinutes)) ?? 0, score: mean(of: nights.compactMap(\.score)),
                efficiency: mean(of: nights.compactMap(\.efficiency)),
                deepMinutes: mean(of: nights.compactMap { $0.stages?.deepMinutes }),
                remMinutes: mean(of: nights.compactMap { $0.stages?.remMinutes }),
                rmssdMs: mean(of: nights.compactMap { $0.rmssdMs.map { log($0) } }).map { exp($0) },
                bpm: mean(of: nights.compactMap(\.bpm)),
                middleSpreadMinutes: middles.count >= MeanComparison.minimumCount ? sampleSD(of: middles) : nil)
        }
    }

    /// The last seven nights beside the four weeks before them: minutes asleep, with interval and counts.
    package static func recentChange(of nights: [NightFigures], until day: Int) -> MeanComparison? {
        MeanComparison(
            nights.filter { (day - 6...day).contains($0.day) }.map(\.asleepMinutes),
            against: nights.filter { (day - 34..<day - 6).contains($0.day) }.map(\.asleepMinutes))
    }
}
