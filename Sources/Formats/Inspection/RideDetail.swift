import Foundation
import Physiology

/// The training side of a recorded workout, as `inspect` tells it.
package struct RideDetail: InspectionDetail {
    package var sport: Sport
    package var movingSeconds: Double
    package var gaps: Int
    package var longestGapSeconds: Double
    package var meanPowerW: Double?
    package var weightedPowerW: Double?
    package var intensity: Double?
    package var load: Double?
    /// How ``load`` was told: `power`, `heartRate` …
    package var loadMethod: String?
    /// The same formula over the whole moving time.
    package var loadOfMovingTime: Double?
    /// 100 · TRIMP / TRIMP of an hour at the threshold heart rate.
    package var loadOfHeartRate: Double?
    package var meanBpm: Double?
    package var maximumBpm: Double?
    package var trimp: Double?
    package var trimpMale: Double?
    package var trimpFemale: Double?
    /// Speed on the flat that costs the same, m/s.
    package var gradedSpeedMps: Double?
    package var thresholdPowerW: Double?
    package var deviceLoad: Double?
    package var deviceWeightedPowerW: Double?
    package var zones: [TrainingZones]
    package var decoupling: AerobicDecoupling?
    package var vo2max: OxygenUptake?
    package var confidence: Double

    /// - Returns: nil when the workout has neither power, heart rate nor speed.
    init?(_ record: WorkoutRecord, _ options: TrainingOptions, deviceThresholdW: Double?, deviceWeightedW: Double?) {
        let figures = WorkoutFigures(record)
        guard figures.power != nil || figures.heart != nil || figures.speed != nil || record.distanceM != nil else {
            return nil
        }
        var thresholds = options.thresholds
        thresholds.thresholdPowerW = options.thresholdPowerW ?? deviceThresholdW
        let rules = LoadRules(sex: options.sex)
        let told = rules.load(of: figures, thresholds)
        sport = record.sport
        movingSeconds = figures.movingSeconds
        gaps = figures.gaps
        longestGapSeconds = figures.longestGapSeconds
        meanPowerW = figures.power?.meanW
        weightedPowerW = figures.power?.weightedW
        intensity = told.intensity
        load = told.load
        loadMethod = told.load.map { _ in told.method.rawValue }
        confidence = told.confidence
        loadOfMovingTime = thresholds.thresholdPowerW.flatMap {
            LoadRules.loadOfMovingTime(figures, thresholdPowerW: $0)
        }
        meanBpm = figures.heart?.meanBpm
        maximumBpm = figures.heart?.maximumBpm
        trimp = told.trimp
        thresholdPowerW = figures.power == nil ? nil : thresholds.thresholdPowerW
        deviceLoad = record.deviceLoad
        deviceWeightedPowerW = deviceWeightedW
        gradedSpeedMps = figures.speed?.weightedGradedMps
        zones = []
        decoupling = AerobicDecoupling(figures)
        if let heart = figures.heart, let rest = options.restingBpm, let maximum = options.maximumBpm {
            let men = HeartRateImpulse(restingBpm: rest, maximumBpm: maximum, sex: "male")
            let women = HeartRateImpulse(restingBpm: rest, maximumBpm: maximum, sex: "female")
            trimpMale = men?.total(heart.secondsByBpm)
            trimpFemale = women?.total(heart.secondsByBpm)
            let impulse = HeartRateImpulse(restingBpm: rest, maximumBpm: maximum, sex: options.sex)
            loadOfHeartRate = options.thresholdBpm.flatMap { impulse?.load(heart.secondsByBpm, thresholdBpm: $0) }
            vo2max = OxygenUptake(
                workouts: [figures], massKg: options.massKg, restingBpm: rest, maximumBpm: maximum)
        }
        if let threshold = thresholds.thresholdPowerW, threshold > 0, let power = figures.power {
            zones.append(TrainingZones(kind: .power, threshold: threshold, secondsByBin: power.secondsByWatt))
        }
        if let threshold = options.thresholdBpm, threshold > 0, let heart = figures.heart {
            zones.append(TrainingZones(kind: .heartRate, threshold: threshold, secondsByBin: heart.secondsByBpm))
        }
        if let threshold = options.thresholdRunMps, threshold > 0, let speed = figures.speed {
            zones.append(
                TrainingZones(
                    kind: .pace, threshold: threshold, secondsByBin: speed.secondsByBin,
                    binWidth: WorkoutFigures.speedBin))
        }
    }

    package var lines: [String] {
        var lines: [String] = []
        func add(_ name: String, _ value: Double?, _ unit: String) {
            if let value { lines.append("  \(name) \((value * 10).rounded() / 10)\(unit.isEmpty ? "" : " " + unit)") }
        }
        lines.append("  \(sport.rawValue), \(Int(movingSeconds / 60)) min moving, \(gaps) gaps")
        add("weighted power", weightedPowerW, "W")
        if let load {
            let how = loadMethod.flatMap(LoadMethod.init(rawValue:))?.label ?? ""
            lines.append(
                "  load \(Int(load.rounded())) (\(how)), intensity \(((intensity ?? 0) * 100).rounded() / 100)")
        }
        add("mean heart rate", meanBpm, "bpm")
        add("TRIMP", trimp, "")
        if let decoupling {
            lines.append(
                "  aerobic decoupling \((decoupling.percent * 10).rounded() / 10) ± \((decoupling.standardError * 10).rounded() / 10) %"
                    + (decoupling.isSteady ? "" : " (not a steady effort)"))
        }
        if let vo2max {
            lines.append(
                "  VO2max estimated \(Int(vo2max.maximum.rounded())) ± \(Int(vo2max.standardError.rounded())) ml/(kg·min)"
            )
        }
        for zones in zones {
            let parts = zones.zones.map { "\($0.name) \(Int($0.seconds / 60))" }
            lines.append("  minutes by \(zones.kind.rawValue): \(parts.joined(separator: ", "))")
        }
        return lines
    }
}
