import Decisions
import Foundation
import Physiology
import Protocols
import Testing

struct StateSynthesisTests {
    private func stress(_ score: Double, confidence: Double = 1, at: Timestamp) -> StressInput {
        StressInput(
            reading: StressReading(
                at: at, level: .normal, score: score, factors: [], gate: .none, confidence: confidence),
            live: nil, now: at)
    }

    private func state(
        _ hour: Double = 14, arousal: Double? = nil, stress: Double? = nil, confidence: Double = 1,
        mood: MoodInput? = nil, patterns: EnergyPatterns? = nil, desktop: DesktopContext? = nil
    ) -> StateVector {
        var synthesis = StateSynthesis()
        return synthesis.state(
            StateInputs(
                now: monday(hour), timeZone: utc,
                arousal: arousal.map { Estimate(value: $0, confidence: confidence) },
                stress: stress.map { self.stress($0, confidence: confidence, at: monday(hour)) }, desktop: desktop,
                mood: mood.map { Mood($0) }, patterns: patterns))
    }

    /// By hand: 0.6 · 0.8 + 0.4 · (1 − 0.2) = 0.8; 0.5 − 0.3 · 0.2 = 0.44; 0.5 − 0.2 · 0.2 = 0.46.
    @Test func `energy, valence and focus follow 5-1-4`() {
        let vector = state(arousal: 0.8, stress: 0.2)
        #expect(abs(vector.energy - 0.8) < 1e-12)
        #expect(abs(vector.valence - 0.44) < 1e-12)
        #expect(abs(vector.focus - 0.46) < 1e-12)
        #expect(abs(vector.arousal - 0.8) < 1e-12)
        #expect(abs(vector.stress - 0.2) < 1e-12)
    }

    @Test func `without any sensor everything is one half and the confidence nearly nothing`() {
        let vector = state()
        #expect([vector.arousal, vector.energy, vector.focus, vector.stress, vector.valence].allSatisfy { $0 == 0.5 })
        #expect(vector.confidence < 0.06)
        #expect(vector.need == .maintain)
    }

    /// By hand: half of the trust that is enough leaves half of the way from 0.5.
    @Test func `low confidence pulls to one half`() {
        let vector = state(arousal: 0.9, stress: 0.9, confidence: 0.25)
        #expect(abs(vector.arousal - 0.7) < 1e-12)
        #expect(abs(vector.stress - 0.7) < 1e-12)
    }

    /// Deep work: 0.8 − 0.3 · 0.4 = 0.68.
    @Test func `focus in deep work is high and falls with stress`() {
        let desktop = DesktopContext(at: monday(14), focusActive: true, focusName: "Work")
        #expect(abs(state(arousal: 0.3, stress: 0.4, desktop: desktop).focus - 0.68) < 1e-12)
        #expect(state(arousal: 0.3, stress: 0.4, desktop: desktop).need == .focus)
    }

    /// By hand: mood 5 → 1, energy 2 → 0.25; valence 0.44 · 0.3 + 1 · 0.7 = 0.832; energy (0.8 + 0.25)/2 = 0.525.
    @Test func `a mood blends for 15 min`() {
        let mood = MoodInput(at: monday(14), mood: 5, energy: 2, via: "test")
        let fresh = state(14.2, arousal: 0.8, stress: 0.2, mood: mood)
        #expect(abs(fresh.valence - 0.832) < 1e-12)
        #expect(abs(fresh.energy - 0.525) < 1e-12)
        let over = state(14.26, arousal: 0.8, stress: 0.2, mood: mood)
        #expect(abs(over.valence - 0.44) < 1e-12)
    }

    /// By hand: stressed → valence 0.3, energy 0.55, stress 0.9; stress (0.2 + 0.9)/2 = 0.55.
    @Test func `a named mood also says something about stress`() {
        let mood = MoodInput(at: monday(14), mood: 2, energy: 3, named: .stressed, via: "test")
        let vector = state(arousal: 0.8, stress: 0.2, mood: mood)
        #expect(abs(vector.stress - 0.55) < 1e-12)
        #expect(abs(vector.energy - 0.675) < 1e-12)
    }

    /// By hand: 10 hours of mean 0.9 give 0.5 + 0.4 · 10/20 = 0.7; energy 0.8 + 0.2 · (0.7 − 0.8) = 0.78.
    @Test func `what is usual at this hour counts from five samples on`() {
        func patterns(_ days: Int) -> EnergyPatterns {
            // Workdays of the weeks before: Monday to Friday at 14.
            let workdays = (1...20).filter { ![1, 2].contains($0 % 7) }.prefix(days)
            return EnergyPatterns(
                hours: workdays.map { (at: monday(14.3 - 24 * Double($0)), energy: 0.9) }, now: monday(14), in: utc)
        }
        #expect(abs(state(arousal: 0.8, stress: 0.2, patterns: patterns(10)).energy - 0.78) < 1e-12)
        #expect(abs(state(arousal: 0.8, stress: 0.2, patterns: patterns(4)).energy - 0.8) < 1e-12)
        #expect(patterns(10).usual(at: monday(15), in: utc) == nil)
        #expect(patterns(10).usual(at: monday(14 - 24), in: utc) == nil)
    }

    private func battery(_ number: Int, confidence: Double, at: Timestamp) -> BatteryReading {
        BatteryReading(
            at: at, day: "2026-03-02", battery: number, zone: .easy, fitness: 50, fatigue: 60, form: -10,
            formPercent: -20, rampPerWeek: 1, guidanceLow: 20, guidanceHigh: 40, guidance: "", illness: .none,
            calibratingDays: nil, adjustment: 0, confidence: confidence, reasons: [])
    }

    private func night(_ score: Int, confidence: Double, until: Timestamp) -> SleepReport {
        SleepReport(
            at: until, night: "2026-03-02", startAt: until.adding(seconds: -28_800), endAt: until, asleepMinutes: 450,
            inBedMinutes: nil, awakeMinutes: 20, stages: nil, score: score, quality: .good, parts: [], rmssdMs: nil,
            hrvMinutes: nil, bpm: nil, goalMinutes: 480, bedtime: nil, confidence: confidence, sources: [])
    }

    /// By hand: battery 20 at confidence 0.8, just now, and a night of 80 that ended half a day ago at 0.8, so 0.4:
    /// (0.2 · 0.8 + 0.8 · 0.4) / 1.2 = 0.4; confidence 1 − 0.2 · 0.6 = 0.88; energy 0.8 + 0.2 · 0.88 · (0.4 − 0.8) = 0.7296.
    @Test func `battery and night lean the energy to their side, by their confidence`() throws {
        func vector(_ battery: BatteryReading?, _ sleep: SleepReport?) -> StateVector {
            var synthesis = StateSynthesis()
            return synthesis.state(
                StateInputs(
                    now: monday(14), timeZone: utc, arousal: Estimate(value: 0.8, confidence: 1),
                    stress: stress(0.2, at: monday(14)),
                    reserve: EnergyReserve(battery: battery, sleep: sleep, now: monday(14))))
        }
        let empty = battery(20, confidence: 0.8, at: monday(14))
        let slept = night(80, confidence: 0.8, until: monday(2))
        let both = vector(empty, slept)
        #expect(abs(both.energy - 0.7296) < 1e-12)
        #expect(both.sources.first { $0.name == "bodyBattery" }?.confidence == 0.8)
        #expect(abs((both.sources.first { $0.name == "bodySleep" }?.confidence ?? 0) - 0.4) < 1e-12)
        // By hand: 0.715 as without them; (1 − 0.08)(1 − 0.04) of the doubt is left.
        #expect(abs(both.confidence - (1 - 0.285 * 0.92 * 0.96)) < 1e-12)
        // Without them, and with ones that say nothing any more, every byte is as it was.
        let without = state(arousal: 0.8, stress: 0.2)
        #expect(vector(nil, nil) == without)
        #expect(vector(battery(0, confidence: 0.9, at: monday(14 - 49)), nil) == without)
        #expect(vector(battery(0, confidence: 0, at: monday(14)), nil) == without)
    }

    /// By hand: 1 − (1 − 0.5)(1 − 0.4)(1 − 0.05) = 0.715.
    @Test func `the confidence is one minus the product of the doubts`() {
        #expect(abs(state(arousal: 0.8, stress: 0.2).confidence - 0.715) < 1e-12)
    }

    @Test(
        arguments: [
            (0.5, 0.4, 0.5, 0.4, .workout, .energize), (0.5, 0.6, 0.5, 0.4, .workout, .maintain),
            (0.5, 0.9, 0.5, 0.1, .postWorkout, .calm), (0.5, 0.9, 0.5, 0.1, .preSleep, .calm),
            (0.5, 0.5, 0.5, 0.9, .deepWork, .focus), (0.5, 0.5, 0.5, 0.71, .work, .calm),
            (0.39, 0.29, 0.5, 0.4, .unknown, .energize), (0.5, 0.5, 0.61, 0.4, .work, .focus),
            (0.5, 0.5, 0.61, 0.4, .social, .maintain),
        ] as [(Double, Double, Double, Double, ActivityContext, MusicNeed)])
    func `the need follows 5-1-5 in its order`(
        arousal: Double, energy: Double, focus: Double, stress: Double, context: ActivityContext, expected: MusicNeed
    ) {
        let need = StateSynthesis.need(
            arousal: arousal, energy: energy, focus: focus, stress: stress, context: context, inTransition: false)
        #expect(need == expected)
    }

    @Test func `a change of a quarter is a transition for five minutes`() {
        var synthesis = StateSynthesis()
        func need(_ minute: Double, _ arousal: Double) -> MusicNeed? {
            synthesis.state(
                StateInputs(
                    now: monday(14 + minute / 60), timeZone: utc, arousal: Estimate(value: arousal, confidence: 1),
                    stress: stress(0.4, at: monday(14 + minute / 60)))
            ).need.value
        }
        #expect(need(0, 0.4) == .maintain)
        #expect(need(1, 0.6) == .maintain)
        #expect(need(2, 0.66) == .transition)
        #expect(need(5, 0.66) == .transition)
        #expect(need(5.5, 0.66) == .maintain)
    }

    @Test func `a transition that never settles expires after ten minutes`() {
        var synthesis = StateSynthesis()
        var needs: [MusicNeed?] = []
        for minute in stride(from: 0.0, through: 20, by: 1) {
            let vector = synthesis.state(
                StateInputs(
                    now: monday(14 + minute / 60), timeZone: utc,
                    arousal: Estimate(value: minute.truncatingRemainder(dividingBy: 2) * 0.5 + 0.3, confidence: 1)))
            needs.append(vector.need.value)
        }
        #expect(needs[1...10].allSatisfy { $0 == .transition })
        #expect(needs[11...].allSatisfy { $0 == .maintain })
    }

    @Test func `a reading of the body is used for ten minutes, live samples after it and while moving`() {
        let reading = StressReading(at: monday(14), level: .normal, score: 0.8, factors: [], gate: .none, confidence: 1)
        let baseline = Baseline(
            at: monday(0), lnRmssdMean: nil, lnRmssdSd: nil, sdnnMs: nil, restingBpm: 60, maximumBpm: 180,
            stillBpmMean: 70, stillBpmSd: 6, stillBpmByHour: [], nights: 0, stillMinutes: 0, since: nil, confidence: 0,
            sources: [])
        var estimator = StressEstimator()
        let live = estimator.estimate(at: monday(14.1), baseline: baseline, clock: LocalClock(timeZone: utc))
        estimator.add(Workout(phase: .started, sport: "running", at: monday(14)))
        let moving = estimator.estimate(at: monday(14.1), baseline: baseline, clock: LocalClock(timeZone: utc))
        #expect(StressInput(reading: reading, live: live, now: monday(14.1)).isFromBody)
        #expect(!StressInput(reading: reading, live: live, now: monday(14.17)).isFromBody)
        let gated = StressInput(reading: reading, live: moving, now: monday(14.1))
        #expect(!gated.isFromBody)
        #expect(gated.gate == .active)
    }

    @Test func `turns of the crown fade with a half-life of 20 min and stay within their limits`() {
        var nudges = CrownNudges()
        nudges.apply(Nudge(at: monday(14), delta: 0.8, kind: .energy))
        nudges.apply(Nudge(at: monday(14), delta: 0.8, kind: .energy))
        nudges.apply(Nudge(at: monday(14), delta: -0.5, kind: .intensity))
        #expect(nudges.energy(at: monday(14)) == 0.5)
        #expect(abs(nudges.energy(at: monday(14 + 1.0 / 3)) - 0.25) < 1e-9)
        #expect(nudges.tempo(at: monday(14)) == -10)
        nudges.clear()
        #expect(nudges.energy(at: monday(14)) == 0)
    }
}
