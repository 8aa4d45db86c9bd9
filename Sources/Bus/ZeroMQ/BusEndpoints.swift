import Foundation

/// The two addresses of a hub.
package struct BusEndpoints: Sendable, Hashable {
    /// ROUTER of the hub: what peers send.
    package let input: String
    /// XPUB of the hub: what peers hear.
    package let output: String

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
    }

    /// TCP on this machine: `host:port` for what peers send; the next port is what they hear.
    ///
    /// - Throws: ``BusError/notLoopback(endpoint:)``, ``BusError/badEndpoint(endpoint:reason:)``.
    package init(tcp address: String) throws(BusError) {
        let text = address.hasPrefix("tcp://") ? String(address.dropFirst(6)) : address
        guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]), port > 0,
            port < UInt16.max
        else { throw .badEndpoint(endpoint: address, reason: "must be HOST:PORT") }
        let host = String(text[..<colon])
        guard Self.isLoopback(host) else { throw .notLoopback(endpoint: address) }
        input = "tcp://\(host):\(port)"
        output = "tcp://\(host):\(port + 1)"
    }

    private static func isLoopback(_ host: String) -> Bool {
        if host == "[::1]" || host == "localhost" { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    }
}
