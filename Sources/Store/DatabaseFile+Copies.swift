import Foundation
import GRDB
import Glibc

extension DatabaseFile {
    /// Writes a copy of a database that no process has open, as ``backup(to:)`` does of one in use. It is not migrated.
    ///
    /// - Throws: ``StoreError``: `taken`, `exists`, `cannotOpen`, `damaged`, `diskFull`; no partial copy is left.
    package static func copy(closed path: String, to copy: String) throws(StoreError) {
        guard FileManager.default.fileExists(atPath: path) else {
            throw .cannotOpen(path: path, reason: "it is not there")
        }
        let lock = try FileLock(path: path + ".lock")
        defer { withExtendedLifetime(lock) {} }
        Glibc.close(try NewFile.create(copy))
        do {
            let queue = try DatabaseQueue(path: path)
            try queue.writeWithoutTransaction { db in
                try db.execute(sql: "VACUUM INTO ?", arguments: [copy])
            }
            try queue.close()
        } catch {
            unlink(copy)
            throw asStoreError(error, path: path)
        }
    }

    /// Checks every page, index and reference of a copy that nobody uses.
    ///
    /// - Returns: the steps of migration that it has gone through, in order.
    /// - Throws: ``StoreError``: `damaged`, `cannotOpen`.
    package static func check(copy path: String) throws(StoreError) -> [String] {
        do {
            var configuration = Configuration()
            configuration.readonly = true
            let queue = try DatabaseQueue(path: path, configuration: configuration)
            let (verdict, orphans, migrations) = try queue.read { db in
                (
                    try String.fetchAll(db, sql: "PRAGMA integrity_check(3)"),
                    try Row.fetchAll(db, sql: "PRAGMA foreign_key_check").count,
                    try db.tableExists("grdb_migrations")
                        ? try String.fetchAll(db, sql: "SELECT identifier FROM grdb_migrations ORDER BY rowid") : []
                )
            }
            try queue.close()
            guard verdict == ["ok"] else {
                throw StoreError.damaged(path: path, detail: verdict.joined(separator: "; "))
            }
            guard orphans == 0 else { throw StoreError.damaged(path: path, detail: "\(orphans) broken references") }
            return migrations
        } catch let error as StoreError {
            throw error
        } catch {
            throw asStoreError(error, path: path)
        }
    }
}

extension DatabaseFile {
    /// Folds the write-ahead log into the database and empties it: what was deleted before is then in neither.
    ///
    /// - Throws: ``StoreError``.
    package func foldLog() throws {
        guard path != ":memory:" else { return }
        try writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)")
        }
    }
}
