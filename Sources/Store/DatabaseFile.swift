import Foundation
import GRDB
import GRDBSQLite
import Synchronization

/// One SQLite database, owned by this process alone: WAL, foreign keys, 0600, deleted values overwritten.
package final class DatabaseFile: Sendable {
    /// The file, or nil for a database in memory.
    package let url: URL?
    private let migrator: DatabaseMigrator
    private let lock: FileLock?
    private let handle: Mutex<any DatabaseWriter>

    /// Opens or creates a database and brings it to the newest version.
    ///
    /// - Parameters:
    ///   - url: the file; its folder exists and is 0700. nil = in memory, for tests.
    ///   - migrator: every version there ever was, in order.
    /// - Throws: ``StoreError``: in use, newer, damaged, disk full.
    package init(url: URL?, migrator: DatabaseMigrator) throws(StoreError) {
        self.url = url
        self.migrator = migrator
        lock = if let url { try FileLock(beside: url) } else { nil }
        handle = Mutex(try Self.open(url, migrator))
    }

    /// For reading and writing. Fetch it anew for each use: ``wipe()`` replaces it.
    package var writer: any DatabaseWriter { handle.withLock { $0 } }

    package var path: String { url?.path(percentEncoded: false) ?? ":memory:" }

    /// Runs one transaction.
    ///
    /// - Throws: ``StoreError`` for what SQLite says; the closure's own errors as they are. Nothing is kept then.
    package func write<Value>(_ body: (Database) throws -> Value) throws -> Value {
        do {
            return try writer.write(body)
        } catch let error as DatabaseError {
            throw StoreError(error, path: path)
        }
    }

    package func read<Value>(_ body: (Database) throws -> Value) throws -> Value {
        do {
            return try writer.read(body)
        } catch let error as DatabaseError {
            throw StoreError(error, path: path)
        }
    }

    /// Copies the database while it is in use into a new 0600 file.
    package func backup(to target: URL) throws(StoreError) {
        do {
            try FileLock.createPrivate(target)
            let copy = try DatabaseQueue(path: target.path(percentEncoded: false))
            try writer.backup(to: copy)
            try copy.close()
        } catch {
            throw StoreError(error, path: target.path(percentEncoded: false))
        }
    }

    /// Deletes everything: closes, removes the file with its WAL, and starts empty.
    package func wipe() throws(StoreError) {
        do {
            try handle.withLock { writer in
                if let url {
                    // secure_delete overwrites rows; an empty checkpointed file leaves no copy in the WAL either.
                    try writer.writeWithoutTransaction { db in try Self.dropEverything(db) }
                    try writer.close()
                    for suffix in ["", "-wal", "-shm"] {
                        let file = url.path(percentEncoded: false) + suffix
                        if FileManager.default.fileExists(atPath: file) {
                            try FileManager.default.removeItem(atPath: file)
                        }
                    }
                }
                writer = try Self.open(url, migrator)
            }
        } catch {
            throw StoreError(error, path: path)
        }
    }

    /// Closes for good; everything committed is on disk.
    package func close() throws(StoreError) {
        do {
            // The log may still hold older versions of pages.
            try writer.writeWithoutTransaction { db in try db.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)") }
            try writer.close()
        } catch {
            throw StoreError(error, path: path)
        }
    }

    private static func dropEverything(_ db: Database) throws {
        try db.execute(sql: "PRAGMA foreign_keys = OFF")
        let tables = try String.fetchAll(
            db, sql: "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
        for table in tables { try db.execute(sql: "DELETE FROM \(table.quotedDatabaseIdentifier)") }
        try db.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)")
        try db.execute(sql: "VACUUM")
        try db.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)")
    }

    private static func open(_ url: URL?, _ migrator: DatabaseMigrator) throws(StoreError) -> any DatabaseWriter {
        var configuration = Configuration()
        configuration.foreignKeysEnabled = true
        configuration.busyMode = .timeout(5)
        configuration.prepareDatabase { db in
            try db.execute(sql: "PRAGMA secure_delete = ON")
            // A committed play must survive a power cut; the volume is small.
            try db.execute(sql: "PRAGMA synchronous = FULL")
        }
        let path = url?.path(percentEncoded: false)
        do {
            let writer: any DatabaseWriter
            if let url, let path {
                try FileLock.createPrivate(url)
                writer = try DatabasePool(path: path, configuration: configuration)
            } else {
                writer = try DatabaseQueue(configuration: configuration)
            }
            let check = try writer.read { db in try String.fetchOne(db, sql: "PRAGMA quick_check(1)") }
            guard check == "ok" else {
                throw StoreError.damaged(path: path ?? "", detail: check ?? "no answer to quick_check")
            }
            try writer.read { db in
                guard try migrator.hasBeenSuperseded(db) else { return }
                let known = Set(migrator.migrations)
                let unknown = try migrator.appliedIdentifiers(db).subtracting(known).sorted()
                throw StoreError.newer(path: path ?? "", unknownMigrations: unknown)
            }
            try migrator.migrate(writer)
            return writer
        } catch {
            throw StoreError(error, path: path ?? ":memory:")
        }
    }
}
