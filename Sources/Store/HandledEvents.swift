import GRDB
import Protocols

/// Remembers which events had their effect, so that one that is delivered again has none.
///
/// The memory is a table in the database of the effect and changes in the same transaction: both happen, or neither.
///
///     try file.write { db in
///         guard try HandledEvents.firstTime(header: message.header, topic: message.topic, in: db) else { return }
///         try play.insert(db)
///     }
package enum HandledEvents {
    /// Events that are remembered; the outboxes of all publishers together hold fewer.
    package static let remembered: Int64 = 65_536
    private static let pruneEvery: Int64 = 1024

    /// A step of a migration: creates the table `handled`.
    package static func createTable(in db: Database) throws {
        try db.create(table: "handled") { table in
            table.autoIncrementedPrimaryKey("id")
            table.column("epoch", .integer).notNull()
            table.column("topic", .text).notNull()
            table.column("sequence", .integer).notNull()
            table.uniqueKey(["epoch", "topic", "sequence"])
        }
    }

    /// Notes an event inside the caller's transaction.
    ///
    /// - Returns: false when its effect is already there.
    package static func firstTime(header: Header, topic: String, in db: Database) throws -> Bool {
        try db.cachedStatement(sql: "INSERT OR IGNORE INTO handled (epoch, topic, sequence) VALUES (?, ?, ?)")
            .execute(arguments: [
                Int64(bitPattern: header.epoch), topic, Int64(bitPattern: header.sequence),
            ])
        guard db.changesCount > 0 else { return false }
        let newest = db.lastInsertedRowID
        if newest % pruneEvery == 0 {
            try db.execute(sql: "DELETE FROM handled WHERE id <= ?", arguments: [newest - remembered])
        }
        return true
    }
}
