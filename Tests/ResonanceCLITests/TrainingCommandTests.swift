import ArgumentParser
import Foundation
import Protocols
import Testing

@testable import ResonanceCLI

/// The commands about training, with the body played by the test.
struct TrainingCommandTests {
    /// 2026-01-31T13:05Z.
    private static let start = Timestamp(milliseconds: 1_769_864_700_000)

    private func run(_ words: [String], in household: FakeHousehold) async throws -> String {
        let paper = Paper()
        let parsed = try ResonanceCommand.parseAsRoot(CommandLineText.normalised(words))
        let command = try #require(parsed as? any BodyCommand)
        try await command.run(in: household, on: paper.terminal(width: nil))
        return paper.output
    }

    private static var battery: BatteryHistory {
        var reading = BatteryReading(
            at: start, day: "2026-01-31", battery: 64, zone: .hard, fitness: 58.2, fatigue: 63, form: -4.8,
            formPercent: -8.2, rampPerWeek: 2.1, guidanceLow: 64, guidanceHigh: 81, guidance: "Hard intervals OK.",
            illness: .none, calibratingDays: nil, adjustment: -3.1, confidence: 0.72,
            reasons: ["Threshold/VO2max: 1.1–1.4 × fitness 58"])
        reading.title = "Battery 64: Threshold/VO2max"
        reading.text = "Today's target: load 64–81. Hard intervals OK."
        reading.convention = "exponential"
        (reading.vo2max, reading.vo2maxError) = (51.4, 6.3)
        // The 30th is not known: a blank.
        let days = [("2026-01-28", 0), ("2026-01-29", 100), ("2026-01-31", 64)].map {
            BatteryHistory.Day(date: $0.0, battery: $0.1, zone: "hard", illness: "none", confidence: 0.7)
        }
        return BatteryHistory(latest: reading, days: days)
    }

    @Test func `the battery is told with its reasons and its days`() async throws {
        let household = FakeHousehold()
        try household.answer(GetBattery.self, with: Self.battery)
        #expect(
            try await run(["body", "battery"], in: household) == """
                2026-01-31  Battery 64: Threshold/VO2max  confidence 72 %
                Today's target: load 64–81. Hard intervals OK.
                  – Threshold/VO2max: 1.1–1.4 × fitness 58
                fitness 58, fatigue 63, form −5 (−8 %), +2.1 in a week  exponential
                HRV and resting heart rate: −3.1 points
                VO2max estimated at 51 ± 6 ml/(kg·min)
                4 days   ▁█ ▆ 0→64

                """)
        let json = try await run(["body", "battery", "--json"], in: household)
        #expect(try JSONDecoder().decode(BatteryHistory.self, from: Data(json.utf8)) == Self.battery)
    }

    @Test func `without any record there is a clear word and status 1`() async throws {
        let household = FakeHousehold()
        try household.answer(GetBattery.self, with: BatteryHistory(latest: nil, days: []))
        let failure = await #expect(throws: CommandFailure.self) {
            _ = try await run(["body", "battery"], in: household)
        }
        #expect(failure?.status == .finding && failure?.cure?.contains("import") == true)
    }

    @Test func `load asks for the convention that was named`() async throws {
        let household = FakeHousehold()
        try household.answer(
            GetLoad.self,
            with: LoadReport(
                convention: "trainingpeaks", formOfTheMorning: true, calibratingDays: 12,
                days: [
                    .init(date: "2026-01-30", load: 100, fitness: 50, fatigue: 60, form: -8, rampPerWeek: nil),
                    .init(date: "2026-01-31", load: 0, fitness: 48.8, fatigue: 51.4, form: -10, rampPerWeek: 1.2),
                ]))
        let text = try await run(["body", "load", "--convention", "trainingpeaks", "--days", "2"], in: household)
        #expect(household.asked.last?.body == .object(["convention": .string("trainingpeaks"), "days": .integer(2)]))
        #expect(text.contains("2026-01-31     0     48.8     51.4  −10.0"))
        #expect(text.contains("Calibrating: 12 more days") && text.contains("before the day's training"))
        await #expect(throws: (any Error).self) { _ = try await run(["body", "load", "--days", "0"], in: household) }
    }

    private static func workout(_ source: String, countsAs: String? = nil) -> WorkoutSummary {
        var workout = WorkoutSummary(
            startAt: start, endAt: start.adding(seconds: 3600), sport: "cycling", source: source, movingSeconds: 3500)
        workout.load = 80
        workout.method = "power"
        workout.confidence = 0.9
        workout.countsAs = countsAs
        workout.zones = [
            ZoneTimes(kind: "power", threshold: 250, names: ["Recovery", "Endurance"], seconds: [600, 1200])
        ]
        return workout
    }

    @Test func `a workout is named by its minute, and of two devices the one that counts is meant`() async throws {
        let household = FakeHousehold()
        let both = [Self.workout("Watch", countsAs: Self.start.description), Self.workout("Edge")]
        try household.answer(ListWorkouts.self, with: WorkoutPage(workouts: both, truncated: false))
        household.refuse(.body, "settings", code: "unknown-request")
        let list = try await run(["body", "workouts"], in: household)
        #expect(list.contains("2026-01-31T13:05") && list.contains("recorded twice"))
        let one = try await run(["body", "workout", "2026-01-31T13:05:00Z"], in: household)
        #expect(one.contains("80 by power, confidence 90 %") && one.contains("Edge") && one.contains("20:00"))
        let other = try await run(["body", "workout", "2026-01-31T13:05:00Z", "--source", "watch"], in: household)
        #expect(other.contains("Watch"))
    }

    @Test func `a FIT file is written whole, and never over another one`() async throws {
        let household = FakeHousehold()
        try household.answer(ListWorkouts.self, with: WorkoutPage(workouts: [Self.workout("Edge")], truncated: false))
        try household.answer(
            GetWorkoutFile.self, with: WorkoutFile(bytes: 4, base64: Data([1, 2, 3, 4]).base64EncodedString()))
        let directory = try TemporaryDirectory()
        let file = directory.url.appending(path: "ride.fit")
        let words = ["body", "workout", "2026-01-31T13:05:00Z", "--fit", file.path(percentEncoded: false)]
        #expect(try await run(words, in: household).contains("4 B"))
        #expect(try Data(contentsOf: file) == Data([1, 2, 3, 4]))
        let failure = await #expect(throws: CommandFailure.self) { _ = try await run(words, in: household) }
        #expect(failure?.status == .cannotCreate)
        _ = try await run(words + ["--force"], in: household)
    }
}
