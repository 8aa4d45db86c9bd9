import Foundation
import Protocols

/// Everything that has been learnt from plays, as a fold over them: the same plays in the same order give the same
/// knowledge, and undoing a play is folding again without it.
package struct Learner: Sendable {
    package let weights: LearningWeights
    private var expected: ExpectedChange
    private var models: [MusicNeed: EffectModel]
    private var logs: [EffectKey: SongEffectLog] = [:]
    private var acceptance: [String: Acceptance] = [:]
    /// Plays that counted.
    package private(set) var plays = 0

    /// What the log is kept by (4.1.5): `any` stands for all contexts or times of day together.
    package struct EffectKey: Hashable, Sendable, Comparable {
        package var songId: String
        package var context: String
        package var slot: String

        package init(songId: String, context: String, slot: String) {
            self.songId = songId
            self.context = context
            self.slot = slot
        }

        package static let any = "any"

        package static func < (a: Self, b: Self) -> Bool {
            (a.songId, a.context, a.slot) < (b.songId, b.context, b.slot)
        }
    }

    /// How a song is received, in units of score: skips take, hearing it to the end gives a little.
    private struct Acceptance: Sendable {
        var n = 0.0
        var sum = 0.0
        /// Pulls towards 0 like this many plays.
        static let shrinkage = 4.0
        var mean: Double { sum / (n + Self.shrinkage) }
    }

    /// Needs that a body can answer to; `transition` is on the way to one of them.
    package static let learntNeeds: [MusicNeed] = [.energize, .calm, .focus, .maintain]

    package init(
        weights: LearningWeights = LearningWeights(), expected: ExpectedChange = ExpectedChange()
    ) {
        self.weights = weights
        self.expected = expected
        models = Dictionary(uniqueKeysWithValues: Self.learntNeeds.map { ($0, EffectModel(need: $0)) })
    }

    /// Folds all plays, oldest first.
    package init(
        replaying plays: some Sequence<PlayObservation>, weights: LearningWeights = LearningWeights(),
        expected: ExpectedChange = ExpectedChange()
    ) {
        self.init(weights: weights, expected: expected)
        for play in plays { _ = take(play) }
        refit()
    }

    /// What was learnt from one play, for the history.
    package struct Lesson: Hashable, Sendable {
        package var impact: Impact
        package var beyond: ExpectedChange.Beyond?
        /// Keys of the log that changed.
        package var changed: [EffectKey]
    }

    /// Learns from a play; nil when it counts for nothing.
    package mutating func learn(_ play: PlayObservation) -> Lesson? {
        let lesson = take(play)
        if lesson != nil { refit() }
        return lesson
    }

    private mutating func refit() {
        for need in Self.learntNeeds { models[need]?.refit() }
    }

    private mutating func take(_ play: PlayObservation) -> Lesson? {
        guard play.counts else { return nil }
        plays += 1
        let beyond = play.body.map { expected.judge($0) }
        for need in Self.learntNeeds {
            guard let y = effect(on: need, play, beyond) else { continue }
            models[need]?.add(
                songId: play.songId, features: play.features, context: play.activityContext, slot: play.slot, y: y)
        }
        let received =
            play.skipped ? -weights.skipTerm * (1 - play.listenShare) : max(0, play.listenShare - 0.5) * 0.2
        acceptance[play.songId, default: Acceptance()].n += 1
        acceptance[play.songId, default: Acceptance()].sum += received

        let impact = Impact(play, beyond: beyond, weights: weights)
        let context = play.activityContext.rawValue
        let keys = [(context, play.slot), (context, EffectKey.any), (EffectKey.any, EffectKey.any)]
            .map { EffectKey(songId: play.songId, context: $0.0, slot: $0.1) }
        for key in keys { logs[key, default: SongEffectLog()].add(impact, at: play.endedAt) }
        return Lesson(impact: impact, beyond: beyond, changed: keys)
    }

    /// Effect of a play on a need in standard deviations, or nil when the play cannot say.
    private func effect(on need: MusicNeed, _ play: PlayObservation, _ beyond: ExpectedChange.Beyond?) -> Double? {
        if need == .focus {
            // A credit of 0 or 1 has an SD of at most a half.
            return play.focusCredit.map { ($0 - 0.5) / 0.5 }
        }
        guard let beyond else { return nil }
        let rate = beyond.bpm / ExpectedChange.bpmNoise
        switch need {
        case .calm:
            guard let variability = beyond.lnRmssd else { return -rate }
            let share = weights.hrvShare
            // Divided by its own SD, so that two figures are not surer by being two.
            let scale = (share * share + (1 - share) * (1 - share)).squareRoot()
            return (share * variability / ExpectedChange.lnRmssdNoise - (1 - share) * rate) / scale
        case .energize: return rate
        // |N(0, 1)| has mean 0.80 and SD 0.60.
        case .maintain: return (0.80 - abs(rate)) / 0.60
        case .focus, .transition: return nil
        }
    }

    /// What is believed about a song for a need.
    package struct SongEffect: Hashable, Sendable {
        /// What it does to the body, 0…1, 0.5 = nothing; already shrunk by what is known.
        package var value: Double
        /// 0…1.
        package var confidence: Double
        /// One standard deviation of doubt on the scale of `value`.
        package var sd: Double
        /// Plays of the song that the body (for focus: the work) answered to.
        package var plays: Int
        /// +1 helps, −1 hinders, 0 not enough evidence.
        package var claim: Int
        /// How the listener receives it, added to a score: −0.3 for a song that is always skipped at once … 0.1.
        package var reception: Double

        /// `value` on the scale of a reader who shrinks it by a confidence himself, 0…1.
        package func unshrunk(by confidence: Double) -> Double {
            confidence > 0 ? min(1, max(0, 0.5 + (value - 0.5) / confidence)) : 0.5
        }
    }

    /// How much of the 0…1 scale one standard deviation of body response is worth.
    package static let scorePerSd = 0.25

    /// The effect of a song for a need, in a context and time of day.
    package func effect(
        songId: String, features: SongFeatures, need: MusicNeed, context: ActivityContext, slot: String
    ) -> SongEffect {
        let received = acceptance[songId]
        let asked: MusicNeed = need == .transition ? .maintain : need
        guard let body = models[asked]?.estimate(songId: songId, features: features, context: context, slot: slot)
        else {
            return SongEffect(value: 0.5, confidence: 0, sd: 0, plays: 0, claim: 0, reception: received?.mean ?? 0)
        }
        return SongEffect(
            value: min(1, max(0, 0.5 + Self.scorePerSd * body.mean)), confidence: body.confidence,
            sd: Self.scorePerSd * body.sd, plays: body.plays, claim: body.claim,
            reception: received?.mean ?? 0)
    }

    /// The visible log of a song, or of all songs, by key.
    package func effectLogs(songId: String? = nil) -> [(key: EffectKey, log: SongEffectLog)] {
        logs.filter { songId == nil || $0.key.songId == songId }
            .sorted { $0.key < $1.key }
            .map { (key: $0.key, log: $0.value) }
    }

    /// The log under one key.
    package func effectLog(_ key: EffectKey) -> SongEffectLog? { logs[key] }

    /// In words: what may be said about a song's effect on the body.
    package func evidence(songId: String, features: SongFeatures) -> String {
        let found: [String] = Self.learntNeeds.compactMap { need in
            guard let estimate = models[need]?.estimate(songId: songId, features: features), estimate.claim != 0
            else { return nil }
            let helps = estimate.claim > 0
            let what =
                switch need {
                case .calm: helps ? "calms you" : "does not calm you"
                case .energize: helps ? "raises your heart rate" : "lowers your heart rate"
                case .focus: helps ? "helps you focus" : "disturbs your focus"
                case .maintain, .transition: helps ? "keeps you level" : "unsettles your heart rate"
                }
            let effect = estimate.mean.formatted(.number.precision(.fractionLength(2)).locale(Locale(identifier: "en")))
            return "\(what) (\(effect) SD over \(estimate.plays) plays)"
        }
        return found.isEmpty ? "not enough evidence" : found.joined(separator: "; ")
    }
}
