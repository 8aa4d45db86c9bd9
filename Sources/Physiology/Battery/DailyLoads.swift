import Protocols

/// The loads of every local day.
package struct DailyLoads: Hashable, Sendable {
    /// One workout with its load, on its day.
    package struct Entry: Hashable, Codable, Sendable {
        package var day: Int
        package var workout: WorkoutFigures
        package var load: WorkoutLoad
    }

    /// Ascending by start; of workouts that two devices recorded at the same time only the one that is trusted more.
    package var entries: [Entry]
    /// Recorded twice, so left out; with the load that each would have had.
    package var leftOut: [Entry]
    package var doubles: Int { leftOut.count }

    /// Two recordings that share more than this of the shorter one are the same workout.
    static let sameShare = 0.5

    /// - Parameters:
    ///   - workouts: in any order; the outcome does not depend on it.
    package init(
        _ workouts: [WorkoutFigures], thresholds: ThresholdHistory, sex: String?, clock: TravelClock
    ) {
        let rules = LoadRules(sex: sex)
        let first = Self.loaded(workouts, thresholds, rules, clock)
        let scale = LoadRules.scale(of: first.map { ($0.workout, $0.load) })
        // The personal scale of efforts changes the loads of efforts alone.
        let personal = LoadRules(sex: sex, loadPerExertionMinute: scale)
        let loaded = first.map { entry in
            guard entry.load.method == .perceivedExertion else { return entry }
            let valid = thresholds.on(entry.day)
            return Entry(
                day: entry.day, workout: entry.workout,
                load: personal.load(
                    of: entry.workout, valid.thresholds, later: valid.later, isAssumed: valid.isAssumed))
        }
        entries = []
        leftOut = []
        // The most trusted first; then by what they are, so that no order of import matters.
        let ranked = loaded.sorted { one, other in
            one.load.confidence != other.load.confidence
                ? one.load.confidence > other.load.confidence : Self.precedes(one.workout, other.workout)
        }
        var taken = Overlaps()
        for entry in ranked {
            if taken.holds(entry.workout) {
                leftOut.append(entry)
            } else {
                taken.add(entry.workout)
                entries.append(entry)
            }
        }
        entries.sort { Self.precedes($0.workout, $1.workout) }
    }

    private static func loaded(
        _ workouts: [WorkoutFigures], _ thresholds: ThresholdHistory, _ rules: LoadRules, _ clock: TravelClock
    ) -> [Entry] {
        workouts.sorted(by: precedes).map { workout in
            let day = clock.day(of: workout.start)
            let valid = thresholds.on(day)
            return Entry(
                day: day, workout: workout,
                load: rules.load(
                    of: workout, valid.thresholds, later: valid.later, isAssumed: valid.isAssumed))
        }
    }

    private static func precedes(_ one: WorkoutFigures, _ other: WorkoutFigures) -> Bool {
        (one.start, one.end, one.source, one.sport.rawValue, one.movingSeconds)
            < (other.start, other.end, other.source, other.sport.rawValue, other.movingSeconds)
    }

    /// Only what lies on days of a span.
    func within(_ span: ClosedRange<Int>) -> DailyLoads {
        var part = self
        part.entries = entries.filter { span.contains($0.day) }
        part.leftOut = leftOut.filter { span.contains($0.day) }
        return part
    }

    /// Sum of a day's loads by day; days without a known load are absent.
    package var byDay: [Int: Double] {
        entries.reduce(into: [:]) { days, entry in
            if let load = entry.load.load { days[entry.day, default: 0] += load }
        }
    }

    /// The stretches of time that are taken, by hour, so that ten years are not compared with one another.
    private struct Overlaps {
        private var byHour: [Int64: [(start: Timestamp, end: Timestamp)]] = [:]
        private static let longestHours: Int64 = 72

        private static func hours(_ workout: WorkoutFigures) -> ClosedRange<Int64> {
            let first = workout.start.milliseconds / 3_600_000
            let last = max(workout.end.milliseconds / 3_600_000, first)
            return first...min(last, first + longestHours)
        }

        func holds(_ workout: WorkoutFigures) -> Bool {
            let length = workout.end.seconds(since: workout.start)
            return Self.hours(workout).contains { hour in
                byHour[hour, default: []].contains { taken in
                    let shared = min(workout.end, taken.end).seconds(since: max(workout.start, taken.start))
                    let shorter = min(length, taken.end.seconds(since: taken.start))
                    return shorter > 0
                        ? shared > DailyLoads.sameShare * shorter
                        : workout.start == taken.start && workout.end == taken.end
                }
            }
        }

        mutating func add(_ workout: WorkoutFigures) {
            for hour in Self.hours(workout) { byHour[hour, default: []].append((workout.start, workout.end)) }
        }
    }
}
