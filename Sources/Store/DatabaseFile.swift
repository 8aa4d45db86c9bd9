import Foundation
import GRDB
import Glibc
import Synchronization

/// One SQLite database of one process: owned, migrated, checked, and possible to back up, export and wipe.
///
/// The file, its `-wal` and its `-shm` are 0600. Every transaction is on disk when `write` returns
/// (`synchronous=FULL`), so what a caller acknowledges survives a power cut; deleted rows are overwritten with zeros
/// (`secure_delete`). Calls block for as long as SQLite works.
///
///     var migrator = DatabaseMigrator()
///     migrator.registerMigration("1 plays") { db in try db.create(table: "play") { … } }
///     let file = try DatabaseFile(path: directory.appending(path: "brain.sqlite").path, migrator: migrator)
///     try file.write { db in try play.insert(db) }
package final class DatabaseFile: Sendable {
    /// Path of the file; `:memory:` for a database in memory.
    package let path: String
    private let migrator: DatabaseMigrator
    private let lock: FileLock?
    private let queue: Mutex<(any DatabaseWriter)?>
    /// Readers beside the writer: a read then sees the state before a transaction that is under way instead of waiting.
    private let readers: Int

    /// Opens or creates the database and migrates it. A missing directory is created, 0700.
    ///
    /// - Parameters:
    ///   - migrator: every migration there ever was, in order; a released one never changes.
    ///   - readers: connections for reading beside the one that writes; 0 = reads wait for writes.
    /// - Throws: ``StoreError``: `taken` when another process has it open, `newerVersion`, `damaged`, `cannotOpen`,
    ///   `diskFull`. The file is unchanged then.
    package init(path: String, migrator: DatabaseMigrator, readers: Int = 0) throws(StoreError) {
        self.path = path
        self.readers = readers
        self.migrator = migrator
        try Self.refuseForeign(path)
        lock = try FileLock(path: path + ".lock")
        queue = Mutex(try Self.open(path, migrator, readers))
    }

    private init(memory migrator: DatabaseMigrator) throws(StoreError) {
        path = ":memory:"
        self.migrator = migrator
        lock = nil
        readers = 0
        queue = Mutex(try Self.open(":memory:", migrator, 0))
    }

    /// A database that is gone with this object, for tests and for processes that keep nothing.
    package static func inMemory(migrator: DatabaseMigrator) throws(StoreError) -> DatabaseFile {
        try DatabaseFile(memory: migrator)
    }

    /// Reads a consistent state.
    ///
    /// - Throws: ``StoreError`` for what SQLite complains of; errors of `body` as they are.
    package func read<Value>(_ body: (Database) throws -> Value) throws -> Value {
        try mapping { try current().read(body) }
    }

    /// Changes the database in one transaction: all of `body`, or nothing when it throws.
    ///
    /// - Throws: ``StoreError`` for what SQLite complains of; errors of `body` as they are.
    package func write<Value>(_ body: (Database) throws -> Value) throws -> Value {
        try mapping { try current().write(body) }
    }

    /// Changes the database outside of a transaction, for what SQLite allows only there.
    func writeWithoutTransaction<Value>(_ body: (Database) throws -> Value) throws -> Value {
        try mapping { try current().writeWithoutTransaction(body) }
    }

    /// Writes a copy, consistent and compact, into a new 0600 file while the database stays in use. Put in the place
    /// of the original while the process is stopped, it is the database again.
    ///
    /// - Throws: ``StoreError``: `exists`, `cannotOpen`, `diskFull`; no partial copy is left.
    package func backup(to copy: String) throws {
        let descriptor = try NewFile.create(copy)
        Glibc.close(descriptor)
        do {
            try mapping {
                try current().writeWithoutTransaction { db in
                    try db.execute(sql: "VACUUM INTO ?", arguments: [copy])
                }
            }
        } catch {
            unlink(copy)
            throw error
        }
    }

    /// Deletes everything: the files with all that was ever written to them, then starts again with an empty,
    /// migrated database. Nobody else can take the file meanwhile.
    ///
    /// - Throws: ``StoreError``; the old files are gone even when the new one cannot be created.
    package func wipe() throws(StoreError) {
        do {
            try queue.withLock { queue in
                try queue?.close()
                queue = nil
                if path != ":memory:" { try Self.deleteFiles(path) }
                queue = try Self.open(path, migrator, readers)
            }
        } catch let error as StoreError {
            throw error
        } catch {
            throw Self.asStoreError(error, path: path)
        }
    }

    /// Ends the use of the file; the write-ahead log is folded in. Later calls throw ``StoreError/closed(path:)``.
    package func close() throws(StoreError) {
        // With readers beside it the last connection to close is one of them, which cannot fold the log in. A full disk
        // leaves it beside the file, where the next opening finds it.
        if readers > 0 { try? foldLog() }
        do {
            try queue.withLock { queue in
                try queue?.close()
                queue = nil
            }
        } catch {
            throw Self.asStoreError(error, path: path)
        }
    }

    private func current() throws(StoreError) -> any DatabaseWriter {
        guard let queue = queue.withLock({ $0 }) else { throw .closed(path: path) }
        return queue
    }

    private func mapping<Value>(_ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch {
            throw StoreError.mapped(error, path: path)
        }
    }

    static func asStoreError(_ error: any Error, path: String) -> StoreError {
        switch StoreError.mapped(error, path: path) {
        case let known as StoreError: known
        case let other: .failed(path: path, detail: "\(other)")
        }
    }
}

extension DatabaseFile {
    private static func open(
        _ path: String, _ migrator: DatabaseMigrator, _ readers: Int
    ) throws(StoreError) -> any DatabaseWriter {
        do {
            var configuration = Configuration()
            configuration.label = "store"
            configuration.prepareDatabase { db in
                try db.execute(sql: "PRAGMA secure_delete = ON")
                try db.execute(sql: "PRAGMA journal_size_limit = 4194304")
            }
            guard path != ":memory:" else {
                let queue = try DatabaseQueue(configuration: configuration)
                try migrator.migrate(queue)
                return queue
            }
            try prepareFile(path)
            configuration.journalMode = .wal
            let queue: any DatabaseWriter
            if readers > 0 {
                configuration.maximumReaderCount = readers
                queue = try DatabasePool(path: path, configuration: configuration)
            } else {
                queue = try DatabaseQueue(path: path, configuration: configuration)
            }
            try check(queue, path, migrator)
            try queue.writeWithoutTransaction { db in try db.execute(sql: "PRAGMA synchronous = FULL") }
            try migrator.migrate(queue)
            return queue
        } catch let error as StoreError {
            throw error
        } catch {
            throw asStoreError(error, path: path)
        }
    }

    private static func check(_ queue: any DatabaseWriter, _ path: String, _ migrator: DatabaseMigrator) throws {
        let (verdict, unknown) = try queue.read { db in
            (
                try String.fetchAll(db, sql: "PRAGMA quick_check(3)"),
                try migrator.appliedIdentifiers(db).subtracting(migrator.migrations).sorted()
            )
        }
        guard verdict == ["ok"] else {
            throw StoreError.damaged(path: path, detail: verdict.joined(separator: "; "))
        }
        guard unknown.isEmpty else { throw StoreError.newerVersion(path: path, migrations: unknown) }
    }

    /// SQLite gives `-wal` and `-shm` the mode of the database, so that one must be right from its first moment.
    /// Refuses what is there and is no database before anything is changed: a slip of the hand must not narrow the rights
    /// of a device or of somebody's recording.
    private static func refuseForeign(_ path: String) throws(StoreError) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw .cannotOpen(path: path, reason: "it is no regular file")
        }
        // A new database is empty until its first transaction.
        guard status.st_size > 0 else { return }
        let file = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard file >= 0 else { throw .cannotOpen(path: path, reason: String(cString: strerror(errno))) }
        defer { Glibc.close(file) }
        let beginning = Array("SQLite format 3\0".utf8)
        var bytes = [UInt8](repeating: 0, count: beginning.count)
        guard Glibc.read(file, &bytes, bytes.count) == bytes.count, bytes == beginning else {
            throw .damaged(path: path, detail: "it does not begin like an SQLite database")
        }
    }

    private static func prepareFile(_ path: String) throws(StoreError) {
        let file = Glibc.open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { throw .cannotOpen(path: path, reason: String(cString: strerror(errno))) }
        let narrowed = fchmod(file, 0o600)
        Glibc.close(file)
        guard narrowed == 0 else { throw .cannotOpen(path: path, reason: "it belongs to somebody else") }
        for companion in ["-wal", "-shm"] { chmod(path + companion, 0o600) }
    }

    private static func deleteFiles(_ path: String) throws(StoreError) {
        for suffix in ["-wal", "-shm", "-journal", ""] where unlink(path + suffix) != 0 && errno != ENOENT {
            throw .cannotOpen(path: path + suffix, reason: String(cString: strerror(errno)))
        }
    }
}
