import Foundation
import Protocols

/// How long a bucket of a trend is.
package enum TrendPeriod: String, Codable, Hashable, Sendable, CaseIterable { case hourly, daily, weekly, monthly }

/// Stress over an hour, a local day, a week from Monday, or a month.
package struct StressBucket: Hashable, Codable, Sendable {
    /// Local day on which it begins, and for hours the local hour; the hour that summer time repeats is one bucket.
    package var day: Int
    package var hour: Int?
    /// `2026-03-04`, with the hour `2026-03-04 14:00`, of a month `2026-03`.
    package var label: String
    /// Readings of still moments; gated ones are in `gated`.
    package var readings: Int
    package var gated: Int
    /// Local days with a reading.
    package var days: Int
    /// Mean score, 0…1, and mean z, each reading weighed by its confidence; nil without a reading.
    package var score: Double?
    package var z: Double?
    /// Readings by level.
    package var levels: [String: Int]
    /// Level of the mean z, by the common cut points.
    package var level: StressLevel?
    /// Geometric mean of the readings that have it.
    package var rmssdMs: Double?
    package var bpm: Double?
    /// Mean of the readings' confidence, 0…1.
    package var confidence: Double

    /// Share of still readings at or above a level; nil without a reading.
    package func share(from level: StressLevel) -> Double? {
        guard readings > 0 else { return nil }
        let above = StressLevel.allCases.filter { $0.rank >= level.rank }.reduce(0) {
            $0 + levels[$1.rawValue, default: 0]
        }
        return Double(above) / Double(readings)
    }
}

/// Trends of stress: pure sums over readings.
package enum StressTrend {
    /// - Parameter readings: any order; held and gated ones do not enter the means.
    /// - Returns: in the order of time; periods without any reading are left out.
    package static func buckets(of readings: [StressReading], _ period: TrendPeriod, clock: LocalClock)
        -> [StressBucket]
    {
        struct Key: Hashable, Comparable {
            var day: Int
            var hour: Int
            static func < (a: Key, b: Key) -> Bool { (a.day, a.hour) < (b.day, b.hour) }
        }
        let groups = Dictionary(grouping: readings) { reading in
            let day = clock.day(of: reading.at)
            return switch period {
            case .hourly: Key(day: day, hour: clock.hour(of: reading.at))
            case .daily: Key(day: day, hour: -1)
            case .weekly: Key(day: LocalDate.weekStart(of: day), hour: -1)
            case .monthly: Key(day: LocalDate.monthStart(of: day), hour: -1)
            }
        }
        return groups.sorted { $0.key < $1.key }.map { key, readings in
            let date = "\(LocalDate(number: key.day))"
            let label =
                switch period {
                case .hourly: "\(date) \(BodySettings.clockText(key.hour * 60))"
                case .monthly: String(date.prefix(7))
                case .daily, .weekly: date
                }
            return bucket(
                readings, day: key.day, hour: key.hour >= 0 ? key.hour : nil, label: label, clock: clock)
        }
    }

    /// The usual day: all readings by their local hour, 24 buckets; empty hours have no figures.
    package static func typicalDay(of readings: [StressReading], clock: LocalClock) -> [StressBucket] {
        let groups = Dictionary(grouping: readings) { clock.hour(of: $0.at) }
        return (0..<24).map { hour in
            bucket(groups[hour] ?? [], day: 0, hour: hour, label: BodySettings.clockText(hour * 60), clock: clock)
        }
    }

    static func bucket(
        _ readings: [StressReading], day: Int, hour: Int?, label: String, clock: LocalClock
    ) -> StressBucket {
        let still = readings.filter(\.isMeasured)
        let weight = still.reduce(0) { $0 + max($1.confidence, 0.01) }
        func weighted(_ value: (StressReading) -> Double?) -> Double? {
            let known = still.compactMap { reading in
                value(reading).map { (value: $0, weight: max(reading.confidence, 0.01)) }
            }
            let sum = known.reduce(0) { $0 + $1.weight }
            return sum > 0 ? known.reduce(0) { $0 + $1.value * $1.weight } / sum : nil
        }
        let z = weighted { $0.z }
        let lnRmssd = mean(of: still.compactMap { $0.rmssdMs.flatMap { $0 > 0 ? log($0) : nil } })
        return StressBucket(
            day: day, hour: hour, label: label, readings: still.count,
            gated: readings.count(where: { $0.gate.value != StressGate.none }),
            days: Set(still.map { clock.day(of: $0.at) }).count,
            score: weight > 0 ? weighted { $0.score } : nil, z: z,
            levels: still.reduce(into: [:]) { counts, reading in
                if let level = reading.level?.value { counts[level.rawValue, default: 0] += 1 }
            }, level: z.map { StressScale.level(z: $0) }, rmssdMs: lnRmssd.map { exp($0) },
            bpm: mean(of: still.compactMap(\.bpm)), confidence: mean(of: still.map(\.confidence)) ?? 0)
    }
}
