import Music
import Protocols
import Testing

struct TempoTests {
    private func match(_ tempo: TempoEstimate?, _ target: Double) -> Double {
        TempoCandidates(tempo).match(target: target, tolerance: 50)
    }

    /// By hand: 1 − |bpm − target| / 50.
    @Test(
        arguments: [(100.0, 100.0, 1.0), (90, 100, 0.8), (125, 100, 0.5), (160, 100, 0), (50, 100, 0)]
            as [(Double, Double, Double)])
    func `a sure tagged tempo matches by its distance`(bpm: Double, target: Double, expected: Double) {
        #expect(abs(match(TempoEstimate(bpm: bpm, confidence: 1, source: "tag"), target) - expected) < 1e-12)
    }

    @Test func `a tagged tempo alone is not folded`() {
        #expect(match(TempoEstimate(bpm: 160, confidence: 1, source: "tag"), 80) == 0)
    }

    /// By hand: 0.7 · 0 + 0.3 · 1.
    @Test func `a folded match counts by its probability`() {
        let tempo = TempoEstimate(
            bpm: 160, confidence: 1,
            candidates: [.init(bpm: 160, probability: 0.7), .init(bpm: 80, probability: 0.3)], source: "analysis")
        #expect(abs(match(tempo, 80) - 0.3) < 1e-12)
        #expect(abs(match(tempo, 160) - 0.7) < 1e-12)
    }

    /// By hand: 0.5 · 0.4 (doubt) + 0.6 · 1.
    @Test func `doubt pulls the match to one half`() {
        #expect(abs(match(TempoEstimate(bpm: 100, confidence: 0.6, source: "analysis"), 100) - 0.8) < 1e-12)
        #expect(abs(match(TempoEstimate(bpm: 200, confidence: 0.6, source: "analysis"), 100) - 0.2) < 1e-12)
        #expect(match(TempoEstimate(bpm: 100, confidence: 0, source: "analysis"), 100) == 0.5)
    }

    @Test func `an unknown tempo matches every target by one half`() {
        for target in [50.0, 100, 180] { #expect(match(nil, target) == 0.5) }
    }

    @Test func `a main tempo that is missing among its candidates gets what they leave`() {
        // By hand: 120 gets 0.6, 60 has 0.4.
        let tempo = TempoEstimate(
            bpm: 120, confidence: 1, candidates: [.init(bpm: 60, probability: 0.4)], source: "analysis")
        #expect(abs(match(tempo, 60) - 0.4) < 1e-12)
        #expect(abs(match(tempo, 120) - 0.6) < 1e-12)
    }
}
