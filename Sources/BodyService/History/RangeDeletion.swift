import Foundation
import GRDB
import Physiology
import Protocols
import Store

/// Deletes a span of time, so that its bytes are gone from the disk, too.
enum RangeDeletion {
    enum Kind: String, CaseIterable {
        case heartRate, variability, restingHeartRate, sleep, workouts, quantities, stress, journal, breathing, alerts,
            thresholds, context
    }

    /// - Returns: nil for a name that is none.
    static func kinds(_ name: String) -> [Kind]? {
        name == "all" ? Kind.allCases : Kind(rawValue: name).map { [$0] }
    }

    /// - Returns: samples or rows by table.
    static func delete(
        _ kinds: [Kind], from: Timestamp, to: Timestamp, clock: LocalClock, in store: BodyStore
    ) throws -> [String: Int] {
        let removed = try store.file.write { db in
            var removed: [String: Int] = [:]
            for kind in kinds {
                for (table, count) in try delete(kind, from, to, clock, in: db) where count > 0 {
                    removed[table, default: 0] += count
                }
            }
            // The same files may bring it back, and what was computed from it is computed anew.
            try ImportLedger.forget(in: db)
            try ComputationMark.clear(in: db)
            let (first, last) = (clock.day(of: from), clock.day(of: to))
            try db.execute(sql: "DELETE FROM day WHERE day BETWEEN ? AND ?", arguments: [first, last])
            try db.execute(sql: "DELETE FROM night WHERE night BETWEEN ? AND ?", arguments: [first, last])
            return removed
        }
        // Deleted rows are zeros in the file already; the log beside it must lose them as well.
        try store.file.foldLog()
        return removed
    }

    private static func delete(
        _ kind: Kind, _ from: Timestamp, _ to: Timestamp, _ clock: LocalClock, in db: Database
    ) throws -> [(String, Int)] {
        func rows(_ table: String, _ column: String) throws -> (String, Int) {
            try db.execute(
                sql: "DELETE FROM \(table) WHERE \(column) >= ? AND \(column) < ?",
                arguments: [from.milliseconds, to.milliseconds])
            return (table, db.changesCount)
        }
        switch kind {
        case .heartRate:
            return [
                ("heartRateDay", try cutHeartRates(from, to, in: db)), try rows("heartRate", "at"),
                try rows("rr", "startAt"), try rows("minute", "at"),
            ]
        case .variability: return [try rows("variability", "startAt")]
        case .restingHeartRate: return [try rows("restingHeartRate", "at")]
        case .sleep: return [try rows("sleepSegment", "startAt")]
        case .workouts:
            return [
                try rows("workoutRecord", "startAt"), try rows("workoutFigures", "startAt"), try rows("workout", "at"),
            ]
        case .quantities: return [("quantityDay", try cutQuantities(from, to, in: db))]
        case .stress: return [try rows("stressReading", "at")]
        case .journal: return [try rows("journal", "at"), try rows("mood", "at")]
        case .breathing: return [try rows("breathingSession", "startAt")]
        case .alerts: return [try rows("alert", "at"), try rows("achievement", "at")]
        case .thresholds:
            try db.execute(
                sql: "DELETE FROM threshold WHERE since >= ? AND since < ?",
                arguments: [clock.day(of: from), clock.day(of: to)])
            return [("threshold", db.changesCount)]
        case .context: return [try rows("desktopContext", "at"), try rows("motion", "at")]
        }
    }

    private static func cutHeartRates(_ from: Timestamp, _ to: Timestamp, in db: Database) throws -> Int {
        var removed = 0
        for row in try Row.fetchAll(
            db, sql: "SELECT rowid, day, pack FROM heartRateDay WHERE day BETWEEN ? AND ?",
            arguments: [ImportBatch.utcDay(from), ImportBatch.utcDay(to)])
        {
            let (kept, cut) = try cut(row, from, to, hasDurations: false)
            guard cut > 0 else { continue }
            removed += cut
            if kept.samples.isEmpty {
                try db.execute(sql: "DELETE FROM heartRateDay WHERE rowid = ?", arguments: [row["rowid"] as Int64])
            } else {
                try db.execute(
                    sql: "UPDATE heartRateDay SET samples = ?, pack = ? WHERE rowid = ?",
                    arguments: [kept.samples.count, kept.data, row["rowid"] as Int64])
            }
        }
        return removed
    }

    private static func cutQuantities(_ from: Timestamp, _ to: Timestamp, in db: Database) throws -> Int {
        var removed = 0
        for row in try Row.fetchAll(
            db, sql: "SELECT rowid, day, pack FROM quantityDay WHERE day BETWEEN ? AND ?",
            arguments: [ImportBatch.utcDay(from), ImportBatch.utcDay(to)])
        {
            let (kept, cut) = try cut(row, from, to, hasDurations: true)
            guard cut > 0 else { continue }
            removed += cut
            if kept.samples.isEmpty {
                try db.execute(sql: "DELETE FROM quantityDay WHERE rowid = ?", arguments: [row["rowid"] as Int64])
            } else {
                let total = kept.samples.reduce(0.0) { $0 + Double($1.scaled) } / SeriesPack.quantityScale
                try db.execute(
                    sql: "UPDATE quantityDay SET samples = ?, total = ?, pack = ? WHERE rowid = ?",
                    arguments: [kept.samples.count, total, kept.data, row["rowid"] as Int64])
            }
        }
        return removed
    }

    private static func cut(
        _ row: Row, _ from: Timestamp, _ to: Timestamp, hasDurations: Bool
    ) throws -> (SeriesPack, Int) {
        let begin: Int64 = row["day"] * SeriesPack.dayMilliseconds
        let pack = try SeriesPack(row["pack"], hasDurations: hasDurations)
        let kept = pack.samples.filter {
            !(from.milliseconds..<to.milliseconds).contains(begin + $0.offset)
        }
        return (SeriesPack(kept, hasDurations: hasDurations), pack.samples.count - kept.count)
    }
}
