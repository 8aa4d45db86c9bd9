import Decisions
import Foundation
import Music
import Physiology
import Protocols
import Testing

struct ExplanationTests {
    private let heart = [SourceAge(name: "heartRate", ageSeconds: 5, confidence: 0.9)]

    private func explain(
        _ state: StateVector, _ songs: [Song] = [aSong("a", bpm: 72, energy: 0.2)], dynamics: SongDynamics? = nil,
        hour: Double = 14, slope: Double? = nil, recent: [RecentPlay] = [], preferences: Preferences = Preferences()
    ) throws -> (Explanation, Why, Decision) {
        let input = DecisionInput(
            now: monday(hour), timeZone: utc, state: state, table: SongTable(songs), dynamics: dynamics, recent: recent,
            preferences: preferences)
        var generator = SplitMix64(seed: 4)
        let decision = DecisionMaker.decide(input, using: &generator)
        let explanation = try #require(
            Explanation(decision, input: input, evidence: ExplanationEvidence(heartRateSlope: slope)))
        return (explanation, try #require(explanation.why(decision)), decision)
    }

    @Test func `a calming pick names the heart rate, its course, the song and what it did before`() throws {
        var dynamics = SongDynamics(count: 1)
        dynamics.calm = [0.7]
        dynamics.effectConfidence = [0.35]
        dynamics.effectPlays = [7]
        var quiet = Preferences()
        quiet.randomShare = 0
        let (explanation, why, _) = try explain(
            aState(.calm, .work, stress: 0.75, bpm: 96, sources: heart), dynamics: dynamics, slope: 3,
            preferences: quiet)
        #expect(
            explanation.text == "Your heart rate is 96 and has been rising, you seem stressed and you are at work; "
                + "I picked \"Title a\" (72 BPM, low energy) to calm you down. "
                + "This track has calmed you before (7 plays).")
        #expect(explanation.short == "Calming you down")
        #expect(why.terms.allSatisfy { $0.text?.isEmpty == false })
    }

    @Test func `nothing is claimed without evidence`() throws {
        var preferences = Preferences()
        preferences.randomShare = 0
        let (explanation, why, _) = try explain(
            aState(.calm, stress: 0.75), [aSong("a")], dynamics: SongDynamics(count: 1), preferences: preferences)
        #expect(!explanation.text.contains("stress"))
        #expect(!explanation.text.contains("before ("))
        #expect(!explanation.text.contains("BPM"))
        #expect(explanation.text.contains("There was no heart-rate data yet"))
        #expect(why.terms.first { $0.name == "tempo" }?.text == "tempo unknown, counted as neutral")
        #expect(why.terms.first { $0.name == "effect" }?.text == "not enough evidence of what it does for you")
    }

    @Test func `two plays are no evidence`() throws {
        var dynamics = SongDynamics(count: 1)
        dynamics.calm = [0.9]
        dynamics.effectConfidence = [0.9]
        dynamics.effectPlays = [2]
        let (explanation, _, _) = try explain(aState(.calm), dynamics: dynamics)
        #expect(!explanation.text.contains("calmed you"))
    }

    @Test func `the boost of familiar songs under stress makes no song well known`() throws {
        var dynamics = SongDynamics(count: 1)
        dynamics.familiarity = [0.45]
        let (boosted, why, _) = try explain(aState(.calm, stress: 0.9), dynamics: dynamics)
        // 0.45 · 1.3 counts, and is more than a half.
        #expect(abs((why.terms.first { $0.name == "familiarity" }?.value ?? 0) - 0.585) < 1e-12)
        #expect(!boosted.text.contains("You know it well."))
        dynamics.familiarity = [0.5]
        let (known, _, _) = try explain(aState(.maintain), dynamics: dynamics)
        #expect(known.text.contains("You know it well."))
    }

    @Test func `how a song is received is said of that song alone`() throws {
        var dynamics = SongDynamics(count: 1)
        dynamics.learned = [-0.1]
        let (_, skipped, _) = try explain(aState(.maintain), dynamics: dynamics)
        #expect(skipped.terms.first { $0.name == "learned" }?.text == "you tend to skip it")
        dynamics.learned = [0.05]
        let (_, heard, _) = try explain(aState(.maintain), dynamics: dynamics)
        #expect(heard.terms.first { $0.name == "learned" }?.text == "you tend to hear it to the end")
    }

    @Test func `old data is called old`() throws {
        let old = [SourceAge(name: "heartRate", ageSeconds: 300, confidence: 0.03)]
        let (explanation, _, _) = try explain(aState(.maintain, bpm: 80, sources: old))
        #expect(!explanation.text.contains("heart rate is 80"))
        #expect(explanation.text.contains("5 min old"))
    }

    @Test func `a relaxation is told`() throws {
        let song = aSong("a", bpm: 72, energy: 0.2)
        let (explanation, why, _) = try explain(
            aState(.calm), [song], recent: [play(song, ended: monday(13.99))])
        #expect(why.relaxations == ["songWindow"])
        #expect(explanation.text.contains("a recent song was allowed again"))
    }

    @Test(arguments: 0..<50) func `the contributions of every explanation sum to its score`(seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        let songs = randomSongs(80, artists: 20, using: &generator)
        let table = SongTable(songs)
        let input = DecisionInput(
            now: monday(Double(generator.next() % 24)), timeZone: utc,
            state: aState(MusicNeed.allCases[Int(seed % 5)], ActivityContext.allCases[Int(seed % 10)]), table: table,
            dynamics: randomDynamics(80, using: &generator), recent: [play(songs[3], ended: monday(0))],
            lastSong: songs[3])
        let decision = DecisionMaker.decide(input, using: &generator)
        let why = try #require(Explanation(decision, input: input)?.why(decision))
        #expect(abs(why.terms.reduce(0) { $0 + $1.contribution } - why.score) < 1e-9)
        for song in songs.prefix(10) {
            guard let answer = decision.whyNot(songId: song.id, input: input) else { continue }
            let sum = answer.terms.reduce(0) { $0 + $1.contribution }
            #expect(abs(sum - (answer.score ?? .nan)) < 1e-9)
        }
    }

    @Test func `why not names the guard that kept a song out`() throws {
        let songs = (0..<30).map { aSong("s\($0)", bpm: 80, energy: 0.3) } + [aSong("fast", bpm: 150, energy: 0.9)]
        let input = DecisionInput(
            now: monday(23), timeZone: utc, state: aState(.calm), table: SongTable(songs),
            recent: [play(songs[0], ended: monday(22.9))])
        var generator = SplitMix64(seed: 1)
        let decision = DecisionMaker.decide(input, using: &generator)
        let fast = try #require(decision.whyNot(songId: "fast", input: input))
        #expect(!fast.admissible)
        #expect(fast.blockedBy == ["timeOfDay"])
        #expect(fast.text.contains("night limit of 100 BPM"))
        let again = try #require(decision.whyNot(songId: "s0", input: input))
        #expect(again.blockedBy.contains("songWindow"))
        #expect(decision.whyNot(songId: "elsewhere", input: input) == nil)
    }

    @Test func `why not compares an admissible song with the pick`() throws {
        let songs = (0..<40).map { aSong("s\($0)", bpm: 75, energy: 0.2) } + [aSong("fast", bpm: 170, energy: 0.95)]
        let input = DecisionInput(
            now: monday(14), timeZone: utc, state: aState(.calm), table: SongTable(songs))
        var generator = SplitMix64(seed: 1)
        let decision = DecisionMaker.decide(input, using: &generator)
        let answer = try #require(decision.whyNot(songId: "fast", input: input))
        #expect(answer.admissible)
        #expect(answer.rank == 41)
        #expect(try #require(answer.score) < (try #require(answer.chosenScore)))
        #expect(answer.text.contains("number 41 of 41"))
        #expect(answer.text.contains("170 BPM, wanted about 75"))
    }
}
