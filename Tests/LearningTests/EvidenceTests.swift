import Foundation
import Protocols
import Testing

@testable import Learning

/// Nothing may be claimed that is not there, and what is there must be found.
struct EvidenceTests {
    private struct Listening {
        var songId: String
        var features: SongFeatures
        var window: BodyWindow
    }

    /// 956 real listenings of 30 people; figures as computed by the data's own `compute_reference.py`.
    private static func listenings() throws -> [(participant: String, listening: Listening)] {
        struct Reference: Decodable {
            struct Row: Decodable {
                var participant: String
                var song_id: String
                var hr_start: Double?
                var hr_end: Double?
                var seconds: Double
                var valence: Double
                var arousal: Double
            }
            var records_detail: [Row]
        }
        let url = try #require(SharedData.file("music-affect/reference.json"))
        let reference = try JSONDecoder().decode(Reference.self, from: Data(contentsOf: url))
        // The rated arousal and valence (−10…10) stand in for energy and valence of the song.
        return reference.records_detail.compactMap { row in
            guard let start = row.hr_start, let end = row.hr_end else { return nil }
            return (
                row.participant,
                Listening(
                    songId: row.song_id,
                    features: SongFeatures(energy: (row.arousal + 10) / 20, valence: (row.valence + 10) / 20),
                    window: BodyWindow(bpmStart: start, bpmEnd: end, seconds: row.seconds))
            )
        }
    }

    private static func claims(_ windows: [BodyWindow], labels: [Listening]) -> Int {
        let plays = zip(windows, labels).enumerated().map { index, pair in
            PlayObservation(
                playId: "p\(index)", songId: pair.1.songId, features: pair.1.features, activityContext: .relaxation,
                slot: "afternoon", need: .calm, endedAt: Timestamp(milliseconds: Int64(index) * 60_000),
                listenedMs: Int64(pair.0.seconds * 1000), durationMs: Int64(pair.0.seconds * 1000),
                outcome: .finished, body: pair.0)
        }
        let learner = Learner(replaying: plays)
        var seen = Set<String>()
        return labels.count { label in
            seen.insert(label.songId).inserted
                && Learner.learntNeeds.contains { need in
                    learner.effect(
                        songId: label.songId, features: label.features, need: need, context: .relaxation,
                        slot: "afternoon"
                    ).claim != 0
                }
        }
    }

    @Test(.enabled(if: SharedData.file("music-affect/reference.json") != nil, "needs shared/data/music-affect"))
    func `claims an effect in at most five per cent of runs with permuted labels on HKU956`() throws {
        let all = try Self.listenings()
        #expect(all.count == 956)
        let windows = all.map(\.listening.window)
        var generator = SeededGenerator(seed: 956)
        let runs = 100
        var runsWithClaim = 0
        for _ in 0..<runs {
            let labels = all.map(\.listening).shuffled(using: &generator)
            if Self.claims(windows, labels: labels) > 0 { runsWithClaim += 1 }
        }
        #expect(runsWithClaim <= runs / 20, "\(runsWithClaim) of \(runs) permuted runs claimed an effect")
    }

    @Test func `finds an effect that is there, and says nothing before`() {
        var generator = SeededGenerator(seed: 3)
        var learner = Learner()
        var firstClaim: Int?
        for index in 0..<400 {
            let calming = index % 4 == 0
            // One SD (4.1 bpm) below what all the others do.
            let change = generator.normal() * ExpectedChange.bpmNoise - (calming ? 6 : 0)
            let play = TestPlay.play(
                calming ? "lullaby" : "other\(index % 12)", id: "p\(index)", outcome: .finished,
                body: TestPlay.window(bpm: 72, change: change))
            _ = learner.learn(play)
            let claim = learner.effect(
                songId: "lullaby", features: TestPlay.features, need: .calm, context: .work, slot: "morning"
            ).claim
            if claim != 0, firstClaim == nil { firstClaim = index }
            #expect(claim >= 0)
        }
        #expect(firstClaim != nil)
        #expect((firstClaim ?? 0) >= 16)
        #expect(learner.evidence(songId: "lullaby", features: TestPlay.features).hasPrefix("raises") == false)
        #expect(learner.evidence(songId: "lullaby", features: TestPlay.features).contains("calms you"))
        #expect(learner.evidence(songId: "never played", features: TestPlay.features) == "not enough evidence")
    }

    @Test func `with known truth regret falls and the stated interval covers`() {
        var early = 0.0
        var late = 0.0
        var covered = 0
        var asked = 0
        for seed in 1...6 {
            var generator = SeededGenerator(seed: UInt64(seed))
            let slope = generator.normal() * 0.3
            let songs = (0..<80).map { index in
                let features = SongFeatures(
                    bpm: Double.random(in: 60...170, using: &generator),
                    energy: Double.random(in: 0...1, using: &generator))
                let effect = slope * (2 * (features.energy ?? 0.5) - 1) + generator.normal() * EffectModel.songSd
                return (id: "s\(index)", features: features, effect: effect)
            }
            let best = songs.map(\.effect).max() ?? 0
            var model = EffectModel(need: .calm)
            for play in 0..<600 {
                let drawn = songs.map { song in
                    let estimate = model.estimate(songId: song.id, features: song.features)
                    return estimate.mean + 0.3 * estimate.sd * generator.normal()
                }
                let choice = drawn.indices.max { drawn[$0] < drawn[$1] } ?? 0
                let regret = best - songs[choice].effect
                if play < 200 { early += regret } else if play >= 400 { late += regret }
                model.add(
                    songId: songs[choice].id, features: songs[choice].features, context: .work, slot: "morning",
                    y: songs[choice].effect + generator.normal())
                model.refit()
            }
            for song in songs {
                let estimate = model.estimate(songId: song.id, features: song.features)
                asked += 1
                if abs(estimate.mean - song.effect) <= 1.96 * estimate.sd { covered += 1 }
            }
        }
        #expect(late < 0.8 * early, "regret per 200 plays: \(early / 6) at first, \(late / 6) at last")
        let share = Double(covered) / Double(asked)
        #expect((0.88...0.995).contains(share), "\(share) of the 95 % intervals held the truth")
    }
}
