import Foundation
import GRDB
import Protocols
import Store
import Testing

@testable import Backup

/// Writing, checking and putting back, on databases as the processes have them.
struct BackupTests {
    static let at = Timestamp(milliseconds: 1_767_268_800_000)
    static let passphrase = "eight letters"
    /// Fast for tests: 16 KiB instead of 256 MiB.
    static let recipients = [AgeRecipient.passphrase(passphrase, logN: 4)]
    static let secret = "heartbeat-of-nobody"

    static func migrator(_ names: [String]) -> DatabaseMigrator {
        var migrator = DatabaseMigrator()
        for (number, name) in names.enumerated() {
            migrator.registerMigration(name) { db in
                try db.execute(sql: "CREATE TABLE t\(number) (id INTEGER PRIMARY KEY, text TEXT NOT NULL)")
            }
        }
        return migrator
    }

    static func texts(_ path: String) throws -> [String] {
        let file = try DatabaseFile(path: path, migrator: migrator(["v1"]))
        defer { try? file.close() }
        return try file.read { db in try String.fetchAll(db, sql: "SELECT text FROM t0 ORDER BY id") }
    }

    /// A data directory in use, its backup, and what it takes to look at both.
    struct House {
        let scratch: Scratch
        let body: DatabaseFile
        var file: String { scratch.path("one.age") }
        var manifest: BackupManifest?

        init(migrations: [String] = ["v1"], rows: Int = 2_000) throws {
            scratch = try Scratch()
            body = try DatabaseFile(path: scratch.path("data/body.sqlite"), migrator: migrator(migrations))
            try body.write { db in
                for row in 0..<rows {
                    try db.execute(sql: "INSERT INTO t0 (text) VALUES (?)", arguments: ["\(secret) \(row)"])
                }
            }
            try scratch.write("data/outbox/sensor-emitter.outbox", Array("\(secret) in the outbox".utf8))
            try scratch.write("config/config.json", Array("{\"name\":\"\(secret)\"}".utf8))
            try FileManager.default.createDirectory(
                at: scratch.url.appending(path: "staging"), withIntermediateDirectories: false)
        }

        @discardableResult
        func backUp(to path: String? = nil) throws -> BackupManifest {
            let staged = scratch.path("staging/body-\(UUID().uuidString)")
            try body.backup(to: staged)
            defer { try? FileManager.default.removeItem(atPath: staged) }
            let sources = [
                BackupWriter.Source(name: "data/body.sqlite", path: staged, kind: .database),
                BackupWriter.Source(
                    name: "data/outbox/sensor-emitter.outbox", path: scratch.path("data/outbox/sensor-emitter.outbox"),
                    kind: .outbox),
                BackupWriter.Source(
                    name: "config/config.json", path: scratch.path("config/config.json"), kind: .configuration),
            ]
            return try BackupWriter(for: recipients, scratch: scratch.url.appending(path: "check"))
                .write(sources, to: path ?? file, version: "0.0.1", listener: "me", at: at)
        }

        func reader(_ passphrase: String = BackupTests.passphrase) -> BackupReader {
            BackupReader(path: file, identity: .passphrase(passphrase))
        }

        func restore(replace: Bool = false, to place: String = "new", reader: BackupReader? = nil) throws
            -> Restoration.Outcome
        {
            try Restoration(
                data: scratch.url.appending(path: "\(place)/data"),
                config: scratch.url.appending(path: "\(place)/config"), replace: replace, stamp: "S"
            ).run(reader ?? self.reader())
        }
    }

    @Test func `a database in use comes back in another place, with settings and outbox`() throws {
        let house = try House()
        let manifest = try house.backUp()
        #expect(
            manifest.files.map(\.path) == [
                "data/body.sqlite", "data/outbox/sensor-emitter.outbox", "config/config.json",
            ])
        #expect(manifest.files.first?.migrations == ["v1"])
        let outcome = try house.restore()
        #expect(outcome.manifest == manifest)
        #expect(outcome.aside == [])
        let texts = try Self.texts(house.scratch.path("new/data/body.sqlite"))
        #expect(texts.count == 2_000)
        #expect(texts.last == "\(Self.secret) 1999")
        #expect(
            try house.scratch.bytes("new/data/outbox/sensor-emitter.outbox")
                == house.scratch.bytes("data/outbox/sensor-emitter.outbox"))
        #expect(try house.scratch.bytes("new/config/config.json") == house.scratch.bytes("config/config.json"))
    }

    @Test func `the file and all that is restored are private, and nothing is left beside`() throws {
        let house = try House()
        let before = umask(0)
        defer { umask(before) }
        try house.backUp()
        _ = try house.restore()
        #expect(try house.scratch.mode("one.age") == 0o600)
        for name in ["new/data/body.sqlite", "new/data/outbox/sensor-emitter.outbox", "new/config/config.json"] {
            #expect(try house.scratch.mode(name) == 0o600, "\(name)")
        }
        for name in ["new/data", "new/data/outbox", "new/config"] {
            #expect(try house.scratch.mode(name) == 0o700, "\(name)")
        }
        #expect(!house.scratch.files().contains { $0.contains("restoring") || $0.contains("partial") })
        #expect(!house.scratch.exists("check"))
    }

    @Test func `no word of what it holds is in the file, nor a name`() throws {
        let house = try House()
        try house.backUp()
        let bytes = Data(try house.scratch.bytes("one.age"))
        #expect(bytes.count > 80_000)
        for word in [Self.secret, "body.sqlite", "SQLite format", "manifest", Self.passphrase, "config"] {
            #expect(bytes.range(of: Data(word.utf8)) == nil, "\(word)")
        }
    }

    @Test(
        .enabled(
            if: FileManager.default.isExecutableFile(atPath: "/usr/bin/age-keygen"), "age is not installed"))
    func `age and tar restore it without Resonance`() throws {
        let house = try House()
        let (scratch, staged) = (house.scratch, house.scratch.path("staging/body"))
        _ = try run("/usr/bin/age-keygen", ["-o", scratch.path("id.txt")])
        let identity = try AgeIdentity(file: String(decoding: scratch.bytes("id.txt"), as: UTF8.self))
        try house.body.backup(to: staged)
        let recipient = try AgeRecipient(text: #require(identity.recipientText))
        _ = try BackupWriter(for: [recipient], scratch: scratch.url.appending(path: "check")).write(
            [.init(name: "data/body.sqlite", path: staged, kind: .database)], to: house.file, version: "0.0.1",
            listener: "me", at: Self.at)
        let (status, tar) = try run("/usr/bin/age", ["-d", "-i", scratch.path("id.txt"), house.file])
        #expect(status == 0)
        try scratch.write("plain.tar", tar)
        let (unpacked, database) = try run("/bin/tar", ["-xOf", scratch.path("plain.tar"), "data/body.sqlite"])
        #expect(unpacked == 0)
        #expect(Array(database) == (try scratch.bytes("staging/body")))
        // The public key alone was enough to write and to check; opening takes the identity.
        #expect(throws: BackupError.wrongKey(path: house.file)) { try house.restore() }
        let reader = BackupReader(path: house.file, identity: identity)
        #expect(try house.restore(reader: reader).manifest.files.count == 1)
    }

    @Test func `a wrong passphrase is named and touches nothing`() throws {
        let house = try House()
        try house.backUp()
        let before = house.scratch.files()
        #expect(throws: BackupError.wrongKey(path: house.file)) {
            try house.restore(reader: house.reader("eight lettres"))
        }
        #expect(house.scratch.files() == before)
    }

    @Test func `a torn or changed file is named and touches nothing`() throws {
        let house = try House()
        try house.backUp()
        let sound = try house.scratch.bytes("one.age")
        var files: [[UInt8]] = stride(from: 0, to: sound.count, by: sound.count / 11).map { Array(sound.prefix($0)) }
        files.append(Array(sound.dropLast()))
        files.append(sound + [0])
        for place in stride(from: 3, to: sound.count, by: sound.count / 13) {
            var changed = sound
            changed[place] ^= 0x10
            files.append(changed)
        }
        let before = house.scratch.files()
        for file in files {
            try house.scratch.write("one.age", file)
            let error = #expect(throws: BackupError.self) { try house.restore() }
            switch error {
            case .damaged?, .wrongKey?: break
            default: Issue.record("\(String(describing: error))")
            }
            #expect(house.scratch.files() == before)
        }
    }

    /// A sound container around a manifest and files of one's own.
    private func forge(_ house: House, _ files: [(String, [UInt8])]) throws {
        try? FileManager.default.removeItem(atPath: house.file)
        let output = try ByteFile.creating(house.file)
        var writer = try AgeWriter(for: Self.recipients) { try output.write($0) }
        for (name, content) in files {
            let entry = try TarEntry(name: name, size: content.count)
            try writer.write(entry.bytes() + content + [UInt8](repeating: 0, count: entry.padding))
        }
        try writer.write([UInt8](repeating: 0, count: 1024))
        try writer.finish()
    }

    private func manifest(_ files: [BackupManifest.File], format: Int = 1) throws -> (String, [UInt8]) {
        let manifest = BackupManifest(
            format: format, version: "9.9.9", createdAt: Self.at, listener: "me", files: files)
        return ("manifest.json", Array(try JSONEncoder().encode(manifest)))
    }

    @Test func `a manifest that does not fit what follows is refused`() throws {
        let house = try House(rows: 1)
        // SHA-256 of "abc" from FIPS 180-4.
        let sum = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        let abc = Array("abc".utf8)
        func file(_ path: String, bytes: Int = 3, sha256: String = sum) -> BackupManifest.File {
            BackupManifest.File(path: path, bytes: bytes, sha256: sha256, kind: .other)
        }
        try forge(house, [manifest([file("data/x")]), ("data/x", abc)])
        #expect(try house.restore(to: "good").manifest.files.count == 1)
        let wrong: [[(String, [UInt8])]] = [
            [("data/x", abc)],
            [("manifest.json", abc)],
            [("manifest.json", Array("{\"format\":1}".utf8))],
            [try manifest([file("data/x", sha256: String(sum.reversed()))]), ("data/x", abc)],
            [try manifest([file("data/x", bytes: 4)]), ("data/x", abc)],
            [try manifest([file("data/x"), file("data/y")]), ("data/x", abc)],
            [try manifest([file("data/x")]), ("data/x", abc), ("data/y", abc)],
            [try manifest([file("data/x")]), ("data/y", abc)],
            [try manifest([file("data/x"), file("data/x")]), ("data/x", abc), ("data/x", abc)],
            [try manifest([file("elsewhere/x")]), ("elsewhere/x", abc)],
        ]
        for files in wrong {
            try forge(house, files)
            let before = house.scratch.files()
            let error = #expect(throws: BackupError.self) { try house.restore() }
            if case .damaged? = error {} else { Issue.record("\(String(describing: error))") }
            #expect(house.scratch.files() == before)
        }
    }

    @Test func `what a newer version wrote is refused by name`() throws {
        let house = try House(migrations: ["v1", "v77 dreams"])
        let error = #expect(throws: BackupError.self) { try house.backUp() }
        #expect(error == .newerSchema(database: "body.sqlite", migrations: ["v77 dreams"]))
        #expect(!house.scratch.exists("one.age"))
        #expect("\(try #require(error))".contains("v77 dreams"))
        try forge(house, [manifest([], format: 2)])
        #expect(throws: BackupError.newerFormat(path: house.file, format: 2)) { try house.restore() }
        let unknown = BackupManifest.File(
            path: "data/dreams.sqlite", bytes: 0, sha256: "", kind: .database, migrations: [])
        try forge(house, [manifest([unknown]), ("data/dreams.sqlite", [])])
        #expect(throws: BackupError.unknownDatabase("dreams.sqlite")) { try house.restore() }
    }

    @Test func `nothing is overwritten: not a backup, not data, and with --replace the old data is kept`() throws {
        let house = try House(rows: 3)
        try house.backUp()
        #expect(throws: BackupError.exists(path: house.file)) { try house.backUp() }
        _ = try house.restore()
        try house.body.write { db in try db.execute(sql: "DELETE FROM t0") }
        let second = house.scratch.path("two.age")
        try house.backUp(to: second)
        let empty = BackupReader(path: second, identity: .passphrase(Self.passphrase))
        let data = house.scratch.path("new/data")
        #expect(throws: BackupError.notEmpty(path: data)) { try house.restore(reader: empty) }
        #expect(try Self.texts(data + "/body.sqlite").count == 3)
        let outcome = try house.restore(replace: true, reader: empty)
        let kept = house.scratch.path("new/data.before-restore-S")
        #expect(outcome.aside.sorted() == [house.scratch.path("new/config.before-restore-S"), kept])
        #expect(try Self.texts(data + "/body.sqlite") == [])
        #expect(try Self.texts(kept + "/body.sqlite").count == 3)
    }

    @Test func `locks alone are no data, and a restoration that was killed leaves nothing in the way`() throws {
        let house = try House(rows: 3)
        try house.backUp()
        try house.scratch.write("new/data/body.lock", Array("1\n".utf8))
        try house.scratch.write("new/data.restoring-old/data/body.sqlite", Array("half".utf8))
        #expect(try house.restore().aside == [])
        #expect(
            house.scratch.files().filter { $0.hasPrefix("new/") } == [
                "new/config/config.json", "new/data/body.sqlite", "new/data/outbox/sensor-emitter.outbox",
            ])
    }

    @Test func `a move that fails puts the settings back too`() throws {
        let house = try House(rows: 3)
        try house.backUp()
        _ = try house.restore()
        try house.scratch.write("new/config/config.json", Array("mine".utf8))
        // The name under which the old data would be kept is taken.
        try house.scratch.write("new/data.before-restore-S/x", [1])
        #expect(throws: BackupError.self) { try house.restore(replace: true) }
        #expect(try house.scratch.bytes("new/config/config.json") == Array("mine".utf8))
        #expect(try Self.texts(house.scratch.path("new/data/body.sqlite")).count == 3)
        #expect(!house.scratch.exists("new/config.before-restore-S"))
    }

    @Test func `a damaged database never becomes a backup`() throws {
        let house = try House()
        let staged = house.scratch.path("staging/body")
        try house.body.backup(to: staged)
        var bytes = try house.scratch.bytes("staging/body")
        for place in stride(from: 8_192, to: bytes.count, by: 4_096) { bytes[place] ^= 0xFF }
        try house.scratch.write("staging/body", bytes)
        #expect(throws: StoreError.self) {
            try BackupWriter(for: Self.recipients, scratch: house.scratch.url.appending(path: "check")).write(
                [.init(name: "data/body.sqlite", path: staged, kind: .database)], to: house.file, version: "1",
                listener: "me", at: Self.at)
        }
        #expect(!house.scratch.exists("one.age"))
    }
}
