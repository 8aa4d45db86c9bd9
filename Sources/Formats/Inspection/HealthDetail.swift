import Foundation
import Physiology
import Protocols

/// A file of health data as `inspect` tells it.
package struct HealthDetail: InspectionDetail {
    package struct Night: Encodable, Equatable, Sendable {
        /// Local day on which the main sleep ended.
        package var morning: String
        package var asleepMinutes: Double
        /// Absent when no source tells.
        package var inBedMinutes: Double?
        /// Minutes of the main sleep by stage: `core`, `deep`, `rem`, `asleep` (stage not told), `awake`.
        package var stages: [String: Double]
        /// Beginning and end, RFC 3339 in UTC.
        package var mainSleep: [String]
        /// Asleep outside the main sleep: naps and broken nights.
        package var otherMinutes: Double?
    }

    package struct Variability: Encodable, Equatable, Sendable {
        package var start: String
        package var end: String
        package var source: String
        /// As the watch told it.
        package var sdnnMs: Double?
        /// From the beats: sample SD of 60000/bpm; RMSSD without pairs across gaps.
        package var rebuiltSdnnMs: Double?
        package var rmssdMs: Double?
        package var beats: Int
    }

    package struct Training: Encodable, Equatable, Sendable {
        package var start: String
        package var end: String
        package var sport: String
        package var movingSeconds: Double
        package var elapsedSeconds: Double
        package var meanBpm: Double?
        package var maximumBpm: Double?
        package var distanceM: Double?
        package var energyKcal: Double?
        package var meanPowerW: Double?
        package var ascentM: Double?
    }

    /// By the names of the file itself; what comes again counts once.
    package var records: [String: Int]
    package var nights: [Night]
    /// Beats per minute by local day; of several records of a day the one created last.
    package var restingHr: [String: Double]
    package var hrv: [Variability]
    package var workouts: [Training]
    /// What an import leaves out, by reason.
    package var skipped: [InspectionReport.Refused]

    init(_ summary: HealthSummary) {
        records = summary.records
        nights = summary.nights.map(Night.init)
        restingHr = summary.restingByDay
        hrv = summary.variability.map(Variability.init)
        workouts = summary.workouts.map(Training.init)
        skipped = summary.tally.skipped.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
            .map { InspectionReport.Refused(reason: $0.key, count: $0.value) }
    }

    package var lines: [String] {
        var lines = records.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(Self.longest)
            .map { "  \($0.value) \($0.key)" }
        if records.count > Self.longest { lines.append("  … \(records.count - Self.longest) more (see --json)") }
        if let first = nights.first, let last = nights.last {
            let mean = nights.reduce(0) { $0 + $1.asleepMinutes } / Double(nights.count)
            lines.append(
                "  \(nights.count) nights, \(first.morning) – \(last.morning), asleep \(Self.hours(mean)) on average")
        }
        if !restingHr.isEmpty {
            let values = restingHr.values
            lines.append(
                "  resting heart rate of \(restingHr.count) days, \(Int(values.min() ?? 0)) – \(Int(values.max() ?? 0)) bpm"
            )
        }
        if !hrv.isEmpty {
            lines.append("  \(hrv.count) HRV readings, \(hrv.count { $0.beats > 0 }) with their beats")
        }
        for (sport, some) in Dictionary(grouping: workouts, by: \.sport).sorted(by: { $0.key < $1.key }) {
            let seconds = some.reduce(0) { $0 + $1.movingSeconds }
            lines.append("  \(some.count) × \(sport), \(Self.hours(seconds / 60))")
        }
        return lines
    }

    private static let longest = 20

    private static func hours(_ minutes: Double) -> String {
        let whole = Int(minutes.rounded())
        return "\(whole / 60) h \(whole % 60) min"
    }
}

extension HealthDetail.Night {
    init(_ night: SleepNight) {
        morning = CivilTime.dateText(night.day * CivilTime.day)
        asleepMinutes = night.main.asleepSeconds / 60
        inBedMinutes = night.inBedSeconds.map { $0 / 60 }
        stages = Dictionary(
            uniqueKeysWithValues: night.main.stageSeconds.map { ($0.key.rawValue, $0.value / 60) })
        mainSleep = [night.main.start.description, night.main.end.description]
        let others = night.others.reduce(0) { $0 + $1.asleepSeconds / 60 }
        otherMinutes = others > 0 ? others : nil
    }
}

extension HealthDetail.Variability {
    init(_ record: VariabilityRecord) {
        start = record.start.description
        end = record.end.description
        source = record.source
        sdnnMs = record.sdnnMs
        rebuiltSdnnMs = record.rebuiltSdnnMs
        rmssdMs = record.rebuiltRmssdMs ?? record.rmssdMs
        beats = record.beats.count
    }
}

extension HealthDetail.Training {
    init(_ workout: WorkoutRecord) {
        start = workout.start.description
        end = workout.end.description
        sport = workout.sport.rawValue
        movingSeconds = workout.movingSeconds
        elapsedSeconds = workout.end.seconds(since: workout.start)
        meanBpm = workout.meanBpm
        maximumBpm = workout.maximumBpm
        distanceM = workout.distanceM
        energyKcal = workout.energyKcal
        meanPowerW = workout.meanPowerW
        ascentM = workout.ascentM
    }
}
