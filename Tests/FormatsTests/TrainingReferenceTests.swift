import Foundation
import Physiology
import Testing

@testable import Formats

/// Rides, morning logs and load series against the figures of others.
struct TrainingReferenceTests {
    private static let needed: Comment = "needs the shared data folder: set RESONANCE_SHARED_DATA"
    /// The profile of the reference.
    private static let training = TrainingOptions(restingBpm: 50, maximumBpm: 190, thresholdBpm: 170)

    private func ride(_ file: String, _ options: TrainingOptions = training) throws -> RideDetail {
        let report = try Inspection.inspect(path: SharedData.path(file), timeZone: .gmt, training: options)
        return try #require(report.detail as? RideDetail, "\(file)")
    }

    private func number(_ value: Any?) -> Double? { (value as? NSNumber)?.doubleValue }

    @Test(.enabled(if: SharedData.isThere, needed))
    func `power, load and impulse of every ride agree with the reference and the unit`() throws {
        let reference = try SharedData.json("fit/reference.json")
        var compared = 0
        for (group, folder, suffix) in [("raw", "fit/raw", ""), ("derived", "fit/derived", ".csv")] {
            let rides = try #require(reference[group] as? [String: [String: Any]])
            for (name, expected) in rides {
                let path = "\(folder)/\(name)\(suffix)"
                guard FileManager.default.fileExists(atPath: try SharedData.path(path)) else { continue }
                let sessions = expected["device_sessions"] as? [[String: Any]]
                let device = expected["device"] as? [String: Any] ?? sessions?.first ?? [:]
                if let power = expected["power"] as? [String: Any], let weighted = number(power["np_gap_restart"]) {
                    var options = Self.training
                    options.thresholdPowerW = number(power["ftp"])
                    let ours = try ride(path, options)
                    #expect(abs((ours.weightedPowerW ?? 0) - weighted) < 1e-6, "\(name)")
                    if let unit = number(device["normalized_power"]) {
                        #expect(abs((ours.weightedPowerW ?? 0) - unit) <= 1.5, "\(name)")
                        compared += 1
                    }
                    if let unit = number(device["training_stress_score"]), number(power["ftp"]) != nil {
                        #expect(
                            abs((ours.load ?? 0) - unit) <= max(0.02 * unit, 0.2), "\(name): \(ours.load ?? 0) \(unit)")
                    }
                }
                if let heart = expected["heart"] as? [String: Any], number(heart["n"]) ?? 0 > 100 {
                    let isEverySecond = group == "derived" || number(expected["span_s"]) != nil
                    try compare(
                        path, heart, isEverySecond: isEverySecond, timerSeconds: number(device["total_timer_time"]))
                }
                if let gaps = number(expected["gaps_over_1s"]), number(expected["longest_gap_s"]) ?? 0 < 3, gaps < 100,
                    expected["heart"] != nil || expected["power"] != nil
                {
                    #expect(try ride(path).gaps == Int(gaps), "\(name)")
                }
            }
        }
        #expect(compared >= 5)
    }

    /// The reference takes every record for one second, so it is met exactly where a device writes every second (also one
    /// with pauses), and in proportion to the device's own timer where it writes more rarely.
    private func compare(
        _ path: String, _ heart: [String: Any], isEverySecond: Bool, timerSeconds: Double?
    ) throws {
        let women = TrainingOptions(restingBpm: 50, maximumBpm: 190, thresholdBpm: 170, sex: "female")
        let (ours, hers) = (try ride(path), try ride(path, women))
        guard number(heart["max_hr"]) ?? 0 > 0 else {
            // A column of zeros is no heart rate: nothing is known, which is not an impulse of 0.
            #expect(ours.trimp == nil && ours.loadOfHeartRate == nil, "\(path)")
            return
        }
        let zones = ours.zones.first { $0.kind == .heartRate }?.zones.map(\.seconds) ?? []
        let theirs = (heart["seconds_in_lthr_zones_sweatpy"] as? [NSNumber])?.map(\.doubleValue) ?? []
        let figures = [
            (ours.trimp, "trimp_male_per_second"), (hers.trimp, "trimp_female_per_second"),
            (ours.loadOfHeartRate, "hr_tss_trimp_male"), (hers.loadOfHeartRate, "hr_tss_trimp_female"),
        ]
        if isEverySecond {
            for (figure, key) in figures { #expect(close(figure, number(heart[key])), "\(path) \(key)") }
            #expect(zones == theirs, "\(path)")
        } else {
            let records = try #require(number(heart["n"]))
            let interval = try #require(timerSeconds) / records
            for (figure, key) in figures {
                let expected = try #require(number(heart[key])) * interval
                #expect(abs((figure ?? 0) - expected) < 0.02 * expected, "\(path) \(key) \(figure ?? 0) \(expected)")
            }
            for (zone, count) in zip(zones, theirs) {
                #expect(abs(zone - count * interval) < 0.01 * records * interval)
            }
        }
    }

    private func close(_ ours: Double?, _ theirs: Double?) -> Bool {
        guard let ours, let theirs else { return ours == nil && theirs == nil }
        return abs(ours - theirs) <= 1e-9 * max(abs(theirs), 1)
    }

    /// Means over half minutes side by side, as one specification had it, give 156.9 W for a ride of 196 W.
    @Test(.enabled(if: SharedData.isThere, needed))
    func `blocks side by side would fail on the ride of intervals`() throws {
        let file = try FITFile(path: SharedData.path("fit/raw/indoor-edge1030-power-hr-rr.fit"))
        let workout = try #require(WorkoutRecord(file, source: "unit"))
        let watts = workout.samples.map { $0.powerW ?? 0 }
        let blocks = stride(from: 0, to: watts.count, by: 30).map { start in
            let block = watts[start..<min(start + 30, watts.count)]
            return block.reduce(0, +) / Double(block.count)
        }
        let fourth = blocks.reduce(0) { $0 + $1 * $1 * $1 * $1 } / Double(blocks.count)
        #expect(abs(fourth.squareRoot().squareRoot() - 156.9) < 0.1)
        #expect(abs((WorkoutFigures(workout).power?.weightedW ?? 0) - 195.9) < 0.1)
    }

    @Test(
        .enabled(if: SharedData.isThere, needed),
        arguments: [
            "hrv4t_android_2017_with_tss.csv", "hrv4t_android_2017_with_illness.csv", "hrv4t_ios_2017_120d.csv",
        ])
    func `baselines, z and single-day outcomes of a morning log agree with the reference`(name: String) throws {
        let reference = try #require(SharedData.json("daily/reference.json")[name] as? [String: Any])
        let baseline = try #require(reference["baseline"] as? [String: Any])
        let days = try #require(baseline["days"] as? [[String: Any]])
        let report = try Inspection.inspect(path: SharedData.path("daily/\(name)"), timeZone: .gmt)
        #expect(report.kind == "morning-log")
        let ours = try #require(report.detail as? MorningDetail).days
        #expect(ours.map(\.date) == days.map { $0["date"] as? String })
        for (day, expected) in zip(ours, days) {
            #expect(
                close(day.lnRmssd, number(expected["ln_rmssd"])) && close(day.hr, number(expected["hr"])), "\(day.date)"
            )
            #expect(close(day.roll7Mean, number(expected["roll7_mean"])), "\(day.date)")
            #expect(close(day.roll7CvPct, number(expected["roll7_cv_pct"])), "\(day.date)")
            for (key, base) in [("base30", day.base30), ("base60", day.base60)] {
                let theirs = expected[key] as? [String: Any]
                #expect(base?.n == number(theirs?["n"]).map { Int($0) }, "\(day.date) \(key)")
                #expect(close(base?.mean, number(theirs?["mean"])) && close(base?.sd, number(theirs?["sd"])))
                #expect(
                    close(base?.swcLow, number(theirs?["swc_low"])) && close(base?.swcHigh, number(theirs?["swc_high"]))
                )
                #expect(close(base?.normalLow, number(theirs?["normal_low"])))
                #expect(close(base?.normalHigh, number(theirs?["normal_high"])))
            }
            for (key, score) in [("rz_ln_rmssd_30d", day.rzLnRmssd30d), ("rz_hr_30d", day.rzHr30d)] {
                let theirs = expected[key] as? [String: Any]
                #expect(close(score?.median, number(theirs?["median"])) && close(score?.mad, number(theirs?["mad"])))
                #expect(close(score?.z, number(theirs?["z"])), "\(day.date) \(key)")
            }
            #expect(day.singleDayRule2 == (expected["seed_illness_rule"] as? Bool), "\(day.date)")
            #expect(close(day.excessBpm, number(expected["nightsignal_like_excess_bpm"])) || day.singleDayRule2 == nil)
        }
        let summary = try #require(baseline["summary"] as? [String: Any])
        for (key, flagged) in [
            ("seed_rule_alarms", ours.filter { $0.singleDayRule2 == true }),
            ("either_1p5_alarms", ours.filter { $0.singleDayRule1p5 == true }),
            ("excess4bpm_alarms", ours.filter { $0.singleDayRule4bpm == true }),
        ] { #expect(flagged.map(\.date) == summary[key] as? [String], "\(key)") }
        #expect(ours.filter { $0.sick == true }.map(\.date) == summary["sick_days"] as? [String])
    }

    @Test(.enabled(if: SharedData.isThere, needed), arguments: FitnessConvention.allCases)
    func `a load series is told in the convention asked for`(convention: FitnessConvention) throws {
        let name = "hrv4t_android_2017_with_tss.csv"
        let key = ["exponential": "goldencheetah", "trainingpeaks": "trainingpeaks", "intervals": "intervals_icu"]
        let pmc = try #require(
            (SharedData.json("daily/reference.json")[name] as? [String: Any])?["pmc"] as? [String: Any])
        let days = try #require(pmc["\(key[convention.rawValue] ?? "")_start0"] as? [[String: Any]])
        let report = try Inspection.inspect(
            path: SharedData.path("daily/\(name)"), timeZone: .gmt, training: TrainingOptions(convention: convention))
        let ours = try #require(report.detail as? MorningDetail)
        #expect(ours.convention == convention.rawValue && ours.days.count == days.count)
        for (day, expected) in zip(ours.days, days) {
            #expect(abs((day.fitness ?? .nan) - (number(expected["ctl"]) ?? 0)) <= 1e-6)
            #expect(abs((day.fatigue ?? .nan) - (number(expected["atl"]) ?? 0)) <= 1e-6)
            #expect(abs((day.form ?? .nan) - (number(expected["tsb"]) ?? 0)) <= 1e-6)
        }
        let json = try #require(JSONSerialization.jsonObject(with: Data(report.json.utf8)) as? [String: Any])
        #expect((json["days"] as? [Any])?.count == days.count && json["kind"] as? String == "morning-log")
    }
}
