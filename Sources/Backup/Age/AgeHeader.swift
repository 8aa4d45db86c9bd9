import Crypto
import Foundation

/// The readable beginning of an age file: one stanza for each key that opens it, and a code that protects them.
///
/// Source: the age file encryption format, version 1, https://age-encryption.org/v1 (C2SP).
package struct AgeHeader: Equatable, Sendable {
    /// The file key, wrapped for one recipient.
    package struct Stanza: Equatable, Sendable {
        package var arguments: [String]
        package var body: [UInt8]

        package init(_ arguments: [String], body: [UInt8]) {
            self.arguments = arguments
            self.body = body
        }
    }

    static let versionLine = "age-encryption.org/v1"
    /// A longer header is refused before it is read to its end.
    package static let largest = 64 << 10
    private static let columns = 64

    package var stanzas: [Stanza]
    /// HMAC-SHA-256 of all that stands before it, 32 bytes.
    package var mac: [UInt8]

    /// A header that this file key protects.
    init(stanzas: [Stanza], fileKey: SymmetricKey) {
        self.stanzas = stanzas
        mac = Array(HMAC<SHA256>.authenticationCode(for: Self.text(stanzas), using: Self.macKey(fileKey)))
    }

    /// The bytes of the header with its line feed.
    package var bytes: [UInt8] { Self.text(stanzas) + Array(" \(Self.base64(mac))\n".utf8) }

    /// - Throws: ``AgeError/headerChanged``.
    func check(_ fileKey: SymmetricKey) throws(AgeError) {
        let fits = HMAC<SHA256>.isValidAuthenticationCode(
            mac, authenticating: Self.text(stanzas), using: Self.macKey(fileKey))
        guard fits else { throw .headerChanged }
    }

    private static func macKey(_ fileKey: SymmetricKey) -> SymmetricKey {
        HKDF<SHA256>.deriveKey(inputKeyMaterial: fileKey, info: Array("header".utf8), outputByteCount: 32)
    }

    /// Everything up to the three dashes of the last line.
    private static func text(_ stanzas: [Stanza]) -> [UInt8] {
        var text = versionLine + "\n"
        for stanza in stanzas {
            text += "-> " + stanza.arguments.joined(separator: " ") + "\n"
            var rest = base64(stanza.body)[...]
            // The last line of a body is shorter than a full one, if need be empty.
            repeat {
                let line = rest.prefix(columns)
                rest = rest.dropFirst(columns)
                text += line + "\n"
                if line.count < columns { break }
            } while true
        }
        return Array((text + "---").utf8)
    }

    static func base64(_ bytes: [UInt8]) -> String {
        String(Data(bytes).base64EncodedString().prefix { $0 != "=" })
    }

    /// Unpadded, canonical base64; nil for anything else.
    static func bytes(base64 text: some StringProtocol) -> [UInt8]? {
        guard !text.contains("=") else { return nil }
        let padded = String(text) + String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
        guard let data = Data(base64Encoded: padded), base64(Array(data)) == text else { return nil }
        return Array(data)
    }
}

extension AgeHeader {
    /// Reads a header from the beginning of a file.
    ///
    /// - Parameter bytes: the first ``largest`` bytes of the file, or all when it is shorter.
    /// - Returns: the header, and how many bytes it takes.
    /// - Throws: ``AgeError``: `notAge`, `unknownVersion`, `malformed`, `truncated`.
    package static func parse(_ bytes: [UInt8]) throws(AgeError) -> (header: AgeHeader, length: Int) {
        var lines = HeaderLines(bytes: bytes)
        guard bytes.starts(with: Array("age-encryption.org/".utf8)) else { throw .notAge }
        let version = try lines.next()
        guard version == versionLine else { throw .unknownVersion(String(version.prefix(40))) }
        var stanzas: [Stanza] = []
        while true {
            let line = try lines.next()
            if line.hasPrefix("--- ") {
                guard let mac = Self.bytes(base64: line.dropFirst(4)), mac.count == 32 else {
                    throw .malformed(reason: "its code is not 32 bytes")
                }
                guard !stanzas.isEmpty else { throw .malformed(reason: "nobody can open it") }
                return (AgeHeader(stanzas: stanzas, mac: mac), lines.offset)
            }
            guard line.hasPrefix("-> ") else { throw .malformed(reason: "a line is no stanza") }
            let arguments = line.dropFirst(3).split(separator: " ", omittingEmptySubsequences: false).map(String.init)
            guard arguments.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy { (33...126).contains($0) } }) else {
                throw .malformed(reason: "an argument of a stanza is empty or not printable")
            }
            var body: [UInt8] = []
            while true {
                let text = try lines.next()
                guard text.utf8.count <= columns, let piece = Self.bytes(base64: text) else {
                    throw .malformed(reason: "a stanza is not base64 in lines of 64")
                }
                body += piece
                if text.utf8.count < columns { break }
            }
            stanzas.append(Stanza(arguments, body: body))
        }
    }

    private init(stanzas: [Stanza], mac: [UInt8]) {
        self.stanzas = stanzas
        self.mac = mac
    }
}

/// Lines of ASCII at the beginning of a file.
private struct HeaderLines {
    let bytes: [UInt8]
    var offset = 0

    mutating func next() throws(AgeError) -> String {
        let limit = min(bytes.count, AgeHeader.largest)
        guard let end = bytes[offset..<limit].firstIndex(of: 0x0A) else {
            throw bytes.count < AgeHeader.largest ? .truncated : .malformed(reason: "it is too long")
        }
        defer { offset = end + 1 }
        let line = bytes[offset..<end]
        guard line.allSatisfy({ (32...126).contains($0) }) else { throw .malformed(reason: "a line is not text") }
        return String(decoding: line, as: UTF8.self)
    }
}
