import Foundation
import Protocols
import Testing

@testable import Learning

/// The tests of part 9.1.3 of the specification, by name, and the rules around them.
struct LearningStoreTests {
    @Test func `test_processPlayback_skipped_decreasesCalmScore`() throws {
        var log = SongEffectLog(calm: 0.7)
        let play = TestPlay.play(share: 0.2, outcome: .skipped, body: nil)
        let impact = Impact(play, beyond: .init(bpm: 0, rmssdMs: -5, lnRmssd: -0.1), weights: LearningWeights())
        log.add(impact, at: play.endedAt)
        #expect(log.calm < 0.7)
        // 0.5 − 5/10 · 0.5 − 0.3 · 0.2 − 0.3 is below 0, so 0; 0.8 · 0.7 + 0.2 · 0 = 0.56.
        #expect(abs(log.calm - 0.56) < 1e-12)
    }

    @Test func `test_processPlayback_fullListen_positiveHRV_increasesCalmScore`() throws {
        var log = SongEffectLog()
        let play = TestPlay.play(share: 0.95, outcome: .finished, body: nil)
        let impact = Impact(play, beyond: .init(bpm: 0, rmssdMs: 10, lnRmssd: 0.2), weights: LearningWeights())
        log.add(impact, at: play.endedAt)
        #expect(log.calm > 0.5)
        // 0.5 + 0.5 + 0.45 · 0.2 is above 1, so 1; 0.8 · 0.5 + 0.2 · 1 = 0.6.
        #expect(abs(log.calm - 0.6) < 1e-12)
    }

    @Test func `a skip through the whole learner lowers the song's calm and its value, a full listen raises it`() throws
    {
        let worse = TestPlay.window(bpm: 70, change: 4, rmssd: 40, rmssdChange: -5)
        let better = TestPlay.window(bpm: 70, change: -4, rmssd: 40, rmssdChange: 10)
        var learner = Learner()
        _ = learner.learn(TestPlay.play("skipped", share: 0.2, outcome: .skipped, body: worse))
        _ = learner.learn(TestPlay.play("loved", share: 1, outcome: .finished, body: better))
        let key = { Learner.EffectKey(songId: $0, context: "any", slot: "any") }
        #expect(try #require(learner.effectLog(key("skipped"))).calm < 0.5)
        #expect(try #require(learner.effectLog(key("loved"))).calm > 0.5)
        func value(_ id: String) -> Double {
            learner.effect(songId: id, features: SongFeatures(), need: .calm, context: .work, slot: "morning").value
        }
        #expect(value("skipped") < value("unheard"))
        #expect(value("loved") > value("unheard"))
        func reception(_ id: String) -> Double {
            learner.effect(songId: id, features: SongFeatures(), need: .calm, context: .work, slot: "morning").reception
        }
        // One play against four of shrinkage: −0.3 · (1 − 0.2) / 5 and 0.5 · 0.2 / 5.
        #expect(abs(reception("skipped") + 0.048) < 1e-12)
        #expect(abs(reception("loved") - 0.02) < 1e-12)
        #expect(reception("unheard") == 0)
    }

    @Test func `a bad window leaves calm and energy as they were`() throws {
        var learner = Learner()
        let learnt = learner.learn(TestPlay.play(share: 1, outcome: .finished, body: nil))
        let lesson = try #require(learnt)
        #expect(lesson.impact.calm == nil && lesson.impact.energy == nil)
        let log = try #require(learner.effectLog(.init(songId: "song", context: "any", slot: "any")))
        #expect(log.calm == 0.5 && log.energy == 0.5 && log.plays == 1)
    }

    @Test(arguments: [
        (PlayOutcome.skipped, Int64(4_999), false), (.skipped, 5_000, true), (.finished, 200_000, true),
        (.stopped, 60_000, true), (.replaced, 60_000, true), (.failed, 60_000, false), (.lost, 60_000, false),
    ])
    func `browsing, failures and lost plays count for nothing`(outcome: PlayOutcome, listened: Int64, counts: Bool) {
        var play = TestPlay.play(outcome: outcome, body: nil)
        play.listenedMs = listened
        #expect(play.counts == counts)
        var learner = Learner()
        let learnt = learner.learn(play) != nil
        #expect(learnt == counts)
    }

    @Test func `only a skip takes the skip penalty`() throws {
        let window = TestPlay.window(bpm: 70, change: 0)
        let weights = LearningWeights()
        let beyond = ExpectedChange.Beyond(bpm: 0)
        for outcome in [PlayOutcome.stopped, .replaced] {
            let stopped = Impact(
                TestPlay.play(share: 0.5, outcome: outcome, body: window), beyond: beyond, weights: weights)
            #expect(stopped.calm == 0.5)
        }
        let skipped = Impact(
            TestPlay.play(share: 0.5, outcome: .skipped, body: window), beyond: beyond, weights: weights)
        #expect(abs(try #require(skipped.calm) - 0.2) < 1e-12)
    }

    @Test func `focus is credited from three undisturbed minutes of work on`() {
        func credit(
            _ ms: Int64, of duration: Int64, volume: Int = 0, kept: Bool = true, outcome: PlayOutcome = .finished
        ) -> Double? {
            var play = TestPlay.play(outcome: outcome, body: nil)
            play.listenedMs = ms
            play.durationMs = duration
            play.volumeAdjustments = volume
            play.workContextKept = kept
            return play.focusCredit
        }
        #expect(credit(200_000, of: 200_000) == 1)
        #expect(credit(179_999, of: 180_000) == nil)
        #expect(credit(200_000, of: 200_000, volume: 1) == 0)
        #expect(credit(200_000, of: 200_000, kept: false) == nil)
        #expect(credit(30_000, of: 200_000, outcome: .skipped) == 0)
        #expect(credit(185_000, of: 400_000, outcome: .stopped) == 0)
    }

    /// By hand: .25 · (1 − .2) + .30 · (.5 + 4/20) + .25 · .9 + .20 · .8 = .2 + .21 + .225 + .16.
    @Test func `session quality is the weighted sum of the specification`() {
        let quality = SessionQuality(skipRate: 0.2, averageListenShare: 0.9, hrvChangeMs: 4, sleepScore: 0.8)
        #expect(abs(quality.score - 0.795) < 1e-12)
        let unknown = SessionQuality(skipRate: 0, averageListenShare: 1)
        #expect(abs(unknown.score - (0.25 + 0.15 + 0.25 + 0.10)) < 1e-12)
    }

    @Test func `plays without a body are no evidence of what a song does to it`() {
        var learner = Learner()
        for index in 0..<9 {
            let body = index < 3 ? TestPlay.window(bpm: 75, change: -4) : nil
            _ = learner.learn(TestPlay.play(id: "p\(index)", outcome: .finished, body: body))
        }
        let effect = learner.effect(
            songId: "song", features: TestPlay.features, need: .calm, context: .work, slot: "morning")
        #expect(effect.plays == 3)
        #expect(learner.plays == 9)
    }

    /// A song without plays of its own is the limit of one whose plays count for less and less.
    @Test func `a song that was never heard is judged by its neighbours`() {
        var learner = Learner()
        for index in 0..<60 {
            _ = learner.learn(
                TestPlay.play(
                    "song\(index % 12)", id: "p\(index)", outcome: .finished,
                    body: TestPlay.window(bpm: 75, change: -5)))
        }
        func effect(_ features: SongFeatures) -> Learner.SongEffect {
            learner.effect(songId: "new", features: features, need: .calm, context: .work, slot: "morning")
        }
        let like = effect(TestPlay.features)
        let unlike = effect(SongFeatures(bpm: 170, energy: 0.95, valence: 0.5))
        #expect(like.plays == 0 && like.claim == 0)
        #expect(like.value > 0.5 && like.value > unlike.value)
        #expect(like.confidence > 0 && like.confidence < 1)
    }

    @Test func `undoing plays gives exactly what would be known without them`() {
        var generator = SeededGenerator(seed: 7)
        let plays = (0..<80).map { index in
            TestPlay.play(
                "song\(index % 9)", id: "p\(index)", share: Double.random(in: 0.3...1, using: &generator),
                outcome: Bool.random(using: &generator) ? .finished : .skipped,
                body: TestPlay.window(
                    bpm: Double.random(in: 60...90, using: &generator),
                    change: Double.random(in: -6...6, using: &generator), rmssd: 40,
                    rmssdChange: Double.random(in: -8...8, using: &generator)))
        }
        let undone = Set(["p3", "p40", "p79"])
        var never = Learner()
        for play in plays where !undone.contains(play.playId) { _ = never.learn(play) }
        let replayed = Learner(replaying: plays.filter { !undone.contains($0.playId) })
        var all = Learner()
        for play in plays { _ = all.learn(play) }

        var changed = false
        for index in 0..<9 {
            for need in Learner.learntNeeds {
                func effect(_ learner: Learner) -> Learner.SongEffect {
                    learner.effect(
                        songId: "song\(index)", features: TestPlay.features, need: need, context: .work, slot: "morning"
                    )
                }
                #expect(effect(never) == effect(replayed))
                changed = changed || abs(effect(all).value - effect(replayed).value) > 1e-3
            }
        }
        #expect(changed, "undo changed nothing")
        #expect(never.effectLogs().map(\.log) == replayed.effectLogs().map(\.log))
    }
}
