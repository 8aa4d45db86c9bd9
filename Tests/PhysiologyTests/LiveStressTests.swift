import Foundation
import Physiology
import Protocols
import Testing

struct LiveStressTests {
    static let start = StressTests.now
    static let baseline = StressTests.baseline
    static let clock = StressTests.clock

    /// One second of a sitting person; beats swing by ± `swing` ms.
    static func second(_ live: inout LiveStress, at: Timestamp, bpm: Double, beats: Bool = true, swing: Double = 20) {
        let second = at.milliseconds / 1000
        live.add(HeartRate(at: at, bpm: bpm, source: "test"))
        if second % 5 == 0 { live.add(Motion(at: at, intensity: 0, steps: 0, activity: .stationary)) }
        // Whole beats only, so that messages follow each other without a hole.
        guard beats, bpm == 60 else { return }
        live.add(
            RRIntervals(
                startAt: at.adding(seconds: -1), rrMs: [second % 2 == 0 ? 1000 + swing : 1000 - swing], source: "test"))
    }

    /// Lives for a while; the moments at which a reading was due, and the readings.
    static func live(
        _ live: inout LiveStress, from start: Timestamp = start, seconds: Int, bpm: Double = 75, beats: Bool = false
    ) -> [StressReading] {
        var readings: [StressReading] = []
        for step in 0..<seconds {
            let now = start.adding(seconds: Double(step))
            second(&live, at: now, bpm: bpm, beats: beats)
            guard live.isDue(at: now, baseline: baseline) else { continue }
            if let reading = live.reading(at: now, baseline: baseline, clock: clock) { readings.append(reading) }
        }
        return readings
    }

    @Test func `a reading comes every six minutes`() {
        var live = LiveStress()
        let readings = Self.live(&live, seconds: 1801)
        // The first one knew a single sample, so a better one follows when there is a minute of them.
        #expect(readings.map { Int($0.at.seconds(since: Self.start)) } == [0, 60, 420, 780, 1140, 1500])
        #expect(readings.last?.level?.value == .elevated)
        #expect(readings.last?.quality?.value == .fair)
        #expect(readings.last?.source?.value == .automatic)
        #expect(readings.last?.bpm == 75)
    }

    @Test func `no sample, no reading`() {
        var live = LiveStress()
        let nothing = live.reading(at: Self.start, baseline: Self.baseline, clock: Self.clock)
        #expect(nothing == nil)
        // The first samples are told at once, and again when there is a whole minute of them.
        let first = Self.live(&live, seconds: 120)
        #expect(first.map { Int($0.at.seconds(since: Self.start)) } == [0, 60])
        #expect(first.map { $0.quality?.value } == [.poor, .fair])
        let silent = Self.start.adding(seconds: 900)
        let held = live.reading(at: silent, baseline: Self.baseline, clock: Self.clock)
        #expect(held?.isHeld == true)
        #expect(held?.quality?.value == .unknown)
        let tooOld = live.reading(at: Self.start.adding(seconds: 4000), baseline: Self.baseline, clock: Self.clock)
        #expect(tooOld == nil)
    }

    @Test func `HRV that is back makes a reading at once`() {
        var live = LiveStress()
        #expect(Self.live(&live, seconds: 100, bpm: 60).count == 2)
        let later = Self.live(&live, from: Self.start.adding(seconds: 100), seconds: 200, bpm: 60, beats: true)
        #expect(later.count == 1)
        #expect(later.first?.rmssdMs.map { abs($0 - 40) < 1 } == true)
        #expect(later.first?.quality?.value != nil)
    }

    @Test func `movement makes a reading at once, and none of a level`() {
        var live = LiveStress()
        _ = Self.live(&live, seconds: 120)
        for step in 0..<30 {
            live.add(
                Motion(
                    at: Self.start.adding(seconds: 121 + Double(step) * 2), intensity: 0.5, steps: 4, activity: .walking
                ))
        }
        let now = Self.start.adding(seconds: 180)
        let isDue = live.isDue(at: now, baseline: Self.baseline)
        #expect(isDue)
        let reading = live.reading(at: now, baseline: Self.baseline, clock: Self.clock)
        #expect(reading?.gate.value == .active)
        #expect(reading?.level == nil)
        #expect(reading?.isHeld == true)
    }

    @Test func `samples that come again in the batch change nothing`() {
        var once = LiveStress()
        var twice = LiveStress()
        _ = Self.live(&once, seconds: 300, bpm: 60, beats: true)
        _ = Self.live(&twice, seconds: 300, bpm: 60, beats: true)
        let batch = BioBatch(
            heartRate: (270..<300).map {
                HeartRate(at: Self.start.adding(seconds: Double($0)), bpm: 60, source: "test")
            },
            rr: (270..<300).map { step in
                let at = Self.start.adding(seconds: Double(step))
                return RRIntervals(
                    startAt: at.adding(seconds: -1), rrMs: [at.milliseconds / 1000 % 2 == 0 ? 1020 : 980],
                    source: "test")
            },
            motion: stride(from: 270, to: 300, by: 5).map {
                Motion(at: Self.start.adding(seconds: Double($0)), intensity: 0, steps: 0, activity: .stationary)
            })
        twice.add(batch)
        #expect(once == twice)
    }

    @Test func `what was kept goes on as if nothing had happened`() throws {
        var whole = LiveStress()
        _ = Self.live(&whole, seconds: 400, bpm: 60, beats: true)
        var restored = try JSONDecoder().decode(LiveStress.self, from: JSONEncoder().encode(whole))
        let later = Self.start.adding(seconds: 400)
        let expected = Self.live(&whole, from: later, seconds: 400, bpm: 60, beats: true)
        #expect(Self.live(&restored, from: later, seconds: 400, bpm: 60, beats: true) == expected)
        // Beats came back at second 60, so six minutes later, and once more.
        #expect(expected.map { Int($0.at.seconds(since: Self.start)) } == [420, 780])
    }

    @Test func `all five factors, two of them in the score`() throws {
        var live = LiveStress()
        var baseline = Self.baseline
        baseline.stillBpmByHour = Array(repeating: 70, count: 24)
        let hour = Self.clock.hour(of: Self.start)
        baseline.stillBpmByHour[hour] = 77.5
        for step in 0..<300 {
            Self.second(&live, at: Self.start.adding(seconds: Double(step)), bpm: 60, beats: true, swing: 10)
        }
        let made = live.reading(
            at: Self.start.adding(seconds: 299), baseline: baseline, clock: Self.clock,
            factors: StressFactors(sleepScore: 50, usualSleepScore: 75))
        let reading = try #require(made)
        let byName = Dictionary(uniqueKeysWithValues: reading.factors.map { ($0.name, $0) })
        #expect(Set(byName.keys) == Set(StressFactorKind.allCases.map(\.rawValue)))
        #expect(reading.factors.allSatisfy { (-1...1).contains($0.impact ?? 2) })
        // The score is made of the two that are no context, and of nothing else.
        let score = reading.factors.filter { $0.isContext == false }
        #expect(Set(score.map(\.name)) == ["rhrElevation", "hrvDeviation"])
        #expect(abs(score.reduce(0) { $0 + $1.z } - (try #require(reading.z))) < 1e-12)
        #expect(reading.factors.filter { $0.isContext == true }.allSatisfy { $0.z == 0 })
        // 25 points below the usual of a full impact at 50; 7.5 beats above the mean of 70 at SD 5, of three SD.
        #expect(byName["sleepQuality"]?.impact == 0.5)
        #expect(abs(try #require(byName["timeOfDay"]?.impact) - 0.5) < 1e-12)
        #expect(byName["activityLevel"]?.impact == 0)
        // The heart is slower than usual, the beats vary less.
        #expect(try #require(byName["rhrElevation"]?.impact) < 0)
        #expect(try #require(byName["hrvDeviation"]?.impact) > 0)
    }

    @Test(
        arguments: [
            (0, 1.0, nil, ReadingQuality.unknown), (5, 1.0, nil, .poor), (60, 0.4, 0.99, .poor), (60, 1.0, nil, .fair),
            (60, 1.0, 0.8, .fair), (60, 0.7, 0.99, .fair), (12, 0.9, 0.9, .good),
        ] as [(Int, Double, Double?, ReadingQuality)])
    func `quality says what a minute was made of`(
        samples: Int, sensor: Double, coverage: Double?, expected: ReadingQuality
    ) {
        let beats = coverage.map {
            BeatReading(at: Self.start, lnRmssd: 3.5, sdnnMs: 40, pairs: 50, coverage: $0, artefactShare: 0)
        }
        #expect(StressEstimator.quality(samples: samples, sensor: sensor, beats: beats) == expected)
    }

    @Test func `readings of the past are judged by the days before them alone`() {
        let day = 20_000
        func minutes(_ days: Range<Int>, bpm: Double) -> [StillMinute] {
            days.flatMap { day in
                (0..<40).map {
                    StillMinute(at: Self.clock.moment(day: day, minute: 600 + $0 * 6), bpm: bpm + Double($0 % 5))
                }
            }
        }
        let past = minutes(day..<day + 20, bpm: 58)
        let first = StressHistory.readings(from: past, profile: Profile(), clock: Self.clock)
        #expect(first.count == 800)
        let later = StressHistory.readings(
            from: past + minutes(day + 20..<day + 25, bpm: 90), profile: Profile(), clock: Self.clock)
        #expect(Array(later.prefix(800)) == first)
        #expect(later[800..<840].allSatisfy { $0.level?.value.map { $0.rank >= 3 } ?? false })
        #expect(later.allSatisfy { $0.source?.value == .watch && $0.isHeld == false })
    }
}
