import Bus
import Foundation
import Protocols

/// A hub on TCP, plain inside this machine or with CURVE: what the keys cost.
enum NetworkHub {
    /// How peers reach the hub of a directory: by the address in it, else by its socket.
    static func endpoints(_ directory: URL) throws -> BusEndpoints {
        guard let text = try? String(contentsOf: address(directory), encoding: .utf8) else {
            return try BusEndpoints(runtimeDirectory: directory)
        }
        return try BusEndpoints(hub: text)
    }

    /// Serves as `hub-tcp` or `hub-curve`, and leaves its address in the directory once it can be reached.
    static func serve(_ directory: URL, curve: Bool) async throws {
        var problem: (any Error)?
        for _ in 0..<50 {
            // Below the ports that the kernel gives away.
            let address = "127.0.0.1:\(UInt16.random(in: 10_000...30_000) & ~1)"
            do {
                let server = try curve ? open(directory, curve: address) : open(directory, tcp: address)
                let text = try curve ? pairing(directory, address).line : address
                try Data(text.utf8).write(to: self.address(directory), options: .atomic)
                await server.run()
                return
            } catch {
                problem = error
            }
        }
        throw problem ?? BusError.socket(operation: "bind", reason: "no port")
    }

    static func waitForAddress(_ directory: URL) async throws {
        while !FileManager.default.fileExists(atPath: address(directory).path(percentEncoded: false)) {
            try await Task.sleep(for: .milliseconds(5))
        }
    }

    private static func address(_ directory: URL) -> URL { directory.appending(path: "address") }

    private static func open(_ directory: URL, tcp address: String) throws -> HubServer {
        try HubServer(
            BusEndpoints(runtimeDirectory: directory), also: [BusEndpoints(tcp: address)], version: "benchmark",
            logger: Roles.logger)
    }

    private static func open(_ directory: URL, curve address: String) throws -> HubServer {
        try HubServer(
            BusEndpoints(runtimeDirectory: directory),
            remote: RemoteAccess(addresses: [address], directory: directory), version: "benchmark",
            logger: Roles.logger)
    }

    private static func pairing(_ directory: URL, _ address: String) throws -> Pairing {
        let own = try CurveKey.newPair()
        try AuthorizedPeers.add(
            AuthorizedPeer(
                name: "benchmark", publicKey: own.publicKey, profile: .full,
                rights: RightsProfile.full.rights(for: "benchmark"), addedAt: Moment.read().timestamp), in: directory)
        return Pairing(
            name: "benchmark", address: address, hubKey: try HubKeys.loadOrMake(in: directory).publicKey,
            secretKey: own.secretKey)
    }
}
