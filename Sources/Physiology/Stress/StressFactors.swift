import Foundation
import Protocols

/// What stands beside the score without entering it, as far as it is known.
///
/// The score is made of heart rate against the same hour of the day and of HRV (`hrvDeviation`, `rhrElevation`). Movement,
/// the last night and the hour explain a reading; adding them to the score would count the first twice (movement gates,
/// the hour is in the baseline) and the night once too often: no labelled data says how much it should weigh.
package struct StressFactors: Hashable, Codable, Sendable {
    /// A z that counts as a full impact.
    package static let fullImpactZ = 3.0
    /// Points of sleep score below the usual that count as a full impact.
    package static let fullSleepPoints = 50.0

    /// Score of the last night, 0…100, and the usual one of the nights before.
    package var sleepScore: Double?
    package var usualSleepScore: Double?

    package init(sleepScore: Double? = nil, usualSleepScore: Double? = nil) {
        self.sleepScore = sleepScore
        self.usualSleepScore = usualSleepScore
    }

    /// The factors that are known now; each has z 0.
    package func context(
        at now: Timestamp, stillness: StillnessGate, baseline: Baseline, clock: LocalClock
    ) -> [StressReading.Factor] {
        var factors: [StressReading.Factor] = []
        func add(_ kind: StressFactorKind, _ value: Double?) {
            guard let value else { return }
            factors.append(.init(name: kind.rawValue, z: 0, impact: Self.impact(value), isContext: true))
        }
        add(.activityLevel, stillness.movingShare(at: now))
        if let sleepScore, let usualSleepScore {
            add(.sleepQuality, (usualSleepScore - sleepScore) / Self.fullSleepPoints)
        }
        add(.timeOfDay, Self.hourShare(baseline, hour: clock.hour(of: now)))
        return factors
    }

    /// How much higher than the mean of all hours the heart usually beats in this hour; nil when nothing is known of it.
    private static func hourShare(_ baseline: Baseline, hour: Int) -> Double? {
        guard baseline.stillBpmByHour.indices.contains(hour), let usual = baseline.stillBpmByHour[hour] else {
            return nil
        }
        return (usual - baseline.stillBpmMean) / max(baseline.stillBpmSd, 1) / fullImpactZ
    }

    /// −1…1.
    package static func impact(_ value: Double) -> Double { value.isFinite ? min(max(value, -1), 1) : 0 }
}
