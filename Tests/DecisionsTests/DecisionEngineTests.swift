import Decisions
import Foundation
import Music
import Physiology
import Protocols
import Testing

/// The tests that part 9.1.2 of the specification names, by their names (`test_transitionScore_…` is in MusicTests too).
struct DecisionEngineTests {
    private let songs = [70.0, 80, 90, 110, 125, 140, 155, 170].map {
        aSong("\(Int($0))", bpm: $0, energy: ($0 - 60) / 120)
    }

    @Test func test_selectSong_highStress_prefersLowBPM() throws {
        let state = aState(.calm, .work, arousal: 0.7, energy: 0.5, focus: 0.3, stress: 0.8)
        for seed in 0..<50 {
            var generator = SplitMix64(seed: UInt64(seed))
            let decision = DecisionMaker.decide(
                DecisionInput(now: monday(14), timeZone: utc, state: state, table: SongTable(songs)), using: &generator)
            let song = try #require(decision.song)
            #expect(try #require(Double(song.id)) < 100)
        }
    }

    @Test func test_selectSong_recentlyPlayed_avoidsRepeat() {
        for seed in 0..<50 {
            var generator = SplitMix64(seed: UInt64(seed))
            let decision = DecisionMaker.decide(
                DecisionInput(
                    now: monday(14), timeZone: utc, state: aState(.calm), table: SongTable(songs),
                    recent: [play(songs[0], ended: monday(14))]),
                using: &generator)
            #expect(decision.song != nil)
            #expect(decision.song?.id != songs[0].id)
        }
    }

    @Test func test_transitionScore_smoothBPMTransition_scoresHigher() {
        let from = Transition(from: aSong("from", bpm: 100))
        #expect(from.score(to: aSong("a", bpm: 110)) > from.score(to: aSong("b", bpm: 160)))
    }
}
