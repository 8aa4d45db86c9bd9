import Bus
import Foundation
import GRDB
import Protocols
import Store

/// `brain.sqlite`: what the brain keeps, one transaction a call.
package struct BrainDisk: Sendable {
    package typealias Work = @Sendable (Database) throws -> Void

    package let file: DatabaseFile

    /// Opens or creates `brain.sqlite` in a directory; nil = in memory, for tests.
    ///
    /// - Throws: ``StoreError`` with cause and cure.
    package init(directory: URL?) throws(StoreError) {
        if let directory {
            let path = directory.appending(path: "brain.sqlite").path(percentEncoded: false)
            file = try DatabaseFile(path: path, migrator: BrainSchema.migrator)
        } else {
            file = try DatabaseFile.inMemory(migrator: BrainSchema.migrator)
        }
    }

    package func read<Value>(_ body: (Database) throws -> Value) throws -> Value { try file.read(body) }

    package func write<Value>(_ body: (Database) throws -> Value) throws -> Value { try file.write(body) }

    /// False when the effect of an event is stored already.
    package func isNew(_ message: Received) throws -> Bool {
        let arguments: StatementArguments = [
            message.topic, Int64(bitPattern: message.header.epoch), Int64(bitPattern: message.header.sequence),
        ]
        let row = try file.read { db in
            try Row.fetchOne(
                db, sql: "SELECT 1 FROM handled WHERE topic = ? AND epoch = ? AND sequence = ?", arguments: arguments)
        }
        return row == nil
    }

    /// Marks an event as handled; belongs into the transaction of its effect.
    package func marking(_ message: Received) -> Work {
        let (header, topic) = (message.header, message.topic)
        return { db in _ = try HandledEvents.firstTime(header: header, topic: topic, in: db) }
    }
}
