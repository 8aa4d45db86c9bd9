import Decisions
import Foundation
import Music
import Physiology
import Protocols

/// An invented pool with every complication of a real one: unknown features, tempo alternatives, genres, keys, learnt
/// effects, a song before, the limits of the night.
struct BenchmarkPool {
    let table: SongTable
    let dynamics: SongDynamics
    let input: DecisionInput
    let rules: ScoreRules

    init(count: Int) {
        var generator = SplitMix64(seed: 42)
        func fraction() -> Double { Double(generator.next() >> 11) * 0x1p-53 }
        func known(_ share: Double) -> Double? { fraction() < share ? fraction() : nil }
        let genres = ["rock", "pop", "jazz", "soul", "techno", "folk", "ambient", "metal"]
        let keys = ["C", "Am", "G", "Em", "F", "Dm", "Bb", "F#m"]
        var builder = SongTableBuilder()
        for index in 0..<count {
            let bpm = 60 + 120 * fraction()
            let candidates: [TempoEstimate.Candidate] =
                fraction() < 0.3 ? [.init(bpm: bpm, probability: 0.7), .init(bpm: bpm / 2, probability: 0.3)] : []
            let tempo =
                fraction() < 0.9
                ? TempoEstimate(bpm: bpm, confidence: fraction(), candidates: candidates, source: "analysis") : nil
            builder.append(
                Song(
                    id: String(format: "%08d", index), title: "Song \(index)", artist: "Artist \(index / 10)",
                    genres: fraction() < 0.8 ? [genres[Int(fraction() * 8)], genres[Int(fraction() * 8)]] : [],
                    durationMs: 210_000, tempo: tempo, energy: known(0.9), valence: known(0.9),
                    instrumentalness: known(0.7), acousticDensity: known(0.5),
                    key: fraction() < 0.7 ? keys[Int(fraction() * 8)] : nil))
        }
        table = builder.table()
        var dynamics = SongDynamics(count: count)
        for index in 0..<count {
            dynamics.familiarity[index] = fraction()
            dynamics.calm[index] = fraction()
            dynamics.energy[index] = fraction()
            dynamics.effectConfidence[index] = fraction()
            dynamics.learned[index] = 0.1 * (fraction() - 0.5)
            dynamics.satiation[index] = fraction()
        }
        self.dynamics = dynamics
        let zone = TimeZone(secondsFromGMT: 0) ?? .current
        // 2026-03-02 22:30 UTC.
        let now = Timestamp(milliseconds: 1_772_490_600_000)
        let state = StateVector(
            at: now, arousal: 0.4, energy: 0.5, focus: 0.5, stress: 0.65, valence: 0.5, activityContext: .work,
            need: .maintain, confidence: 0.7, sources: [])
        let last = Song(
            id: "last", title: "Before", artist: "Nobody", genres: ["rock", "soul"],
            tempo: TempoEstimate(bpm: 96, confidence: 0.9, source: "tag"), energy: 0.45, key: "Am")
        input = DecisionInput(
            now: now, timeZone: zone, state: state, table: table, dynamics: dynamics, lastSong: last)
        let preferences = input.preferences
        let limits = DayLimits(at: now, in: zone, preferences: preferences)
        rules = ScoreRules(
            state: state, targets: Targets(state: state, lastEnergy: last.energy, limits: limits),
            preferences: preferences, limits: limits, transition: Transition(from: last))
    }

    private struct Parameters: Encodable {
        let targetBpm: Double
        let targetEnergy: Double
        let boost: Double
        let weights: [Double]
        /// Per feature low, high, fade; null where the context does not ask.
        let ranges: [[Double]?]
        let maximumBpm: Double?
        let maximumEnergy: Double?
        let fromBpm: Double
        let fromTrust: Double
        let fromEnergy: Double
        let variety: Double
    }

    /// Every column as raw doubles and the rules as JSON.
    func export(to folder: URL) throws {
        let columns: [(String, [Double])] = [
            ("bpm0", table.bpm), ("bpm1", table.secondBpm), ("bpm2", table.thirdBpm), ("neutral", table.tempoNeutral),
            ("weight0", table.tempoWeight), ("weight1", table.secondWeight), ("weight2", table.thirdWeight),
            ("energy", table.energy), ("valence", table.valence), ("instrumentalness", table.instrumentalness),
            ("density", table.density), ("familiarity", dynamics.familiarity), ("calm", dynamics.calm),
            ("energyEffect", dynamics.energy), ("effectConfidence", dynamics.effectConfidence),
            ("learned", dynamics.learned), ("satiation", dynamics.satiation),
            ("genreSet", table.genreSet.map(Double.init)), ("key", table.key.map(Double.init)),
        ]
        for (name, column) in columns { try write(column, name, folder) }
        guard let transition = rules.transition else { return }
        try write(transition.genreScores(of: table), "genreScores", folder)
        try write(transition.keyScores() ?? [], "keyScores", folder)
        let alignment = rules.alignment
        let ranges = [
            alignment.tempo, alignment.energy, alignment.valence, alignment.instrumentalness, alignment.density,
        ].map { range in range.map { [$0.low, $0.high, $0.fade] } }
        let parameters = Parameters(
            targetBpm: rules.targets.bpm, targetEnergy: rules.targets.energy, boost: rules.familiarityBoost,
            weights: [
                rules.tempoWeight, rules.energyWeight, rules.familiarityWeight, rules.effectWeight, rules.contextWeight,
            ],
            ranges: ranges, maximumBpm: rules.limits?.maximumBpm, maximumEnergy: rules.limits?.maximumEnergy,
            fromBpm: transition.bpm, fromTrust: transition.tempoConfidence, fromEnergy: transition.energy,
            variety: rules.varietyWeight)
        try JSONEncoder().encode(parameters).write(to: folder.appending(path: "parameters.json"))
    }
}
