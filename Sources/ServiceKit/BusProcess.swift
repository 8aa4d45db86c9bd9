import Bus
import Foundation
import Logging
import Protocols
import ServiceLifecycle

/// One service on the bus, as a member of the process's service group.
struct BusProcess: Service {
    let service: any BusService
    let peer: BusPeer

    func run() async throws {
        try await cancelWhenGracefulShutdown {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { await MetricsReporter(peer: peer).run() }
                defer { group.cancelAll() }
                try await runPeer(service, on: peer)
            }
        }
    }
}

/// The process's place on the bus: its sockets, and its outbox in the data directory.
func makePeer(
    _ name: ProcessName, roles: [ProcessName], resolved: ResolvedOptions, logger: Logger
) throws -> BusPeer {
    let identity = PeerIdentity(
        name: name, roles: roles, version: ResonanceVersion.current, virtualTime: resolved.clock == .bus)
    return BusPeer(
        identity: identity, transport: ZeroMQTransport(try resolved.endpoints()),
        outbox: try Outbox(name: name, in: resolved.directories.data), logger: logger)
}

extension ResolvedOptions {
    /// Where the hub is: what was given or accepted, or the sockets of the runtime directory.
    package func endpoints() throws -> BusEndpoints {
        try hub.map { try BusEndpoints(hub: $0) } ?? BusEndpoints(runtimeDirectory: directories.runtime)
    }
}

extension Directories {
    /// `@FILE` of the pairing that this machine has accepted: then its hub is elsewhere.
    package var acceptedPairing: String? {
        let path = Pairing.file(in: config).path(percentEncoded: false)
        return FileManager.default.fileExists(atPath: path) ? "@\(path)" : nil
    }
}
