import Foundation
import Physiology
import Protocols
import Testing

struct StressTests {
    static let now = Timestamp(milliseconds: 1_772_528_400_000)
    static let clock = LocalClock(timeZone: .gmt)
    static let baseline = Baseline(
        at: now, lnRmssdMean: log(40), lnRmssdSd: 0.25, sdnnMs: 50, restingBpm: 60, maximumBpm: 180, stillBpmMean: 70,
        stillBpmSd: 5, stillBpmByHour: Array(repeating: nil, count: 24), nights: 20, stillMinutes: 3000, since: nil,
        confidence: 1, sources: [], stillLnRmssdMean: log(40), stillLnRmssdSd: 0.3)

    static func sitting(_ estimator: inout StressEstimator, until end: Timestamp, seconds: Int, bpm: Double) {
        for second in (0...seconds).reversed() {
            let at = end.adding(seconds: -Double(second))
            estimator.add(HeartRate(at: at, bpm: bpm, source: "test"))
            if second % 5 == 0 {
                estimator.add(Motion(at: at, intensity: 0.01, steps: 0, activity: .stationary))
            }
        }
    }

    @Test(arguments: [(0.0, 0.400), (1.5, 0.720), (-2.0, 0.099), (4.0, 0.961)])
    func `the score follows the logistic of the model`(z: Double, score: Double) {
        #expect(abs(StressScale.score(z: z) - score) < 5e-4)
    }

    @Test func `an ordinary person is mostly relaxed or normal`() {
        // Shares of a standard normal below −0.5, 0.75, 1.5, 2.25: tables give 30.9, 77.3, 93.3, 98.8 %.
        var counts: [StressLevel: Int] = [:]
        for step in 0..<10_000 {
            let p = (Double(step) + 0.5) / 10_000
            counts[StressScale.level(z: normalQuantile(p)), default: 0] += 1
        }
        #expect(abs(counts[.relaxed, default: 0] - 3085) <= 2)
        #expect(abs(counts[.normal, default: 0] - 4648) <= 2)
        #expect(abs(counts[.elevated, default: 0] - 1598) <= 2)
        #expect(abs(counts[.high, default: 0] - 546) <= 2)
        #expect(abs(counts[.overload, default: 0] - 122) <= 2)
    }

    /// By bisection of the error function.
    func normalQuantile(_ p: Double) -> Double {
        var low = -8.0
        var high = 8.0
        for _ in 0..<60 {
            let middle = (low + high) / 2
            if erfc(-middle / 2.0.squareRoot()) / 2 < p { low = middle } else { high = middle }
        }
        return (low + high) / 2
    }

    @Test func `test_hrvToStress_highHRV_returnsLowStress`() {
        #expect(StressScale.score(z: StressScale.hrvZ(rmssdMs: 80, usualRmssdMs: 50)) < 0.3)
        #expect(StressScale.score(z: StressScale.hrvZ(rmssdMs: 25, usualRmssdMs: 50)) > 0.6)
    }

    @Test func `still heart rate alone gives its own z`() {
        var estimator = StressEstimator()
        Self.sitting(&estimator, until: Self.now, seconds: 120, bpm: 77.5)
        let estimate = estimator.estimate(at: Self.now, baseline: Self.baseline, clock: Self.clock)
        #expect(abs(estimate.z - 1.5) < 1e-9)
        #expect(estimate.gate == .none)
        #expect(estimate.level == .high)
        #expect(estimate.confidence == 1)
    }

    @Test func `two parts keep unit variance`() {
        let parts = StressEstimator.parts(heartZ: 1, heartWeight: 1, hrv: (1, 0.2))
        // Var(w₁a + w₂b) = w₁² + w₂² + 2ρw₁w₂ with ρ 0.15: 1 + 0.04 + 0.06 = 1.1.
        #expect(abs(parts.reduce(0) { $0 + $1.z } - 1.2 / 1.1.squareRoot()) < 1e-12)
    }

    @Test func `exercise closes the gate for a quarter of an hour and the last still value fades`() {
        var estimator = StressEstimator()
        Self.sitting(&estimator, until: Self.now, seconds: 120, bpm: 80)
        let before = estimator.estimate(at: Self.now, baseline: Self.baseline, clock: Self.clock)
        #expect(abs(before.z - 2) < 1e-9)

        estimator.add(Workout(phase: .started, sport: "running", at: Self.now))
        let later = Self.now.adding(seconds: 600)
        for second in 0..<600 {
            estimator.add(HeartRate(at: Self.now.adding(seconds: Double(second + 1)), bpm: 150, source: "test"))
        }
        let during = estimator.estimate(at: later, baseline: Self.baseline, clock: Self.clock)
        #expect(during.gate == .active)
        #expect(during.level == nil)
        // One half-life of 10 min.
        #expect(abs(during.z - 1) < 1e-9)
        #expect(abs(during.confidence - before.confidence / 2) < 1e-9)

        estimator.add(Workout(phase: .ended, sport: "running", at: later))
        Self.sitting(&estimator, until: later.adding(seconds: 890), seconds: 300, bpm: 75)
        #expect(
            estimator.estimate(at: later.adding(seconds: 890), baseline: Self.baseline, clock: Self.clock).gate
                == .recovering)
        Self.sitting(&estimator, until: later.adding(seconds: 960), seconds: 60, bpm: 75)
        let after = estimator.estimate(at: later.adding(seconds: 960), baseline: Self.baseline, clock: Self.clock)
        #expect(after.gate == .none)
        #expect(abs(after.z - 1) < 1e-9)
    }

    @Test func `an estimator that was stored goes on`() throws {
        var estimator = StressEstimator()
        Self.sitting(&estimator, until: Self.now, seconds: 60, bpm: 80)
        _ = estimator.estimate(at: Self.now, baseline: Self.baseline, clock: Self.clock)
        var restored = try JSONDecoder().decode(StressEstimator.self, from: JSONEncoder().encode(estimator))
        let silent = Self.now.adding(seconds: 600)
        let held = restored.estimate(at: silent, baseline: Self.baseline, clock: Self.clock)
        #expect(abs(held.z - 1) < 1e-9)
        #expect(held == estimator.estimate(at: silent, baseline: Self.baseline, clock: Self.clock))
    }

    @Test func `riding in a car is still, walking is not`() {
        var gate = StillnessGate()
        for second in stride(from: 0.0, to: 120, by: 5) {
            gate.add(
                Motion(at: Self.now.adding(seconds: second), intensity: 0.3, steps: 0, activity: .vehicle))
        }
        #expect(gate.gate(at: Self.now.adding(seconds: 120)) == .none)
        for second in stride(from: 120.0, to: 180, by: 5) {
            gate.add(Motion(at: Self.now.adding(seconds: second), intensity: 0.4, steps: 9, activity: .walking))
        }
        #expect(gate.gate(at: Self.now.adding(seconds: 180)) == .active)
        #expect(gate.gate(at: Self.now.adding(seconds: 260)) == .recovering)
        #expect(gate.gate(at: Self.now.adding(seconds: 310)) == .none)
    }

    @Test func `sources combine by what each leaves open`() {
        // 1 − (1 − 0.5)(1 − 0.4 · 0.5) = 0.6.
        #expect(abs(SourceConfidence.combined([(0.5, 1), (0.4, 0.5)]) - 0.6) < 1e-12)
        #expect(abs(SourceConfidence.decayed(quality: 0.8, age: 600, halfLife: 300) - 0.2) < 1e-12)
    }
}
