/// An estimate of the maximal oxygen uptake (VO2max), with its error. An estimate is no measurement in a laboratory.
package struct OxygenUptake: Hashable, Codable, Sendable {
    package enum Method: String, Codable, Hashable, Sendable {
        /// From the heart rate at known efforts.
        case workouts
        /// From the ratio of maximal and resting heart rate alone.
        case heartRateRatio
    }

    /// ml/(kg·min).
    package var maximum: Double
    /// One standard error, ml/(kg·min).
    package var standardError: Double
    package var method: Method
    /// Blocks of 5 min behind it.
    package var blocks: Int

    /// Share of the heart-rate reserve between which the line to the uptake is straight enough.
    static let usableReserve = 0.45...0.90
    package static let smallestBlocks = 6
    /// Error of the line itself between people, as a share: the submaximal tests of the ACSM are said to err by 10…15 %.
    static let methodError = 0.12
    /// Of the ratio: 15.3 was found on 46 well-trained men of 21…51 years; its error for others is wider than the 4.5 % there.
    static let ratioError = 0.15
    static let ratioFactor = 15.3
    /// Uptake at rest, ml/(kg·min).
    static let rest = 3.5
    static let possible = 15.0...95.0

    /// From the blocks of rides and runs: uptake of the effort by the equations of the ACSM, divided by the share of the
    /// heart-rate reserve, which equals the share of the reserve of uptake (Swain and Leutholtz).
    ///
    /// - cycling: 7 + 10.8 · W/kg; running: 3.5 + 12 · m/s on the flat (0.2 per m/min), above 2.2 m/s.
    ///
    /// Sources: ACSM's Guidelines for Exercise Testing and Prescription, metabolic equations; Swain and Leutholtz, Med. Sci.
    /// Sports Exerc. 29:410 (1997).
    ///
    /// - Returns: nil with fewer than six usable blocks, or for a value that no body has.
    package init?(workouts: [WorkoutFigures], massKg: Double?, restingBpm: Double, maximumBpm: Double) {
        guard maximumBpm > restingBpm else { return nil }
        var estimates: [Double] = []
        for workout in workouts {
            for block in workout.blocks.dropFirst() {
                let share = (block.bpm - restingBpm) / (maximumBpm - restingBpm)
                guard Self.usableReserve.contains(share),
                    let uptake = Self.uptake(workout.sport, block.effort, massKg: massKg)
                else { continue }
                estimates.append(Self.rest + (uptake - Self.rest) / share)
            }
        }
        guard estimates.count >= Self.smallestBlocks, let middle = median(of: estimates),
            Self.possible.contains(middle), let spread = medianAbsoluteDeviation(of: estimates)
        else { return nil }
        let sampling = 1.4826 * spread / Double(estimates.count).squareRoot()
        let systematic = Self.methodError * middle
        maximum = middle
        standardError = (sampling * sampling + systematic * systematic).squareRoot()
        method = .workouts
        blocks = estimates.count
    }

    /// From two heart rates alone: 15.3 · maximum / rest.
    ///
    /// Source: Uth, Sørensen, Overgaard and Pedersen, Eur. J. Appl. Physiol. 91:111 (2004).
    package init?(restingBpm: Double, maximumBpm: Double) {
        guard restingBpm > 0, maximumBpm > restingBpm else { return nil }
        let value = Self.ratioFactor * maximumBpm / restingBpm
        guard Self.possible.contains(value) else { return nil }
        maximum = value
        standardError = Self.ratioError * value
        method = .heartRateRatio
        blocks = 0
    }

    private static func uptake(_ sport: Sport, _ effort: Double, massKg: Double?) -> Double? {
        switch sport {
        case .cycling:
            guard let massKg, massKg > 20, effort > 0 else { return nil }
            return 7 + 10.8 * effort / massKg
        case .running: return effort > 2.2 ? rest + 12 * effort : nil
        default: return nil
        }
    }
}
