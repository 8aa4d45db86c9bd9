import Crypto

/// Where bytes of others enter a backup, for the fuzzers: every call takes any bytes and returns.
///
/// Each returns what is wrong with the outcome, or nil.
package enum UntrustedContainer {
    /// A container: its header, then its chunks under keys that do not fit, and texts of keys.
    package static func age(_ bytes: [UInt8]) -> String? {
        if let (header, length) = try? AgeHeader.parse(bytes) {
            guard header.bytes == Array(bytes.prefix(length)) else { return "a header is not written as it was read" }
        }
        let text = String(decoding: bytes.prefix(200), as: UTF8.self)
        if let (name, key) = Bech32.decode(text), Bech32.encode(name, key) != text.lowercased() {
            return "a key is not written as it was read"
        }
        // A key of ours, so that chunks are reached; a passphrase would only measure scrypt.
        let identity = AgeIdentity.secretKey([UInt8](repeating: 7, count: 32))
        return open(bytes) { input in try AgeReader(identity, input: input) }
            ?? open(bytes) { input in
                try AgeReader(fileKey: SymmetricKey(data: [UInt8](repeating: 7, count: 16)), input: input)
            }
    }

    private static func open(
        _ bytes: [UInt8], _ reader: (@escaping (Int) throws -> [UInt8]) throws -> AgeReader
    ) -> String? {
        var rest = bytes[...]
        guard
            var age = try? reader({ count in
                defer { rest = rest.dropFirst(count) }
                return Array(rest.prefix(count))
            })
        else { return nil }
        var total = 0
        while let piece = try? age.next() { total += piece.count }
        return total <= bytes.count ? nil : "more came out than went in"
    }

    /// An archive: no entry leads elsewhere, no content is longer than the archive.
    package static func archive(_ bytes: [UInt8]) -> String? {
        var rest = bytes[...]
        var archive = TarReader {
            defer { rest = rest.dropFirst(700) }
            return rest.isEmpty ? nil : Array(rest.prefix(700))
        }
        var total = 0
        while let entry = try? archive.nextEntry() {
            guard TarEntry.isSafe(entry.name) else { return "an entry leads elsewhere" }
            while let piece = try? archive.read() { total += piece.count }
            guard total <= bytes.count else { return "more came out than went in" }
        }
        return nil
    }
}
