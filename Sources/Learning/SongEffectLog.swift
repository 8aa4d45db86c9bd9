import Foundation
import Protocols

/// What a song seemed to do in one context and time of day: the figures a person can look at (`SongEffect` of 4.1.5).
///
/// A moving average over about nine plays, as specified in 5.3.2. Decisions use ``EffectModel``, which keeps its doubts.
package struct SongEffectLog: Codable, Hashable, Sendable {
    /// 0…1 each, 0.5 = no effect seen.
    package var calm = 0.5
    package var focus = 0.5
    package var energy = 0.5
    package var moodLift = 0.5
    /// Plays behind it.
    package var plays = 0
    package var firstAt: Timestamp?
    package var lastAt: Timestamp?

    package init(
        calm: Double = 0.5, focus: Double = 0.5, energy: Double = 0.5, moodLift: Double = 0.5, plays: Int = 0,
        firstAt: Timestamp? = nil, lastAt: Timestamp? = nil
    ) {
        self.calm = calm
        self.focus = focus
        self.energy = energy
        self.moodLift = moodLift
        self.plays = plays
        self.firstAt = firstAt
        self.lastAt = lastAt
    }

    /// Weight of the newest play (5.3.2).
    package static let newestWeight = 0.2
    /// Plays until the log is called sure (5.3.2).
    package static let playsForFullConfidence = 20.0

    /// 0…1.
    package var confidence: Double { min(1, Double(plays) / Self.playsForFullConfidence) }

    /// Averages one play in.
    package mutating func add(_ impact: Impact, at moment: Timestamp) {
        func blend(_ old: Double, _ new: Double?) -> Double {
            new.map { (1 - Self.newestWeight) * old + Self.newestWeight * $0 } ?? old
        }
        calm = blend(calm, impact.calm)
        focus = blend(focus, impact.focus)
        energy = blend(energy, impact.energy)
        moodLift = blend(moodLift, impact.moodLift)
        plays += 1
        firstAt = firstAt ?? moment
        lastAt = moment
    }
}

/// What one play seemed to do, 0…1 each with 0.5 = nothing; nil = this play cannot say.
package struct Impact: Codable, Hashable, Sendable {
    package var calm: Double?
    package var energy: Double?
    package var focus: Double?
    package var moodLift: Double?

    /// Impact of a play by the formulas of 5.3.1, on the change beyond what was to be expected.
    ///
    /// - Parameters:
    ///   - beyond: nil after a bad window: calm and energy then stay as they are.
    ///   - weights: what the listener set for skips and heart-rate variability.
    package init(_ play: PlayObservation, beyond: ExpectedChange.Beyond?, weights: LearningWeights) {
        let skip = play.skipped ? -weights.skipTerm : 0
        let completion = (play.listenShare - 0.5) * 0.2
        if let beyond {
            // 0.5 and 0.3 of 5.3.1, shifted between HRV and heart rate by the listener's HRV share.
            let hrv = (beyond.rmssdMs ?? 0) / 10 * 0.5 * weights.hrvScale
            let rate = beyond.bpm / 10 * 0.3
            calm = Self.clamp(0.5 + hrv - rate + completion + skip)
            energy = Self.clamp(0.5 + rate + completion + skip)
        }
        if let credit = play.focusCredit {
            focus = Self.clamp(0.5 + completion + (credit > 0.5 ? Self.focusStep : -Self.focusStep))
        }
        if let change = play.moodChange { moodLift = Self.clamp(0.5 + change / 2) }
    }

    /// How far undisturbed (or disturbed) work moves the focus figure; ours, the size of the completion bonus twice.
    private static let focusStep = 0.2

    private static func clamp(_ value: Double) -> Double { min(1, max(0, value)) }
}

/// The two preferences that bear on learning (4.2.4).
package struct LearningWeights: Codable, Hashable, Sendable {
    /// `skipPenaltyWeight`, 0…1; the default 0.5 gives the 0.3 of 5.3.1.
    package var skipPenalty: Double
    /// `hrvResponseWeight`, 0…1: share of heart-rate variability in what counts as calming.
    package var hrvShare: Double

    package init(skipPenalty: Double = 0.5, hrvShare: Double = 0.3) {
        self.skipPenalty = skipPenalty
        self.hrvShare = hrvShare
    }

    /// What a skip takes from an effect.
    var skipTerm: Double { 0.3 * skipPenalty / 0.5 }
    /// Factor on the HRV term of 5.3.1: 1 at the default.
    var hrvScale: Double { hrvShare / 0.3 }
}
