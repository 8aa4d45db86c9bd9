import Bus
import Foundation
import GRDB
import Physiology
import Protocols
import Store

/// `body.sqlite`: one transaction a call.
struct BodyStore: Sendable {
    let file: DatabaseFile

    /// - Parameter directory: holds `body.sqlite`; nil = in memory.
    /// - Throws: ``StoreError`` with cause and cure.
    init(directory: URL?) throws(StoreError) {
        if let directory {
            try self.init(path: directory.appending(path: "body.sqlite").path(percentEncoded: false))
        } else {
            self.init(file: try DatabaseFile.inMemory(migrator: BodySchema.migrator))
        }
    }

    private init(file: DatabaseFile) { self.file = file }

    /// - Parameter path: of the file; it is made when it is missing.
    /// - Throws: ``StoreError`` with cause and cure.
    init(path: String) throws(StoreError) {
        // A reader of its own: a question need not wait for the batch of an import.
        self.init(file: try DatabaseFile(path: path, migrator: BodySchema.migrator, readers: 1))
    }

    /// Stores the effect of an event once, however often the event comes.
    ///
    /// - Returns: false when it was there already.
    func once(_ message: Received, _ effect: (Database) throws -> Void) throws -> Bool {
        try file.write { db in
            guard try HandledEvents.firstTime(header: message.header, topic: message.topic, in: db) else {
                return false
            }
            try effect(db)
            return true
        }
    }

    // MARK: Samples

    /// Keeps a batch and computes its minutes again.
    static func keep(_ batch: BioBatch, scale: HeartScale, in db: Database) throws {
        let heartRates = try db.cachedStatement(
            sql: "INSERT OR REPLACE INTO heartRate (at, source, bpm, quality) VALUES (?, ?, ?, ?)")
        for sample in batch.heartRate where (20...300).contains(sample.bpm) {
            try heartRates.execute(
                arguments: [sample.at.milliseconds, sample.source, sample.bpm, min(max(sample.quality, 0), 1)])
        }
        let beats = try db.cachedStatement(
            sql: "INSERT OR REPLACE INTO rr (startAt, source, intervalsMs, gapBefore, quality) VALUES (?, ?, ?, ?, ?)")
        for message in batch.rr where !message.rrMs.isEmpty && message.rrMs.allSatisfy(\.isFinite) {
            let intervals = message.rrMs.map { "\($0)" }.joined(separator: " ")
            try beats.execute(
                arguments: [
                    message.startAt.milliseconds, message.source, intervals, message.gapBefore, message.quality,
                ])
        }
        let motions = try db.cachedStatement(
            sql: """
                INSERT OR REPLACE INTO motion (at, intensity, cadencePerMinute, steps, activity)
                VALUES (?, ?, ?, ?, ?)
                """)
        for sample in batch.motion {
            try motions.execute(
                arguments: [
                    sample.at.milliseconds, sample.intensity, sample.cadencePerMinute, sample.steps,
                    sample.activity.rawValue,
                ])
        }
        let times = batch.heartRate.map(\.at) + batch.rr.map(\.startAt) + batch.motion.map(\.at)
        guard let first = times.min(), let last = times.max() else { return }
        try MinuteTable.refresh(from: first, to: last, scale: scale, in: db)
        if !batch.heartRate.isEmpty { try LiveWorkouts.refresh(from: first, to: last, in: db) }
    }

    static func keep(_ workout: Workout, in db: Database) throws {
        try db.execute(
            sql: "INSERT OR REPLACE INTO workout (at, phase, sport, energyKcal) VALUES (?, ?, ?, ?)",
            arguments: [workout.at.milliseconds, workout.phase.rawValue, workout.sport, workout.energyKcal])
        try LiveWorkouts.refresh(from: workout.at, to: workout.at, in: db)
    }

    static func keep(_ mood: MoodInput, in db: Database) throws {
        try db.execute(
            sql: "INSERT OR REPLACE INTO mood (at, via, mood, energy, named) VALUES (?, ?, ?, ?, ?)",
            arguments: [mood.at.milliseconds, mood.via, mood.mood, mood.energy, mood.named?.rawValue])
    }

    /// Keeps what the desktop said, with what the calendar says beside it; titles are never stored.
    func keep(_ desktop: DesktopContext, beside calendar: CalendarContext?) throws {
        let meeting = calendar.map { $0.ongoing?.type.value == .meeting }
        try file.write { db in
            try db.execute(
                sql: """
                    INSERT OR REPLACE INTO desktopContext (at, focusActive, focusName, app, appCategory,
                        productivityMinutes, entertainmentMinutes, socialMinutes, idleSeconds, hasOngoingMeeting,
                        minutesToNext, nextType, workState, confidence)
                    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                    """,
                arguments: [
                    desktop.at.milliseconds, desktop.focusActive, desktop.focusName, desktop.app, desktop.appCategory,
                    desktop.productivityMinutes, desktop.entertainmentMinutes, desktop.socialMinutes,
                    desktop.idleSeconds, meeting, calendar?.minutesToNext, calendar?.nextType?.rawValue,
                    desktop.workState?.rawValue, desktop.confidence,
                ])
        }
    }

    // MARK: Questions

    /// Still minutes since a moment, oldest first.
    func stillMinutes(since: Timestamp) throws -> [StillMinute] {
        try file.read { db in try Self.stillMinutes(since: since, in: db) }
    }

    static func stillMinutes(since: Timestamp, in db: Database) throws -> [StillMinute] {
        try Row.fetchAll(
            db, sql: "SELECT at, bpm, lnRmssd, sdnnMs FROM minute WHERE still AND at >= ? ORDER BY at",
            arguments: [since.milliseconds]
        ).map {
            StillMinute(at: Timestamp(milliseconds: $0[0]), bpm: $0[1], lnRmssd: $0[2], sdnnMs: $0[3])
        }
    }

    /// Highest mean of a minute with at least five samples, beats per minute.
    func observedMaximum() throws -> Double? {
        try file.read { db in
            try Double.fetchOne(db, sql: "SELECT max(bpm) FROM minute WHERE samples >= 5")
        }
    }

    /// Beats of a window in the order of time.
    ///
    /// - Parameter limit: messages at most; more give nil.
    func beats(from: Timestamp, to: Timestamp, limit: Int) throws -> [RRIntervals]? {
        let messages = try file.read { db in try Self.beats(from: from, to: to, limit: limit + 1, in: db) }
        return messages.count > limit ? nil : messages
    }

    static func beats(from: Timestamp, to: Timestamp, limit: Int, in db: Database) throws -> [RRIntervals] {
        try Row.fetchAll(
            db,
            sql: """
                SELECT startAt, source, intervalsMs, gapBefore, quality FROM rr
                WHERE startAt >= ? AND startAt <= ? ORDER BY startAt, source LIMIT ?
                """, arguments: [from.milliseconds, to.milliseconds, limit]
        ).map { row in
            let text: String = row[2]
            return RRIntervals(
                startAt: Timestamp(milliseconds: row[0]), rrMs: text.split(separator: " ").compactMap { Double($0) },
                gapBefore: row[3], quality: row[4], source: row[1])
        }
    }

    /// One value per sample, oldest first, at most `limit + 1`; heart rates both live and imported.
    func series(_ kind: SeriesKind, from: Timestamp, to: Timestamp, limit: Int) throws -> [SeriesPoint] {
        let sql =
            switch kind {
            case .heartRate: "SELECT at, bpm FROM heartRate WHERE at BETWEEN ? AND ? ORDER BY at, source LIMIT ?"
            case .motion: "SELECT at, intensity FROM motion WHERE at BETWEEN ? AND ? ORDER BY at LIMIT ?"
            case .rr: ""
            }
        guard kind != .rr else { return try rrSeries(from: from, to: to, limit: limit) }
        return try file.read { db in
            let live = try Row.fetchAll(db, sql: sql, arguments: [from.milliseconds, to.milliseconds, limit + 1])
                .map { SeriesPoint(at: Timestamp(milliseconds: $0[0]), value: $0[1]) }
            guard kind == .heartRate else { return live }
            let imported = try Self.heartRates(
                from: from, to: to.adding(milliseconds: 1), limit: limit + 1, in: db
            ).map { SeriesPoint(at: $0.at, value: $0.bpm) }
            guard !imported.isEmpty else { return live }
            return Array((live + imported).sorted { $0.at < $1.at }.prefix(limit + 1))
        }
    }

    /// Each interval at the moment it ended.
    private func rrSeries(from: Timestamp, to: Timestamp, limit: Int) throws -> [SeriesPoint] {
        let messages = try file.read { db in try Self.beats(from: from, to: to, limit: limit + 1, in: db) }
        var points: [SeriesPoint] = []
        for message in messages {
            var elapsed = 0.0
            for interval in message.rrMs {
                elapsed += interval
                let at = message.startAt.adding(seconds: elapsed / 1000)
                points.append(SeriesPoint(at: at, value: interval))
                if points.count > limit { return points }
            }
        }
        return points
    }

    // MARK: Profile

    func profile() throws -> Profile { try file.read { db in try Self.profile(in: db) } }

    static func profile(in db: Database) throws -> Profile {
        let values: [String: String] = try Row.fetchAll(db, sql: "SELECT name, value FROM profile")
            .reduce(into: [:]) { values, row in values[row["name"]] = row["value"] }
        return ProfileRules.profile(from: values)
    }

    /// What files said about the person.
    static func importedPerson(in db: Database) throws -> PersonRecord {
        let values: [String: String] = try Row.fetchAll(db, sql: "SELECT name, value FROM importedPerson")
            .reduce(into: [:]) { values, row in values[row["name"]] = row["value"] }
        return PersonRecord(birthDate: values["birthDate"], sex: values["sex"])
    }

    func setProfile(_ name: String, to value: String?) throws {
        try file.write { db in
            if let value {
                try db.execute(
                    sql: "INSERT OR REPLACE INTO profile (name, value) VALUES (?, ?)", arguments: [name, value])
            } else {
                try db.execute(sql: "DELETE FROM profile WHERE name = ?", arguments: [name])
            }
        }
    }
}

/// The series that can be asked for.
enum SeriesKind: String, CaseIterable { case heartRate, rr, motion }
