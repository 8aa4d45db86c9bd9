import Bus
import Foundation
import GRDB
import Protocols
import Store

/// The effects of events: what a consumer does with each, in the transaction in which it notes that it did.
struct EffectStore: Sendable {
    private let file: DatabaseFile

    init(role: Role, in directory: URL) throws {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1 effects") { db in
            try HandledEvents.createTable(in: db)
            try db.create(table: "effect") { table in
                table.column("stream", .text).notNull()
                table.column("number", .integer).notNull()
                table.column("life", .integer).notNull()
            }
        }
        file = try DatabaseFile(path: Self.path(role, directory), migrator: migrator)
    }

    static func path(_ role: Role, _ directory: URL) -> String {
        directory.appending(path: "effects-\(role.rawValue).sqlite").path(percentEncoded: false)
    }

    /// Has the effect of an event, once however often it comes.
    ///
    /// - Parameter mark: `STREAM-NUMBER`, which the publisher put into the event.
    func handle(_ message: Received, mark: String, life: Int) throws {
        guard let dash = mark.lastIndex(of: "-"), let number = Int64(mark[mark.index(after: dash)...]) else {
            throw Refusal(code: "invalid", message: "an event without a mark")
        }
        try file.write { db in
            guard try HandledEvents.firstTime(header: message.header, topic: message.topic, in: db) else { return }
            try db.execute(
                sql: "INSERT INTO effect (stream, number, life) VALUES (?, ?, ?)",
                arguments: [String(mark[..<dash]), number, life])
        }
    }

    /// How often each event had its effect, by stream and number.
    static func effects(_ role: Role, in directory: URL) throws -> [String: [UInt64: Int]] {
        let queue = try DatabaseQueue(path: path(role, directory))
        let rows = try queue.read { db in
            try Row.fetchAll(db, sql: "SELECT stream, number, COUNT(*) AS times FROM effect GROUP BY stream, number")
        }
        var effects: [String: [UInt64: Int]] = [:]
        for row in rows {
            let (stream, number, times): (String, Int64, Int) = (row["stream"], row["number"], row["times"])
            effects[stream, default: [:]][UInt64(number)] = times
        }
        return effects
    }
}
