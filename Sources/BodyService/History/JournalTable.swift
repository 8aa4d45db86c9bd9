import Foundation
import GRDB
import Protocols

/// The journal as it is stored.
enum JournalTable {
    private static let columns =
        "at, kind, mood, energy, stress, amountMl, drink, caffeineMg, source, exertion, workoutAt, note"

    /// - Parameter entry: checked; another one of the same moment and kind is replaced.
    static func add(_ entry: JournalEntry, addedAt: Timestamp, in db: Database) throws {
        try db.execute(
            sql: """
                INSERT OR REPLACE INTO journal (\(columns), addedAt)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """,
            arguments: [
                entry.at.milliseconds, entry.kind.rawValue, entry.mood?.rawValue, entry.energy, entry.stress,
                entry.amountMl, entry.drink?.rawValue, entry.caffeineMg, entry.source, entry.exertion,
                entry.workoutAt?.milliseconds, entry.note, addedAt.milliseconds,
            ])
    }

    /// Removes the entry that was written last.
    ///
    /// - Returns: that entry; nil when there is none.
    static func removeLast(kind: String?, in db: Database) throws -> JournalEntry? {
        guard
            let row = try Row.fetchOne(
                db,
                sql: """
                    SELECT \(columns) FROM journal WHERE kind = coalesce(?, kind)
                    ORDER BY addedAt DESC, at DESC, kind DESC LIMIT 1
                    """, arguments: [kind])
        else { return nil }
        try db.execute(
            sql: "DELETE FROM journal WHERE at = ? AND kind = ?",
            arguments: [row["at"] as Int64, row["kind"] as String])
        return entry(row)
    }

    /// Newest first.
    static func entries(
        from: Timestamp, to: Timestamp, kind: String? = nil, limit: Int = .max, in db: Database
    ) throws -> [JournalEntry] {
        try Row.fetchAll(
            db,
            sql: """
                SELECT \(columns) FROM journal WHERE at >= ? AND at < ? AND kind = coalesce(?, kind)
                ORDER BY at DESC, kind LIMIT ?
                """, arguments: [from.milliseconds, to.milliseconds, kind, limit]
        ).compactMap { entry($0) }
    }

    private static func entry(_ row: Row) -> JournalEntry? {
        guard let kind = JournalKind(rawValue: row["kind"]) else { return nil }
        return JournalEntry(
            at: Timestamp(milliseconds: row["at"]), kind: kind,
            mood: (row["mood"] as String?).flatMap { NamedMood(rawValue: $0) }, energy: row["energy"],
            stress: row["stress"], amountMl: row["amountMl"],
            drink: (row["drink"] as String?).flatMap { Drink(rawValue: $0) }, caffeineMg: row["caffeineMg"],
            source: row["source"], exertion: row["exertion"],
            workoutAt: (row["workoutAt"] as Int64?).map { Timestamp(milliseconds: $0) }, note: row["note"])
    }
}
