import Foundation
import Music
import Protocols
import Testing

struct TransitionTests {
    private func song(
        _ bpm: Double?, energy: Double? = nil, genres: [String] = [], key: String? = nil
    ) -> Song {
        Song(
            id: "x", title: "x", artist: "x", genres: genres,
            tempo: bpm.map { TempoEstimate(bpm: $0, confidence: 1, source: "tag") }, energy: energy, key: key)
    }

    @Test func `test_transitionScore_smoothBPMTransition_scoresHigher`() {
        let from = Transition(from: song(100))
        #expect(from.score(to: song(110)) > from.score(to: song(160)))
    }

    /// By hand: 0.4 · (1 − 15/30) + 0.4 · (1 − 0.1/0.4) + 0.2 · 1 = 0.7.
    @Test func `tempo, energy and genre weigh 0.4, 0.4 and 0.2`() {
        let from = Transition(from: song(100, energy: 0.5, genres: ["Rock"]))
        #expect(abs(from.score(to: song(115, energy: 0.6, genres: ["rock", "Pop"])) - 0.7) < 1e-12)
        #expect(abs(from.score(to: song(115, energy: 0.6, genres: ["jazz"])) - 0.5) < 1e-12)
        #expect(abs(from.score(to: song(100, energy: 0.5, genres: ["ROCK"])) - 1) < 1e-12)
    }

    @Test func `unknown features count one half, never zero`() {
        let from = Transition(from: song(100, energy: 0.5, genres: ["rock"]))
        #expect(abs(from.score(to: song(nil)) - 0.5) < 1e-12)
        #expect(abs(Transition(from: song(nil)).score(to: song(100, energy: 0.5)) - 0.5) < 1e-12)
    }

    /// By hand: 0.85 · 0.5 + 0.15 · harmony; C major to A minor: same place on the circle, other mode.
    @Test(
        arguments: [
            ("C", 1.0), ("Am", 0.9), ("G", 5.0 / 6), ("F", 5.0 / 6), ("F#", 0.0), ("8B", 1.0), ("8A", 0.9),
        ] as [(String, Double)])
    func `the key counts where both are known`(key: String, harmony: Double) {
        let from = Transition(from: song(nil, key: "C"))
        #expect(abs(from.score(to: song(nil, key: key)) - (0.85 * 0.5 + 0.15 * harmony)) < 1e-12)
        #expect(abs(from.score(to: song(nil)) - 0.5) < 1e-12)
    }

    @Test(arguments: [
        ("C", 0, false), ("Am", 0, true), ("F#", 6, false), ("Gb", 6, false), ("Bb minor", 7, true),
        ("E♭ major", 9, false),
        ("8A", 0, true), ("12B", 4, false), ("C#m", 4, true),
    ])
    func `keys are read in the usual spellings`(text: String, fifths: Int, isMinor: Bool) throws {
        let key = try #require(MusicalKey(text))
        #expect(key.fifths == fifths)
        #expect(key.isMinor == isMinor)
    }

    @Test(arguments: ["", "H7x", "0A", "13B", "unknown"])
    func `what is no key is unknown`(text: String) { #expect(MusicalKey(text) == nil) }
}

struct FamiliarityTests {
    private let day = 86_400.0

    /// By hand: 1 − e^(−6/6) and 1 − e^(−(2 + 0.3 · 2)/6).
    @Test func `familiarity grows with plays as specified`() {
        let now = Timestamp(milliseconds: 1_700_000_000_000)
        #expect(abs(Familiarity(completed: 6, at: now).value(at: now) - 0.632_120_558_8) < 1e-9)
        #expect(abs(Familiarity(completed: 2, partial: 2, at: now).value(at: now) - 0.351_655_659_0) < 1e-9)
        #expect(Familiarity(at: now).value(at: now) == 0)
    }

    /// By hand: after 180 days 6 plays count 3: 1 − e^(−0.5).
    @Test func `half of it is forgotten in 180 days`() {
        let start = Timestamp(milliseconds: 1_700_000_000_000)
        let later = start.adding(seconds: 180 * day)
        #expect(abs(Familiarity(completed: 6, at: start).value(at: later) - 0.393_469_340_3) < 1e-9)
        var known = Familiarity(completed: 6, at: start)
        known.add(completed: true, at: later)
        #expect(abs(known.completed - 4) < 1e-12)
    }

    @Test func `the order in which plays are reported does not matter`() {
        let start = Timestamp(milliseconds: 1_700_000_000_000)
        var forward = Familiarity(at: start)
        forward.add(completed: true, at: start)
        forward.add(completed: false, at: start.adding(seconds: 90 * day))
        var backward = Familiarity(at: start)
        backward.add(completed: false, at: start.adding(seconds: 90 * day))
        backward.add(completed: true, at: start)
        let now = start.adding(seconds: 100 * day)
        #expect(abs(forward.value(at: now) - backward.value(at: now)) < 1e-12)
    }
}
