import Foundation

/// The two addresses of a hub, and the keys for them where the way leaves this machine.
package struct BusEndpoints: Sendable, Hashable {
    /// Whom a connection trusts and who it is.
    package struct Keys: Sendable, Hashable {
        let hub: CurveKey
        let own: CurveKeyPair
    }

    /// ROUTER of the hub: what peers send.
    package let input: String
    /// XPUB of the hub: what peers hear.
    package let output: String
    /// nil = a Unix socket or plain TCP inside this machine.
    package let keys: Keys?

    /// Unix sockets in a directory that only the owner can enter.
    ///
    /// - Throws: ``BusError/badEndpoint(endpoint:reason:)`` when the path is longer than a Unix socket allows (107 bytes).
    package init(runtimeDirectory: URL) throws(BusError) {
        let path = runtimeDirectory.appending(path: "hub-out").path(percentEncoded: false)
        guard path.utf8.count <= 107 else {
            throw .badEndpoint(endpoint: path, reason: "the path is longer than 107 bytes: use a shorter directory")
        }
        input = "ipc://" + runtimeDirectory.appending(path: "hub-in").path(percentEncoded: false)
        output = "ipc://" + path
        keys = nil
    }

    /// TCP on this machine: `host:port` for what peers send; the next port is what they hear.
    ///
    /// - Throws: ``BusError/notLoopback(endpoint:)``, ``BusError/badEndpoint(endpoint:reason:)``.
    package init(tcp address: String) throws(BusError) {
        let (host, port) = try Self.hostAndPort(address)
        guard Self.isLoopback(host) else { throw .notLoopback(endpoint: address) }
        self.init(host: host, port: port, keys: nil)
    }

    /// TCP with CURVE, to the hub of a pairing.
    package init(_ pairing: Pairing) throws(BusError) {
        let (host, port) = try Self.hostAndPort(pairing.address)
        let own = CurveKeyPair(publicKey: try .publicKey(of: pairing.secretKey), secretKey: pairing.secretKey)
        self.init(host: host, port: port, keys: Keys(hub: pairing.hubKey, own: own))
    }

    /// Where a hub may listen with CURVE: any address of this machine; `*` = all of them.
    init(curveListen address: String) throws(BusError) {
        let (host, port) = try Self.hostAndPort(address)
        self.init(host: host, port: port, keys: nil)
    }

    /// What `--hub` takes: `HOST:PORT` on this machine, the line of a pairing, or `@FILE` that holds one.
    package init(hub text: String) throws {
        if text.hasPrefix("@") {
            let file = URL(filePath: String(text.dropFirst()))
            guard let pairing = try Pairing.load(from: file) else {
                throw KeyFileError.unreadable(path: file.path(percentEncoded: false), reason: "there is no such file")
            }
            self = try BusEndpoints(pairing)
        } else if text.hasPrefix(Pairing.scheme) {
            self = try BusEndpoints(try Pairing(line: text))
        } else {
            self = try BusEndpoints(tcp: text)
        }
    }

    private init(host: String, port: UInt16, keys: Keys?) {
        input = "tcp://\(host):\(port)"
        output = "tcp://\(host):\(port + 1)"
        self.keys = keys
    }

    /// `HOST:PORT` or the path of the socket, for people.
    package var address: String { String(input.drop { $0 != ":" }.dropFirst(3)) }

    /// True when the other side may be another machine, with a clock of its own.
    package var isRemote: Bool { keys != nil }

    static func hostAndPort(_ address: String) throws(BusError) -> (host: String, port: UInt16) {
        let text = address.hasPrefix("tcp://") ? String(address.dropFirst(6)) : address
        guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]), port > 0,
            port < UInt16.max, colon != text.startIndex
        else { throw .badEndpoint(endpoint: address, reason: "must be HOST:PORT") }
        return (String(text[..<colon]), port)
    }

    /// Whether `HOST:PORT` stays inside this machine.
    package static func isLoopback(address: String) throws(BusError) -> Bool {
        isLoopback(try hostAndPort(address).host)
    }

    private static func isLoopback(_ host: String) -> Bool {
        if host == "[::1]" || host == "localhost" { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    }
}
