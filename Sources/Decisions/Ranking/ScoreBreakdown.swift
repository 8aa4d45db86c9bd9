import Foundation
import Music
import Protocols

/// A song's score, term by term. The score is the sum of the contributions, by construction.
package struct ScoreBreakdown: Sendable {
    /// 0…1 each; ``transition`` is nil for the first song of a session.
    package let tempo: Double
    package let energy: Double
    package let familiarity: Double
    package let effect: Double
    package let context: Double
    /// 0 = not played lately … 1 = just played.
    package let recency: Double
    package let timeOfDay: Double
    package let transition: Double?
    package let learned: Double
    /// Ready for `music/why`; contributions sum to ``score``.
    package let terms: [ScoreTerm]
    package let score: Double
    /// 0…1: how much of it rests on knowledge.
    package let confidence: Double

    /// - Parameter recency: see ``RecentPlays/recency(of:)``, 0…1.
    package init(
        _ position: Int, of table: SongTable, dynamics: SongDynamics, recency: Double, rules: ScoreRules
    ) {
        var tempo = table.tempoNeutral[position]
        for (bpm, weight) in [
            (table.bpm[position], table.tempoWeight[position]),
            (table.secondBpm[position], table.secondWeight[position]),
            (table.thirdBpm[position], table.thirdWeight[position]),
        ] {
            let match = 1 - abs(bpm - rules.targets.bpm) / ScoreRules.tempoTolerance
            tempo += weight * (match > 0 ? match : 0)
        }
        let songEnergy = table.energy[position]
        let energy = songEnergy.isNaN ? 0.5 : 1 - abs(songEnergy - rules.targets.energy)
        let familiarity = min(1, dynamics.familiarity[position] * rules.familiarityBoost)
        let effect = rules.effect(dynamics, position)
        let context = rules.alignment.score(
            bpm: table.bpm[position], energy: songEnergy, valence: table.valence[position],
            instrumentalness: table.instrumentalness[position], density: table.density[position])
        let timeOfDay = rules.limits?.score(bpm: table.bpm[position], energy: songEnergy) ?? 1
        let transition = rules.transition?.score(to: position, of: table)

        // The two multipliers of 5.2 as addends: what each takes away from what stood before it.
        var running = 0.0
        var terms: [ScoreTerm] = []
        func add(_ name: String, _ value: Double, _ weight: Double, _ contribution: Double) {
            running += contribution
            terms.append(ScoreTerm(name: name, value: value, weight: weight, contribution: contribution))
        }
        add("tempo", tempo, rules.tempoWeight, rules.tempoWeight * tempo)
        add("energy", energy, rules.energyWeight, rules.energyWeight * energy)
        add("familiarity", familiarity, rules.familiarityWeight, rules.familiarityWeight * familiarity)
        add("effect", effect, rules.effectWeight, rules.effectWeight * effect)
        add("context", context, rules.contextWeight, rules.contextWeight * context)
        add("recency", recency, -ScoreRules.recencyWeight, -ScoreRules.recencyWeight * recency)
        let daySpan = 1 - ScoreRules.timeOfDayFloor
        add("timeOfDay", timeOfDay, daySpan, running * daySpan * (timeOfDay - 1))
        if let transition {
            let span = 1 - ScoreRules.transitionFloor
            add("transition", transition, span, running * span * (transition - 1))
        }
        let learned = dynamics.learned[position]
        if learned != 0 { add("learned", min(max(0.5 + learned, 0), 1), 1, learned) }
        let satiation = dynamics.satiation[position]
        if satiation > 0, rules.varietyWeight > 0 {
            add("variety", satiation, -rules.varietyWeight, -rules.varietyWeight * satiation)
        }

        self.tempo = tempo
        self.energy = energy
        self.familiarity = familiarity
        self.effect = effect
        self.context = context
        self.recency = recency
        self.timeOfDay = timeOfDay
        self.transition = transition
        self.learned = learned
        self.terms = terms
        score = running
        confidence =
            0.4 * table.knownShare[position] + 0.3 * min(max(dynamics.effectConfidence[position], 0), 1)
            + 0.3 * rules.stateConfidence
    }
}
