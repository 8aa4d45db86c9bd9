import Foundation

/// Training impulse of heart rate (Banister): minutes weighted by how near to the maximum they were.
///
/// Sum over the seconds of x · k · e^(b·x) / 60, x = (bpm − rest) / (maximum − rest), never below 0. From the mean heart
/// rate it would be 3…7 % too low on steady rides and lower on intervals, so it is summed.
///
/// Source: Morton, Fitz-Clarke and Banister, J. Appl. Physiol. 69:1171 (1990): men 0.64 and 1.92, women 0.86 and 1.67.
package struct HeartRateImpulse: Hashable, Sendable {
    package var restingBpm: Double
    package var maximumBpm: Double
    package var factor: Double
    package var exponent: Double

    /// - Parameter sex: `female`, or anything else for the constants of men, which are the first published ones.
    /// - Returns: nil unless the maximum is above the resting heart rate.
    package init?(restingBpm: Double, maximumBpm: Double, sex: String?) {
        guard maximumBpm > restingBpm, restingBpm > 0 else { return nil }
        self.restingBpm = restingBpm
        self.maximumBpm = maximumBpm
        let isFemale = sex?.lowercased() == "female"
        factor = isFemale ? 0.86 : 0.64
        exponent = isFemale ? 1.67 : 1.92
    }

    /// Impulse of one minute at a heart rate.
    package func perMinute(at bpm: Double) -> Double {
        let share = max((bpm - restingBpm) / (maximumBpm - restingBpm), 0)
        return share * factor * exp(exponent * share)
    }

    /// - Parameter secondsByBpm: seconds at each heart rate, by whole beats per minute.
    package func total(_ secondsByBpm: [Double]) -> Double {
        secondsByBpm.enumerated().reduce(0) { $0 + $1.element * perMinute(at: Double($1.offset)) } / 60
    }

    /// Load on the scale where an hour at the threshold is 100.
    ///
    /// - Returns: nil unless the threshold is above the resting heart rate.
    package func load(_ secondsByBpm: [Double], thresholdBpm: Double) -> Double? {
        let hour = 60 * perMinute(at: thresholdBpm)
        return hour > 0 ? 100 * total(secondsByBpm) / hour : nil
    }
}
