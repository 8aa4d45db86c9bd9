import Foundation
import Protocols

/// How energetic the listener usually is at this hour: mean energy by weekday or weekend × local hour.
///
/// A sample is the mean energy of one hour of one day, so that one long evening is not many samples.
package struct EnergyPatterns: Codable, Hashable, Sendable {
    /// What is usual now.
    package struct Usual: Hashable, Sendable {
        /// 0…1, shrunk to 0.5 by n/(n + 10).
        package let energy: Double
        package let samples: Int
    }

    /// Hours that count: the last 8 weeks.
    package static let window = 56.0 * 86_400
    package static let minimumSamples = 5
    package static let priorSamples = 10.0

    /// Sums and counts, shape `[48]`: 24 hours of a weekday, then 24 of the weekend.
    private var sums = [Double](repeating: 0, count: 48)
    private var counts = [Int](repeating: 0, count: 48)

    package init() {}

    /// - Parameter hours: mean energy 0…1 of single hours, each at any moment inside its hour; older than 8 weeks is left out.
    package init(hours: some Sequence<(at: Timestamp, energy: Double)>, now: Timestamp, in zone: TimeZone) {
        for hour in hours where now.seconds(since: hour.at) <= Self.window && hour.energy.isFinite {
            let cell = Self.cell(hour.at, zone)
            sums[cell] += hour.energy
            counts[cell] += 1
        }
    }

    /// nil below five samples.
    package func usual(at now: Timestamp, in zone: TimeZone) -> Usual? {
        let cell = Self.cell(now, zone)
        let count = counts[cell]
        guard count >= Self.minimumSamples else { return nil }
        let mean = sums[cell] / Double(count)
        return Usual(energy: 0.5 + (mean - 0.5) * Double(count) / (Double(count) + Self.priorSamples), samples: count)
    }

    private static func cell(_ moment: Timestamp, _ zone: TimeZone) -> Int {
        let local = LocalTime(moment, in: zone)
        return local.hour + (local.isWeekend ? 24 : 0)
    }
}
