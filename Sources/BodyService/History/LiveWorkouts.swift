import Foundation
import GRDB
import Physiology
import Protocols

/// Makes whole workouts of the live events of one: its phases, and the heart rates between them.
///
/// Samples come in batches, some after the workout has ended; whenever something of a workout arrives it is made anew, so
/// that the order does not matter.
enum LiveWorkouts {
    /// As the source of such a workout is told.
    static let source = "Resonance"
    /// Between two heart rates that are kept, s.
    private static let sampleSeconds = 1.0

    /// Makes the ended workouts anew that lie in or touch a span.
    static func refresh(from: Timestamp, to: Timestamp, in db: Database) throws {
        let longest = StillnessGate.longestWorkout
        let events = try Row.fetchAll(
            db, sql: "SELECT at, phase, sport, energyKcal FROM workout WHERE at >= ? AND at <= ? ORDER BY at, phase",
            arguments: [
                from.adding(seconds: -longest).milliseconds, to.adding(seconds: longest).milliseconds,
            ]
        ).compactMap { row in
            WorkoutPhase(rawValue: row[1]).map {
                Workout(phase: $0, sport: row[2], energyKcal: row[3], at: Timestamp(milliseconds: row[0]))
            }
        }
        for workout in LiveWorkout.workouts(of: events) where workout.start <= to && workout.end >= from {
            try store(workout, in: db)
            // Heart rates of a workout that has ended come a batch later than its end.
            try ComputationMark.clear(in: db)
        }
    }

    private static func store(_ workout: LiveWorkout, in db: Database) throws {
        let rates = try Row.fetchAll(
            db, sql: "SELECT at, bpm FROM heartRate WHERE at >= ? AND at <= ? AND quality > 0 ORDER BY at, source",
            arguments: [workout.start.milliseconds, workout.end.milliseconds])
        var samples: [WorkoutSample] = []
        for row in rates {
            let at = Timestamp(milliseconds: row[0])
            if let last = samples.last, at.seconds(since: last.at) < sampleSeconds { continue }
            samples.append(WorkoutSample(at: at, bpm: row[1]))
        }
        let moving = samples.filter { workout.isMoving(at: $0.at) }.compactMap(\.bpm)
        try db.execute(
            sql: "DELETE FROM workoutRecord WHERE startAt = ? AND source = ?",
            arguments: [workout.start.milliseconds, source])
        _ = try WorkoutTable.store(
            WorkoutRecord(
                start: workout.start, end: workout.end, sport: workout.sport, movingSeconds: workout.movingSeconds,
                energyKcal: workout.energyKcal, meanBpm: mean(of: moving), maximumBpm: moving.max(), source: source,
                samples: samples), in: db)
    }
}

/// A workout from its start to its end, with its pauses.
struct LiveWorkout: Equatable {
    var start: Timestamp
    var end: Timestamp
    var sport: Sport
    var energyKcal: Double?
    /// In the order of time, without overlap.
    var pauses: [ClosedRange<Timestamp>] = []

    var movingSeconds: Double {
        max(0, end.seconds(since: start) - pauses.reduce(0) { $0 + $1.upperBound.seconds(since: $1.lowerBound) })
    }

    func isMoving(at: Timestamp) -> Bool { !pauses.contains { $0.contains(at) } }

    /// Those that have ended; one that was never ended is none.
    ///
    /// - Parameter events: in the order of time.
    static func workouts(of events: [Workout]) -> [LiveWorkout] {
        var found: [LiveWorkout] = []
        var open: LiveWorkout?
        var pausedAt: Timestamp?
        for event in events {
            switch event.phase.value {
            case .started:
                open = LiveWorkout(start: event.at, end: event.at, sport: sport(event.sport))
                pausedAt = nil
            case .paused: pausedAt = pausedAt ?? event.at
            case .resumed:
                if let since = pausedAt, since < event.at { open?.pauses.append(since...event.at) }
                pausedAt = nil
            case .ended:
                guard var workout = open else { continue }
                if let since = pausedAt, since < event.at { workout.pauses.append(since...event.at) }
                workout.end = event.at
                workout.energyKcal = event.energyKcal
                if workout.end > workout.start { found.append(workout) }
                (open, pausedAt) = (nil, nil)
            case nil: continue
            }
        }
        return found
    }

    /// A watch names sports in many ways: `running`, `Outdoor Run`, `indoorCycling`.
    static func sport(_ name: String) -> Sport {
        let word = name.lowercased()
        if let sport = Sport(rawValue: word) { return sport }
        let stems: [(String, Sport)] = [
            ("run", .running), ("jog", .running), ("cycl", .cycling), ("bik", .cycling), ("ride", .cycling),
            ("swim", .swimming), ("row", .rowing), ("walk", .walking), ("hik", .walking), ("strength", .strength),
            ("weight", .strength), ("gym", .strength),
        ]
        return stems.first { word.contains($0.0) }?.1 ?? .other
    }
}
