import Foundation

/// All that another host needs to speak with the hub, in one line:
/// `resonance://NAME@HOST:PORT/KEY-OF-THE-HUB/OWN-SECRET`.
package struct Pairing: Hashable, Sendable {
    package static let scheme = "resonance://"

    package let name: String
    /// `HOST:PORT` at which that host reaches the hub.
    package let address: String
    package let hubKey: CurveKey
    /// Whoever has it can come in under this name.
    package let secretKey: CurveKey

    package init(name: String, address: String, hubKey: CurveKey, secretKey: CurveKey) {
        self.name = name
        self.address = address
        self.hubKey = hubKey
        self.secretKey = secretKey
    }

    package var line: String { "\(Self.scheme)\(name)@\(address)/\(hubKey.text)/\(secretKey.text)" }

    /// Reads a line; nothing of it is repeated in the error.
    ///
    /// - Throws: ``BusError/badEndpoint(endpoint:reason:)``.
    package init(line: String) throws(BusError) {
        func bad(_ reason: String) -> BusError { .badEndpoint(endpoint: "of the pairing", reason: reason) }
        let text = line.trimmingCharacters(in: .whitespacesAndNewlines)
        guard text.hasPrefix(Self.scheme) else { throw bad("the line must begin with \(Self.scheme)") }
        let parts = text.dropFirst(Self.scheme.count).split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 3, let at = parts[0].firstIndex(of: "@") else {
            throw bad("it must read NAME@HOST:PORT/KEY/KEY; was the line cut?")
        }
        guard let hubKey = CurveKey(text: String(parts[1])), let secretKey = CurveKey(text: String(parts[2])) else {
            throw bad("a key has 43 letters; was the line cut?")
        }
        name = String(parts[0][..<at])
        address = String(parts[0][parts[0].index(after: at)...])
        self.hubKey = hubKey
        self.secretKey = secretKey
        guard AuthorizedPeers.isName(name) else { throw bad("the name is none") }
        _ = try BusEndpoints.hostAndPort(address)
    }

    /// Where a host keeps the pairing that it accepted.
    package static func file(in directory: URL) -> URL { directory.appending(path: "hub-pairing") }

    /// The pairing of this host, or nil when the hub is on it.
    package static func load(from url: URL) throws -> Pairing? {
        guard let data = try PrivateFile.read(url) else { return nil }
        return try Pairing(line: String(decoding: data, as: UTF8.self))
    }

    /// Writes the line for its owner alone.
    package func save(to url: URL) throws(KeyFileError) { try PrivateFile.write(Data("\(line)\n".utf8), to: url) }

    /// - Returns: false when this host had none.
    package static func forget(in directory: URL) throws(KeyFileError) -> Bool {
        let path = file(in: directory).path(percentEncoded: false)
        if unlink(path) == 0 { return true }
        guard errno == ENOENT else { throw .cannotWrite(path: path, reason: String(cString: strerror(errno))) }
        return false
    }
}
