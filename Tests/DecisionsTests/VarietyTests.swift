import Decisions
import Foundation
import Music
import Physiology
import Protocols
import Testing

/// Days of music from one library: what was played is remembered, and the days differ as a listener's do.
struct ListeningDays {
    struct Play {
        let song: Song
        let context: ActivityContext
        /// How far the pick is behind the best admissible song, by the score without the variety term.
        let loss: Double
    }

    private(set) var plays: [Play] = []

    var distinct: Int { Set(plays.map(\.song.id)).count }
    var mostOfOne: Int { Dictionary(grouping: plays, by: \.song.id).values.map(\.count).max() ?? 0 }
    var meanLoss: Double { plays.reduce(0) { $0 + $1.loss } / Double(max(1, plays.count)) }

    func medians(_ context: ActivityContext) -> (bpm: Double, energy: Double) {
        let songs = plays.filter { $0.context == context }.map(\.song)
        func middle(_ values: [Double]) -> Double { values.isEmpty ? .nan : values.sorted()[values.count / 2] }
        return (middle(songs.compactMap { $0.tempo?.bpm }), middle(songs.compactMap(\.energy)))
    }

    /// What a day asks for: from the hour on, a context, a need, and the usual arousal and energy.
    private static let day: [(from: Double, ActivityContext, MusicNeed, arousal: Double, energy: Double)] = [
        (0, .preSleep, .calm, 0.15, 0.4), (7, .morning, .maintain, 0.3, 0.5), (8.5, .commute, .maintain, 0.4, 0.5),
        (9.5, .work, .maintain, 0.3, 0.45), (13, .deepWork, .focus, 0.3, 0.45), (17, .workout, .energize, 0.75, 0.45),
        (18, .postWorkout, .calm, 0.6, 0.5), (18.5, .relaxation, .maintain, 0.25, 0.45),
        (22, .preSleep, .calm, 0.2, 0.4),
    ]

    /// Plays song after song for so many of them, from 7 in the morning.
    init(_ songs: [Song], plays count: Int, varietyWeight: Double?, seed: UInt64 = 1) {
        let table = SongTable(songs)
        var generator = SplitMix64(seed: seed)
        func fraction() -> Double { Double(generator.next() >> 11) * 0x1p-53 }
        var preferences = Preferences()
        if let varietyWeight { preferences.varietyWeight = varietyWeight }
        var plain = preferences
        plain.varietyWeight = 0
        var now = monday(7)
        var recent: [RecentPlay] = []
        var familiarity: [Int: Familiarity] = [:]
        var satiation: [Int: Satiation] = [:]
        var drift = 0.0
        for _ in 0..<count {
            let hour = LocalTime(now, in: utc).hour
            guard let part = Self.day.last(where: { $0.from <= Double(hour) }) else { return }
            drift = 0.9 * drift + 0.04 * (fraction() + fraction() + fraction() - 1.5)
            var dynamics = SongDynamics(count: table.count)
            for (position, known) in familiarity { dynamics.familiarity[position] = known.value(at: now) }
            for (position, heard) in satiation { dynamics.satiation[position] = heard.value(at: now) }
            var input = DecisionInput(
                now: now, timeZone: utc,
                state: aState(part.2, part.1, at: now, arousal: part.arousal + drift, energy: part.energy + drift),
                table: table, dynamics: dynamics, recent: recent, lastSong: plays.last?.song, preferences: preferences)
            let decision = DecisionMaker.decide(input, using: &generator)
            guard let position = decision.position else { return }
            input.preferences = plain
            let best = DecisionMaker.decide(input, using: &generator).candidates.first?.score ?? .nan
            let own = (decision.breakdown?.terms ?? []).filter { $0.name != "variety" }.reduce(0) {
                $0 + $1.contribution
            }
            let song = songs[position]
            plays.append(Play(song: song, context: part.1, loss: best - own))
            let end = now.adding(milliseconds: song.durationMs ?? 200_000)
            recent = recent.suffix(60) + [RecentPlay(song: song.ref, startedAt: now, endedAt: end)]
            familiarity[position, default: Familiarity(at: end)].add(completed: true, at: end)
            satiation[position, default: Satiation(at: end)].add(at: end)
            now = end
        }
    }
}

struct VarietyTests {
    /// Two days of picks from 2,329 real songs. Without the rule the best songs win again and again, and become familiar
    /// by it, which makes them better still.
    @Test(.enabled(if: sharedData != nil, needsSharedData))
    func `days of picks use three times as many songs as the best score alone, and they still fit`() throws {
        let songs = try RealLibraryTests.playlist("Everything")
        let plain = ListeningDays(songs, plays: 700, varietyWeight: 0)
        let varied = ListeningDays(songs, plays: 700, varietyWeight: nil)
        print(
            """
            \(plain.plays.count) plays: \(plain.distinct) songs, at most \(plain.mostOfOne) times, \(plain.meanLoss) \
            behind the best; with variety \(varied.distinct), \(varied.mostOfOne), \(varied.meanLoss)
            """)
        #expect(varied.plays.count == 700)
        #expect(varied.distinct >= 3 * plain.distinct)
        #expect(varied.mostOfOne <= plain.mostOfOne)
        // Of a score of 0…1; 0.15 is the most that the rule may cost.
        #expect(varied.meanLoss < plain.meanLoss + 0.05)
        let (work, run) = (varied.medians(.deepWork), varied.medians(.workout))
        let (after, night) = (varied.medians(.postWorkout), varied.medians(.preSleep))
        #expect(run.bpm > work.bpm + 20)
        #expect(run.energy > work.energy + 0.25)
        #expect(after.bpm < run.bpm - 30)
        #expect(after.energy < run.energy - 0.25)
        #expect(night.bpm < work.bpm && night.energy < work.energy)
    }

    private let equals = (0..<40).map { aSong("song \($0)", bpm: 110, energy: 0.5) }

    @Test func `of songs that fit equally, the one that was heard a lot waits`() {
        let days = ListeningDays(equals, plays: 400, varietyWeight: nil)
        let counts = Dictionary(grouping: days.plays, by: \.song.id).mapValues(\.count)
        #expect(counts.count == 40)
        #expect(counts.values.allSatisfy { (5...20).contains($0) })
    }

    /// By hand: one play just now is 0.5, and 0.15 · 0.5 = 0.075; three days later half a play is left, 1 − √½.
    @Test func `the term is the satiation times its weight, and the terms sum to the score`() throws {
        var heard = Satiation(at: monday(14))
        heard.add(at: monday(14))
        #expect(abs(heard.value(at: monday(14)) - 0.5) < 1e-12)
        #expect(abs(heard.value(at: monday(14 + 72)) - 0.292893218813) < 1e-9)
        var dynamics = SongDynamics(count: 1)
        dynamics.satiation = [heard.value(at: monday(14))]
        var generator = SplitMix64(seed: 1)
        let input = DecisionInput(
            now: monday(14), timeZone: utc, state: aState(), table: SongTable([equals[0]]), dynamics: dynamics)
        let decision = DecisionMaker.decide(input, using: &generator)
        let score = try #require(decision.breakdown)
        let term = try #require(score.terms.first { $0.name == "variety" })
        #expect(abs(term.contribution + 0.075) < 1e-12)
        #expect(abs(score.terms.reduce(0) { $0 + $1.contribution } - score.score) < 1e-12)
    }

    @Test func `a play that is reported late has faded, and the order of reports does not matter`() {
        var early = Satiation(at: monday(10))
        early.add(at: monday(10))
        early.add(at: monday(82))
        var late = Satiation(at: monday(82))
        late.add(at: monday(82))
        late.add(at: monday(10))
        // By hand: 1 + 0.5 plays.
        #expect(abs(early.value(at: monday(82)) - (1 - 0.353553390593)) < 1e-9)
        #expect(abs(early.value(at: monday(90)) - late.value(at: monday(90))) < 1e-12)
    }
}
