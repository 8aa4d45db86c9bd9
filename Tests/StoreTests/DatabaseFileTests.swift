import Foundation
import GRDB
import Protocols
import Store
import Testing

struct DatabaseFileTests {
    let root: URL
    var url: URL { root.appending(path: "test.sqlite") }

    init() throws {
        root = FileManager.default.temporaryDirectory.appending(path: "store-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: root, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }

    static func migrator(versions: Int = 1) -> DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("v1") { db in
            try db.execute(sql: "CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT NOT NULL)")
            try HandledEvents.createTable(db)
        }
        if versions > 1 {
            migrator.registerMigration("v2") { db in try db.execute(sql: "ALTER TABLE note ADD COLUMN at INTEGER") }
        }
        return migrator
    }

    @Test func `an older file is brought to the newest version and keeps its rows`() throws {
        let old = try DatabaseFile(url: url, migrator: Self.migrator())
        try old.write { db in try db.execute(sql: "INSERT INTO note (text) VALUES ('kept')") }
        try old.close()
        _ = consume old
        let new = try DatabaseFile(url: url, migrator: Self.migrator(versions: 2))
        let row = try new.read { db in try Row.fetchOne(db, sql: "SELECT text, at FROM note") }
        #expect(row?["text"] == "kept")
        #expect(row?["at"] as Int? == nil)
    }

    @Test func `a file of a newer version is refused by name and left alone`() throws {
        do { try DatabaseFile(url: url, migrator: Self.migrator(versions: 2)).close() }
        #expect(throws: StoreError.newer(path: url.path(percentEncoded: false), unknownMigrations: ["v2"])) {
            _ = try DatabaseFile(url: url, migrator: Self.migrator())
        }
    }

    @Test func `a second owner is refused and told who holds the file`() throws {
        let first = try DatabaseFile(url: url, migrator: Self.migrator())
        #expect(throws: StoreError.inUse(path: url.path(percentEncoded: false), pid: "\(getpid())")) {
            _ = try DatabaseFile(url: url, migrator: Self.migrator())
        }
        withExtendedLifetime(first) {}
    }

    @Test func `a damaged file is named with the cure, not overwritten`() throws {
        let garbage = Data((0..<8192).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        try garbage.write(to: url)
        #expect {
            _ = try DatabaseFile(url: url, migrator: Self.migrator())
        } throws: { error in
            "\(error)".contains("damaged") && "\(error)".contains("restore a backup")
        }
        #expect(try Data(contentsOf: url) == garbage)
    }

    @Test func `every file is for its owner alone`() throws {
        let file = try DatabaseFile(url: url, migrator: Self.migrator())
        try file.write { db in try db.execute(sql: "INSERT INTO note (text) VALUES ('x')") }
        for name in try FileManager.default.contentsOfDirectory(atPath: root.path(percentEncoded: false)) {
            let attributes = try FileManager.default.attributesOfItem(
                atPath: root.appending(path: name).path(percentEncoded: false))
            #expect(attributes[.posixPermissions] as? Int == 0o600, "\(name)")
        }
    }

    @Test func `wipe leaves no byte of what was stored and an empty, usable database`() throws {
        let secret = "sIngUlar-sEcret-71"
        let file = try DatabaseFile(url: url, migrator: Self.migrator())
        try file.write { db in
            for _ in 0..<500 { try db.execute(sql: "INSERT INTO note (text) VALUES (?)", arguments: [secret]) }
        }
        #expect(try holds(secret))
        try file.wipe()
        #expect(try !holds(secret))
        #expect(try file.read { db in try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM note") } == 0)
        try file.write { db in try db.execute(sql: "INSERT INTO note (text) VALUES ('again')") }
    }

    @Test func `an update leaves no byte of the old value once it is checkpointed`() throws {
        let file = try DatabaseFile(url: url, migrator: Self.migrator())
        try file.write { db in try db.execute(sql: "INSERT INTO note (text) VALUES ('oLd-vAlue-93')") }
        try file.write { db in try db.execute(sql: "UPDATE note SET text = 'new'") }
        try file.close()
        #expect(try !holds("oLd-vAlue-93"))
    }

    @Test func `an export holds every row, is private, and does not overwrite`() throws {
        let file = try DatabaseFile(url: url, migrator: Self.migrator())
        try file.write { db in
            try db.execute(sql: "INSERT INTO note (text) VALUES ('a'), ('b')")
            _ = try HandledEvents.firstTime(Self.header(1, 1), topic: "bio/batch/me", in: db)
        }
        let target = root.appending(path: "export.jsonl")
        #expect(try file.exportRows(to: target.path(percentEncoded: false)) == 3)
        #expect(
            try String(contentsOf: target, encoding: .utf8) == """
                {"row":{"epoch":1,"sequence":1,"topic":"bio/batch/me"},"table":"handledEvent"}
                {"row":{"id":1,"text":"a"},"table":"note"}
                {"row":{"id":2,"text":"b"},"table":"note"}

                """)
        #expect(throws: StoreError.self) { try file.exportRows(to: target.path(percentEncoded: false)) }
    }

    @Test func `a backup is a whole database of its own`() throws {
        let file = try DatabaseFile(url: url, migrator: Self.migrator())
        try file.write { db in try db.execute(sql: "INSERT INTO note (text) VALUES ('a')") }
        let copy = root.appending(path: "copy.sqlite")
        try file.backup(to: copy)
        let restored = try DatabaseFile(url: copy, migrator: Self.migrator())
        #expect(try restored.read { db in try String.fetchOne(db, sql: "SELECT text FROM note") } == "a")
    }

    @Test func `an event has its effect once, also when the transaction failed in between`() throws {
        struct Stop: Error {}
        let file = try DatabaseFile(url: nil, migrator: Self.migrator())
        #expect(throws: Stop.self) {
            try file.write { db in
                _ = try HandledEvents.firstTime(Self.header(7, 3), topic: "player/event/me", in: db)
                throw Stop()
            }
        }
        let first = try file.write { db in
            try HandledEvents.firstTime(Self.header(7, 3), topic: "player/event/me", in: db)
        }
        let second = try file.write { db in
            try HandledEvents.firstTime(Self.header(7, 3), topic: "player/event/me", in: db)
        }
        let otherEpoch = try file.write { db in
            try HandledEvents.firstTime(Self.header(8, 3), topic: "player/event/me", in: db)
        }
        #expect(first && !second && otherEpoch)
    }

    @Test func `a full disk is named and keeps what was stored`() throws {
        let file = try DatabaseFile(url: url, migrator: Self.migrator())
        try file.write { db in try db.execute(sql: "INSERT INTO note (text) VALUES ('kept')") }
        // SQLite's own limit gives the same SQLITE_FULL as a disk without space.
        try file.writer.writeWithoutTransaction { db in
            let pages = try Int.fetchOne(db, sql: "PRAGMA page_count") ?? 0
            try db.execute(sql: "PRAGMA max_page_count = \(pages)")
        }
        #expect(throws: StoreError.diskFull(path: url.path(percentEncoded: false))) {
            try file.write { db in
                for _ in 0..<1000 {
                    try db.execute(
                        sql: "INSERT INTO note (text) VALUES (?)", arguments: [String(repeating: "x", count: 4000)])
                }
            }
        }
        #expect(try file.read { db in try String.fetchAll(db, sql: "SELECT text FROM note") } == ["kept"])
    }

    static func header(_ epoch: UInt64, _ sequence: UInt64) -> Header {
        Header(
            deliveryClass: .event, schema: SchemaVersion(major: 1, minor: 0), epoch: epoch, sequence: sequence,
            wallNs: 0, monotonicNs: 0)
    }

    func holds(_ text: String) throws -> Bool {
        try FileManager.default.contentsOfDirectory(atPath: root.path(percentEncoded: false)).contains { name in
            try Data(contentsOf: root.appending(path: name)).range(of: Data(text.utf8)) != nil
        }
    }
}
