import Foundation
import Protocols

/// What is usual for a person of whom little is known; replaced minute by minute by what is measured.
package enum PopulationPrior {
    /// Age that is assumed when the profile has none.
    package static let age = 40
    /// Mean heart rate of a seated adult: 71 for men, 74 for women.
    ///
    /// Source: Ostchega et al., "Resting pulse rate reference data … United States, 1999–2008", National Health
    /// Statistics Reports 41 (2011).
    package static func stillBpm(sex: String?) -> Double {
        switch sex {
        case "male": 71
        case "female": 74
        default: 72.5
        }
    }

    /// What the seated mean lies above the resting heart rate that a wearable finds over a whole day (mean 65).
    ///
    /// Source of the 65: Quer et al., PLoS ONE 15:e0227709 (2020), 92,457 adults.
    package static let stillAboveResting = 8.0
    /// SD of the one-minute heart rate of one person while still: median 4.7 within an hour of the Stress-Predict
    /// recordings, plus what posture and meals add over a day.
    package static let stillBpmSd = 7.0
    /// SD of the personal still means between people.
    package static let stillBpmBetweenSd = 10.0
    /// The same when the person has told their resting heart rate.
    package static let stillBpmBetweenSdKnownResting = 5.0

    /// Maximum heart rate = 208 − 0.7 · age.
    ///
    /// Source: Tanaka, Monahan, Seals, J. Am. Coll. Cardiol. 37:153 (2001).
    package static func maximumBpm(age: Int?) -> Double { 208 - 0.7 * Double(age ?? Self.age) }

    /// Mean ln RMSSD (ms): a log-linear fall through 43 ms at 25 years and 22 ms at 65, level beyond 20 and 75.
    ///
    /// Source: decade means of Umetani et al., J. Am. Coll. Cardiol. 31:593 (1998); at 40 years it gives 33 ms, and the
    /// review of short records by Nunan et al., PACE 33:1407 (2010) has ln RMSSD 3.49 (33 ms).
    package static func lnRmssd(age: Int?) -> Double {
        let years = Double(min(max(age ?? Self.age, 20), 75))
        return log(43) + (years - 25) / 40 * (log(22) - log(43))
    }

    /// SDNN of a short record, ms. Source: Nunan et al. (2010).
    package static let sdnnMs = 50.0
    /// SD of ln RMSSD of one person from night to night: the reference series scatter by 0.2…0.25.
    package static let nightLnRmssdSd = 0.22
    /// SD of ln RMSSD of one person over one-minute windows while awake and still: 0.24 within a quiet hour, more over a day.
    package static let stillLnRmssdSd = 0.35
    /// SD of personal ln RMSSD means between people of one age.
    package static let lnRmssdBetweenSd = 0.5
    /// The same when the person has told their usual HRV.
    package static let lnRmssdBetweenSdKnown = 0.2
}
