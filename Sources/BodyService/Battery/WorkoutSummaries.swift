import Foundation
import Physiology
import Protocols

/// What is told of every stored workout.
enum WorkoutSummaries {
    /// - Parameters:
    ///   - stored: every record.
    ///   - loads: which of them count, with their loads.
    static func all(
        _ stored: [StoredWorkout], _ loads: DailyLoads, _ thresholds: ThresholdHistory
    ) -> [WorkoutSummary] {
        let told = (loads.entries.map { ($0, true) } + loads.leftOut.map { ($0, false) })
            .reduce(into: [EssenceTable.Key: (entry: DailyLoads.Entry, counts: Bool)]()) { all, one in
                all[key(one.0.workout)] = (one.0, one.1)
            }
        return stored.map { workout in
            guard let one = told[key(workout.figures)] else { return workout.summary }
            var summary = workout.summary
            summary.take(one.entry, thresholds.on(one.entry.day).thresholds)
            if !one.counts { summary.countsAs = counted(instead: one.entry.workout, loads)?.description }
            return summary
        }
    }

    private static func key(_ workout: WorkoutFigures) -> EssenceTable.Key {
        EssenceTable.Key(workout.start, workout.source, workout.sport.rawValue)
    }

    /// Start of the record that counts for a workout that two devices recorded.
    private static func counted(instead workout: WorkoutFigures, _ loads: DailyLoads) -> Timestamp? {
        // Entries ascend by start, and no workout that is kept lasts longer than a week.
        let entries = loads.entries
        var (low, high) = (0, entries.count)
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].workout.start < workout.end { low = middle + 1 } else { high = middle }
        }
        let near = entries[..<low].reversed().prefix { workout.start.seconds(since: $0.workout.start) < 7 * 86_400 }
        return near.first { $0.workout.end > workout.start || $0.workout.start == workout.start }?.workout.start
    }
}

extension WorkoutSummary {
    /// Load, zones and the heart's answer, under the thresholds of the day.
    mutating func take(_ entry: DailyLoads.Entry, _ thresholds: TrainingThresholds) {
        let workout = entry.workout
        movingSeconds = workout.movingSeconds
        // A device without a strap writes 0: nothing is known.
        meanBpm = workout.heart?.meanBpm ?? meanBpm.flatMap { $0 > 0 ? $0 : nil }
        maximumBpm = workout.heart?.maximumBpm ?? maximumBpm.flatMap { $0 > 0 ? $0 : nil }
        distanceM = distanceM.flatMap { $0 > 0 ? $0 : nil }
        meanPowerW = workout.power?.meanW ?? meanPowerW
        weightedPowerW = workout.power?.weightedW
        load = entry.load.load
        intensity = entry.load.intensity
        method = entry.load.load.map { _ in entry.load.method.rawValue }
        trimp = entry.load.trimp
        confidence = entry.load.load.map { _ in entry.load.confidence }
        notes = entry.load.notes.isEmpty ? nil : entry.load.notes
        gaps = workout.gaps
        exertion = workout.perceivedExertion ?? exertion
        let decoupling = AerobicDecoupling(workout)
        decouplingPercent = decoupling?.percent
        decouplingError = decoupling?.standardError
        if let decoupling, !decoupling.isSteady { notes = (notes ?? []) + ["no steady effort: decoupling says little"] }
        let zones = Self.zones(workout, thresholds)
        self.zones = zones.isEmpty ? nil : zones
    }

    private static func zones(_ workout: WorkoutFigures, _ thresholds: TrainingThresholds) -> [ZoneTimes] {
        var zones: [TrainingZones] = []
        if let threshold = thresholds.thresholdPowerW, threshold > 0, let power = workout.power {
            zones.append(TrainingZones(kind: .power, threshold: threshold, secondsByBin: power.secondsByWatt))
        }
        if let threshold = thresholds.thresholdBpm, threshold > 0, let heart = workout.heart, !heart.isMeanOnly {
            zones.append(TrainingZones(kind: .heartRate, threshold: threshold, secondsByBin: heart.secondsByBpm))
        }
        if let threshold = thresholds.thresholdRunMps, threshold > 0, let speed = workout.speed {
            zones.append(
                TrainingZones(
                    kind: .pace, threshold: threshold, secondsByBin: speed.secondsByBin,
                    binWidth: WorkoutFigures.speedBin))
        }
        return zones.map { zone in
            ZoneTimes(
                kind: zone.kind.rawValue, threshold: zone.threshold, names: zone.zones.map(\.name),
                seconds: zone.zones.map(\.seconds))
        }
    }
}
