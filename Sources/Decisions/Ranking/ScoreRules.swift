import Foundation
import Music
import Protocols

/// The rules of one decision: everything about the moment that a song's score depends on.
package struct ScoreRules: Sendable {
    package let targets: Targets
    package let need: MusicNeed
    package let context: ActivityContext
    package let alignment: ContextAlignment
    /// nil when no limits hold now or they are waived.
    package let limits: DayLimits?
    /// nil for the first song of a session.
    package let transition: Transition?
    /// Multiplies familiarity; the product is clamped to 1.
    package let familiarityBoost: Double
    package let stateConfidence: Double
    package let tempoWeight: Double
    package let energyWeight: Double
    package let familiarityWeight: Double
    package let effectWeight: Double
    package let contextWeight: Double
    /// Taken from the score of a song that the listener has had enough of, in proportion to its satiation.
    package let varietyWeight: Double

    /// Beats per minute away from the target at which the tempo match is 0.
    package static let tempoTolerance = 50.0
    /// Weight of the recency penalty.
    package static let recencyWeight = 0.5
    /// The time-of-day score multiplies by 0.5…1, the transition score by 0.7…1.
    package static let timeOfDayFloor = 0.5
    package static let transitionFloor = 0.7

    package init(
        state: StateVector, targets: Targets, preferences: Preferences, limits: DayLimits?, transition: Transition?
    ) {
        self.targets = targets
        need = state.need.value ?? .maintain
        context = state.activityContext.value ?? .unknown
        alignment = ContextAlignment(context)
        self.limits = limits
        self.transition = transition
        // 5.2.1: the boost for focus replaces the one for stress.
        familiarityBoost =
            need == .focus ? 1.2 : state.stress > 0.6 && preferences.preferFamiliarInStress ? 1.3 : 1
        stateConfidence = state.confidence
        var weights = preferences
        weights.normaliseWeights()
        tempoWeight = weights.bpmWeight
        energyWeight = weights.energyWeight
        familiarityWeight = weights.familiarityWeight
        effectWeight = weights.historicalWeight
        contextWeight = weights.contextWeight
        varietyWeight = preferences.varietyWeight
    }

    /// The learnt effect that the need asks for, pulled to 0.5 by missing confidence.
    func effect(_ dynamics: SongDynamics, _ position: Int) -> Double {
        let raw: Double
        switch need {
        case .calm: raw = dynamics.calm[position]
        case .focus: raw = dynamics.focus[position]
        case .energize: raw = dynamics.energy[position]
        case .maintain: raw = (dynamics.calm[position] + dynamics.energy[position]) * 0.5
        case .transition: raw = 0.5
        }
        return 0.5 + dynamics.effectConfidence[position] * (raw - 0.5)
    }
}
