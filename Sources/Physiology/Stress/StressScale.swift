import Foundation
import Protocols

/// From a stress z (unit variance for the person, 0 on an average still moment) to the score and the levels.
package enum StressScale {
    /// Score = logistic(slope · z + offset): 0.40 at z 0, 0.72 at z 1.5.
    package static let slope = 0.9
    package static let offset = -0.405
    /// Upper ends of relaxed, normal, elevated and high.
    package static let cutPoints = [-0.5, 0.75, 1.5, 2.25]
    /// The same as points of the person's own distribution, once 14 days are there.
    package static let personalQuantiles = [0.30, 0.75, 0.92, 0.98]
    package static let daysForPersonalCutPoints = 14
    /// Score of an average moment of the person.
    package static let personalMean = score(z: 0)

    /// 0…1.
    package static func score(z: Double) -> Double { 1 / (1 + exp(-(slope * z + offset))) }

    /// - Parameter cutPoints: four ascending z, see ``personalCutPoints(of:days:)``.
    package static func level(z: Double, cutPoints: [Double] = cutPoints) -> StressLevel {
        switch cutPoints.count(where: { $0 <= z }) {
        case 0: .relaxed
        case 1: .normal
        case 2: .elevated
        case 3: .high
        default: .overload
        }
    }

    /// Readings below which personal cut points would be guesses.
    package static let readingsForPersonalCutPoints = 100

    /// The person's own cut points, or the common ones below 14 days.
    ///
    /// - Parameter values: stress z of still moments, any order.
    package static func personalCutPoints(of values: [Double], days: Int) -> [Double] {
        guard days >= daysForPersonalCutPoints, values.count >= readingsForPersonalCutPoints else { return cutPoints }
        let sorted = values.sorted()
        return personalQuantiles.compactMap { quantile($0, ofSorted: sorted) }
    }

    /// Stress z of one RMSSD alone: −(ln RMSSD − mean) / SD.
    ///
    /// - Parameters:
    ///   - rmssdMs: milliseconds, > 0.
    ///   - lnSd: within-person SD of ln RMSSD of such windows; 0.35 is usual while awake.
    package static func hrvZ(rmssdMs: Double, usualRmssdMs: Double, lnSd: Double = PopulationPrior.stillLnRmssdSd)
        -> Double
    {
        -(log(rmssdMs) - log(usualRmssdMs)) / lnSd
    }
}
