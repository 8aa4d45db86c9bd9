import GRDB
import Protocols
import Store

/// Makes the copy of the hub's spool fit copies of databases that were made a little earlier.
///
/// While the databases are copied one after the other, events go on being delivered. One that a consumer handled after
/// its database was copied is settled in the spool, and would be lost. So the spool is copied twice: before the
/// databases, which says what each consumer had not settled by then, and after them. In the later copy all of that, and
/// all that came since, waits for its consumers again; what a copied database has handled it recognises.
package enum SpoolCopies {
    /// Changes the later copy.
    ///
    /// - Parameters:
    ///   - early: path of the copy that was made before the databases were copied.
    ///   - late: path of the copy that was made after all of them.
    /// - Throws: ``BackupError/eventsPassed``, ``BackupError/damaged(path:reason:)``.
    package static func join(early: String, late: String) throws(BackupError) {
        do {
            let queue = try DatabaseQueue(path: late)
            try queue.writeWithoutTransaction { db in
                try db.execute(sql: "ATTACH DATABASE ? AS early", arguments: [early])
                try db.inTransaction {
                    try join(in: db)
                    return .commit
                }
                try db.execute(sql: "DETACH DATABASE early")
            }
            try queue.close()
        } catch let error as BackupError {
            throw error
        } catch {
            throw .damaged(path: late, reason: "the copies of the spool do not fit: \(error)")
        }
    }

    private static func join(in db: Database) throws {
        let before = try newest("early", in: db)
        let after = try newest("main", in: db)
        var waiting: [String: Int64] = [:]
        for row in try Row.fetchAll(db, sql: "SELECT consumer, min(number) FROM early.pending GROUP BY consumer") {
            waiting[row[0]] = row[1]
        }
        let lowest = min(waiting.values.min() ?? .max, before + 1)
        try db.execute(
            sql: "INSERT OR IGNORE INTO main.event SELECT * FROM early.event WHERE number >= ?", arguments: [lowest])
        let count = try Int64.fetchOne(
            db, sql: "SELECT count(*) FROM main.event WHERE number > ?", arguments: [before])
        // Handled and forgotten between the two copies, as a full spool does: nobody could say what is missing.
        guard after >= before, count == after - before else { throw BackupError.eventsPassed }
        let tools = try registered(in: db)
        let events = try Row.fetchAll(
            db, sql: "SELECT number, topic FROM main.event WHERE number >= ? ORDER BY number", arguments: [lowest])
        for row in events {
            let (number, topic): (Int64, String) = (row[0], row[1])
            let wanting = tools.filter { tool in
                tool.topics.isEmpty || tool.topics.contains { topic.hasPrefix($0) }
            }
            let consumers = (Registry.spec(of: topic)?.consumers ?? []).map(\.rawValue) + wanting.map(\.name)
            for consumer in consumers where number >= waiting[consumer] ?? before + 1 {
                try db.cachedStatement(
                    sql: """
                        INSERT OR IGNORE INTO main.pending (consumer, number, deliveries) SELECT ?1, ?2, 0
                        WHERE NOT EXISTS (SELECT 1 FROM main.deadLetter WHERE consumer = ?1 AND number = ?2)
                        """
                ).execute(arguments: [consumer, number])
            }
        }
    }

    /// The highest number that was ever given to an event.
    private static func newest(_ schema: String, in db: Database) throws -> Int64 {
        try Int64.fetchOne(db, sql: "SELECT seq FROM \(schema).sqlite_sequence WHERE name = 'event'") ?? 0
    }

    private static func registered(in db: Database) throws -> [(name: String, topics: [String])] {
        try Row.fetchAll(db, sql: "SELECT name, topics FROM main.consumer").map { row in
            let topics: String = row[1]
            return (row[0], topics.split(separator: " ").map(String.init))
        }
    }
}
