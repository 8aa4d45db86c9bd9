import Foundation
import Physiology
import Protocols

/// What a file of health data holds: what an import would take, day by day. Heart rates and amounts are only counted.
package struct HealthSummary: Sendable {
    package var tally = HealthTally()
    package var nights: [SleepNight] = []
    /// Beats per minute by local day; of several records of a day the one created last.
    package var restingByDay: [String: Double] = [:]
    package var variability: [VariabilityRecord] = []
    package var workouts: [WorkoutRecord] = []
    /// Records by the names of the file itself; a stretch of sleep, a reading or a workout that comes again counts once.
    package var records: [String: Int] = [:]

    private static let sleepType = "HKCategoryTypeIdentifierSleepAnalysis"
    private static let variabilityType = "HKQuantityTypeIdentifierHeartRateVariabilitySDNN"
    private static let restingType = "HKQuantityTypeIdentifierRestingHeartRate"
    private static let repeated = "comes again: taken once"

    /// Reads a file.
    ///
    /// - Parameters:
    ///   - now: what lies later is skipped.
    ///   - timeZone: for days when the file names no zone.
    /// - Throws: ``FormatError`` for what is no health file.
    package static func read(path: String, now: Timestamp, timeZone: TimeZone) throws(FormatError) -> HealthSummary {
        var summary = HealthSummary()
        var segments = Set<SleepSegment>()
        var resting = Set<RestingRecord>()
        var readings = Set<VariabilityRecord>()
        var workouts = Set<WorkoutRecord>()
        var again: [String: Int] = [:]
        do {
            summary.tally = try HealthFile.read(URL(filePath: path), now: now, timeZone: timeZone) { record in
                switch record {
                case .sleep(let segment):
                    if !segments.insert(segment).inserted { again[sleepType, default: 0] += 1 }
                case .restingHeartRate(let record):
                    if !resting.insert(record).inserted { again[restingType, default: 0] += 1 }
                case .variability(let record):
                    if readings.insert(record).inserted {
                        summary.variability.append(record)
                    } else {
                        again[variabilityType, default: 0] += 1
                    }
                case .workout(let record):
                    if workouts.insert(record).inserted {
                        summary.workouts.append(record)
                    } else {
                        again["Workout", default: 0] += 1
                    }
                case .heartRate, .quantity, .person: break
                }
            }
        } catch let error as FormatError {
            throw error
        } catch {
            throw FormatError(file: path, cause: "cannot be read", cure: "export it again")
        }
        summary.records = summary.tally.found
        for (type, count) in again {
            if let found = summary.records[type] { summary.records[type] = max(0, found - count) }
            summary.tally.skip(Self.repeated, count)
        }
        summary.nights = SleepNights.nights(from: Array(segments), timeZone: timeZone)
        let zones = ZoneHistory(Array(segments), default: timeZone)
        for record in resting.sorted(by: { $0.createdAt < $1.createdAt }) {
            summary.restingByDay[zones.day(of: record.at)] = record.bpm
        }
        return summary
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
