import Foundation
import Glibc
import Testing

@testable import ServiceKit

struct SecretStoreTests {
    /// A configuration directory for one test.
    private final class Place {
        let url = FileManager.default.temporaryDirectory.appending(
            path: "secrets-\(UUID().uuidString)", directoryHint: .isDirectory)
        var store: SecretStore { SecretStore(directory: url) }
        deinit { try? FileManager.default.removeItem(at: url) }

        func mode() throws -> Int {
            let attributes = try FileManager.default.attributesOfItem(atPath: store.path)
            return (attributes[.posixPermissions] as? NSNumber)?.intValue ?? -1
        }
    }

    @Test func `a secret is kept, replaced, listed by name and forgotten`() throws {
        let place = Place()
        #expect(try place.store.names() == [])
        #expect(try place.store.value(of: "token") == nil)
        try place.store.set("token", to: "first")
        try place.store.set("backup-passphrase", to: "with \"quotes\" and ünïcode")
        try place.store.set("token", to: "second")
        #expect(try place.store.names() == ["backup-passphrase", "token"])
        #expect(try place.store.value(of: "token") == "second")
        #expect(try place.store.value(of: "backup-passphrase") == "with \"quotes\" and ünïcode")
        #expect(try place.store.remove("token"))
        #expect(try !place.store.remove("token"))
        #expect(try place.store.names() == ["backup-passphrase"])
    }

    @Test func `the file is private whatever the mask says`() throws {
        let before = umask(0)
        defer { umask(before) }
        let place = Place()
        try place.store.set("token", to: "x")
        #expect(try place.mode() == 0o600)
        let folder = try FileManager.default.attributesOfItem(atPath: place.url.path(percentEncoded: false))
        #expect((folder[.posixPermissions] as? NSNumber)?.intValue == 0o700)
    }

    @Test(arguments: [0o640, 0o604, 0o660, 0o644])
    func `a file that others can read is refused, for reading and for writing`(mode: Int) throws {
        let place = Place()
        try place.store.set("token", to: "x")
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: place.store.path)
        let refusal = SecretError.open(path: place.store.path, mode: UInt32(mode))
        #expect(throws: refusal) { try place.store.value(of: "token") }
        #expect(throws: refusal) { try place.store.set("token", to: "y") }
        #expect(try place.mode() == mode)
        #expect(refusal.description.contains("chmod 600"))
    }

    @Test func `a link, a directory or a foreign file is refused`() throws {
        let place = Place()
        try place.store.set("token", to: "x")
        let other = place.url.appending(path: "elsewhere.json").path(percentEncoded: false)
        try FileManager.default.moveItem(atPath: place.store.path, toPath: other)
        try FileManager.default.createSymbolicLink(atPath: place.store.path, withDestinationPath: other)
        #expect(throws: SecretError.notOwn(path: place.store.path)) { try place.store.value(of: "token") }
        try FileManager.default.removeItem(atPath: place.store.path)
        try FileManager.default.createDirectory(atPath: place.store.path, withIntermediateDirectories: false)
        #expect(throws: SecretError.self) { try place.store.value(of: "token") }
        try FileManager.default.removeItem(atPath: place.store.path)
        // Only root can give a file away.
        if geteuid() == 0 {
            try FileManager.default.moveItem(atPath: other, toPath: place.store.path)
            #expect(chown(place.store.path, 65_534, 65_534) == 0)
            #expect(throws: SecretError.notOwn(path: place.store.path)) { try place.store.value(of: "token") }
        }
    }

    @Test(arguments: ["", "{}", "not json", "{\"format\":2,\"secrets\":{}}"])
    func `a file that is not ours is refused and stays as it is`(text: String) throws {
        let place = Place()
        try place.store.set("token", to: "x")
        let handle = try #require(FileHandle(forWritingAtPath: place.store.path))
        try handle.truncate(atOffset: 0)
        try handle.write(contentsOf: Data(text.utf8))
        #expect(throws: SecretError.self) { try place.store.set("token", to: "y") }
        #expect(FileManager.default.contents(atPath: place.store.path) == Data(text.utf8))
    }

    @Test(arguments: ["", "Token", "a b", "../x", "ü", String(repeating: "a", count: 65)])
    func `a name is plain`(name: String) {
        #expect(throws: SecretError.badName(name)) { try Place().store.set(name, to: "x") }
    }
}
