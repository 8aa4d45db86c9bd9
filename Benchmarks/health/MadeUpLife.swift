import Foundation
import Physiology
import Protocols

/// Ten years of a person who wears a watch and trains every other day; the same every time.
struct MadeUpLife {
    /// 2014-01-01.
    static let firstDay = 16_071
    private(set) var variability: [VariabilityRecord] = []
    private(set) var resting: [RestingRecord] = []
    private(set) var sleep: [SleepSegment] = []
    private(set) var workouts: [WorkoutFigures] = []
    private let days: Int
    private let clock = TravelClock(home: LocalClock(timeZone: TimeZone(identifier: "Europe/Berlin") ?? .gmt))

    init(days: Int) {
        self.days = days
        var random = SplitMix64(seed: 2_026)
        let begin = Timestamp(milliseconds: Int64(Self.firstDay) * 86_400_000)
        let stages: [SleepSegment.Stage] = [.core, .deep, .core, .rem, .awake]
        for day in 0..<days {
            let midnight = begin.adding(seconds: Double(day) * 86_400)
            var at = midnight.adding(seconds: -3600)
            for index in 0..<18 {
                let end = at.adding(seconds: Double.random(in: 600...2400, using: &random))
                sleep.append(
                    SleepSegment(start: at, end: end, stage: stages[index % 5], source: "watch", isWatch: true))
                at = end
            }
            for hour in [1, 3, 5, 12, 20] {
                let moment = midnight.adding(seconds: Double(hour) * 3600)
                variability.append(
                    VariabilityRecord(
                        start: moment, end: moment.adding(seconds: 60),
                        rebuiltRmssdMs: Double.random(in: 25...75, using: &random), source: "watch"))
            }
            resting.append(
                RestingRecord(
                    at: midnight, createdAt: at, bpm: Double(Int.random(in: 46...58, using: &random)), source: "watch"))
            guard day % 2 == 0 else { continue }
            let start = midnight.adding(seconds: 61_200)
            workouts.append(
                WorkoutFigures(
                    WorkoutRecord(
                        start: start, end: start.adding(seconds: 3600), sport: .running, movingSeconds: 3600,
                        meanBpm: Double(Int.random(in: 115...165, using: &random)),
                        perceivedExertion: Double(Int.random(in: 2...9, using: &random)), source: "watch")))
        }
    }

    /// Nights, signals of the mornings, loads, fitness, battery and guidance of every day.
    func computed() -> [BodyDay] {
        let nights = SleepNights.nights(from: sleep, timeZone: clock.home.timeZone)
        let asleep = nights.reduce(into: [Int: Double]()) { $0[$1.day] = $1.main.asleepSeconds / 60 }
        let signals = DaySignals.days(
            variability: variability, resting: resting, asleepMinutes: asleep, clock: clock)
        let thresholds = ThresholdHistory([
            TrainingThresholds(since: Self.firstDay, restingBpm: 50, maximumBpm: 190, thresholdBpm: 170)
        ])
        let loads = DailyLoads(workouts, thresholds: thresholds, sex: "female", clock: clock)
        return BodyDayEngine(loads: loads, signals: signals, today: Self.firstDay + days - 1).days()
    }
}
