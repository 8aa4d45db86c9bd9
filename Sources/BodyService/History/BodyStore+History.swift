import Foundation
import GRDB
import Physiology
import Protocols
import Store

/// Questions to the long view.
extension BodyStore {
    /// Imported heart rates of a span, oldest first; of two sources at the same moment both.
    ///
    /// - Parameter limit: at least so many are read when there are; those of a UTC day come whole.
    static func heartRates(
        from: Timestamp, to: Timestamp, limit: Int = .max, in db: Database
    ) throws -> [HeartRateRecord] {
        var last: Int64?
        var records: [HeartRateRecord] = []
        let rows = try Row.fetchCursor(
            db, sql: "SELECT day, source, pack FROM heartRateDay WHERE day BETWEEN ? AND ? ORDER BY day, source",
            arguments: [ImportBatch.utcDay(from), ImportBatch.utcDay(to)])
        while let row = try rows.next() {
            let day: Int64 = row[0]
            if day != last, records.count >= limit { break }
            last = day
            let begin = day * SeriesPack.dayMilliseconds
            let source: String = row[1]
            for sample in try SeriesPack(row[2], hasDurations: false).samples {
                let at = Timestamp(milliseconds: begin + sample.offset)
                guard at >= from, at < to else { continue }
                records.append(
                    HeartRateRecord(at: at, bpm: Double(sample.scaled) / SeriesPack.heartRateScale, source: source))
            }
        }
        return records.sorted { ($0.at, $0.source) < ($1.at, $1.source) }
    }

    /// Amounts of a kind that begin in a span, by source, oldest first.
    static func quantities(
        _ kind: QuantityRecord.Kind, from: Timestamp, to: Timestamp, in db: Database
    ) throws -> [QuantityRecord] {
        var records: [QuantityRecord] = []
        let rows = try Row.fetchCursor(
            db,
            sql: """
                SELECT day, source, pack FROM quantityDay WHERE kind = ? AND day BETWEEN ? AND ? ORDER BY day, source
                """, arguments: [kind.rawValue, ImportBatch.utcDay(from), ImportBatch.utcDay(to)])
        while let row = try rows.next() {
            let begin: Int64 = row[0] * SeriesPack.dayMilliseconds
            let source: String = row[1]
            for sample in try SeriesPack(row[2], hasDurations: true).samples {
                let start = Timestamp(milliseconds: begin + sample.offset)
                guard start >= from, start < to else { continue }
                records.append(
                    QuantityRecord(
                        kind: kind, start: start, end: start.adding(milliseconds: sample.duration),
                        value: Double(sample.scaled) / SeriesPack.quantityScale, source: source))
            }
        }
        return records
    }

    /// Readings that begin in a span, oldest first.
    static func variability(
        from: Timestamp, to: Timestamp, withBeats: Bool = false, newestFirst: Bool = false, limit: Int = .max,
        in db: Database
    ) throws -> [VariabilityRecord] {
        try Row.fetchAll(
            db,
            sql: """
                SELECT * FROM variability WHERE startAt >= ? AND startAt < ?
                ORDER BY startAt \(newestFirst ? "DESC" : "ASC"), source, kind LIMIT ?
                """, arguments: [from.milliseconds, to.milliseconds, limit]
        ).map { row in
            let start = Timestamp(milliseconds: row["startAt"])
            let beats = withBeats ? try SamplesPack.unpack(row["beats"], since: start) : []
            return VariabilityRecord(
                start: start, end: Timestamp(milliseconds: row["endAt"]),
                kind: VariabilityRecord.Kind(rawValue: row["kind"]) ?? .spot, sdnnMs: row["sdnnMs"],
                rmssdMs: row["rmssdMs"], rebuiltSdnnMs: row["rebuiltSdnnMs"], rebuiltRmssdMs: row["rebuiltRmssdMs"],
                beats: beats.compactMap { beat in beat.bpm.map { VariabilityRecord.Beat(at: beat.at, bpm: $0) } },
                bpm: row["bpm"], source: row["source"])
        }
    }

    /// Resting heart rates of a span, oldest first.
    static func restingHeartRates(from: Timestamp, to: Timestamp, in db: Database) throws -> [RestingRecord] {
        try Row.fetchAll(
            db,
            sql: """
                SELECT at, createdAt, source, bpm FROM restingHeartRate WHERE at >= ? AND at < ?
                ORDER BY at, createdAt, source
                """, arguments: [from.milliseconds, to.milliseconds]
        ).map {
            RestingRecord(
                at: Timestamp(milliseconds: $0[0]), createdAt: Timestamp(milliseconds: $0[1]), bpm: $0[3],
                source: $0[2])
        }
    }

    /// Sleep segments that end in a span, by their begin.
    static func sleepSegments(from: Timestamp, to: Timestamp, in db: Database) throws -> [SleepSegment] {
        try Row.fetchAll(
            db,
            sql: """
                SELECT startAt, endAt, stage, source, isWatch, timeZone FROM sleepSegment
                WHERE endAt >= ? AND endAt < ? ORDER BY startAt, endAt, source, stage
                """, arguments: [from.milliseconds, to.milliseconds]
        ).compactMap { row in
            SleepSegment.Stage(rawValue: row[2]).map {
                SleepSegment(
                    start: Timestamp(milliseconds: row[0]), end: Timestamp(milliseconds: row[1]), stage: $0,
                    source: row[3], isWatch: row[4], timeZone: row[5])
            }
        }
    }

    /// First and last moment of anything that was imported or recorded as a workout; nil for an empty database.
    static func span(in db: Database) throws -> (first: Timestamp, last: Timestamp)? {
        let day = SeriesPack.dayMilliseconds
        let row = try Row.fetchOne(
            db,
            sql: """
                SELECT min(first), max(last) FROM (
                    SELECT min(day) * \(day) AS first, max(day) * \(day) + \(day - 1) AS last FROM heartRateDay
                    UNION ALL SELECT min(day) * \(day), max(day) * \(day) + \(day - 1) FROM quantityDay
                    UNION ALL SELECT min(startAt), max(startAt) FROM variability
                    UNION ALL SELECT min(at), max(at) FROM restingHeartRate
                    UNION ALL SELECT min(startAt), max(startAt) FROM sleepSegment
                    UNION ALL SELECT min(startAt), max(startAt) FROM workoutRecord
                    UNION ALL SELECT min(at), max(at) FROM minute)
                """)
        guard let row, let first: Int64 = row[0], let last: Int64 = row[1] else { return nil }
        return (Timestamp(milliseconds: first), Timestamp(milliseconds: last))
    }

    /// True when nothing is stored that days or nights could be computed from.
    static func isEmpty(in db: Database) throws -> Bool {
        guard try span(in: db) == nil else { return false }
        return try !(Bool.fetchOne(db, sql: "SELECT EXISTS (SELECT 1 FROM journal)") ?? false)
    }

    // MARK: Thresholds

    private static let thresholdFields = [
        "thresholdPowerW", "thresholdRunMps", "thresholdSwimMps", "restingBpm", "maximumBpm", "thresholdBpm",
    ]

    /// Oldest first, as they were said: what one row does not say holds on from the one before.
    static func thresholds(in db: Database) throws -> [TrainingThresholds] {
        try Row.fetchAll(db, sql: "SELECT * FROM threshold ORDER BY since").map { row in
            TrainingThresholds(
                since: row["since"], thresholdPowerW: row["thresholdPowerW"], thresholdRunMps: row["thresholdRunMps"],
                thresholdSwimMps: row["thresholdSwimMps"], restingBpm: row["restingBpm"],
                maximumBpm: row["maximumBpm"], thresholdBpm: row["thresholdBpm"])
        }
    }

    /// - Parameter field: one of the columns, checked by the caller.
    static func setThreshold(_ field: String, to value: Double?, since day: Int, in db: Database) throws {
        guard thresholdFields.contains(field) else { return }
        try db.execute(
            sql: """
                INSERT INTO threshold (since, \(field)) VALUES (?, ?)
                ON CONFLICT (since) DO UPDATE SET \(field) = excluded.\(field)
                """, arguments: [day, value])
        let nothing = thresholdFields.map { "\($0) IS NULL" }.joined(separator: " AND ")
        try db.execute(sql: "DELETE FROM threshold WHERE \(nothing)")
    }

    // MARK: What was computed

    static func figures<Value: Decodable>(
        _ table: FigureTable, as type: Value.Type, from: Int, through: Int, limit: Int = .max, in db: Database
    ) throws -> [Value] {
        // Figures that an older version wrote and this one cannot read are computed again, not an error.
        try String.fetchAll(
            db,
            sql: """
                SELECT figures FROM \(table.rawValue) WHERE \(table.rawValue) BETWEEN ? AND ?
                ORDER BY \(table.rawValue) DESC LIMIT ?
                """, arguments: [from, through, limit]
        ).reversed().compactMap { try? JSONDecoder().decode(type, from: Data($0.utf8)) }
    }

    /// Replaces all rows in one transaction's table.
    static func replace<Value: Encodable>(
        _ table: FigureTable, with values: [(number: Int, value: Value)], in db: Database
    ) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        try db.execute(sql: "DELETE FROM \(table.rawValue)")
        let insert = try db.cachedStatement(
            sql: "INSERT OR REPLACE INTO \(table.rawValue) (\(table.rawValue), figures) VALUES (?, ?)")
        for (number, value) in values {
            try insert.execute(arguments: [number, String(decoding: try encoder.encode(value), as: UTF8.self)])
        }
    }
}

/// Tables of computed figures by the number of a local day.
enum FigureTable: String { case day, night }
