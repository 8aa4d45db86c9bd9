import Foundation
import GRDB
import Physiology
import Protocols

/// Stress readings, alerts and milestones in `body.sqlite`.
enum StressTable {
    static func keep(_ reading: StressReading, in db: Database) throws {
        try db.cachedStatement(
            sql: """
                INSERT OR REPLACE INTO stressReading (at, level, score, gate, confidence, reading, z, isHeld, source,
                    bpm, rmssdMs)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """
        ).execute(
            arguments: [
                reading.at.milliseconds, reading.level?.rawValue, reading.score, reading.gate.rawValue,
                reading.confidence, try json(reading), reading.z, reading.isHeld, reading.source?.rawValue,
                reading.bpm, reading.rmssdMs,
            ])
    }

    /// What trends are made of: readings of a span without factors and cut points, oldest first.
    static func figures(from: Timestamp, to: Timestamp, in db: Database) throws -> [StressReading] {
        var readings: [StressReading] = []
        let rows = try Row.fetchCursor(
            db,
            sql: """
                SELECT at, level, score, gate, confidence, z, isHeld, source, bpm, rmssdMs FROM stressReading
                WHERE at >= ? AND at < ? ORDER BY at
                """, arguments: [from.milliseconds, to.milliseconds])
        while let row = try rows.next() {
            var reading = StressReading(
                at: Timestamp(milliseconds: row[0]), level: nil, score: row[2], factors: [], gate: .none,
                confidence: row[4], z: row[5], isHeld: row[6], bpm: row[8], rmssdMs: row[9])
            reading.level = open(row[1])
            reading.gate = open(row[3]) ?? Open(.none)
            reading.source = open(row[7])
            readings.append(reading)
        }
        return readings
    }

    /// Whole readings of a span as JSON, newest first.
    static func texts(from: Timestamp, to: Timestamp, limit: Int, in db: Database) throws -> [String] {
        try String.fetchAll(
            db, sql: "SELECT reading FROM stressReading WHERE at >= ? AND at < ? ORDER BY at DESC LIMIT ?",
            arguments: [from.milliseconds, to.milliseconds, limit])
    }

    private static func open<Known: RawRepresentable<String> & Hashable & Sendable>(_ text: String?) -> Open<Known>? {
        text.map { text in Known(rawValue: text).map(Open.known) ?? .unknown(text) }
    }

    private static func json(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    // MARK: Alerts and milestones

    static func keep(_ alert: BodyAlert, in db: Database) throws {
        try db.execute(
            sql: """
                INSERT OR REPLACE INTO alert (at, kind, level, title, text, detail, action) VALUES (?, ?, ?, ?, ?, ?, ?)
                """,
            arguments: [
                alert.at.milliseconds, alert.kind.rawValue, alert.level?.rawValue, alert.title, alert.text,
                alert.detail, alert.action,
            ])
    }

    /// Alerts of a span, newest first.
    static func alerts(from: Timestamp, to: Timestamp, limit: Int, in db: Database) throws -> [BodyAlert] {
        try Row.fetchAll(
            db,
            sql: """
                SELECT at, kind, level, title, text, detail, action FROM alert WHERE at >= ? AND at < ?
                ORDER BY at DESC, kind LIMIT ?
                """, arguments: [from.milliseconds, to.milliseconds, limit]
        ).map { row in
            var alert = BodyAlert(
                at: Timestamp(milliseconds: row[0]), kind: .stress, title: row[3], text: row[4], detail: row[5],
                action: row[6])
            alert.kind = open(row[1]) ?? Open(.stress)
            alert.level = open(row[2])
            return alert
        }
    }

    /// Names of the milestones that were earned and told.
    static func achievements(in db: Database) throws -> Set<String> {
        Set(try String.fetchAll(db, sql: "SELECT kind FROM achievement"))
    }

    static func keep(_ achievement: Achievement, at: Timestamp, in db: Database) throws {
        try db.execute(
            sql: "INSERT OR IGNORE INTO achievement (kind, at, detail) VALUES (?, ?, ?)",
            arguments: [achievement.id, at.milliseconds, "\(LocalDate(number: achievement.day))"])
    }

    /// Moments of what was done on purpose: breathing sessions, journal entries (moods among them), workouts.
    static func deeds(in db: Database) throws -> (breathing: [Timestamp], journal: [Timestamp], workouts: [Timestamp]) {
        func moments(_ sql: String) throws -> [Timestamp] {
            try Int64.fetchAll(db, sql: sql).map { Timestamp(milliseconds: $0) }
        }
        return (
            try moments("SELECT startAt FROM breathingSession"),
            try moments("SELECT at FROM journal UNION SELECT at FROM mood"),
            try moments("SELECT startAt FROM workoutRecord")
        )
    }

    // MARK: What goes on after a restart

    static func kept<Value: Decodable>(_ name: String, as type: Value.Type, in db: Database) throws -> Value? {
        // What an older version wrote and this one cannot read begins anew.
        try String.fetchOne(db, sql: "SELECT json FROM kept WHERE name = ?", arguments: [name])
            .flatMap { try? JSONDecoder().decode(type, from: Data($0.utf8)) }
    }

    static func keep<Value: Encodable>(_ value: Value, as name: String, in db: Database) throws {
        try db.execute(
            sql: "INSERT OR REPLACE INTO kept (name, json) VALUES (?, ?)", arguments: [name, try json(value)])
    }

    /// The samples of a span as one batch.
    static func samples(from: Timestamp, to: Timestamp, in db: Database) throws -> BioBatch {
        let span: StatementArguments = [from.milliseconds, to.milliseconds]
        let heartRates = try Row.fetchAll(
            db, sql: "SELECT at, bpm, quality, source FROM heartRate WHERE at >= ? AND at <= ? ORDER BY at",
            arguments: span
        ).map { HeartRate(at: Timestamp(milliseconds: $0[0]), bpm: $0[1], quality: $0[2], source: $0[3]) }
        let motions = try Row.fetchAll(
            db, sql: "SELECT at, intensity, steps, activity FROM motion WHERE at >= ? AND at <= ? ORDER BY at",
            arguments: span
        ).map { row in
            Motion(
                at: Timestamp(milliseconds: row[0]), intensity: row[1], steps: row[2],
                activity: MotionActivity(rawValue: row[3]) ?? .unknown)
        }
        return BioBatch(
            heartRate: heartRates, rr: try BodyStore.beats(from: from, to: to, limit: 10_000, in: db), motion: motions)
    }

    /// Workout events of a span, oldest first: those of a workout always together.
    static func workouts(from: Timestamp, to: Timestamp, in db: Database) throws -> [Workout] {
        try Row.fetchAll(
            db, sql: "SELECT at, phase, sport FROM workout WHERE at >= ? AND at <= ? ORDER BY at",
            arguments: [from.milliseconds, to.milliseconds]
        ).compactMap { row in
            WorkoutPhase(rawValue: row[1]).map {
                Workout(phase: $0, sport: row[2], at: Timestamp(milliseconds: row[0]))
            }
        }
    }
}
