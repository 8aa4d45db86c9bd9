import Foundation
import GRDB
import Store
import Testing

/// A directory that is gone after the test.
final class Scratch {
    let url: URL
    init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: "store-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }
    deinit { try? FileManager.default.removeItem(at: url) }

    func path(_ name: String) -> String { url.appending(path: name).path(percentEncoded: false) }

    /// The bytes of every file in the directory.
    func everything() throws -> Data {
        try FileManager.default.contentsOfDirectory(atPath: url.path(percentEncoded: false))
            .reduce(into: Data()) { all, name in all += try Data(contentsOf: url.appending(path: name)) }
    }

    func mode(_ name: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: path(name))
        return try #require(attributes[.posixPermissions] as? Int)
    }
}

func notes(versions: Int = 1) -> DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("1 notes") { db in
        try db.create(table: "note") { table in
            table.autoIncrementedPrimaryKey("id")
            table.column("text", .text).notNull()
        }
        try db.create(table: "remark") { table in
            table.autoIncrementedPrimaryKey("id")
            table.column("noteId", .integer).notNull().references("note", onDelete: .cascade)
        }
    }
    if versions > 1 {
        migrator.registerMigration("2 weight") { db in
            try db.alter(table: "note") { table in table.add(column: "weight", .double) }
        }
    }
    return migrator
}

extension DatabaseFile {
    func insert(_ text: String) throws {
        try write { db in try db.execute(sql: "INSERT INTO note (text) VALUES (?)", arguments: [text]) }
    }
    func texts() throws -> [String] {
        try read { db in try String.fetchAll(db, sql: "SELECT text FROM note ORDER BY id") }
    }
}

struct DatabaseFileTests {
    @Test func `what was written is there after opening again`() throws {
        let scratch = try Scratch()
        do {
            let file = try DatabaseFile(path: scratch.path("a.sqlite"), migrator: notes())
            try file.insert("one")
            try file.close()
        }
        #expect(try DatabaseFile(path: scratch.path("a.sqlite"), migrator: notes()).texts() == ["one"])
    }

    @Test func `a missing directory is created for the owner alone, and every file in it too`() throws {
        let scratch = try Scratch()
        let file = try DatabaseFile(path: scratch.path("deep/a.sqlite"), migrator: notes())
        try file.insert("one")
        #expect(try scratch.mode("deep") == 0o700)
        for name in ["a.sqlite", "a.sqlite-wal", "a.sqlite-shm", "a.sqlite.lock"] {
            #expect(try scratch.mode("deep/\(name)") == 0o600, "\(name)")
        }
    }

    @Test func `an older database is migrated and keeps its rows`() throws {
        let scratch = try Scratch()
        do { try DatabaseFile(path: scratch.path("a.sqlite"), migrator: notes()).insert("old") }
        let file = try DatabaseFile(path: scratch.path("a.sqlite"), migrator: notes(versions: 2))
        let rows = try file.read { db in try Row.fetchAll(db, sql: "SELECT text, weight FROM note") }
        #expect(rows.map { $0["text"] as String } == ["old"])
        #expect(rows.allSatisfy { ($0["weight"] as Double?) == nil })
    }

    @Test func `a database of a newer version is refused by name`() throws {
        let scratch = try Scratch()
        let path = scratch.path("a.sqlite")
        do { try DatabaseFile(path: path, migrator: notes(versions: 2)).insert("new") }
        #expect(throws: StoreError.newerVersion(path: path, migrations: ["2 weight"])) {
            try DatabaseFile(path: path, migrator: notes())
        }
        #expect(try DatabaseFile(path: path, migrator: notes(versions: 2)).texts() == ["new"])
    }

    @Test func `a second owner of the same file is refused until the first is gone`() throws {
        let scratch = try Scratch()
        let path = scratch.path("a.sqlite")
        do {
            let first = try DatabaseFile(path: path, migrator: notes())
            #expect(throws: StoreError.taken(path: path, pid: "\(ProcessInfo.processInfo.processIdentifier)")) {
                try DatabaseFile(path: path, migrator: notes())
            }
            try first.insert("one")
        }
        #expect(try DatabaseFile(path: path, migrator: notes()).texts() == ["one"])
    }

    @Test(arguments: [
        Data("this is not a database, it is a letter to a friend".utf8), Data(repeating: 0xA5, count: 8192),
    ])
    func `a file that is no database is refused and stays as it is`(bytes: Data) throws {
        let scratch = try Scratch()
        let path = scratch.path("a.sqlite")
        try bytes.write(to: URL(filePath: path))
        let error = try #require(throws: StoreError.self) { try DatabaseFile(path: path, migrator: notes()) }
        guard case .damaged(path, _) = error else {
            Issue.record("\(error)")
            return
        }
        #expect("\(error)".contains("backup"))
        #expect(try Data(contentsOf: URL(filePath: path)) == bytes)
    }

    @Test func `a torn page is found when the database is opened`() throws {
        let scratch = try Scratch()
        let path = scratch.path("a.sqlite")
        do {
            let file = try DatabaseFile(path: path, migrator: notes())
            for index in 0..<400 { try file.insert(String(repeating: "x", count: 200) + "\(index)") }
            try file.close()
        }
        let handle = try FileHandle(forUpdating: URL(filePath: path))
        try handle.seek(toOffset: 4096 * 4)
        try handle.write(contentsOf: Data(repeating: 0xFF, count: 4096 * 4))
        try handle.close()
        let error = try #require(throws: StoreError.self) { try DatabaseFile(path: path, migrator: notes()) }
        guard case .damaged = error else {
            Issue.record("\(error)")
            return
        }
    }

    @Test func `files as a kill leaves them hold every committed row and nothing of an open transaction`() throws {
        let scratch = try Scratch()
        let path = scratch.path("a.sqlite")
        let file = try DatabaseFile(path: path, migrator: notes())
        try file.insert("committed")
        try file.write { db in
            try db.execute(sql: "INSERT INTO note (text) VALUES ('open')")
            // What is on disk at this moment is what a kill would leave.
            for suffix in ["", "-wal"] {
                try FileManager.default.copyItem(atPath: path + suffix, toPath: scratch.path("b.sqlite") + suffix)
            }
        }
        #expect(try DatabaseFile(path: scratch.path("b.sqlite"), migrator: notes()).texts() == ["committed"])
    }

    @Test func `a transaction that throws leaves nothing`() throws {
        let file = try DatabaseFile.inMemory(migrator: notes())
        struct Stop: Error {}
        #expect(throws: Stop.self) {
            try file.write { db in
                try db.execute(sql: "INSERT INTO note (text) VALUES ('half')")
                throw Stop()
            }
        }
        #expect(try file.texts() == [])
    }

    @Test func `a row cannot refer to one that is not there`() throws {
        let file = try DatabaseFile.inMemory(migrator: notes())
        let error = try #require(throws: StoreError.self) {
            try file.write { db in try db.execute(sql: "INSERT INTO remark (noteId) VALUES (7)") }
        }
        #expect("\(error)".contains("FOREIGN KEY"))
    }

    @Test func `a full disk is told by name and half-stores nothing`() throws {
        let scratch = try Scratch()
        let path = scratch.path("a.sqlite")
        let file = try DatabaseFile(path: path, migrator: notes())
        try file.insert("before")
        // SQLite reports a page limit with the same code as a full disk.
        try file.read { db in _ = try Int.fetchOne(db, sql: "PRAGMA max_page_count = 12") }
        #expect(throws: StoreError.diskFull(path: path)) {
            try file.write { db in
                for _ in 0..<100 {
                    try db.execute(
                        sql: "INSERT INTO note (text) VALUES (?)", arguments: [String(repeating: "x", count: 4000)])
                }
            }
        }
        #expect(try file.texts() == ["before"])
    }

    @Test func `a backup of a database in use is complete, private and never overwrites`() throws {
        let scratch = try Scratch()
        let file = try DatabaseFile(path: scratch.path("a.sqlite"), migrator: notes())
        try file.insert("one")
        try file.backup(to: scratch.path("copy.sqlite"))
        try file.insert("two")
        #expect(try scratch.mode("copy.sqlite") == 0o600)
        #expect(try DatabaseFile(path: scratch.path("copy.sqlite"), migrator: notes()).texts() == ["one"])
        #expect(throws: StoreError.exists(path: scratch.path("copy.sqlite"))) {
            try file.backup(to: scratch.path("copy.sqlite"))
        }
    }

    @Test func `a wipe leaves no byte of a secret in any file and the database goes on empty`() throws {
        let scratch = try Scratch()
        let secret = "my heart beats for \(UUID().uuidString)"
        let file = try DatabaseFile(path: scratch.path("a.sqlite"), migrator: notes())
        for index in 0..<50 { try file.insert("\(secret) \(index)") }
        #expect(try scratch.everything().range(of: Data(secret.utf8)) != nil)
        try file.wipe()
        #expect(try scratch.everything().range(of: Data(secret.utf8)) == nil)
        #expect(try file.texts() == [])
        try file.insert("after")
        #expect(try file.texts() == ["after"])
        #expect(throws: StoreError.self) { try DatabaseFile(path: scratch.path("a.sqlite"), migrator: notes()) }
    }

    @Test func `a deleted row is overwritten`() throws {
        let scratch = try Scratch()
        let secret = "deleted \(UUID().uuidString)"
        let file = try DatabaseFile(path: scratch.path("a.sqlite"), migrator: notes())
        try file.insert(secret)
        try file.write { db in try db.execute(sql: "DELETE FROM note") }
        try file.close()
        #expect(try scratch.everything().range(of: Data(secret.utf8)) == nil)
    }

    @Test func `a closed database says so`() throws {
        let file = try DatabaseFile.inMemory(migrator: notes())
        try file.close()
        #expect(throws: StoreError.closed(path: ":memory:")) { try file.texts() }
    }
}
