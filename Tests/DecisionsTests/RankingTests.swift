import Decisions
import Foundation
import Music
import Physiology
import Protocols
import Testing

struct TargetsTests {
    /// By hand from the ranges of 5.2.2 and our energy ranges, at half energy.
    @Test(
        arguments: [
            (.energize, 140, 0.85), (.calm, 75, 0.225), (.focus, 95, 0.4), (.maintain, 110, 0.5),
            (.transition, 110, 0.6),
        ] as [(MusicNeed, Double, Double)])
    func `targets lie in the range of the need`(need: MusicNeed, bpm: Double, energy: Double) {
        let targets = Targets(state: aState(need), lastEnergy: 0.7)
        #expect(abs(targets.bpm - bpm) < 1e-9)
        #expect(abs(targets.energy - energy) < 1e-9)
    }

    @Test func `an aroused listener who should calm down gets 10 BPM and 0.1 energy less`() {
        let targets = Targets(state: aState(.calm, arousal: 0.61))
        #expect(abs(targets.bpm - 65) < 1e-9)
        #expect(abs(targets.energy - 0.125) < 1e-9)
    }

    @Test func `the crown adds and the night takes away`() throws {
        let night = try #require(DayLimits(at: monday(23), in: utc, preferences: Preferences()))
        #expect(
            Targets(state: aState(.energize), energyNudge: -0.5, tempoNudge: -20) == Targets(bpm: 120, energy: 0.35))
        #expect(Targets(state: aState(.energize), limits: night) == Targets(bpm: 100, energy: 0.6))
        #expect(Targets(state: aState(.energize, energy: 1), energyNudge: 0.5, tempoNudge: 40).bpm == 180)
    }

    @Test(
        arguments: [(20.9, nil), (21, .night), (23.9, .night), (3, .night), (6, .morning), (8.9, .morning), (9, nil)]
            as [(Double, DayLimits.Part?)])
    func `the night is from 21 to 6 and the morning from 6 to 9`(hour: Double, part: DayLimits.Part?) {
        #expect(DayLimits(at: monday(hour), in: utc, preferences: Preferences())?.part == part)
    }
}

struct RankingTests {
    /// All of it by hand: state maintain at 0.5 energy, so 110 BPM and energy 0.5; unknown context.
    /// 0.15 · (1 − 10/50) + 0.20 · (1 − 0.1) + 0.15 · 0.4 + 0.25 · (0.5 + 0.5 · (0.6 − 0.5)) + 0.25 · 0.5 = 0.6225.
    @Test func `the score is the weighted sum of 5-2-1`() {
        let table = SongTable([aSong("a", bpm: 100, energy: 0.6)])
        var dynamics = SongDynamics(count: 1)
        dynamics.familiarity = [0.4]
        dynamics.calm = [0.7]
        dynamics.energy = [0.5]
        dynamics.effectConfidence = [0.5]
        let decision = decide(table, dynamics: dynamics)
        #expect(abs((decision.breakdown?.score ?? 0) - 0.6225) < 1e-12)
    }

    /// By hand: at night 130 BPM leaves 1 − 30/40 = 0.25, and the multiplier is 0.5 + 0.5 · 0.25 = 0.625.
    @Test func `the hour and the step from the song before are shown as addends`() throws {
        let table = SongTable([aSong("a", bpm: 130, energy: 0.5)])
        let before = aSong("before", bpm: 130, energy: 0.3)
        let decision = decide(table, hour: 23, last: before)
        #expect(decision.relaxations == ["timeOfDay"])
        let terms = try #require(decision.breakdown?.terms)
        let plain = terms.prefix(6).reduce(0) { $0 + $1.contribution }
        let hour = try #require(terms.first { $0.name == "timeOfDay" })
        #expect(abs(hour.value - 0.25) < 1e-12)
        #expect(abs(hour.contribution - plain * (0.625 - 1)) < 1e-12)
        // 0.4 · 1 + 0.4 · (1 − 0.2/0.4) + 0.2 · 0.5 = 0.7; multiplier 0.7 + 0.3 · 0.7 = 0.91.
        let step = try #require(terms.first { $0.name == "transition" })
        #expect(abs(step.value - 0.7) < 1e-12)
        #expect(abs(step.contribution - plain * 0.625 * (0.91 - 1)) < 1e-12)
    }

    @Test func `familiarity is boosted under stress and for focus, and clamped to one`() {
        let table = SongTable([aSong("a", bpm: 100, energy: 0.5)])
        var dynamics = SongDynamics(count: 1)
        dynamics.familiarity = [0.5]
        #expect(decide(table, dynamics: dynamics, state: aState(.calm, stress: 0.65)).breakdown?.familiarity == 0.65)
        #expect(decide(table, dynamics: dynamics, state: aState(.focus, stress: 0.65)).breakdown?.familiarity == 0.6)
        dynamics.familiarity = [0.9]
        #expect(decide(table, dynamics: dynamics, state: aState(.calm, stress: 0.65)).breakdown?.familiarity == 1)
    }

    @Test func `unknown features count as neutral, never as zero`() throws {
        let unknown = try #require(decide(SongTable([aSong("a")])).breakdown)
        #expect(unknown.tempo == 0.5)
        #expect(unknown.energy == 0.5)
        #expect(unknown.context == 0.5)
        #expect(unknown.effect == 0.5)
        // A song of which nothing is known stands before one that is known to be wrong, and behind one that fits.
        let wrong = try #require(decide(SongTable([aSong("b", bpm: 180, energy: 1)])).breakdown)
        let right = try #require(decide(SongTable([aSong("c", bpm: 110, energy: 0.5)])).breakdown)
        #expect(wrong.score < unknown.score && unknown.score < right.score)
    }

    @Test(arguments: ActivityContext.allCases)
    func `every context scores between 0 and 1, and unknown features leave one half`(context: ActivityContext) {
        let alignment = ContextAlignment(context)
        let nan = Double.nan
        #expect(alignment.score(bpm: nan, energy: nan, valence: nan, instrumentalness: nan, density: nan) == 0.5)
        for step in 0...10 {
            let x = Double(step) / 10
            let score = alignment.score(bpm: 50 + 150 * x, energy: x, valence: x, instrumentalness: x, density: x)
            #expect((0...1).contains(score))
        }
    }

    /// By hand: 100 BPM is 20 below 120 with a fade of 40, energy 0.9 inside, valence 0.25 half way: (0.5 + 1 + 0.5)/3.
    @Test func `alignment is the mean membership of what is known`() {
        let score = ContextAlignment(.workout).score(
            bpm: 100, energy: 0.9, valence: 0.25, instrumentalness: .nan, density: 0.1)
        #expect(abs(score - 2.0 / 3) < 1e-12)
    }

    /// By hand: 0.4 · 2/5 + 0.3 · 0.5 + 0.3 · 0.8.
    @Test func `the confidence of a score counts features, effects and the state`() {
        var dynamics = SongDynamics(count: 1)
        dynamics.effectConfidence = [0.5]
        let decision = decide(SongTable([aSong("a", bpm: 100, energy: 0.5)]), dynamics: dynamics)
        #expect(abs((decision.breakdown?.confidence ?? 0) - 0.55) < 1e-12)
    }

    @Test(arguments: 0..<40) func `the fast pass and the explained score agree, and the terms sum to it`(seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        let songs = randomSongs(Int(generator.next() % 1500) + 1, artists: 40, using: &generator)
        let table = SongTable(songs)
        let dynamics = randomDynamics(table.count, using: &generator)
        let needs = MusicNeed.allCases
        let contexts = ActivityContext.allCases
        let state = aState(
            needs[Int(generator.next() % 5)], contexts[Int(generator.next() % 10)], stress: seed % 2 == 0 ? 0.65 : 0.4)
        let hour = Double(generator.next() % 24)
        let limits = DayLimits(at: monday(hour), in: utc, preferences: Preferences())
        let rules = ScoreRules(
            state: state, targets: Targets(state: state, limits: limits), preferences: Preferences(), limits: limits,
            transition: seed % 3 == 0 ? nil : Transition(from: songs[0]))
        var scores: [Double] = []
        RankingKernel.score(table, dynamics: dynamics, rules: rules, into: &scores)
        #expect(scores.count == table.count)
        var worst = 0.0
        for position in scores.indices {
            let explained = ScoreBreakdown(position, of: table, dynamics: dynamics, recency: 0, rules: rules)
            let sum = explained.terms.reduce(0) { $0 + $1.contribution }
            worst = max(worst, abs(scores[position] - explained.score), abs(sum - explained.score))
        }
        #expect(worst < 1e-9)
    }

    @Test func `the best songs come without sorting, as sorting would give them`() {
        var generator = SplitMix64(seed: 3)
        let table = SongTable(randomSongs(700, artists: 50, using: &generator))
        let scores = (0..<table.count).map { _ in Double(generator.next() % 50) }
        let blocked = (0..<table.count).map { _ in generator.next() % 3 == 0 ? UInt8(4) : 0 }
        let top = TopSongs(of: scores, blocked: blocked, limit: 30, table: table).entries.map(\.position)
        let sorted = scores.indices.filter { blocked[$0] == 0 }
            .sorted { (-scores[$0], table.refs[$0].id) < (-scores[$1], table.refs[$1].id) }
        #expect(top == Array(sorted.prefix(30)))
    }

    private func decide(
        _ table: SongTable, dynamics: SongDynamics? = nil, state: StateVector = aState(), hour: Double = 14,
        last: Song? = nil
    ) -> Decision {
        var generator = SplitMix64(seed: 1)
        return DecisionMaker.decide(
            DecisionInput(
                now: monday(hour), timeZone: utc, state: state, table: table, dynamics: dynamics, lastSong: last),
            using: &generator)
    }
}
