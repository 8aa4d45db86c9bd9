import GRDB
import Protocols
import Store
import Testing

struct HandledEventsTests {
    private func file() throws -> DatabaseFile {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1") { db in try HandledEvents.createTable(in: db) }
        return try DatabaseFile.inMemory(migrator: migrator)
    }

    private func header(_ epoch: UInt64, _ sequence: UInt64) -> Header {
        Header(
            deliveryClass: .event, schema: SchemaVersion(major: 1, minor: 0), epoch: epoch, sequence: sequence,
            wallNs: 0, monotonicNs: 0)
    }

    private func firstTime(_ file: DatabaseFile, _ epoch: UInt64, _ sequence: UInt64, _ topic: String) throws -> Bool {
        try file.write { db in
            try HandledEvents.firstTime(header: header(epoch, sequence), topic: topic, in: db)
        }
    }

    @Test func `an event counts once per epoch, topic and sequence`() throws {
        let file = try file()
        #expect(try firstTime(file, .max, 1, "a/me"))
        #expect(try !firstTime(file, .max, 1, "a/me"))
        #expect(try firstTime(file, .max, 2, "a/me"))
        #expect(try firstTime(file, .max, 1, "b/me"))
        #expect(try firstTime(file, 7, 1, "a/me"))
    }

    @Test func `an event whose effect was rolled back counts again`() throws {
        let file = try file()
        struct Stop: Error {}
        #expect(throws: Stop.self) {
            try file.write { db in
                _ = try HandledEvents.firstTime(header: header(1, 1), topic: "a/me", in: db)
                throw Stop()
            }
        }
        #expect(try firstTime(file, 1, 1, "a/me"))
    }

    @Test func `the memory has a bound`() throws {
        let file = try file()
        try file.write { db in
            for sequence in 1...UInt64(HandledEvents.remembered + 3000) {
                _ = try HandledEvents.firstTime(header: header(1, sequence), topic: "a/me", in: db)
            }
        }
        let rows = try file.read { db in try Int64.fetchOne(db, sql: "SELECT COUNT(*) FROM handled") } ?? 0
        #expect(rows >= HandledEvents.remembered && rows < HandledEvents.remembered + 1024)
        #expect(try !firstTime(file, 1, UInt64(HandledEvents.remembered + 3000), "a/me"))
    }
}
