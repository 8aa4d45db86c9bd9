import Foundation
import Physiology
import Protocols
import Testing

struct BodyDayEngineTests {
    private static let berlin = LocalClock(timeZone: TimeZone(identifier: "Europe/Berlin") ?? .gmt)

    /// A made-up year: a ride of an hour on most days, a night's HRV and a resting heart rate on most mornings.
    private struct Records {
        var workouts: [WorkoutFigures]
        var variability: [VariabilityRecord]
        var resting: [RestingRecord]

        init(days: Int, seed: UInt64, from start: Timestamp = Timestamp(milliseconds: 1_672_560_000_000)) {
            var random = SplitMix64(seed: seed)
            (workouts, variability, resting) = ([], [], [])
            for day in 0..<days {
                let morning = start.adding(
                    seconds: Double(day) * 86_400 + Double.random(in: 18_000...25_000, using: &random))
                if Double.random(in: 0...1, using: &random) < 0.8 {
                    variability.append(
                        VariabilityRecord(
                            start: morning, end: morning, kind: .morning,
                            rmssdMs: Double.random(in: 30...70, using: &random), source: "watch"))
                }
                if Double.random(in: 0...1, using: &random) < 0.8 {
                    resting.append(
                        RestingRecord(
                            at: morning, createdAt: morning, bpm: Double.random(in: 45...55, using: &random),
                            source: "watch"))
                }
                guard Double.random(in: 0...1, using: &random) < 0.6 else { continue }
                let begin = start.adding(seconds: Double(day) * 86_400 + 60_000)
                workouts.append(
                    WorkoutFigures(
                        WorkoutRecord(
                            start: begin, end: begin.adding(seconds: 3600), sport: .cycling, movingSeconds: 3600,
                            meanBpm: Double(Int.random(in: 110...170, using: &random)),
                            perceivedExertion: Double(Int.random(in: 2...9, using: &random)), source: "watch")))
            }
        }

        func days(today: Int, clock: TravelClock = TravelClock(home: berlin)) -> [BodyDay] {
            let thresholds = ThresholdHistory([
                TrainingThresholds(since: 0, restingBpm: 50, maximumBpm: 190, thresholdBpm: 170)
            ])
            let loads = DailyLoads(workouts, thresholds: thresholds, sex: nil, clock: clock)
            let signals = DaySignals.days(variability: variability, resting: resting, clock: clock)
            return BodyDayEngine(loads: loads, signals: signals, today: today).days()
        }
    }

    private static let firstDay = 19_358  // 2023-01-01

    @Test func `order of import does not matter`() {
        let records = Records(days: 120, seed: 3)
        let days = records.days(today: Self.firstDay + 120)
        var random = SplitMix64(seed: 11)
        for _ in 0..<5 {
            var shuffled = records
            shuffled.workouts.shuffle(using: &random)
            shuffled.variability.shuffle(using: &random)
            shuffled.resting.shuffle(using: &random)
            #expect(shuffled.days(today: Self.firstDay + 120) == days)
        }
    }

    @Test(arguments: [UInt64(1), 2, 3, 4])
    func `more missing data never raises confidence`(seed: UInt64) {
        let full = Records(days: 100, seed: seed)
        let today = Self.firstDay + 100
        let whole = Dictionary(uniqueKeysWithValues: full.days(today: today).map { ($0.day, $0.confidence) })
        var random = SplitMix64(seed: seed + 100)
        for _ in 0..<30 {
            var thinned = full
            let keep = Double.random(in: 0...1, using: &random)
            thinned.workouts.removeAll { _ in Double.random(in: 0...1, using: &random) > keep }
            thinned.variability.removeAll { _ in Double.random(in: 0...1, using: &random) > keep }
            thinned.resting.removeAll { _ in Double.random(in: 0...1, using: &random) > keep }
            for index in thinned.workouts.indices where Bool.random(using: &random) {
                thinned.workouts[index].heart = nil
            }
            for day in thinned.days(today: today) {
                #expect(day.confidence <= (whole[day.day] ?? 0) + 1e-12)
            }
        }
        #expect((whole[today] ?? 0) > 0.6)
    }

    @Test func `years without any record are no rest: an old ride says nothing about today`() {
        let today = Self.firstDay + 1_060
        // A month of records, and the same after one ride of years ago.
        let late = Records(days: 34, seed: 21, from: Timestamp(milliseconds: 1_672_560_000_000 + 1_026 * 86_400_000))
        var both = late
        let first = Records(days: 30, seed: 2).workouts.prefix(1)
        both.workouts.insert(contentsOf: first, at: 0)
        let (alone, after) = (late.days(today: today), both.days(today: today))
        #expect(first.count == 1 && alone.last?.calibratingDays != nil)
        #expect(after.suffix(alone.count) == alone[...])
        // The ride is there all the same, and every day of the silence.
        #expect(after.first?.day == alone[0].day - after.count + alone.count && after[0].figures.load > 0)
    }

    @Test func `a missing morning carries the adjustment on and lowers confidence`() throws {
        var records = Records(days: 60, seed: 5)
        let today = Self.firstDay + 59
        let clock = TravelClock(home: Self.berlin)
        let before = try #require(records.days(today: today).last)
        records.variability.removeAll { clock.day(of: $0.end) == today }
        records.resting.removeAll { clock.day(of: $0.at) == today }
        let days = records.days(today: today)
        #expect(days.last?.adjustment == days.dropLast().last?.adjustment)
        #expect((days.last?.confidence ?? 1) < before.confidence)
        #expect(days.last?.variability == nil)
    }

    @Test func `summer time and travel keep one entry a day`() {
        // Across both changes of the clock of 2023 in Berlin.
        let records = Records(days: 330, seed: 8)
        let days = records.days(today: Self.firstDay + 330)
        #expect(days.map(\.day) == Array((days.first?.day ?? 0)...(Self.firstDay + 330)))
        #expect(Set(days.map { $0.reading(at: Timestamp(milliseconds: 0)).day }).count == days.count)
        // Around the world in a year: no day twice, none left out, no load lost.
        let zones = ["Asia/Tokyo", "Pacific/Honolulu", "Pacific/Kiritimati", "America/New_York"]
        let stays = zones.enumerated().map { index, zone in
            TravelClock.Stay(
                since: Timestamp(milliseconds: 1_672_560_000_000 + Int64(index + 1) * 60 * 86_400_000),
                zone: LocalClock(timeZone: TimeZone(identifier: zone) ?? .gmt))
        }
        let travelled = records.days(today: Self.firstDay + 331, clock: TravelClock(home: Self.berlin, stays: stays))
        #expect(travelled.map(\.day) == Array((travelled.first?.day ?? 0)...(Self.firstDay + 331)))
        let load = { (days: [BodyDay]) in days.reduce(0) { $0 + $1.figures.load } }
        #expect(abs(load(travelled) - load(days)) < 1e-6)
    }

    @Test func `a rest day more never raises fitness`() {
        let records = Records(days: 200, seed: 9)
        let last = records.workouts.map { TravelClock(home: Self.berlin).day(of: $0.start) }.max() ?? 0
        for more in 1...20 {
            let days = records.days(today: last + more)
            let (today, yesterday) = (days[days.count - 1], days[days.count - 2])
            #expect(today.figures.load == 0 && today.figures.fitness < yesterday.figures.fitness)
        }
    }

    @Test func `form stays hidden until 42 days are known`() {
        let records = Records(days: 60, seed: 10)
        let days = records.days(today: Self.firstDay + 59)
        let first = TravelClock(home: Self.berlin).day(of: records.workouts[0].start)
        for day in days {
            let reading = day.reading(at: Timestamp(milliseconds: 0))
            let known = max(day.day - first, 0)
            #expect(reading.calibratingDays == (known < 42 ? 42 - known : nil))
            #expect((reading.form == nil) == (known < 42))
            #expect((0...100).contains(reading.battery) && (0...1).contains(reading.confidence))
            #expect(reading.guidanceLow <= reading.guidanceHigh && !reading.reasons.isEmpty)
        }
    }

    @Test func `a workout that two devices recorded counts once, with what is trusted more`() throws {
        let start = Timestamp(milliseconds: 1_700_000_000_000)
        func recorded(_ source: String, shift: Double, watts: Double?) -> WorkoutFigures {
            let samples = (0..<3600).map { second in
                WorkoutSample(at: start.adding(seconds: Double(second) + shift), bpm: 150, powerW: watts)
            }
            return WorkoutFigures(
                WorkoutRecord(
                    start: start.adding(seconds: shift), end: start.adding(seconds: 3600 + shift), sport: .cycling,
                    movingSeconds: 3600, source: source, samples: samples))
        }
        let thresholds = ThresholdHistory([
            TrainingThresholds(since: 0, thresholdPowerW: 250, restingBpm: 50, maximumBpm: 190, thresholdBpm: 170)
        ])
        let watch = recorded("watch", shift: 40, watts: nil)
        let unit = recorded("head unit", shift: 0, watts: 200)
        let clock = TravelClock(home: Self.berlin)
        for order in [[watch, unit], [unit, watch]] {
            let loads = DailyLoads(order, thresholds: thresholds, sex: nil, clock: clock)
            #expect(loads.entries.map(\.workout.source) == ["head unit"] && loads.doubles == 1)
        }
        let later = recorded("watch", shift: 3700, watts: nil)
        #expect(DailyLoads([later, unit], thresholds: thresholds, sex: nil, clock: clock).entries.count == 2)
    }

    @Test func `of several resting heart rates of a day the one created last counts`() {
        let noon = Timestamp(milliseconds: 1_700_000_000_000)
        let records = [
            RestingRecord(at: noon, createdAt: noon.adding(seconds: 50), bpm: 52, source: "watch"),
            RestingRecord(at: noon.adding(seconds: 60), createdAt: noon.adding(seconds: 40), bpm: 58, source: "watch"),
        ]
        for order in [records, records.reversed()] {
            let days = DaySignals.days(variability: [], resting: order, clock: TravelClock(home: Self.berlin))
            #expect(days.first?.restingBpm == [.device: 52])
        }
    }

    @Test func `days have the dates of the calendar`() {
        #expect(LocalDay.text(0) == "1970-01-01" && LocalDay.text(19_782) == "2024-02-29")
        #expect(LocalDay.number(year: 2024, month: 2, day: 29) == 19_782)
        #expect(LocalDay.number(year: 2023, month: 2, day: 29) == nil)
        #expect(LocalDay.text(-1) == "1969-12-31")
    }
}
