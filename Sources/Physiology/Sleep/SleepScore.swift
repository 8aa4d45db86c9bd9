import Protocols

/// How good a night was, 0…100, with the parts it is made of.
///
/// Weights are ours (`docs/stress-sleep.md`): no published score is open. Ranges of the parts: efficiency of 85 % and more
/// is good, below 75 % poor for all ages (Ohayon et al., "National Sleep Foundation's sleep quality recommendations",
/// Sleep Health 3:6, 2017); deep sleep and REM make 16…20 % and 21…30 % of a good adult night there.
package struct SleepScore: Hashable, Codable, Sendable {
    package enum Weight {
        package static let duration = 0.5
        package static let efficiency = 0.2
        package static let deepAndRem = 0.2
        package static let regularity = 0.1
    }
    /// Values at which a part is 0 and 1.
    package static let efficiencyRange = 0.65...0.90
    package static let deepAndRemRange = 0.15...0.40
    /// Minutes that the middle of the night is away from the usual one: 1 up to the first, 0 from the second on.
    package static let shiftMinutes = 30.0...120.0
    /// Nights behind "usual", and how many of them it takes.
    package static let usualNights = 14
    package static let minimumUsualNights = 3
    /// Share of the sleep whose stage must be told.
    package static let stagedShare = 0.5

    package var parts: [SleepReport.Part]
    /// nil when not even the duration is known.
    package var score: Double?
    /// Weight of the parts that are known, 0…1.
    package var knownWeight: Double

    /// - Parameters:
    ///   - asleep: minutes.
    ///   - goal: minutes.
    ///   - efficiency: share of the time in bed asleep, 0…1.
    ///   - deepAndRem: share of the sleep, 0…1.
    ///   - shift: minutes between the middle of this night and the usual one.
    package init(asleep: Double?, goal: Double, efficiency: Double?, deepAndRem: Double?, shift: Double?) {
        func ramp(_ value: Double?, _ range: ClosedRange<Double>) -> Double? {
            value.map { min(max(($0 - range.lowerBound) / (range.upperBound - range.lowerBound), 0), 1) }
        }
        parts = [
            .init(
                name: "duration", value: asleep.map { min(max($0 / max(goal, 1), 0), 1) }, weight: Weight.duration),
            .init(name: "efficiency", value: ramp(efficiency, Self.efficiencyRange), weight: Weight.efficiency),
            .init(name: "deepAndRem", value: ramp(deepAndRem, Self.deepAndRemRange), weight: Weight.deepAndRem),
            .init(
                name: "regularity", value: ramp(shift.map(abs), Self.shiftMinutes).map { 1 - $0 },
                weight: Weight.regularity),
        ]
        let known = parts.filter { $0.value != nil }
        knownWeight = known.reduce(0) { $0 + $1.weight }
        score =
            asleep == nil
            ? nil : 100 * known.reduce(0) { $0 + $1.weight * ($1.value ?? 0) } / knownWeight
    }

    /// Excellent from 85, good from 70, fair from 50.
    package static func quality(_ score: Double) -> SleepQuality {
        switch score {
        case 85...: .excellent
        case 70..<85: .good
        case 50..<70: .fair
        default: .poor
        }
    }
}
