import Formats
import Foundation
import Physiology
import Protocols

/// Rides, loads and morning logs.
enum TrainingAccuracy {
    /// The profile of the reference.
    private static let profile = TrainingOptions(restingBpm: 50, maximumBpm: 190, thresholdBpm: 170)

    private struct Ride {
        var name: String
        var path: String
        var expected: [String: Any]
        var device: [String: Any]

        func part(_ key: String) -> [String: Any]? { expected[key] as? [String: Any] }
    }

    private static func rides() throws -> [Ride] {
        let reference = try AccuracyPage.object("fit/reference.json")
        var rides: [Ride] = []
        for (group, folder, suffix) in [("raw", "fit/raw", ""), ("derived", "fit/derived", ".csv")] {
            for (name, expected) in (reference[group] as? [String: [String: Any]] ?? [:]).sorted(by: { $0.key < $1.key }
            )
            where SharedData.has("\(folder)/\(name)\(suffix)") {
                let sessions = expected["device_sessions"] as? [[String: Any]]
                rides.append(
                    Ride(
                        name: name, path: "\(folder)/\(name)\(suffix)", expected: expected,
                        device: expected["device"] as? [String: Any] ?? sessions?.first ?? [:]))
            }
        }
        return rides
    }

    private static func detail(_ ride: Ride, _ options: TrainingOptions) throws -> RideDetail? {
        let report = try Inspection.inspect(path: AccuracyPage.path(ride.path), timeZone: .gmt, training: options)
        return report.detail as? RideDetail
    }

    private static func number(_ value: Any?) -> Double? { AccuracyPage.number(value) }

    static func power() throws -> String {
        var weighted = AccuracyTable(columns: ["ride", "against", "ours, W", "reference, W", "difference"])
        var load = AccuracyTable(columns: ["ride", "against", "ours", "reference", "difference"])
        for ride in try rides() {
            guard let power = ride.part("power"), let reference = number(power["np_gap_restart"]) else { continue }
            var options = profile
            options.thresholdPowerW = number(power["ftp"])
            guard let ours = try detail(ride, options) else { continue }
            weighted.add(ride.name, "definition", ours: ours.weightedPowerW, reference: reference)
            if let unit = number(ride.device["normalized_power"]) {
                weighted.add(ride.name, "the unit's own", ours: ours.weightedPowerW, reference: unit, digits: 1)
            }
            guard options.thresholdPowerW != nil else { continue }
            load.add(ride.name, "definition", ours: ours.load, reference: number(power["tss_gap_restart"]))
            if let unit = number(ride.device["training_stress_score"]) {
                load.add(ride.name, "the unit's own", ours: ours.load, reference: unit, digits: 1)
            }
        }
        return """
            ## Weighted power

            Complete windows of 30 s, begun anew after a gap, computed with NumPy; and what the bicycle computers stored themselves,
            whole watts (tolerance 1.5 W).

            \(weighted.text)

            ## Load of power

            The windows' seconds, as the units count them (tolerance against a unit: 2 % or 0.2). Where a ride was paused the units count
            the moving time, and so do we; the definition loses the beginning of a window after every one of 55 pauses
            (ride-wahoo-elemnt-paused), or at gaps of single records (indoor-trainer-edge800).

            \(load.text)
            """
    }

    static func impulse() throws -> String {
        var table = AccuracyTable(columns: ["ride", "figure", "ours", "reference", "difference"])
        for ride in try rides() {
            guard let heart = ride.part("heart"), (number(heart["n"]) ?? 0) > 100, (number(heart["max_hr"]) ?? 0) > 0
            else { continue }
            let isRaw = ride.path.hasPrefix("fit/raw")
            guard !isRaw || number(ride.expected["span_s"]) != nil, let ours = try detail(ride, profile) else {
                continue
            }
            table.add(ride.name, "TRIMP, men", ours: ours.trimpMale, reference: number(heart["trimp_male_per_second"]))
            table.add(
                ride.name, "TRIMP, women", ours: ours.trimpFemale, reference: number(heart["trimp_female_per_second"]))
            table.add(
                ride.name, "load of heart rate, men", ours: ours.loadOfHeartRate,
                reference: number(heart["hr_tss_trimp_male"]))
        }
        return """
            ## Heart-rate impulse

            Banister's TRIMP summed over seconds, rest 50, maximum 190, threshold 170 bpm, on rides that were written every second.
            The reference takes every record for one second; a gap of a record or two is the difference.

            \(table.text)
            """
    }

    private static let logs = [
        "hrv4t_android_2017_with_tss.csv", "hrv4t_android_2017_with_illness.csv", "hrv4t_ios_2017_120d.csv",
    ]

    private static func morning(_ log: String, _ convention: FitnessConvention = .exponential) throws -> MorningDetail {
        let report = try Inspection.inspect(
            path: AccuracyPage.path("daily/\(log)"), timeZone: .gmt, training: TrainingOptions(convention: convention))
        guard let detail = report.detail as? MorningDetail else { throw CocoaError(.fileReadCorruptFile) }
        return detail
    }

    static func fitness() throws -> String {
        var table = AccuracyTable(
            columns: [
                "log", "convention", "figure", "ours, last day", "reference, last day", "days", "largest difference",
            ])
        let reference = try AccuracyPage.object("daily/reference.json")
        for log in logs {
            guard let pmc = (reference[log] as? [String: Any])?["pmc"] as? [String: Any] else { continue }
            for (convention, key) in [
                (FitnessConvention.exponential, "goldencheetah"), (.trainingpeaks, "trainingpeaks"),
                (.intervals, "intervals_icu"),
            ] {
                let days = pmc["\(key)_start0"] as? [[String: Any]] ?? []
                let ours = try morning(log, convention).days
                for (figure, path, name) in [
                    ("fitness", \MorningDetail.Day.fitness, "ctl"), ("fatigue", \.fatigue, "atl"),
                    ("form", \.form, "tsb"),
                ] {
                    let pairs = zip(ours, days).map { ($0[keyPath: path], number($1[name])) }
                    let apart = pairs.map { abs(($0.0 ?? 1e9) - ($0.1 ?? -1e9)) }.max() ?? 0
                    table.rows.append([
                        log, convention.rawValue, figure, AccuracyTable.number(pairs.last?.0, 3),
                        AccuracyTable.number(pairs.last?.1, 3), "\(ours.count) of \(days.count)",
                        AccuracyTable.magnitude(apart),
                    ])
                }
            }
        }
        return """
            ## Fitness, fatigue, form

            Day by day in three conventions, from a start of 0. The reference is printed with six decimals, hence differences up to
            5e-7; the tolerance is 1e-6.

            \(table.text)
            """
    }

    static func baselines() throws -> String {
        var table = AccuracyTable(columns: ["log", "figure", "days compared", "largest difference"])
        let reference = try AccuracyPage.object("daily/reference.json")
        for log in logs {
            let baseline = (reference[log] as? [String: Any])?["baseline"] as? [String: Any]
            let days = baseline?["days"] as? [[String: Any]] ?? []
            let pairs = Array(zip(try morning(log).days, days))
            func add(_ figure: String, _ ours: (MorningDetail.Day) -> Double?, _ path: String...) {
                table.add(
                    log, figure,
                    all: pairs.map { day, expected in
                        let last = path.dropLast().reduce(expected as [String: Any]?) { $0?[$1] as? [String: Any] }
                        return (ours(day), number(last?[path.last ?? ""]))
                    })
            }
            add("ln RMSSD", \.lnRmssd, "ln_rmssd")
            add("mean of seven days", \.roll7Mean, "roll7_mean")
            add("variation of seven days, %", \.roll7CvPct, "roll7_cv_pct")
            for (name, path) in [("30", \MorningDetail.Day.base30), ("60", \.base60)] {
                add("mean of \(name) days", { $0[keyPath: path]?.mean }, "base\(name)", "mean")
                add("SD of \(name) days", { $0[keyPath: path]?.sd }, "base\(name)", "sd")
                add("usual range of \(name) days, low", { $0[keyPath: path]?.swcLow }, "base\(name)", "swc_low")
                add("usual range of \(name) days, high", { $0[keyPath: path]?.swcHigh }, "base\(name)", "swc_high")
            }
            add("robust z of ln RMSSD", { $0.rzLnRmssd30d?.z }, "rz_ln_rmssd_30d", "z")
            add("robust z of heart rate", { $0.rzHr30d?.z }, "rz_hr_30d", "z")
        }
        return """
            ## Baselines and robust z

            Morning logs of real people. Windows never hold the day itself; z = 0.6745 (x − median) / MAD over 30 days.

            \(table.text)
            """
    }

    static func illness() throws -> String {
        var table = AccuracyTable(columns: ["log", "rule", "ours", "reference", "difference"])
        var own = AccuracyTable(columns: [
            "log", "days judged", "sick days among them", "watch or likely on them", "on other days",
        ])
        let reference = try AccuracyPage.object("daily/reference.json")
        for log in logs {
            let summary =
                ((reference[log] as? [String: Any])?["baseline"] as? [String: Any])?["summary"] as? [String: Any] ?? [:]
            let days = try morning(log).days
            for (rule, flagged, key) in [
                ("both z beyond 2", days.filter { $0.singleDayRule2 == true }, "seed_rule_alarms"),
                ("both z beyond 1.5", days.filter { $0.singleDayRule1p5 == true }, "either_1p5_alarms"),
                ("4 bpm above the median", days.filter { $0.singleDayRule4bpm == true }, "excess4bpm_alarms"),
                ("marked as sick", days.filter { $0.sick == true }, "sick_days"),
            ] {
                let ours = flagged.map(\.date)
                let theirs = summary[key] as? [String] ?? []
                table.rows.append([
                    log, rule, "\(ours.count) days", "\(theirs.count) days",
                    ours == theirs ? "same days" : "**\(Set(ours).symmetricDifference(theirs).sorted())**",
                ])
            }
            let judged = days.filter { $0.illness != nil }
            let signs = judged.filter { $0.illness == "watch" || $0.illness == "likely" }
            own.rows.append([
                log, "\(judged.count)", "\(judged.count { $0.sick == true })", "\(signs.count { $0.sick == true })",
                "\(signs.count { $0.sick != true })",
            ])
        }
        return """
            ## Illness outcomes

            Three rules that look at one day, as the reference has them:

            \(table.text)

            What the product uses is another rule (two signals, two nights running: watch, then likely), which no reference has. Its
            outcomes, for honesty; six labelled sick days are far too few to call it accurate:

            \(own.text)
            """
    }
}
