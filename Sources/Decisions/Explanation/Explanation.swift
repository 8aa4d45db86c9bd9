import Foundation
import Music
import Protocols

/// What is known about the listener beside the state, for the words of an explanation.
package struct ExplanationEvidence: Hashable, Sendable {
    /// Beats per minute per minute over the last minutes; nil when there were too few samples.
    package var heartRateSlope: Double?

    package init(heartRateSlope: Double? = nil) { self.heartRateSlope = heartRateSlope }
}

/// The reason for a pick in plain English, made of the real terms and the ages of the data; it claims nothing that was
/// not measured.
package struct Explanation: Sendable {
    /// For a watch or a menu bar: two or three words.
    package let short: String
    package let text: String
    /// The score's terms with their own words.
    package let terms: [ScoreTerm]

    /// Seconds after which data is called old.
    static let oldAfter = 180.0
    /// A learnt effect is mentioned from so much confidence, plays and distance from 0.5 on.
    static let leastConfidence = 0.15
    static let leastPlays = 3
    static let leastEffect = 0.04

    /// - Returns: nil for a decision without a pick.
    package init?(
        _ decision: Decision, input: DecisionInput, evidence: ExplanationEvidence = ExplanationEvidence()
    ) {
        guard let position = decision.position, let score = decision.breakdown else { return nil }
        let words = SongWords(position, of: input.table)
        short = Self.short(decision)
        var sentences: [String] = []
        let situation = Self.situation(decision.state, evidence)
        let picked = Self.picked(decision, words)
        if situation.isEmpty {
            sentences.append(picked.prefix(1).uppercased() + picked.dropFirst() + ".")
        } else {
            sentences.append("\(situation); \(picked).")
        }
        if let learnt = Self.learnt(decision, input, position) { sentences.append(learnt) }
        // Of the plays themselves, not of the boost that stress or focus give.
        if let dynamics = input.dynamics, dynamics.fits(input.table.count), dynamics.familiarity[position] >= 0.5 {
            sentences.append("You know it well.")
        }
        sentences += Self.circumstances(decision, score)
        text = sentences.joined(separator: " ")
        terms = Self.worded(score.terms, decision, words, score)
    }

    /// The message of an explained pick.
    package func why(_ decision: Decision) -> Why? {
        guard let song = decision.song, let score = decision.breakdown else { return nil }
        return Why(
            song: song, text: text, score: score.score, confidence: score.confidence, terms: terms,
            state: decision.state, probability: decision.probability, candidateCount: decision.candidateCount,
            random: decision.random, relaxations: decision.relaxations)
    }

    // MARK: - Words

    static func short(_ decision: Decision) -> String {
        switch decision.pick {
        case .user: return "Your request"
        case .adviser: return "Suggested for you"
        case .ai: break
        }
        if decision.random { return "Something different" }
        let state = decision.state
        switch (state.need.value ?? .maintain, state.activityContext.value ?? .unknown) {
        case (.calm, .postWorkout): return "Cooling down"
        case (.calm, .preSleep): return "Winding down"
        case (.calm, _): return "Calming you down"
        case (.energize, _): return "Lifting your energy"
        case (.focus, _): return "Keeping you focused"
        case (.maintain, .workout): return "Matching your workout"
        case (.maintain, .morning): return "Starting your day"
        case (.maintain, .commute): return "On your way"
        case (.maintain, .social): return "Good company"
        case (.maintain, _): return "Keeping your mood"
        case (.transition, _): return "Easing into a change"
        }
    }

    /// What is known about the listener now; empty when that is nothing.
    private static func situation(_ state: StateVector, _ evidence: ExplanationEvidence) -> String {
        var parts: [String] = []
        let heart = state.sources.first { $0.name == "heartRate" }
        if let bpm = state.bpm, let heart, heart.ageSeconds <= oldAfter {
            var part = "your heart rate is \(Int(bpm.rounded()))"
            if let slope = evidence.heartRateSlope, abs(slope) >= 1 {
                part += slope > 0 ? " and has been rising" : " and has been falling"
            }
            parts.append(part)
        }
        let measuresStress = state.sources.contains { ["bodyStress", "hrv", "heartRate"].contains($0.name) }
        if state.stressGate?.value ?? StressGate.none == .none, measuresStress, state.stress >= 0.6 {
            parts.append("you seem stressed")
        }
        switch state.activityContext.value ?? .unknown {
        case .workout: parts.append("you are working out")
        case .postWorkout: parts.append("your workout has just ended")
        case .work: parts.append("you are at work")
        case .deepWork: parts.append("you are in deep work")
        case .commute: parts.append("you are on the move")
        case .relaxation: parts.append("you have been resting")
        case .preSleep: parts.append("it is time to wind down")
        case .morning: parts.append("it is morning")
        case .social: parts.append("you are in company")
        case .unknown: break
        }
        if state.sources.contains(where: { $0.name == "manualMoodInput" }) {
            parts.append("you told me how you feel")
        }
        let text = list(parts)
        return text.prefix(1).uppercased() + text.dropFirst()
    }

    private static func picked(_ decision: Decision, _ words: SongWords) -> String {
        switch decision.pick {
        case .user: return "you asked for \(words.quoted)"
        case .adviser: return "\(words.quoted) was suggested, and nothing stood against it"
        case .ai: break
        }
        if decision.random { return "\(words.quoted) was drawn at random, to learn what it does for you" }
        let features = words.features.isEmpty ? "" : " (\(words.features))"
        let aim =
            switch decision.state.need.value ?? .maintain {
            case .calm: "to calm you down"
            case .energize: "to lift your energy"
            case .focus: "to support your focus"
            case .maintain: "to keep things as they are"
            case .transition: "to ease you from one thing to the next"
            }
        return "I picked \(words.quoted)\(features) \(aim)"
    }

    /// What the song did before, when there is evidence for it.
    private static func learnt(_ decision: Decision, _ input: DecisionInput, _ position: Int) -> String? {
        guard let dynamics = input.dynamics, dynamics.fits(input.table.count) else { return nil }
        let plays = Int(dynamics.effectPlays[position])
        guard plays >= leastPlays, dynamics.effectConfidence[position] >= leastConfidence else { return nil }
        let (effect, deed): (Double, String)
        switch decision.state.need.value ?? .maintain {
        case .calm: (effect, deed) = (dynamics.calm[position], "calmed you")
        case .focus: (effect, deed) = (dynamics.focus[position], "helped you focus")
        case .energize: (effect, deed) = (dynamics.energy[position], "lifted your energy")
        case .maintain, .transition: return nil
        }
        guard abs(effect - 0.5) >= leastEffect else { return nil }
        return effect > 0.5
            ? "This track has \(deed) before (\(plays) plays)."
            : "It has not \(deed) so far (\(plays) plays), but the rest speaks for it."
    }

    private static func circumstances(_ decision: Decision, _ score: ScoreBreakdown) -> [String] {
        var sentences: [String] = []
        if let limits = decision.limits, decision.guardsApplied.contains(.timeOfDay),
            !decision.relaxations.contains(GuardKind.timeOfDay.rawValue)
        {
            sentences.append("At this hour nothing faster than \(Int(limits.maximumBpm)) BPM is picked.")
        }
        switch decision.waiver {
        case .nudge: sentences.append("Your turn of the crown counts.")
        case .mood: sentences.append("Your own mood counts more than the hour.")
        case .workout, .request, nil: break
        }
        if !decision.relaxations.isEmpty {
            let names = decision.relaxations.compactMap { GuardKind(rawValue: $0).map(relaxed) }
            sentences.append("Too few songs were left, so \(list(names)).")
        }
        if let heart = decision.state.sources.first(where: { $0.name == "heartRate" }), heart.ageSeconds > oldAfter {
            sentences.append(
                "The last heart rate is \(Int((heart.ageSeconds / 60).rounded())) min old and counts little.")
        } else if !decision.state.sources.contains(where: { ["heartRate", "hrv", "bodyStress"].contains($0.name) }) {
            sentences.append("There was no heart-rate data yet, so the time of day and what you do had to do.")
        }
        if score.confidence < 0.35 { sentences.append("This is still a guess.") }
        return sentences
    }

    private static func relaxed(_ kind: GuardKind) -> String {
        switch kind {
        case .artistWindow: "the same artist came back early"
        case .artistInRow: "the same artist plays on"
        case .timeOfDay: "the limit of the hour gave way"
        case .otherVersions: "another version of a recent song was allowed"
        case .songWindow, .justPlayed: "a recent song was allowed again"
        case .neverPlay: "a banned song was allowed"
        case .unplayable: "an unreadable song was tried"
        case .sourcePlaylists: "a song from outside the chosen playlists was allowed"
        }
    }

    private static func worded(
        _ terms: [ScoreTerm], _ decision: Decision, _ words: SongWords, _ score: ScoreBreakdown
    ) -> [ScoreTerm] {
        terms.map { term in
            var term = term
            term.text = TermWords.text(of: term, decision: decision, words: words)
            return term
        }
    }

    static func list(_ parts: [String]) -> String {
        guard let last = parts.last else { return "" }
        return parts.count == 1 ? last : parts.dropLast().joined(separator: ", ") + " and " + last
    }
}
