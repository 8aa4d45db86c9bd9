import Decisions
import Foundation
import Physiology
import Protocols
import Testing

/// The tests that part 9.1.1 of the specification names, by their names.
struct StateEngineTests {
    @Test func test_heartRateToArousal_atResting_returnsLowArousal() {
        let scale = HeartScale(restingBpm: 60, maximumBpm: 180)
        #expect(abs(scale.arousal(bpm: 60) - 0) < 0.1)
    }

    @Test func test_heartRateToArousal_atMax_returnsHighArousal() {
        let scale = HeartScale(restingBpm: 60, maximumBpm: 180)
        #expect(abs(scale.arousal(bpm: 180) - 1) < 0.1)
    }

    /// The specification expects stress below 0.3 for an HRV of 80 ms against a usual 50 ms by a ratio. The corrected
    /// scale works on ln RMSSD in personal SDs: with an SD of 0.3, ln(50/80)/0.3 = −1.57, and
    /// 1/(1 + e^(0.9 · 1.57 + 0.405)) = 0.14: below 0.3 as well.
    @Test func test_hrvToStress_highHRV_returnsLowStress() {
        let z = log(50.0 / 80) / 0.3
        let stress = StressScale.score(z: z)
        #expect(stress < 0.3)
        #expect(abs(stress - 0.140) < 0.001)
    }

    @Test func test_inferContext_duringWorkout_returnsWorkout() {
        var context = ContextInference()
        context.observe(Workout(phase: .started, sport: "running", at: monday(14)))
        #expect(context.infer(now: monday(14.2), in: utc, desktop: nil, calendar: nil) == .workout)
    }

    @Test func test_inferContext_deepFocusModeActive_returnsDeepWork() {
        let desktop = DesktopContext(at: monday(14), focusActive: true, focusName: "Work", workState: .deepWork)
        #expect(ContextInference().infer(now: monday(14), in: utc, desktop: desktop, calendar: nil) == .deepWork)
    }
}
