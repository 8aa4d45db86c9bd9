import Foundation
import Testing

@testable import Backup

/// The encrypted container against files and programs of the reference implementation, `age` 1.1.1.
struct AgeTests {
    // Written by age-keygen and age 1.1.1.
    static let identity = "AGE-SECRET-KEY-1TL9ZJPN762F00PK8MEWZPZHJ8EQJFX9STFMDF05A5VHXWSX4L2LQAL7KNL"
    static let recipient = "age1dk67g5da7rnv4h2dsxjnf6044hcez7y7ttakylfjazwwnl7gsclsnz0q7s"
    static let forKey =
        "YWdlLWVuY3J5cHRpb24ub3JnL3YxCi0+IFgyNTUxOSBhbjMxc2M4d0toWmhwRHhpSTRqUktuUlZWaFFHTko4Mno3SW5uR0M3RDNrCjlSUkQvWGVUV2JCNi9RU0FxUUhHNmVzWDJFYlAzbkpYVzY2OFJVa3NPVEkKLS0tIEpuVENLNFQ4TzNkazZCUkUvTVEzakw3RGNPbmtwNWY0dklVNFErQTU2NTgKUlxAlWOtf1yR+tsY2K0fIOeO9aOOC/sp6iTs7voUvoUlKUyPEkOMQU+fMr8MMNM="
    static let empty =
        "YWdlLWVuY3J5cHRpb24ub3JnL3YxCi0+IFgyNTUxOSBXZFYwYWNuZnhjVEJncWxDZkVFWHFSWm91TzlMRUt6TCs4YnBQRU41d3lvCjloUTZuQk1ybnc5TENhcml0MmNZdzNWNjFmczdRdG5JNXE5dGJMSlE2eVEKLS0tIDVVbnN1UnVYT0FGTWgrcnFaT0tBLzcrenJMOXo3cjBkdDJnOTVTc3pyVDAKAvTL/fQpwkMdvLiWxBjjwkbdfovtkIjegJlaVg3uAZQ="
    static let forPassphrase =
        "YWdlLWVuY3J5cHRpb24ub3JnL3YxCi0+IHNjcnlwdCBoOEZIbmhPZjQ3QjMvVS9DN0FGVFNRIDE4CmtvakZraHFlcFRDK09NRHJBSDA2SDErM28xSnQxWXNMSU4yUWxIU05Za1UKLS0tIHB4SnZFdlhVMnRTczBkRTlVQWxrd2doaGZla1RkOEhOQS8rZUhRQ0I2QkkK+UP5VVVc+fIJzjTalg7aOEz3Xl6KxR7p3EI07erXAOKNEunTKR9rhhMWyD/yv0I="
    static let text = Array("forty-two beats".utf8)

    static func bytes(_ base64: String) throws -> [UInt8] { Array(try #require(Data(base64Encoded: base64))) }

    static func open(_ bytes: [UInt8], _ identity: AgeIdentity) throws -> [UInt8] {
        var rest = bytes[...]
        var reader = try AgeReader(identity) { count in
            defer { rest = rest.dropFirst(count) }
            return Array(rest.prefix(count))
        }
        var plain: [UInt8] = []
        while let piece = try reader.next() { plain += piece }
        return plain
    }

    static func seal(_ plain: [UInt8], _ recipients: [AgeRecipient]) throws -> [UInt8] {
        nonisolated(unsafe) var file: [UInt8] = []
        var writer = try AgeWriter(for: recipients) { file += $0 }
        // In odd pieces, as they come from files.
        var rest = plain[...]
        while !rest.isEmpty {
            try writer.write(rest.prefix(10_007))
            rest = rest.dropFirst(10_007)
        }
        try writer.finish()
        return file
    }

    @Test func `opens what age wrote for a key, for a passphrase, and about nothing`() throws {
        let key = try AgeIdentity(file: "# public key: \(Self.recipient)\n\(Self.identity)\n")
        #expect(try Self.open(Self.bytes(Self.forKey), key) == Self.text)
        #expect(try Self.open(Self.bytes(Self.empty), key) == [])
        #expect(try Self.open(Self.bytes(Self.forPassphrase), .passphrase("correct horse")) == Self.text)
        #expect(key.text == Self.identity)
        #expect(key.recipientText == Self.recipient)
    }

    @Test func `another passphrase or key is told from a damaged file`() throws {
        #expect(throws: AgeError.wrongKey) {
            try Self.open(Self.bytes(Self.forPassphrase), .passphrase("correct house"))
        }
        #expect(throws: AgeError.wrongKey) { try Self.open(Self.bytes(Self.forKey), .generate()) }
        #expect(throws: AgeError.wrongKey) { try Self.open(Self.bytes(Self.forKey), .passphrase("x")) }
    }

    @Test(arguments: [0, 1, 65_535, 65_536, 65_537, 131_072, 200_000])
    func `every length comes back, in as many bytes as the format says`(count: Int) throws {
        let plain = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let identity = AgeIdentity.generate()
        let file = try Self.seal(plain, [try AgeRecipient(text: #require(identity.recipientText))])
        #expect(try Self.open(file, identity) == plain)
        let chunks = max(1, (count + 65_535) / 65_536)
        let (_, length) = try AgeHeader.parse(file)
        #expect(file.count == length + 16 + count + 16 * chunks)
    }

    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/age"), "age is not installed"))
    func `age itself opens what is written here`() throws {
        let scratch = try Scratch()
        let plain = (0..<150_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        try scratch.write("id.txt", Array(Self.identity.utf8))
        try scratch.write("ours.age", try Self.seal(plain, [try AgeRecipient(text: Self.recipient)]))
        let (status, output) = try run("/usr/bin/age", ["-d", "-i", scratch.path("id.txt"), scratch.path("ours.age")])
        #expect(status == 0)
        #expect(Array(output) == plain)
    }

    @Test func `cut off anywhere, it is refused`() throws {
        let plain = [UInt8](repeating: 7, count: 140_000)
        let file = try Self.seal(plain, [.passphrase("eight letters", logN: 4)])
        let (_, length) = try AgeHeader.parse(file)
        var cuts = Array(0..<(length + 40))
        let chunk = 65_536 + 16
        for border in [length + 16, length + 16 + chunk, length + 16 + 2 * chunk] {
            cuts += (border - 20)...(border + 20)
        }
        cuts += stride(from: length + 40, to: file.count, by: 4_099)
        cuts += [file.count - 1]
        for cut in cuts where cut < file.count {
            #expect(throws: AgeError.self, "cut at \(cut)") {
                try Self.open(Array(file.prefix(cut)), .passphrase("eight letters"))
            }
        }
    }

    @Test func `a flipped bit anywhere is refused, and nothing of the damaged chunk is given out`() throws {
        let plain = [UInt8](repeating: 7, count: 70_000)
        let file = try Self.seal(plain, [.passphrase("eight letters", logN: 4)])
        let (_, length) = try AgeHeader.parse(file)
        for place in Array(0..<(length + 40)) + Array(stride(from: length + 40, to: file.count, by: 997)) {
            var changed = file
            changed[place] ^= 1 << (place % 8)
            #expect(throws: AgeError.self, "byte \(place)") { try Self.open(changed, .passphrase("eight letters")) }
        }
    }

    @Test func `chunks that change places, double or go missing are refused`() throws {
        let plain = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 / 65_536) }
        let identity = AgeIdentity.generate()
        let file = try Self.seal(plain, [try AgeRecipient(text: #require(identity.recipientText))])
        let start = try AgeHeader.parse(file).length + 16
        let head = Array(file[..<start])
        var chunks: [[UInt8]] = []
        for from in stride(from: start, to: file.count, by: 65_552) {
            chunks.append(Array(file[from..<min(file.count, from + 65_552)]))
        }
        #expect(chunks.count == 5)
        let orders = [
            [1, 0, 2, 3, 4], [0, 2, 1, 3, 4], [0, 1, 2, 4], [0, 0, 1, 2, 3, 4], [0, 1, 2, 3], [4], [0, 1, 2, 3, 4, 4],
        ]
        for order in orders {
            let bytes = head + order.flatMap { chunks[$0] }
            #expect(throws: AgeError.self, "\(order)") { try Self.open(bytes, identity) }
        }
        // One chunk of another file of the same key, at its own place.
        let other = try Self.seal(plain, [try AgeRecipient(text: #require(identity.recipientText))])
        let mixed = Array(file[..<(start + 65_552)]) + Array(other[(start + 65_552)...])
        #expect(throws: AgeError.damaged(chunk: 1)) { try Self.open(mixed, identity) }
    }

    @Test func `a stanza that somebody added, or a costlier one, is refused before it costs anything`() throws {
        let key = try AgeIdentity(file: Self.identity)
        let bytes = try Self.bytes(Self.forKey)
        let line = Array("age-encryption.org/v1\n".utf8)
        let added = line + Array("-> grease\n\n".utf8) + bytes.dropFirst(line.count)
        #expect(throws: AgeError.headerChanged) { try Self.open(added, key) }
        let changed = Self.replace(" 18\n", " 30\n", in: try Self.bytes(Self.forPassphrase))
        #expect(throws: AgeError.tooExpensive(logN: 30)) { try Self.open(changed, .passphrase("correct horse")) }
        let future = Self.replace("/v1\n", "/v2\n", in: bytes)
        #expect(throws: AgeError.unknownVersion("age-encryption.org/v2")) { try Self.open(future, key) }
        #expect(throws: AgeError.notAge) { try Self.open(Array("PK\u{3}\u{4} anything".utf8), key) }
    }

    static func replace(_ old: String, _ new: String, in bytes: [UInt8]) -> [UInt8] {
        var data = Data(bytes)
        if let range = data.range(of: Data(old.utf8)) { data.replaceSubrange(range, with: Data(new.utf8)) }
        return Array(data)
    }

    // Valid and invalid strings of BIP 173, "Test vectors" (those within 90 characters).
    @Test(arguments: [
        "A12UEL5L", "a12uel5l", "abcdef1qpzry9x8gf2tvdw0s3jn54khce6mua7lmqqqxw",
        "split1checkupstagehandshakeupstreamerranterredcaperred2y9e3w", "?1ezyfcl",
    ])
    func `Bech32 agrees with the vectors of its standard`(text: String) {
        #expect(Bech32.decode(text) != nil)
    }

    @Test(arguments: ["pzry9x0s0muk", "1pzry9x0s0muk", "x1b4n0q5v", "li1dgmt3", "A1G7SGD8", "10a06t8", "1qzzfhee", ""])
    func `Bech32 refuses what its standard calls invalid`(text: String) {
        #expect(Bech32.decode(text) == nil)
    }

    @Test func `a key with a wrong letter is refused without being quoted`() {
        let wrong = Self.identity.replacingOccurrences(of: "TL9Z", with: "TL9Y")
        #expect(throws: AgeError.self) { try AgeIdentity(file: wrong) }
        #expect(throws: AgeError.self) { try AgeIdentity(file: Self.recipient) }
        #expect(throws: AgeError.self) { try AgeRecipient(text: Self.identity) }
        do {
            _ = try AgeIdentity(file: wrong)
        } catch {
            #expect(!"\(error)".contains("TL9Y"))
        }
    }
}
