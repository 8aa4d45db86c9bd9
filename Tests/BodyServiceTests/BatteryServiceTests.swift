import Bus
import Formats
import Foundation
import GRDB
import Physiology
import Protocols
import Store
import Testing

@testable import BodyService

/// From records on the disk to what is said of the day.
struct BatteryServiceTests {
    /// Tuesday 2026-03-03, 09:00 UTC.
    private static let now = ImportWorkshop.now
    private static let today = 20_515

    /// An hour each day, for so many days up to yesterday, at a mean heart rate.
    private static func rides(_ days: Int, bpm: Double = 170, source: String = "Watch") -> [BodyRecord] {
        (1...days).map { age in
            let start = now.adding(seconds: Double(-age) * 86_400 + 8 * 3600)
            return .workout(
                WorkoutRecord(
                    start: start, end: start.adding(seconds: 3600), sport: .cycling, movingSeconds: 3600, meanBpm: bpm,
                    source: source))
        }
    }

    /// Mornings of one HRV and one resting heart rate that swing a little.
    private static func mornings(_ days: Int) -> [BodyRecord] {
        (0..<days).flatMap { age -> [BodyRecord] in
            let at = now.adding(seconds: Double(-age) * 86_400 - 7200)
            let swing = [0.0, 1, -1, 2, -2][age % 5]
            return [
                .variability(
                    VariabilityRecord(start: at, end: at, kind: .morning, rmssdMs: 50 + 2 * swing, source: "Watch")),
                .restingHeartRate(RestingRecord(at: at, createdAt: at, bpm: 50 + swing, source: "Watch")),
            ]
        }
    }

    /// A body with these records and thresholds, one step after it has started.
    private struct House {
        let workshop: ImportWorkshop
        let store: BodyStore
        let bus: LockStep

        init(_ records: [BodyRecord], thresholds: [String: Double] = [:], at now: Timestamp = now) async throws {
            workshop = try ImportWorkshop()
            store = try workshop.store()
            try ImportWorkshop.take([try workshop.write("records", records)], into: store)
            bus = LockStep(start: now)
            bus.add(try BodyKeeperTests.keeper(store: store), as: .body)
            for (name, value) in thresholds {
                _ = try await bus.request(SetThreshold(since: "2020-01-01", field: name, value: value))
            }
            await bus.advance(by: .seconds(4), step: .seconds(1))
        }

        func days(_ count: Int = 3000) async throws -> [DaySummary] {
            try await bus.request(
                ListDays(from: Timestamp(milliseconds: 0), to: bus.now.adding(seconds: 60), limit: count)
            ).days
        }

        func workouts() async throws -> [WorkoutSummary] {
            try await bus.request(
                ListWorkouts(from: Timestamp(milliseconds: 0), to: bus.now, limit: 1000)
            ).workouts
        }
    }

    private static let heart = ["restingBpm": 50.0, "maximumBpm": 190, "thresholdBpm": 170]

    /// By hand: an hour at the threshold a day is a load of 100, so fitness and fatigue are 100 and form 0, which is
    /// 100 / (1 + e^(−10 · ln 4 / 20)) = 66.7 of 100; the week is monotonous, so guidance ends at 1.1 · 100.
    @Test func `an hour at the threshold a day is a fitness of 100, told on the bus`() async throws {
        let house = try await House(Self.rides(60), thresholds: Self.heart)
        let reading = try #require(try house.bus.messages(of: Registry.battery).last)
        #expect(abs(reading.fitness - 100) < 1e-6 && abs(reading.fatigue - 100) < 1e-6)
        let form = try #require(reading.form)
        #expect(abs(form) < 1e-6 && reading.calibratingDays == nil)
        #expect(reading.battery == 67 && reading.zone == .hard && reading.day == "2026-03-03")
        #expect(reading.zoneName == "Threshold/VO2max" && reading.color == "#38A169")
        #expect(abs(reading.guidanceHigh - 110) < 1e-6 && reading.illness == .none)
        #expect(reading.title == "Battery 67: Threshold/VO2max" && reading.text?.contains("load 110") == true)
        #expect(reading.confidence > 0.2 && reading.confidence < 0.6)
        let workout = try #require(try await house.workouts().first)
        #expect(abs((workout.load ?? 0) - 100) < 1e-6 && workout.method == "heartRate")
        let history = try await house.bus.request(GetBattery(days: 90))
        #expect(history.days.count == 61 && history.latest?.battery == 67)
    }

    @Test func `morning readings move the battery, and without them it is trusted less`() async throws {
        var records = Self.rides(60) + Self.mornings(60)
        let usual = try await House(records, thresholds: Self.heart)
        let plain = try await House(Self.rides(60), thresholds: Self.heart)
        let before = try #require(try usual.bus.messages(of: Registry.battery).last)
        let without = try #require(try plain.bus.messages(of: Registry.battery).last)
        #expect(before.confidence > without.confidence + 0.3)
        // Two nights of a heart 12 BPM faster and half the HRV.
        records.removeAll { record in
            switch record {
            case .variability(let reading): reading.end.seconds(since: Self.now) > -2 * 86_400
            case .restingHeartRate(let reading): reading.at.seconds(since: Self.now) > -2 * 86_400
            default: false
            }
        }
        for age in 0..<2 {
            let at = Self.now.adding(seconds: Double(-age) * 86_400 - 7200)
            records.append(
                .variability(VariabilityRecord(start: at, end: at, kind: .morning, rmssdMs: 25, source: "Watch")))
            records.append(.restingHeartRate(RestingRecord(at: at, createdAt: at, bpm: 62, source: "Watch")))
        }
        let strained = try await House(records, thresholds: Self.heart)
        let reading = try #require(try strained.bus.messages(of: Registry.battery).last)
        // By hand: −12 each night, smoothed: 0.3 · −12, then 0.3 · −12 + 0.7 · that = −6.12 beside what was before.
        #expect(reading.adjustment < -5 && reading.battery < before.battery - 4)
        #expect(reading.illness == .likely && reading.guidanceLow == 0)
        #expect(abs(reading.guidanceHigh - 25) < 1e-6 && reading.reasons.first?.contains("two nights") == true)
    }

    @Test func `a threshold holds from its day on and leaves the days before as they were`() async throws {
        let begin = Self.now.adding(seconds: -10 * 86_400)
        let records: [BodyRecord] = [0, 8].map { day in
            let start = begin.adding(seconds: Double(day) * 86_400)
            return .workout(
                WorkoutRecord(
                    start: start, end: start.adding(seconds: 3628), sport: .cycling, movingSeconds: 3629,
                    source: "unit",
                    samples: (0..<3629).map { WorkoutSample(at: start.adding(seconds: Double($0)), powerW: 200) }))
        }
        let house = try await House(records, thresholds: ["thresholdPowerW": 200])
        // By hand: 3600 seconds have 30 s behind them; 100 · 1 h · 1².
        #expect(try await house.workouts().allSatisfy { abs(($0.load ?? 0) - 100) < 1e-9 && $0.method == "power" })
        _ = try await house.bus.request(SetThreshold(since: "2026-02-26", field: "thresholdPowerW", value: 250))
        await house.bus.advance(by: .seconds(3), step: .seconds(1))
        let loads = try await house.workouts().sorted { $0.startAt < $1.startAt }.map { $0.load ?? 0 }
        #expect(abs(loads[0] - 100) < 1e-9 && abs(loads[1] - 64) < 1e-9)
        let zones = try #require(try await house.workouts().first?.zones?.first)
        // 200 of 250 W is 80 %: tempo, all of it.
        #expect(zones.kind == "power" && zones.seconds == [0, 0, 3629, 0, 0, 0, 0])
    }

    @Test func `heart rates that come after the workout are its own, whatever the order`() async throws {
        let start = Self.now.adding(seconds: -86_400)
        let workout = BodyRecord.workout(
            WorkoutRecord(
                start: start, end: start.adding(seconds: 3600), sport: .strength, movingSeconds: 3600, meanBpm: 120,
                source: "Watch"))
        let rates = (0..<721).map {
            BodyRecord.heartRate(
                HeartRateRecord(at: start.adding(seconds: Double($0) * 5), bpm: $0 < 360 ? 100 : 160, source: "Watch"))
        }
        var figures: [[WorkoutSummary]] = []
        for parts in [[[workout], rates], [rates, [workout]]] {
            let house = try await House(parts[0], thresholds: Self.heart)
            try ImportWorkshop.take([try house.workshop.write("later", parts[1])], into: house.store)
            await house.bus.advance(by: .seconds(3), step: .seconds(1))
            figures.append(try await house.workouts())
        }
        #expect(figures[0] == figures[1])
        let summary = try #require(figures[0].first)
        #expect(summary.maximumBpm == 160 && abs((summary.meanBpm ?? 0) - 130) < 1)
        // A mean of 120 would say 100 · f(0.5) / f(120/140): the course of the heart says more.
        #expect((summary.load ?? 0) > 45)
    }

    @Test func `how hard a session felt makes its load where nothing else does`() async throws {
        let start = Self.now.adding(seconds: -7200)
        let house = try await House([
            .workout(
                WorkoutRecord(
                    start: start, end: start.adding(seconds: 3600), sport: .strength, movingSeconds: 3600,
                    source: "Watch"))
        ])
        #expect(try await house.workouts().first?.load == nil)
        _ = try await house.bus.request(
            AddJournal(entry: JournalEntry(at: house.bus.now, kind: .exertion, exertion: 7)))
        await house.bus.advance(by: .seconds(3), step: .seconds(1))
        let workout = try #require(try await house.workouts().first)
        #expect(abs((workout.load ?? 0) - 100) < 1e-9 && workout.method == "perceivedExertion")
        #expect(workout.exertion == 7)
    }

    @Test func `two devices are one workout, and the other says so`() async throws {
        let house = try await House(
            Self.rides(1, bpm: 150, source: "Phone") + Self.rides(1, bpm: 160, source: "Watch"), thresholds: Self.heart)
        let workouts = try await house.workouts()
        #expect(workouts.count == 2 && workouts.count { $0.countsAs != nil } == 1)
        #expect(try await house.days().map(\.workouts).reduce(0, +) == 1)
    }

    /// Closed forms for 100 a day from 0: 100 (1 − e^(−d/42)) and 100 (1 − (41/42)^d).
    @Test func `each convention is told on demand, with its own start`() async throws {
        let house = try await House(Self.rides(60), thresholds: Self.heart)
        _ = try await house.bus.request(SetBodySetting(setting: "startFitness", value: "0"))
        await house.bus.advance(by: .seconds(3), step: .seconds(1))
        let own = try await house.bus.request(GetLoad(days: 3000))
        let linear = try await house.bus.request(GetLoad(convention: "trainingpeaks", days: 3000))
        let evening = try await house.bus.request(GetLoad(convention: "intervals", days: 2))
        #expect(own.convention == "exponential" && own.days.count == 61 && evening.days.count == 2)
        #expect(abs(own.days[59].fitness - 100 * (1 - exp(-60.0 / 42))) < 1e-6)
        #expect(abs(linear.days[59].fitness - 100 * (1 - pow(41.0 / 42, 60))) < 1e-6)
        #expect(own.formOfTheMorning && !evening.formOfTheMorning)
        #expect(abs(evening.days[1].form - (evening.days[1].fitness - evening.days[1].fatigue)) < 1e-9)
        let refusal = await #expect(throws: Refusal.self) {
            _ = try await house.bus.request(GetLoad(convention: "magic"))
        }
        #expect(refusal?.message.contains("exponential") == true)
    }

    @Test func `a workout comes back as a FIT file, in pieces where it is long`() async throws {
        let start = Self.now.adding(seconds: -172_800)
        let samples = (0..<40_000).map {
            WorkoutSample(
                at: start.adding(seconds: Double($0)), bpm: 120 + Double($0 % 30), powerW: 150 + Double($0 % 100))
        }
        let house = try await House([
            .workout(
                WorkoutRecord(
                    start: start, end: start.adding(seconds: 39_999), sport: .cycling, movingSeconds: 40_000,
                    source: "unit", samples: samples))
        ])
        var data = Data()
        var pieces = 0
        while true {
            let piece = try await house.bus.request(
                GetWorkoutFile(startAt: start, source: "unit", sport: "cycling", offset: data.count))
            data += try #require(Data(base64Encoded: piece.base64))
            pieces += 1
            if data.count == piece.bytes { break }
        }
        #expect(pieces == 2)
        let path = house.workshop.url.appending(path: "ride.fit")
        try data.write(to: path)
        let again = try #require(WorkoutRecord(FITFile(path: path.path(percentEncoded: false)), source: "unit"))
        #expect(again.samples.map(\.powerW) == samples.map(\.powerW) && again.samples.map(\.bpm) == samples.map(\.bpm))
        #expect(again.movingSeconds == 40_000 && again.sport == .cycling)
        await #expect(throws: Refusal.self) {
            _ = try await house.bus.request(GetWorkoutFile(startAt: Self.now, source: "unit", sport: "cycling"))
        }
    }

    @Test func `the morning message comes once a day, also over a restart`() async throws {
        let night = Self.now.adding(seconds: -5 * 3600)
        let house = try await House(Self.rides(60), thresholds: Self.heart, at: night)
        #expect(try house.bus.messages(of: Registry.alert).isEmpty)
        await house.bus.advance(by: .seconds(4 * 3600), step: .seconds(60))
        let told = try house.bus.messages(of: Registry.alert).filter { $0.kind == .battery }
        #expect(told.count == 1 && told.first?.title == "Battery 67: Threshold/VO2max")
        // At the first step of time after 07:00.
        let seven = Timestamp(milliseconds: Self.now.milliseconds - 2 * 3_600_000)
        #expect((0..<60).contains(told.first?.at.seconds(since: seven) ?? -1))
        let restarted = LockStep(start: house.bus.now)
        restarted.add(try BodyKeeperTests.keeper(store: house.store), as: .body)
        await restarted.advance(by: .seconds(1800), step: .seconds(60))
        #expect(try restarted.messages(of: Registry.battery).count >= 1)
        #expect(try restarted.messages(of: Registry.alert).allSatisfy { !($0.kind == .battery) })
    }

    @Test func `what is deleted is no longer told`() async throws {
        let house = try await House(Self.rides(5), thresholds: Self.heart)
        #expect(try house.bus.messages(of: Registry.battery).isEmpty == false)
        _ = try await house.bus.request(
            DeleteBodyRange(kind: "all", from: Timestamp(milliseconds: 0), to: Self.now, confirmed: true))
        await house.bus.advance(by: .seconds(3), step: .seconds(1))
        #expect(try await house.workouts().isEmpty)
        #expect(try await house.bus.request(GetBattery()).latest == nil)
        let essences = try await Task { [store = house.store] in
            try store.file.read { db in try Int.fetchOne(db, sql: "SELECT count(*) FROM workoutEssence") }
        }.value
        #expect(essences == 0)
    }

    /// Local hours from 0 to 6 across the night in which the clock is set forward.
    @Test func `nights of still minutes are those of the local clock, also when it is changed`() throws {
        let clock = LocalClock(timeZone: try #require(TimeZone(identifier: "Europe/Berlin")))
        let store = try BodyStore(directory: nil)
        // 2026-03-28T18:00Z to 2026-03-30T18:00Z; the clock changes on the 29th at 01:00Z.
        let begin: Int64 = 1_774_720_800_000
        try store.file.write { db in
            for minute in 0..<2880 {
                try db.execute(
                    sql: "INSERT INTO minute (at, bpm, samples, still, lnRmssd) VALUES (?, ?, 12, 1, ?)",
                    arguments: [begin + Int64(minute) * 60_000, 50 + Double(minute % 7), minute % 3 == 0 ? nil : 3.5])
            }
        }
        let minutes = try store.stillMinutes(since: Timestamp(milliseconds: 0))
        let expected = Night.nights(from: minutes, clock: clock)
        let ours = try store.file.read { db in
            try SmallHours.nights(
                from: Timestamp(milliseconds: 0), to: Timestamp(milliseconds: begin * 2), clock: clock, in: db)
        }
        #expect(ours.map(\.night) == expected.map(\.night) && ours.count == 2)
        for (one, other) in zip(ours, expected) {
            #expect(abs(one.bpm - other.bpm) < 1e-9)
            #expect(abs((one.lnRmssd ?? 0) - (other.lnRmssd ?? 0)) < 1e-9)
        }
    }
}
