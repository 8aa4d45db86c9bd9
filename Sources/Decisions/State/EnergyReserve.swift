import Physiology
import Protocols

/// What the night and the battery of the day have left for today, 0…1: it leans the energy of a state a little to its side.
///
/// Mean of battery / 100 and sleep score / 100, weighted by their confidences; its weight in the energy is 0.2 times their
/// combined confidence, so at most that of what is usual at this hour. Both fade with age: a battery of yesterday says
/// half, a night of the day before yesterday next to nothing. Without either nothing changes.
package struct EnergyReserve: Hashable, Sendable {
    /// 0…1.
    package let value: Double
    /// 0…1, age counted.
    package let confidence: Double
    package let battery: Estimate?
    package let sleep: Estimate?

    /// Seconds in which each loses half of its worth. The battery is computed for a day; a night wears off as the day goes.
    package static let batteryHalfLife = 86_400.0
    package static let sleepHalfLife = 43_200.0
    /// Older than this it says nothing, s.
    package static let longestUse = 2 * 86_400.0
    /// Weight in the energy at full confidence.
    package static let weight = 0.2

    /// - Returns: nil when neither is known or still says anything.
    package init?(battery: BatteryReading?, sleep: SleepReport?, now: Timestamp) {
        self.battery = battery.flatMap { reading in
            Self.estimate(
                Double(reading.battery) / 100, reading.confidence, since: reading.at, now: now,
                halfLife: Self.batteryHalfLife)
        }
        self.sleep = sleep.flatMap { report in
            report.score.flatMap {
                Self.estimate(
                    Double($0) / 100, report.confidence, since: report.endAt, now: now, halfLife: Self.sleepHalfLife)
            }
        }
        let known = [self.battery, self.sleep].compactMap { $0 }
        let trust = known.reduce(0) { $0 + $1.confidence }
        guard trust > 0 else { return nil }
        value = known.reduce(0) { $0 + $1.value * $1.confidence } / trust
        confidence = SourceConfidence.combined(known.map { ($0.confidence, 1) })
    }

    private static func estimate(
        _ value: Double, _ confidence: Double, since moment: Timestamp, now: Timestamp, halfLife: Double
    ) -> Estimate? {
        let age = now.seconds(since: moment)
        guard age <= longestUse, value.isFinite, confidence.isFinite else { return nil }
        return Estimate(
            value: value, confidence: SourceConfidence.decayed(quality: confidence, age: age, halfLife: halfLife),
            ageSeconds: age)
    }
}
