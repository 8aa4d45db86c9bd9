import Foundation
import Physiology
import Protocols
import Testing

/// Whoever knows less must not be surer.
struct MissingDataTests {
    /// Two minutes of a sitting person: heart rates of any quality, beats, movement.
    struct Recording {
        var heartRates: [HeartRate] = []
        var beats: [RRIntervals] = []
        var motions: [Motion] = []

        init(random: inout SplitMix64) {
            let start = StressTests.now.adding(seconds: -120)
            let step = 1 + Int(random.next() % 8)
            for second in stride(from: 0, to: 120, by: step) {
                heartRates.append(
                    HeartRate(
                        at: start.adding(seconds: Double(second)), bpm: 60 + 10 * random.uniform(),
                        quality: random.uniform(), source: "test"))
            }
            for second in stride(from: 0, to: 120, by: 5) {
                motions.append(
                    Motion(
                        at: start.adding(seconds: Double(second)), intensity: 0, steps: 0, activity: .stationary))
            }
            for second in 0..<120 {
                beats.append(
                    RRIntervals(
                        startAt: start.adding(seconds: Double(second)),
                        rrMs: [second % 2 == 0 ? 1000 : 990 + 20 * random.uniform()], source: "test"))
            }
        }

        /// The same with things missing.
        func thinned(_ keep: Double, random: inout SplitMix64) -> Recording {
            var thinned = self
            thinned.heartRates = heartRates.filter { _ in random.uniform() < keep }
            thinned.beats = beats.filter { _ in random.uniform() < keep }
            thinned.motions = random.uniform() < 0.5 ? motions : motions.filter { _ in random.uniform() < keep / 4 }
            return thinned
        }

        func confidence() -> Double {
            var estimator = StressEstimator()
            motions.forEach { estimator.add($0) }
            heartRates.forEach { estimator.add($0) }
            beats.forEach { estimator.add($0) }
            return estimator.estimate(at: StressTests.now, baseline: StressTests.baseline, clock: StressTests.clock)
                .confidence
        }
    }

    @Test(arguments: 0..<200) func `stress is never surer with data missing`(seed: UInt64) {
        var random = SplitMix64(seed: seed, name: "missing")
        var recording = Recording(random: &random)
        var confidence = recording.confidence()
        // Ever less is left.
        for _ in 0..<6 {
            recording = recording.thinned(0.7, random: &random)
            let thinner = recording.confidence()
            #expect(thinner <= confidence + 1e-12)
            confidence = thinner
        }
        #expect(Recording(random: &random).thinned(0, random: &random).confidence() == 0)
    }

    @Test func `a doubtful sample beside good ones is no reason to be surer without it`() {
        var random = SplitMix64(seed: 1, name: "doubt")
        var recording = Recording(random: &random)
        recording.heartRates = (0..<60).map { second in
            HeartRate(
                at: StressTests.now.adding(seconds: Double(second - 59)), bpm: 70, quality: second < 50 ? 0.1 : 1,
                source: "test")
        }
        let all = recording.confidence()
        recording.heartRates.removeFirst(50)
        #expect(recording.confidence() <= all)
    }
}
