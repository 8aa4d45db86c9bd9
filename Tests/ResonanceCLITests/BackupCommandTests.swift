import ArgumentParser
import Backup
import Foundation
import GRDB
import Protocols
import ServiceKit
import Store
import Synchronization
import Testing

@testable import ResonanceCLI

/// Collecting, keys and dates of backups; the container and the restoration have tests of their own.
struct BackupCommandTests {
    private func directories(_ directory: TemporaryDirectory) -> Directories {
        Directories(
            runtime: directory.url.appending(path: "run"), data: directory.url.appending(path: "data"),
            state: directory.url.appending(path: "state"), config: directory.url.appending(path: "config"))
    }

    private func database(_ path: String, _ text: String) throws -> DatabaseFile {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("v1") { db in try db.execute(sql: "CREATE TABLE t (text TEXT)") }
        let file = try DatabaseFile(path: path, migrator: migrator)
        try file.write { db in try db.execute(sql: "INSERT INTO t VALUES (?)", arguments: [text]) }
        return file
    }

    private func text(_ path: String) throws -> String? {
        try DatabaseQueue(path: path).read { db in try String.fetchOne(db, sql: "SELECT text FROM t") }
    }

    @Test func `what runs is asked, what does not run is copied, and the rest is taken as it is`() async throws {
        let directory = try TemporaryDirectory()
        try database(directory.path("data/library.sqlite"), "songs").close()
        // In use and asked: its copy comes from its owner.
        let body = try database(directory.path("data/body.sqlite"), "beats")
        let lock = try InstanceLock(name: "body", in: directory.url.appending(path: "data"))
        try directory.write("data/outbox/body.outbox", "events")
        try directory.write("data/offset", "12")
        try directory.write("data/backup-staging/old", "of a backup that was killed")
        try directory.write("config/config.json", "{}")
        try directory.write("config/keys/hub.key", "key")
        let household = FakeHousehold()
        try household.answer(.body, BackUpData.name, with: BackedUp(path: ""))
        household.onQuestion { question in
            guard case .object(let members) = question.body, case .string(let path)? = members["path"] else { return }
            try? body.backup(to: path)
        }
        let collection = BackupCollection(household, directories(directory), Paper().terminal())
        let sources = try await collection.run()
        withExtendedLifetime(lock) {}
        // Who has to wait for its owner asks the hub whether it lives.
        #expect(household.asked.map(\.process).filter { $0 != "hub" } == ["body"])
        #expect(
            sources.map(\.name) == [
                "data/body.sqlite", "data/library.sqlite", "data/offset", "data/outbox/body.outbox",
                "config/config.json", "config/keys/hub.key",
            ])
        #expect(sources.map(\.kind) == [.database, .database, .other, .outbox, .configuration, .configuration])
        #expect(try text(sources[0].path) == "beats")
        #expect(try text(sources[1].path) == "songs")
        for source in sources {
            let attributes = try FileManager.default.attributesOfItem(atPath: source.path)
            #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600, "\(source.name)")
        }
    }

    @Test func `an owner that refuses, or cannot be asked, ends the backup by name`() async throws {
        let directory = try TemporaryDirectory()
        _ = try database(directory.path("data/brain.sqlite"), "plays")
        let lock = try InstanceLock(name: "brain", in: directory.url.appending(path: "data"))
        defer { withExtendedLifetime(lock) {} }
        let household = FakeHousehold()
        household.refuse(.brain, BackUpData.name, code: "internal", message: "the disk is full")
        let refused = await #expect(throws: CommandFailure.self) {
            _ = try await BackupCollection(household, self.directories(directory), Paper().terminal()).run()
        }
        #expect(refused?.cause.contains("brain") == true)
        #expect(refused?.cause.contains("the disk is full") == true)
        let alone = await #expect(throws: CommandFailure.self) {
            _ = try await BackupCollection(nil, self.directories(directory), Paper().terminal()).run()
        }
        #expect(alone?.status == .unavailable)
    }

    @Test func `an owner that stands still ends the wait by its name and with its cure, one that works is waited for`()
        async throws
    {
        func table(_ state: ProcessTable.State, _ seconds: Double) -> ProcessTable {
            var row = Sample.row(.librarian, state: state, wanted: .yes)
            row.silentSeconds = seconds
            return Sample.table([row])
        }
        func standstill(_ table: ProcessTable) -> CommandFailure? {
            OwnerCopy.standstill(of: .librarian, in: table, patience: .seconds(20))
        }
        #expect(standstill(table(.ready, 0.5)) == nil)
        #expect(standstill(table(.silent, 19)) == nil)
        #expect(standstill(table(.ended, 60)) == nil)
        let household = FakeHousehold()
        household.hang(.librarian, BackUpData.name)
        try household.answer(HubPeers.self, with: table(.silent, 21))
        let paper = Paper()
        var copy = OwnerCopy(household: household, terminal: paper.terminal())
        copy.pause = .milliseconds(1)
        let asking = copy
        let failure = await #expect(throws: CommandFailure.self) {
            try await asking.ask(.librarian, for: "library.sqlite", to: "/copy")
        }
        #expect(failure?.status == .unavailable)
        #expect(failure?.cause.hasPrefix("librarian did not copy its data: nothing was heard of it for 21 s") == true)
        #expect(failure?.cure?.contains("deploy/restart librarian") == true)
    }

    @Test func `delete-all finds copies of a backup and of a restoration that were killed, and data moved aside`()
        async throws
    {
        let directory = try TemporaryDirectory()
        let secret = "heartbeat-of-nobody"
        for name in [
            "data/backup-staging/body.sqlite", "data/backup-staging-77/data/body.sqlite",
            "data.restoring-20260101T000000Z/data/body.sqlite", "data.before-restore-20260101T000000Z/brain.sqlite",
            "state/backups/resonance-20260101T000000Z.age",
        ] {
            try directory.write(name, secret)
        }
        try directory.write("database/notes", secret)
        _ = try await Deletion(nil, Traces(directories: directories(directory)), Paper().terminal()).run()
        let left = Traces.files(under: directory.url)
        #expect(left == [directory.path("database/notes")])
    }

    private func keys(
        _ directory: TemporaryDirectory, _ arguments: [String] = [], environment: [String: String] = [:],
        typed: [String] = []
    ) throws -> BackupKeys {
        try BackupKeys(
            options: BackupKeyOptions.parse(arguments),
            secrets: SecretStore(directory: directory.url.appending(path: "config")),
            terminal: Paper(answers: typed).terminal(), environment: environment, logN: 4)
    }

    @Test func `a passphrase comes from a file, the environment, the store or the person, in this order`() throws {
        let directory = try TemporaryDirectory()
        try directory.write("pass", "from the file\nsecond line\n")
        let environment = [BackupKeys.variable: "from the environment"]
        func passphrase(_ keys: BackupKeys) throws -> String? {
            guard case .passphrase(let text, _)? = try keys.recipients([]).first else { return nil }
            return text
        }
        #expect(throws: CommandFailure.self) { try passphrase(self.keys(directory)) }
        let typed = try keys(directory, typed: ["typed twice", "typed twice"])
        #expect(try passphrase(typed) == "typed twice")
        try keys(directory).secrets.set(BackupKeys.passphraseSecret, to: "from the store")
        #expect(try passphrase(keys(directory)) == "from the store")
        #expect(try passphrase(keys(directory, environment: environment)) == "from the environment")
        let file = ["--passphrase-file", directory.path("pass")]
        #expect(try passphrase(keys(directory, file, environment: environment)) == "from the file")
    }

    @Test func `typed differently, too short, or in a file that others can read: no backup`() throws {
        let directory = try TemporaryDirectory()
        #expect(throws: CommandFailure.self) {
            try self.keys(directory, typed: ["one of eight", "another of eight"]).recipients([])
        }
        #expect(throws: CommandFailure.self) { try self.keys(directory, typed: ["seven77", "seven77"]).recipients([]) }
        try directory.write("pass", "long enough", mode: 0o644)
        let failure = #expect(throws: CommandFailure.self) {
            try self.keys(directory, ["--passphrase-file", directory.path("pass")]).recipients([])
        }
        #expect(failure?.status == .notAllowed)
    }

    @Test func `a public key of the store is used, and its secret key opens`() throws {
        let directory = try TemporaryDirectory()
        let identity = AgeIdentity.generate()
        let store = try keys(directory).secrets
        try store.set(BackupKeys.recipientSecret, to: try #require(identity.recipientText))
        let recipients = try keys(directory).recipients([])
        #expect(recipients == [try AgeRecipient(text: #require(identity.recipientText))])
        nonisolated(unsafe) var bytes: [UInt8] = []
        var writer = try AgeWriter(for: recipients) { bytes += $0 }
        try writer.finish()
        try directory.write("x.age", Data(bytes))
        let failure = #expect(throws: CommandFailure.self) {
            try self.keys(directory).identity(for: directory.path("x.age"))
        }
        #expect(failure?.cure?.contains("--identity") == true)
        try directory.write("key", try #require(identity.text))
        #expect(
            try keys(directory, ["--identity", directory.path("key")]).identity(for: directory.path("x.age"))
                == identity)
        try store.set(BackupKeys.identitySecret, to: try #require(identity.text))
        #expect(try keys(directory).identity(for: directory.path("x.age")) == identity)
    }

    @Test func `only the oldest dated files go`() throws {
        let directory = try TemporaryDirectory()
        // 2026-01-31T08:15:00Z
        let newest = DatedBackups.name(at: Timestamp(milliseconds: 1_769_847_300_000))
        #expect(newest == "resonance-20260131T081500Z.age")
        for name in [
            "resonance-20250101T000000Z.age", "resonance-20260129T081500Z.age", "resonance-20260130T081500Z.age",
            "resonance-20240101T000000Z.age.partial", "resonance-mine.age", "holiday.jpg", newest,
        ] {
            try directory.write(name, "x")
        }
        #expect(try DatedBackups.prune(in: directory.path(newest), keep: nil) == [])
        let removed = try DatedBackups.prune(in: directory.path(newest), keep: 2)
        #expect(
            removed == [
                directory.path("resonance-20250101T000000Z.age"), directory.path("resonance-20260129T081500Z.age"),
            ])
        #expect(Traces.files(under: directory.url).count == 5)
    }
}
