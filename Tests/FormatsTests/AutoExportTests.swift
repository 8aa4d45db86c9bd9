import Foundation
import Physiology
import Protocols
import Testing

@testable import Formats

/// Files of the app Health Auto Export, as its documentation has them.
struct AutoExportTests {
    private func taken(_ json: String, zone: String = "UTC") throws -> Taken {
        let folder = try TemporaryFolder()
        return try Taken(try folder.write(json, to: "HealthAutoExport.json"), zone: zone)
    }

    private static func metric(_ name: String, _ unit: String, _ points: String) -> String {
        "{\"data\":{\"metrics\":[{\"name\":\"\(name)\",\"units\":\"\(unit)\",\"data\":[\(points)]}]}}"
    }

    @Test func `a heart rate is its average of the minute`() throws {
        let taken = try taken(
            Self.metric(
                "heart_rate", "count/min",
                "{\"date\":\"2024-02-06 14:30:00 -0800\",\"Min\":60,\"Avg\":65.5,\"Max\":72,\"source\":\"Watch\"}"))
        #expect(taken.heartRates.map(\.bpm) == [65.5])
        #expect(taken.heartRates.first?.at.description == "2024-02-06T22:30:00.000Z")
        #expect(taken.heartRates.first?.source == "Watch")
    }

    /// Factors: NIST SP 811.
    @Test(
        arguments: [
            ("step_count", "count", 812, 812), ("active_energy", "kJ", 418.4, 100), ("active_energy", "kcal", 100, 100),
            ("walking_running_distance", "mi", 1, 1609.344), ("walking_running_distance", "km", 2, 2000),
            ("weight_body_mass", "lb", 154, 69.853_224_98), ("height", "ft", 6, 182.88),
            ("vo2_max", "ml/(kg·min)", 44.1, 44.1), ("basal_energy_burned", "kJ", 4.184, 1),
        ] as [(String, String, Double, Double)])
    func `an amount is read in its unit`(name: String, unit: String, value: Double, expected: Double) throws {
        let taken = try taken(
            Self.metric(name, unit, "{\"date\":\"2024-02-06 14:30:00 -0800\",\"qty\":\(value)}"))
        let amount = try #require(taken.quantities.first, "\(taken.tally)")
        #expect(abs(amount.value - expected) < 1e-6)
    }

    @Test func `the order of keys does not matter`() throws {
        let json =
            "{\"data\":{\"metrics\":[{\"data\":[{\"qty\":50,\"date\":\"2024-02-06 00:00:00 +0000\"}],\"units\":\"count/min\",\"name\":\"resting_heart_rate\"},{\"data\":[{\"qty\":41.5,\"date\":\"2024-02-06 03:00:00 +0000\"}],\"units\":\"ms\",\"name\":\"heart_rate_variability\"}]}}"
        let taken = try taken(json)
        #expect(taken.resting.map(\.bpm) == [50])
        #expect(taken.variability.map(\.sdnnMs) == [41.5])
    }

    @Test func `stages of a night are taken, a summed night has only its span`() throws {
        let stages = try taken(
            Self.metric(
                "sleep_analysis", "hr",
                "{\"startDate\":\"2024-02-06 23:00:00 +0000\",\"endDate\":\"2024-02-06 23:40:00 +0000\",\"value\":\"Core\",\"source\":\"Watch\"},{\"startDate\":\"2024-02-06 23:40:00 +0000\",\"endDate\":\"2024-02-07 00:10:00 +0000\",\"value\":\"REM\"},{\"startDate\":\"2024-02-06 23:40:00 +0000\",\"endDate\":\"2024-02-07 00:10:00 +0000\",\"value\":\"Flying\"}"
            ))
        #expect(stages.sleep.map(\.stage) == [.core, .rem])
        #expect(stages.sleep.map(\.isWatch) == [true, false])
        #expect(stages.tally.skipped == ["unknown stage of sleep": 1])
        let summed = try taken(
            Self.metric(
                "sleep_analysis", "hr",
                "{\"date\":\"2024-02-07\",\"asleep\":7.1,\"deep\":1.0,\"rem\":1.5,\"sleepStart\":\"2024-02-06 23:00:00 +0000\",\"sleepEnd\":\"2024-02-07 07:00:00 +0000\",\"inBedStart\":\"2024-02-06 22:50:00 +0000\",\"inBedEnd\":\"2024-02-07 07:05:00 +0000\"}"
            ))
        #expect(summed.sleep.map(\.stage) == [.asleep, .inBed])
    }

    @Test func `a workout is read in both versions of the format`() throws {
        let json = """
            {"data":{"workouts":[
             {"name":"Outdoor Run","start":"2024-02-06 07:00:00 -0800","end":"2024-02-06 07:30:00 -0800","duration":1700,
              "distance":{"qty":3,"units":"mi"},"activeEnergyBurned":{"qty":1255.2,"units":"kJ"},
              "heartRate":{"avg":{"qty":150,"units":"bpm"},"max":{"qty":170,"units":"bpm"}},
              "heartRateData":[{"date":"2024-02-06 07:01:00 -0800","Avg":140,"units":"bpm"}],
              "route":[{"latitude":1,"longitude":2}]},
             {"name":"Cycling","start":"2024-02-07 07:00:00 -0800","end":"2024-02-07 07:20:00 -0800",
              "avgHeartRate":{"qty":120,"units":"bpm"},"activeEnergy":[{"qty":10,"units":"kcal"},{"qty":20,"units":"kcal"}]},
             {"name":"Nowhen"}]}}
            """
        let taken = try taken(json)
        #expect(taken.workouts.map(\.sport) == [.running, .cycling])
        let (run, ride) = (taken.workouts[0], taken.workouts[1])
        #expect(run.movingSeconds == 1700)
        #expect(abs((run.distanceM ?? 0) - 4828.032) < 1e-6)
        #expect(abs((run.energyKcal ?? 0) - 300) < 1e-9)
        #expect(run.meanBpm == 150 && run.maximumBpm == 170)
        #expect(run.samples.map(\.bpm) == [140])
        #expect(ride.movingSeconds == 1200 && ride.energyKcal == 30 && ride.meanBpm == 120)
        #expect(taken.tally.skipped == ["unreadable time": 1])
    }

    @Test func `a time without a zone is the person's`() throws {
        let json = Self.metric("resting_heart_rate", "bpm", "{\"date\":\"2024-07-06 08:00:00\",\"qty\":50}")
        #expect(try taken(json, zone: "Europe/Berlin").resting.first?.at.description == "2024-07-06T06:00:00.000Z")
    }

    @Test func `a file that was cut off gives what stands before, and says so`() throws {
        let points = (0..<50).map { "{\"date\":\"2024-02-06 14:\(10 + $0):00 +0000\",\"qty\":\(60 + $0)}" }
        let whole = Self.metric("resting_heart_rate", "bpm", points.joined(separator: ","))
        let taken = try taken(String(whole.prefix(whole.count / 2)))
        #expect((20...25).contains(taken.resting.count))
        #expect(taken.tally.problems.count == 1)
    }

    @Test func `what is not taken is counted by its name`() throws {
        let json = Self.metric(
            "blood_glucose", "mg/dL",
            "{\"date\":\"2024-02-06 14:30:00 +0000\",\"qty\":90},{\"date\":\"2024-02-06 15:30:00 +0000\",\"qty\":95}")
        let taken = try taken(json)
        #expect(taken.records.isEmpty)
        #expect(taken.tally.skipped == ["blood_glucose: not used": 2])
        let odd = try self.taken(
            Self.metric("resting_heart_rate", "furlong", "{\"date\":\"2024-02-06 14:30:00 +0000\",\"qty\":90}"))
        #expect(odd.tally.skipped == ["unknown unit of resting_heart_rate": 1])
    }
}
