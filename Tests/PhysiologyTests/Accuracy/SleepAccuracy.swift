import Formats
import Foundation
import Physiology
import Protocols

/// Exports of Apple Health.
enum SleepAccuracy {
    private static let files = ["export_v14_en.xml", "export_v12_broken_dtd_pt.xml"]

    private static func detail(_ file: String) throws -> HealthDetail {
        let report = try Inspection.inspect(
            path: AccuracyPage.path("apple-health/\(file)"), timeZone: .gmt,
            now: Timestamp(milliseconds: 1_800_000_000_000))
        guard let detail = report.detail as? HealthDetail else { throw CocoaError(.fileReadCorruptFile) }
        return detail
    }

    private static func expected(_ file: String) throws -> [String: Any] {
        try AccuracyPage.object("apple-health/expected.json")[file] as? [String: Any] ?? [:]
    }

    private static func rows(_ file: String, _ key: String) throws -> [[String: Any]] {
        try expected(file)[key] as? [[String: Any]] ?? []
    }

    static func counts() throws -> String {
        var table = AccuracyTable(columns: ["export", "type", "ours", "reference", "difference"])
        for file in files {
            let counts = try expected(file)["counts"] as? [String: Int] ?? [:]
            let records = try detail(file).records
            for type in Set(counts.keys).union(records.keys).sorted() where type != "vertical_tab_records" {
                table.add(
                    file, type, ours: records[type].map(Double.init), reference: counts[type].map(Double.init),
                    digits: 0)
            }
        }
        return """
            ## Apple Health: counts

            Exports of a known content: version 14; and version 12 with a broken DTD, a control character inside a repeated record
            (which counts once) and clock times with a comma. What `resonance inspect --json` says.

            \(table.text)
            """
    }

    static func nights() throws -> String {
        var table = AccuracyTable(columns: [
            "export", "figure", "nights", "ours, sum", "reference, sum", "largest difference",
        ])
        for file in files {
            let ours = try detail(file).nights
            let theirs = try rows(file, "nights")
            func add(_ figure: String, _ mine: (HealthDetail.Night) -> Double?, _ wanted: ([String: Any]) -> Double?) {
                let pairs = zip(ours, theirs).map { (mine($0), wanted($1)) }
                let apart = pairs.map { abs(($0.0 ?? -1e9) - ($0.1 ?? 1e9)) }.max() ?? 0
                table.rows.append([
                    file, figure, "\(ours.count) of \(theirs.count)",
                    AccuracyTable.number(pairs.compactMap(\.0).reduce(0, +), 0),
                    AccuracyTable.number(pairs.compactMap(\.1).reduce(0, +), 0), AccuracyTable.magnitude(apart),
                ])
            }
            let mornings = zip(ours, theirs).count { $0.morning == $1["morning"] as? String }
            table.rows.append([
                file, "date of the morning", "\(ours.count) of \(theirs.count)", "–", "–",
                mornings == theirs.count ? "none" : "**\(theirs.count - mornings) days**",
            ])
            func number(_ value: Any?) -> Double? { AccuracyPage.number(value) }
            add("asleep, min", { $0.asleepMinutes }, { number($0["asleep_min_watch"]) })
            add("in bed, min", { $0.inBedMinutes }, { number($0["in_bed_min"]) })
            for stage in ["Core", "Deep", "REM", "Awake"] {
                add(
                    "\(stage), min", { $0.stages[stage.lowercased()] ?? 0 },
                    { number(($0["stages"] as? [String: Any])?[stage]) ?? 0 })
            }
            func minutes(_ text: String?) -> Double? {
                text.flatMap { try? Date($0, strategy: .iso8601) }.map { $0.timeIntervalSince1970 / 60 }
            }
            // Our times have milliseconds.
            func plain(_ text: String?) -> Double? { minutes(text?.replacingOccurrences(of: ".000", with: "")) }
            for (index, figure) in ["main sleep begins, min since 1970", "main sleep ends, min since 1970"].enumerated()
            {
                add(figure, { plain($0.mainSleep[index]) }, { minutes(($0["main_sleep_utc"] as? [String])?[index]) })
            }
        }
        return """
            ## Apple Health: nights

            Every night: the date of its morning, minutes asleep, in bed and by stage, beginning and end of the main sleep.

            \(table.text)
            """
    }

    static func readings() throws -> String {
        var table = AccuracyTable(columns: ["export", "figure", "compared", "largest difference"])
        func number(_ value: Any?) -> Double? { AccuracyPage.number(value) }
        for file in files {
            let ours = try detail(file)
            let resting = try rows(file, "rhr")
            table.add(
                file, "resting heart rate of a day, bpm",
                all: resting.map { (ours.restingHr[$0["day"] as? String ?? ""], number($0["bpm"])) })
            let readings = try rows(file, "hrv")
            for (figure, path, key) in [
                ("SDNN as given, ms", \HealthDetail.Variability.sdnnMs, "value"),
                ("SDNN rebuilt from beats, ms", \.rebuiltSdnnMs, "sdnn_from_bpm"),
                ("RMSSD from beats, across no gap, ms", \.rmssdMs, "rmssd_from_bpm"),
            ] { table.add(file, figure, all: zip(ours.hrv, readings).map { ($0[keyPath: path], number($1[key])) }) }
            let workouts = try rows(file, "workouts")
            let pairs = Array(zip(ours.workouts, workouts))
            table.add(file, "workout, moving s", all: pairs.map { ($0.movingSeconds, number($1["moving_s"])) })
            table.add(file, "workout, elapsed s", all: pairs.map { ($0.elapsedSeconds, number($1["elapsed_s"])) })
            for (figure, path, key) in [
                ("workout, mean bpm", \HealthDetail.Training.meanBpm, "avg_hr"),
                ("workout, metres", \.distanceM, "distance_m"), ("workout, kcal", \.energyKcal, "energy_kcal"),
                ("workout, mean W", \.meanPowerW, "avg_power"),
            ] { table.add(file, figure, all: pairs.map { ($0[keyPath: path], number($1[key])) }) }
        }
        let reference = try AccuracyPage.object("apple-health/reference.json")
        let report = try Inspection.inspect(path: AccuracyPage.path("apple-health/real_hrv_record.xml"), timeZone: .gmt)
        let real = (report.detail as? HealthDetail)?.hrv.first
        var apple = AccuracyTable(columns: ["figure", "ours", "reference", "difference"])
        apple.add(
            "SDNN as Apple gave it, ms", ours: real?.sdnnMs, reference: number(reference["apple_value_ms"]), digits: 4)
        apple.add(
            "SDNN rebuilt from its beats, ms", ours: real?.rebuiltSdnnMs,
            reference: number(reference["sdnn_sample_sd_of_60000_over_bpm"]), digits: 4)
        apple.add(
            "the same against Apple's own figure, ms", ours: real?.rebuiltSdnnMs,
            reference: number(reference["apple_value_ms"]), digits: 4)
        apple.add(
            "RMSSD across no gap, ms", ours: real?.rmssdMs,
            reference: number(reference["rmssd_gap_aware_from_bpm"]), digits: 4)
        return """
            ## Apple Health: heart rate, HRV, workouts

            Distances of version 14 are printed in miles, hence the centimetres.

            \(table.text)

            One real reading of an Apple Watch (27 beats). Its beats are whole beats per minute, hence the last 0.02 ms:

            \(apple.text)
            """
    }
}
