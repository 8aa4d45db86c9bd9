import Foundation
import GRDB
import Physiology
import Protocols

/// The table of minutes: computed from the raw samples, and again whenever samples of a minute arrive.
enum MinuteTable {
    private static let minute: Int64 = 60_000
    /// Seconds of motion before a minute that decide whether it is still: recovery, and the exercise before it.
    private static let motionBefore = StillnessGate.recovery + StillnessGate.stale
    /// A batch that claims to span more is taken for the newest part: nothing sends more than a few minutes.
    private static let longestSpan: Int64 = 24 * 60

    /// Computes the minutes that samples of this span belong to.
    ///
    /// - Parameter scale: stands in for movement while nothing is known about it.
    static func refresh(from first: Timestamp, to last: Timestamp, scale: HeartScale, in db: Database) throws {
        let lastMinute = floorMinute(last)
        let firstMinute = max(floorMinute(first), lastMinute - (longestSpan - 1) * minute)
        let end = Timestamp(milliseconds: lastMinute + minute)
        var gate = StillnessGate()
        for workout in try workouts(until: end, in: db) { gate.add(workout) }
        let motions = try motions(
            from: Timestamp(milliseconds: firstMinute).adding(seconds: -motionBefore), until: end, in: db)
        var next = motions.startIndex
        for start in stride(from: firstMinute, through: lastMinute, by: Int(minute)) {
            let until = start + minute
            while next < motions.endIndex, motions[next].at.milliseconds < until {
                gate.add(motions[next])
                next += 1
            }
            try refresh(start, gate: gate, scale: scale, in: db)
        }
    }

    private static func refresh(_ start: Int64, gate: StillnessGate, scale: HeartScale, in db: Database) throws {
        let row = try Row.fetchOne(
            db,
            sql: """
                SELECT sum(quality * bpm) / sum(quality), count(*) FROM heartRate
                WHERE at >= ? AND at < ? AND quality > 0
                """, arguments: [start, start + minute])
        guard let row, let bpm: Double = row[0] else { return }
        let samples: Int = row[1]
        let end = Timestamp(milliseconds: start + minute - 1)
        let isStill = gate.gate(at: end, reserve: scale.reserve(bpm: bpm)) == .none
        let beats = isStill ? try reading(start, in: db) : nil
        try db.cachedStatement(
            sql: "INSERT OR REPLACE INTO minute (at, bpm, samples, still, lnRmssd, sdnnMs) VALUES (?, ?, ?, ?, ?, ?)"
        ).execute(arguments: [start, bpm, samples, isStill, beats?.lnRmssd, beats?.sdnnMs])
    }

    /// HRV of the minute, when its beats are good enough.
    private static func reading(_ start: Int64, in db: Database) throws -> BeatReading? {
        let end = Timestamp(milliseconds: start + minute - 1)
        let from = Timestamp(milliseconds: start).adding(seconds: -BeatWindow.kept)
        var window = BeatWindow()
        for message in try BodyStore.beats(from: from, to: end, limit: 1000, in: db) { window.add(message) }
        guard let reading = window.reading(at: end), reading.at.milliseconds >= start else { return nil }
        return reading
    }

    /// Workouts that may still matter, oldest first.
    private static func workouts(until end: Timestamp, in db: Database) throws -> [Workout] {
        let from = end.adding(seconds: -StillnessGate.longestWorkout - StillnessGate.recovery)
        return try Row.fetchAll(
            db, sql: "SELECT at, phase, sport FROM workout WHERE at >= ? AND at < ? ORDER BY at",
            arguments: [from.milliseconds, end.milliseconds]
        ).compactMap { row in
            WorkoutPhase(rawValue: row[1]).map {
                Workout(phase: $0, sport: row[2], at: Timestamp(milliseconds: row[0]))
            }
        }
    }

    private static func motions(from: Timestamp, until end: Timestamp, in db: Database) throws -> [Motion] {
        try Row.fetchAll(
            db, sql: "SELECT at, intensity, steps, activity FROM motion WHERE at >= ? AND at < ? ORDER BY at",
            arguments: [from.milliseconds, end.milliseconds]
        ).map { row in
            Motion(
                at: Timestamp(milliseconds: row[0]), intensity: row[1], steps: row[2],
                activity: MotionActivity(rawValue: row[3]) ?? .unknown)
        }
    }

    private static func floorMinute(_ at: Timestamp) -> Int64 {
        at.milliseconds - (at.milliseconds % minute + minute) % minute
    }
}
