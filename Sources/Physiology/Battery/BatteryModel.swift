import Foundation

/// From form, HRV and resting heart rate to 0…100.
///
/// Base = 100 / (1 + e^(−(form % + 10) / s)), form % = 100 · form / fitness. It is 50 at −10 %, where productive training
/// lives, 20 at −30 %, which is where others speak of high risk, and 80 at +10 %. There is no published map; a straight line from
/// form −30…30 would call the usual block of training "Recovery".
package enum BatteryModel {
    package static let centrePercent = -10.0
    /// So that −30 % is 20 and +10 % is 80.
    package static let slopePercent = 20 / log(4.0)
    /// Below this fitness, in load per day, form is compared with it instead: a share of nothing says nothing.
    package static let smallestFitness = 10.0

    /// 0…100.
    package static func base(formPercent: Double) -> Double {
        100 / (1 + exp(-(formPercent - centrePercent) / slopePercent))
    }

    package static func formPercent(form: Double, fitness: Double) -> Double {
        100 * form / max(fitness, smallestFitness)
    }

    /// While the figures find their level, form counts the less the fewer days are known.
    package static func calibrated(formPercent: Double, daysKnown: Int) -> Double {
        let share = min(Double(max(daysKnown, 0)) / Double(FitnessModel.calibrationDays), 1)
        return centrePercent + share * (formPercent - centrePercent)
    }
}

/// Points that the morning's HRV and resting heart rate add to the battery or take from it.
///
/// Today = clamp(20 · (0.6 · h + 0.4 · r), ±12), h and r the robust z of ln RMSSD and of −resting heart rate, divided by 1.5 and
/// limited to ±1; a signal that is missing adds nothing. Smoothed: 0.3 · today + 0.7 · before. A day without readings carries
/// the value on; after a week without, it is forgotten.
///
/// The factor 20 lets the clamp act: with 10, as specified, nothing could pass ±10.
package struct BatteryAdjustment: Hashable, Codable, Sendable {
    package private(set) var value = 0.0
    private var lastDay: Int?

    package static let scale = 20.0
    package static let limit = 12.0
    package static let fullZ = 1.5
    package static let variabilityWeight = 0.6
    package static let restingWeight = 0.4
    package static let newWeight = 0.3
    /// Days without a reading that the value is carried over.
    package static let carriedDays = 7
    /// From here on guidance is raised or lowered.
    package static let actingPoints = 6.0

    package init() {}

    /// Today's points before smoothing; nil without any reading.
    package static func today(variabilityZ: Double?, restingZ: Double?) -> Double? {
        guard variabilityZ != nil || restingZ != nil else { return nil }
        func limited(_ z: Double) -> Double { min(max(z / fullZ, -1), 1) }
        let combined =
            variabilityWeight * (variabilityZ.map(limited) ?? 0) + restingWeight * (restingZ.map { limited(-$0) } ?? 0)
        return min(max(scale * combined, -limit), limit)
    }

    /// Takes the next day, also one without readings.
    package mutating func next(day: Int, variabilityZ: Double?, restingZ: Double?) -> Double {
        if let today = Self.today(variabilityZ: variabilityZ, restingZ: restingZ) {
            value = Self.newWeight * today + (1 - Self.newWeight) * value
            lastDay = day
        } else if let lastDay, day - lastDay > Self.carriedDays {
            value = 0
        }
        return value
    }
}
