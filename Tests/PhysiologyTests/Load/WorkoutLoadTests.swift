import Foundation
import Physiology
import Protocols
import Testing

struct WorkoutLoadTests {
    private static let start = Timestamp(milliseconds: 1_700_000_000_000)

    static func workout(
        _ sport: Sport, seconds: Int, bpm: Double? = nil, watts: Double? = nil, speed: Double? = nil,
        gradient: Double = 0, distance: Double? = nil, exertion: Double? = nil
    ) -> WorkoutFigures {
        let samples = (0..<seconds).map { second in
            WorkoutSample(
                at: start.adding(seconds: Double(second)), bpm: bpm, powerW: watts, speedMps: speed,
                altitudeM: speed.map { 100 + gradient * $0 * Double(second) })
        }
        return WorkoutFigures(
            WorkoutRecord(
                start: start, end: start.adding(seconds: Double(seconds)), sport: sport,
                movingSeconds: Double(seconds), distanceM: distance, perceivedExertion: exertion, source: "test",
                samples: bpm == nil && watts == nil && speed == nil ? [] : samples))
    }

    @Test func `an hour at the threshold is 100, whatever the sport`() throws {
        let thresholds = TrainingThresholds(
            since: 0, thresholdPowerW: 250, thresholdRunMps: 4, thresholdSwimMps: 1.25, restingBpm: 50,
            maximumBpm: 190, thresholdBpm: 170)
        let rules = LoadRules(sex: "male")
        let ride = rules.load(of: Self.workout(.cycling, seconds: 3600, watts: 250), thresholds)
        #expect(ride.method == .power)
        // 29 s of the first window do not count: 100 · 3571/3600.
        #expect(abs((ride.load ?? 0) - 99.194) < 0.01)
        #expect(abs((ride.intensity ?? 0) - 1) < 1e-9)
        let run = rules.load(of: Self.workout(.running, seconds: 3600, speed: 4), thresholds)
        #expect(run.method == .pace && abs((run.load ?? 0) - 100) < 1e-6)
        let swim = rules.load(of: Self.workout(.swimming, seconds: 3600, distance: 4500), thresholds)
        #expect(swim.method == .swimPace && abs((swim.load ?? 0) - 100) < 1e-9)
        let walk = rules.load(of: Self.workout(.walking, seconds: 3600, bpm: 170), thresholds)
        #expect(walk.method == .heartRate && abs((walk.load ?? 0) - 100) < 1e-9)
        let session = rules.load(of: Self.workout(.strength, seconds: 3600, exertion: 7), thresholds)
        #expect(session.method == .perceivedExertion && abs((session.load ?? 0) - 100) < 1e-9)
    }

    @Test func `swimming at 0.85 of the threshold costs the cube`() {
        let thresholds = TrainingThresholds(since: 0, thresholdSwimMps: 1)
        let swim = LoadRules().load(of: Self.workout(.swimming, seconds: 3600, distance: 3060), thresholds)
        #expect(abs((swim.load ?? 0) - 61.4125) < 1e-9)  // 100 · 0.85³
    }

    /// x = (150 − 50)/140 = 0.7142857; men 60 · 0.64·x·e^(1.92x), women 60 · 0.86·x·e^(1.67x), by Python.
    @Test(arguments: [("male", 108.09535934022334), ("female", 121.4990663906425)])
    func `an hour at 150 beats has Banister's impulse`(sex: String, expected: Double) throws {
        let thresholds = TrainingThresholds(since: 0, restingBpm: 50, maximumBpm: 190, thresholdBpm: 170)
        let hour = LoadRules(sex: sex).load(of: Self.workout(.other, seconds: 3600, bpm: 150), thresholds)
        #expect(abs((hour.trimp ?? 0) - expected) < 1e-9)
    }

    @Test func `uphill costs as Minetti measured`() {
        #expect(abs(GradedSpeed.cost(0) - 3.6) < 1e-12)
        // His figure: 10 % up 5.9 J/(kg·m) within 0.3; 10 % down 2.1 within 0.3; cheapest near −20 %.
        #expect(abs(GradedSpeed.cost(0.1) - 5.9) < 0.3)
        #expect(abs(GradedSpeed.cost(-0.1) - 2.1) < 0.3)
        #expect(GradedSpeed.cost(-0.2) < GradedSpeed.cost(-0.1) && GradedSpeed.cost(-0.2) < GradedSpeed.cost(-0.35))
        #expect(GradedSpeed.cost(2) == GradedSpeed.cost(0.45))
    }

    @Test func `a run uphill is worth a faster one on the flat`() throws {
        let up = try #require(Self.workout(.running, seconds: 600, speed: 3, gradient: 0.1).speed)
        let expected = 3 * GradedSpeed.cost(0.1) / 3.6
        #expect(up.isGraded && abs((up.weightedGradedMps ?? 0) - expected) < 1e-6)
        let flat = try #require(Self.workout(.running, seconds: 600, speed: 3).speed)
        #expect(abs((flat.weightedGradedMps ?? 0) - 3) < 1e-9)
    }

    @Test func `what can be told best is told, and an estimate is called one`() {
        let thresholds = TrainingThresholds(since: 0, thresholdPowerW: 250, restingBpm: 50, maximumBpm: 190)
        let both = LoadRules().load(of: Self.workout(.cycling, seconds: 1800, bpm: 150, watts: 200), thresholds)
        #expect(both.method == .power && both.notes.isEmpty)
        let heart = LoadRules().load(of: Self.workout(.cycling, seconds: 1800, bpm: 150), thresholds)
        #expect(heart.method == .heartRate && heart.method.label == "HR estimate")
        #expect(heart.confidence < both.confidence)
        #expect(heart.notes == ["threshold heart rate assumed at 169"])
        let nothing = LoadRules().load(of: Self.workout(.cycling, seconds: 1800), TrainingThresholds(since: 0))
        #expect(nothing.load == nil && nothing.method == .unknown && nothing.confidence == 0)
    }

    @Test func `five sessions with both teach the scale of efforts`() {
        let workouts = (0..<5).map { _ in Self.workout(.cycling, seconds: 3600, watts: 200, exertion: 5) }
        let thresholds = TrainingThresholds(since: 0, thresholdPowerW: 250)
        let sessions = workouts.map { (workout: $0, load: LoadRules().load(of: $0, thresholds)) }
        let load = sessions[0].load.load ?? 0
        #expect(abs(LoadRules.scale(of: sessions) - load / 300) < 1e-12)
        #expect(LoadRules.scale(of: Array(sessions.prefix(4))) == LoadRules.usualLoadPerExertionMinute)
    }

    @Test func `thresholds hold from their day on, each figure by itself`() {
        let history = ThresholdHistory([
            TrainingThresholds(since: 100, thresholdPowerW: 260),
            TrainingThresholds(since: 10, thresholdPowerW: 240, restingBpm: 55),
        ])
        #expect(history.on(50).thresholds.thresholdPowerW == 240)
        #expect(history.on(100).thresholds.thresholdPowerW == 260)
        #expect(history.on(100).thresholds.restingBpm == 55)
        #expect(history.on(5).later == [.power, .heartRate] && history.on(5).thresholds.thresholdPowerW == 240)
        #expect(history.on(10).later.isEmpty)
        #expect(ThresholdHistory([]).on(3).later.isEmpty)
    }

    @Test func `a threshold of one sport takes nothing from another, whichever was set first`() {
        // Power is said today, the pace of a run some days ago: a ride of last year still counts by power.
        let history = ThresholdHistory([
            TrainingThresholds(since: 200, thresholdPowerW: 221), TrainingThresholds(since: 150, thresholdRunMps: 3.7),
        ])
        #expect(history.on(20).thresholds.thresholdPowerW == 221 && history.on(20).later == [.power, .pace])
        #expect(history.on(160).thresholds.thresholdPowerW == 221 && history.on(160).later == [.power])
    }

    @Test func `zones end where their shares of the threshold do`() {
        var bins = [Double](repeating: 0, count: 400)
        for watt in [137, 138, 300, 301, 376] { bins[watt] = 60 }
        let zones = TrainingZones(kind: .power, threshold: 250, secondsByBin: bins)
        // 55 % of 250 is 137.5; 120 % is 300; 150 % is 375.
        #expect(zones.zones.map(\.seconds) == [60, 60, 0, 0, 60, 60, 60])
        #expect(zones.zones.map(\.name).last == "Neuromuscular")
    }

    @Test func `a heart that rises at even power is decoupled, with an error`() throws {
        let samples = (0..<3600).map { second in
            WorkoutSample(
                at: Self.start.adding(seconds: Double(second)), bpm: second < 1800 ? 140 : 147, powerW: 200)
        }
        let workout = WorkoutFigures(
            WorkoutRecord(
                start: Self.start, end: Self.start.adding(seconds: 3600), sport: .cycling, movingSeconds: 3600,
                source: "test", samples: samples))
        let decoupling = try #require(AerobicDecoupling(workout))
        // 200/140 against 200/147: 100 · (1 − 140/147).
        #expect(abs(decoupling.percent - 100.0 / 21) < 1e-9)
        #expect(decoupling.isSteady && decoupling.standardError < 1e-9 && decoupling.blocksPerHalf == 6)
        #expect(AerobicDecoupling(Self.workout(.cycling, seconds: 1800, bpm: 140, watts: 200)) == nil)
    }

    /// 200 W at 70 kg: 7 + 10.8 · 200/70 = 37.857; at 150 of 50…190 the share is 5/7: 3.5 + 34.357 · 1.4 = 51.6.
    @Test func `the oxygen uptake of a ride follows the equations it names`() throws {
        let ride = Self.workout(.cycling, seconds: 3600, bpm: 150, watts: 200)
        let estimate = try #require(OxygenUptake(workouts: [ride], massKg: 70, restingBpm: 50, maximumBpm: 190))
        #expect(abs(estimate.maximum - 51.6) < 0.01)
        #expect(estimate.standardError > 0.1 * estimate.maximum && estimate.blocks == 11)
        #expect(OxygenUptake(workouts: [ride], massKg: nil, restingBpm: 50, maximumBpm: 190) == nil)
        let ratio = try #require(OxygenUptake(restingBpm: 50, maximumBpm: 190))
        #expect(abs(ratio.maximum - 58.14) < 0.01)
    }

    @Test func `figures survive being stored`() throws {
        let figures = Self.workout(.running, seconds: 900, bpm: 151, speed: 3.1, gradient: 0.02)
        let data = try JSONEncoder().encode(figures)
        #expect(try JSONDecoder().decode(WorkoutFigures.self, from: data) == figures)
        #expect(data.count < 4096)
    }
}
