import GRDB
import Protocols

/// Remembers which events had their effect, so that one that comes twice has it once.
///
/// Use it inside the transaction of the effect: either both are kept or neither.
package enum HandledEvents {
    /// Rows kept per publisher and topic; a sender's outbox is bounded far below.
    package static let depth = 20_000

    /// Adds the table to a migration.
    package static func createTable(_ db: Database) throws {
        try db.execute(
            sql: """
                CREATE TABLE handledEvent (
                    epoch INTEGER NOT NULL, topic TEXT NOT NULL, sequence INTEGER NOT NULL,
                    PRIMARY KEY (topic, epoch, sequence)
                ) WITHOUT ROWID
                """)
    }

    /// Marks an event as handled.
    ///
    /// - Returns: true the first time; false when its effect is there already.
    package static func firstTime(_ header: Header, topic: String, in db: Database) throws -> Bool {
        let (epoch, sequence) = (Int64(bitPattern: header.epoch), Int64(bitPattern: header.sequence))
        try db.execute(
            sql: "INSERT OR IGNORE INTO handledEvent (epoch, topic, sequence) VALUES (?, ?, ?)",
            arguments: [epoch, topic, sequence])
        guard db.changesCount > 0 else { return false }
        if header.sequence.isMultiple(of: 1024) {
            try db.execute(
                sql: "DELETE FROM handledEvent WHERE topic = ? AND epoch = ? AND sequence < ?",
                arguments: [topic, epoch, sequence - Int64(depth)])
        }
        return true
    }
}
