import Foundation
import Physiology
import Protocols

/// What an inspection says about an Apple Health export: what an import would take, day by day.
package struct AppleHealthSummary: Sendable {
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

    package var tally = HealthTally()
    package var nights: [Night] = []
    /// Beats per minute by local day; of several records of a day the one created last.
    package var restingByDay: [String: Double] = [:]
    package var variability: [VariabilityRecord] = []
    package var workouts: [WorkoutRecord] = []

    /// Reads an export; heart rates and amounts are only counted.
    ///
    /// - Parameters:
    ///   - now: what lies later is skipped.
    ///   - timeZone: for days when the export names no zone.
    /// - Throws: ``FormatError`` for what is no export.
    package static func read(path: String, now: Timestamp, timeZone: TimeZone) throws(FormatError) -> AppleHealthSummary
    {
        var summary = AppleHealthSummary()
        var segments: [SleepSegment] = []
        var resting: [RestingRecord] = []
        do {
            summary.tally = try HealthFile.read(URL(filePath: path), now: now, timeZone: timeZone) { record in
                switch record {
                case .sleep(let segment): segments.append(segment)
                case .restingHeartRate(let record): resting.append(record)
                case .variability(let record): summary.variability.append(record)
                case .workout(let record): summary.workouts.append(record)
                case .heartRate, .quantity, .person: break
                }
            }
        } catch let error as FormatError {
            throw error
        } catch {
            throw FormatError(file: path, cause: "cannot be read", cure: "export it again")
        }
        summary.nights = SleepNights.nights(from: segments, timeZone: timeZone).map(Night.init)
        let zones = ZoneHistory(segments, default: timeZone)
        for record in resting.sorted(by: { $0.createdAt < $1.createdAt }) {
            summary.restingByDay[zones.day(of: record.at)] = record.bpm
        }
        return summary
    }

    /// The HRV readings and workouts as the report has them.
    var readings: [Variability] {
        variability.map { record in
            Variability(
                start: record.start.description, end: record.end.description, source: record.source,
                sdnnMs: record.sdnnMs, rebuiltSdnnMs: record.rebuiltSdnnMs, rmssdMs: record.rebuiltRmssdMs,
                beats: record.beats.count)
        }
    }

    var trainings: [Training] {
        workouts.map { workout in
            Training(
                start: workout.start.description, end: workout.end.description, sport: workout.sport.rawValue,
                movingSeconds: workout.movingSeconds, elapsedSeconds: workout.end.seconds(since: workout.start),
                meanBpm: workout.meanBpm, maximumBpm: workout.maximumBpm, distanceM: workout.distanceM,
                energyKcal: workout.energyKcal, meanPowerW: workout.meanPowerW, ascentM: workout.ascentM)
        }
    }
}

extension AppleHealthSummary.Night {
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

/// Where the person was: the zones that sleep was recorded in, since other records name none.
struct ZoneHistory {
    private var changes: [(since: Timestamp, zone: TimeZone)] = []
    private let fallback: TimeZone

    init(_ segments: [SleepSegment], default fallback: TimeZone) {
        self.fallback = fallback
        for segment in segments.sorted(by: { $0.start < $1.start }) {
            guard let name = segment.timeZone, name != changes.last?.zone.identifier,
                let zone = TimeZone(identifier: name)
            else { continue }
            changes.append((segment.start, zone))
        }
    }

    /// The zone at a moment: that of the sleep before, or of the first sleep of all.
    func zone(at moment: Timestamp) -> TimeZone {
        var (low, high) = (0, changes.count)
        while low < high {
            let middle = (low + high) / 2
            if changes[middle].since <= moment { low = middle + 1 } else { high = middle }
        }
        return low > 0 ? changes[low - 1].zone : changes.first?.zone ?? fallback
    }

    /// Local day, `2026-01-31`.
    func day(of moment: Timestamp) -> String {
        CivilTime.dateText(LocalClock(timeZone: zone(at: moment)).day(of: moment) * CivilTime.day)
    }
}
