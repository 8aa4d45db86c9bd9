import Foundation
import Physiology
import Protocols
import Testing

@testable import Formats

/// Synthetic exports whose expected values another program wrote, and one real reading with Apple's own figure.
struct AppleHealthReferenceTests {
    static let files = ["export_v14_en.xml", "export_v12_broken_dtd_pt.xml"]
    static let zones = ["export_v14_en.xml": "America/New_York", "export_v12_broken_dtd_pt.xml": "Europe/Lisbon"]

    private static func expected(_ file: String) throws -> [String: Any] {
        try #require(try SharedData.json("apple-health/expected.json")[file] as? [String: Any])
    }

    private static func report(_ file: String) throws -> HealthSummary {
        // The zone of the machine is a wrong one on purpose: the export knows better.
        try HealthSummary.read(
            path: SharedData.path("apple-health/\(file)"), now: Timestamp(milliseconds: 1_800_000_000_000),
            timeZone: try #require(TimeZone(identifier: "Asia/Tokyo")))
    }

    private static func instant(_ value: Any?) throws -> Timestamp {
        let text = try #require(value as? String)
        return Timestamp(try #require(try? Date(text, strategy: .iso8601)))
    }

    @Test(.enabled(if: SharedData.isThere, "needs the shared data folder"), arguments: files)
    func `counts by type equal the expected ones`(file: String) throws {
        let counts = try #require(try Self.expected(file)["counts"] as? [String: Int])
        let detail = HealthDetail(try Self.report(file))
        #expect(detail.records == counts.filter { $0.key != "vertical_tab_records" })
        // The record with the control character comes a second time without it, and is counted once.
        let again = detail.skipped.first { $0.reason == "comes again: taken once" }?.count
        #expect(again == counts["vertical_tab_records"])
    }

    @Test(.enabled(if: SharedData.isThere, "needs the shared data folder"), arguments: files)
    func `nights equal the expected ones`(file: String) throws {
        let expected = try #require(try Self.expected(file)["nights"] as? [[String: Any]])
        let nights = HealthDetail(try Self.report(file)).nights
        #expect(nights.count == expected.count)
        for (night, wanted) in zip(nights, expected) {
            #expect(night.morning == wanted["morning"] as? String)
            #expect(night.asleepMinutes == wanted["asleep_min_watch"] as? Double)
            #expect(night.inBedMinutes == wanted["in_bed_min"] as? Double)
            let stages = try #require(wanted["stages"] as? [String: Double])
            #expect(night.stages == Dictionary(uniqueKeysWithValues: stages.map { ($0.key.lowercased(), $0.value) }))
            let span = try #require(wanted["main_sleep_utc"] as? [String])
            #expect(night.mainSleep == [try Self.instant(span[0]).description, try Self.instant(span[1]).description])
        }
    }

    @Test(.enabled(if: SharedData.isThere, "needs the shared data folder"), arguments: files)
    func `the resting heart rate of a day is the one created last`(file: String) throws {
        let expected = try #require(try Self.expected(file)["rhr"] as? [[String: Any]])
        let days = try Self.report(file).restingByDay
        #expect(days.count == expected.count)
        for wanted in expected {
            let day = try #require(wanted["day"] as? String)
            #expect(days[day] == (wanted["bpm"] as? NSNumber)?.doubleValue, "\(day)")
        }
    }

    @Test(.enabled(if: SharedData.isThere, "needs the shared data folder"), arguments: files)
    func `HRV is given as told and rebuilt from its beats`(file: String) throws {
        let expected = try #require(try Self.expected(file)["hrv"] as? [[String: Any]])
        let records = try Self.report(file).variability
        #expect(records.count == expected.count)
        for (record, wanted) in zip(records, expected) {
            #expect(record.start == (try Self.instant(wanted["start_utc"])))
            #expect(record.sdnnMs == wanted["value"] as? Double)
            #expect(record.beats.count == wanted["n"] as? Int)
            let sdnn = try #require(record.rebuiltSdnnMs)
            let rmssd = try #require(record.rebuiltRmssdMs)
            #expect(abs(sdnn - (wanted["sdnn_from_bpm"] as? Double ?? .nan)) < 1e-9)
            #expect(abs(rmssd - (wanted["rmssd_from_bpm"] as? Double ?? .nan)) < 1e-9, "\(record.start)")
            let first = try #require(record.beats.first)
            #expect((0..<60).contains(first.at.seconds(since: record.start)))
        }
    }

    @Test(.enabled(if: SharedData.isThere, "needs the shared data folder"), arguments: files)
    func `workouts equal the expected ones`(file: String) throws {
        let expected = try #require(try Self.expected(file)["workouts"] as? [[String: Any]])
        let workouts = try Self.report(file).workouts
        #expect(workouts.count == expected.count)
        for (workout, wanted) in zip(workouts, expected) {
            #expect(workout.start == (try Self.instant(wanted["start_utc"])))
            #expect(workout.sport.rawValue == wanted["type"] as? String)
            #expect(workout.movingSeconds == wanted["moving_s"] as? Double)
            #expect(workout.end.seconds(since: workout.start) == wanted["elapsed_s"] as? Double)
            #expect(workout.meanBpm == wanted["avg_hr"] as? Double)
            #expect(abs((workout.distanceM ?? 0) - (wanted["distance_m"] as? Double ?? -1)) < 0.1)
            #expect(workout.energyKcal == wanted["energy_kcal"] as? Double)
            #expect(workout.meanPowerW == wanted["avg_power"] as? Double)
            #expect(workout.ascentM == 118)
        }
    }

    @Test(.enabled(if: SharedData.isThere, "needs the shared data folder"), arguments: files)
    func `an inspection tells the same of the export and of its archive`(file: String) throws {
        let folder = try TemporaryFolder()
        let archive = try folder.write(
            StoredZip.bytes([
                (
                    "apple_health_export/exportar.xml",
                    Array(try Data(contentsOf: URL(filePath: SharedData.path("apple-health/\(file)"))))
                ), ("apple_health_export/workout-routes/route.gpx", Array("<gpx/>".utf8)),
            ]), to: "exportar.zip")
        let now = Timestamp(milliseconds: 1_800_000_000_000)
        func told(_ path: String) throws -> [String: Any] {
            let report = try Inspection.inspect(path: path, timeZone: .gmt, now: now)
            let json = try JSONSerialization.jsonObject(with: Data(report.json.utf8))
            var object = try #require(json as? [String: Any])
            #expect(object["kind"] as? String == "apple-health")
            for key in ["file", "skipped", "refused"] { object[key] = nil }
            return object
        }
        let plain = try told(SharedData.path("apple-health/\(file)"))
        #expect(plain as NSDictionary == (try told(archive)) as NSDictionary)
        #expect(Set(plain.keys).isSuperset(of: ["records", "nights", "restingHr", "hrv", "workouts"]))
    }

    @Test(.enabled(if: SharedData.isThere, "needs the shared data folder"), arguments: files)
    func `steps stay apart by source, for they overlap`(file: String) throws {
        let expected = try #require(try Self.expected(file)["steps"] as? [[String: Any]])
        let taken = try Taken(SharedData.path("apple-health/\(file)"))
        let steps = taken.quantities.filter { $0.kind == .steps }
        for (source, key) in [("Test Watch", "watch"), ("Test Phone", "phone")] {
            #expect(steps.filter { $0.source == source }.map(\.value) == expected.compactMap { $0[key] as? Double })
        }
    }

    @Test(.enabled(if: SharedData.isThere, "needs the shared data folder"))
    func `Apple's own SDNN is rebuilt from a real reading, its RMSSD respects the gaps`() throws {
        let reference = try SharedData.json("apple-health/reference.json")
        let taken = try Taken(SharedData.path("apple-health/real_hrv_record.xml"))
        let record = try #require(taken.variability.first)
        #expect(record.sdnnMs == reference["apple_value_ms"] as? Double)
        #expect(record.beats.count == reference["beats"] as? Int)
        let sdnn = try #require(record.rebuiltSdnnMs)
        let rmssd = try #require(record.rebuiltRmssdMs)
        #expect(abs(sdnn - (reference["sdnn_sample_sd_of_60000_over_bpm"] as? Double ?? 0)) < 1e-9)
        #expect(abs(rmssd - (reference["rmssd_gap_aware_from_bpm"] as? Double ?? 0)) < 1e-9)
        // 08:33:44,67 of +0100 on 2018-11-19.
        #expect(record.beats.first?.at.milliseconds == 1_542_612_824_670)
    }
}
