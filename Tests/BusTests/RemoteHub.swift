import Foundation
import Logging
import Protocols
import Synchronization

@testable import Bus

/// A hub that is open to other machines, on loopback, with a list of keys that a test can change.
actor RemoteHub {
    nonisolated let directory: TemporaryDirectory
    nonisolated let config: TemporaryDirectory
    nonisolated let port: UInt16
    nonisolated let server: HubServer
    nonisolated let log = LogMemory()
    private var running: Task<Void, Never>?

    init() throws {
        directory = try TemporaryDirectory()
        config = try TemporaryDirectory()
        (server, port) = try Self.open(directory, config, log)
    }

    /// Ports are taken below those that the kernel gives away, and asked for again when somebody has one.
    private static func open(
        _ directory: TemporaryDirectory, _ config: TemporaryDirectory, _ log: LogMemory
    ) throws -> (HubServer, UInt16) {
        var problem: (any Error)?
        for _ in 0..<50 {
            let port = UInt16.random(in: 10_000...30_000) & ~1
            do {
                let access = try RemoteAccess(addresses: ["127.0.0.1:\(port)"], directory: config.url)
                let server = try HubServer(
                    try BusEndpoints(runtimeDirectory: directory.url), remote: access, version: "test",
                    logger: Logger(label: "hub", factory: { _ in log }))
                return (server, port)
            } catch {
                problem = error
            }
        }
        throw problem ?? BusError.socket(operation: "bind", reason: "no port")
    }

    func start() {
        let server = server
        running = Task { await server.run() }
    }

    func stop() async {
        running?.cancel()
        await running?.value
    }

    nonisolated var local: BusEndpoints { get throws { try BusEndpoints(runtimeDirectory: directory.url) } }

    /// Puts a new key on the list.
    nonisolated func pair(
        _ name: String, _ profile: RightsProfile = .full, rights: PeerRights? = nil, through port: UInt16? = nil
    ) throws -> Pairing {
        let pair = try CurveKey.newPair()
        try AuthorizedPeers.add(
            AuthorizedPeer(
                name: name, publicKey: pair.publicKey, profile: profile, rights: rights ?? profile.rights(for: name),
                addedAt: noon), in: config.url)
        return try pairing(name, secret: pair.secretKey, port: port)
    }

    /// What a host would have that nobody put on the list.
    nonisolated func stranger(_ name: String = "stranger") throws -> Pairing {
        try pairing(name, secret: CurveKey.newPair().secretKey)
    }

    nonisolated func pairing(_ name: String, secret: CurveKey, hubKey: CurveKey? = nil, port: UInt16? = nil) throws
        -> Pairing
    {
        Pairing(
            name: name, address: "127.0.0.1:\(port ?? self.port)",
            hubKey: try hubKey ?? HubKeys.loadOrMake(in: config.url).publicKey, secretKey: secret)
    }

    nonisolated func endpoints(_ pairing: Pairing) throws -> BusEndpoints { try BusEndpoints(pairing) }

    /// Has the list read now, as the command line does.
    nonisolated func reload() async throws {
        let client = try await BusClient.connect(to: local, as: "reloader")
        _ = try await client.request(ReloadKeys())
        await client.close()
    }
}

/// What was logged.
final class LogMemory: LogHandler, Sendable {
    private let lines = Mutex<[String]>([])
    var all: [String] { lines.withLock { $0 } }
    var logLevel: Logger.Level {
        get { .debug }
        set {}
    }
    var metadata: Logger.Metadata {
        get { [:] }
        set {}
    }
    subscript(metadataKey _: String) -> Logger.Metadata.Value? {
        get { nil }
        set {}
    }

    func log(event: LogEvent) {
        let metadata = (event.metadata ?? [:]).map { "\($0.key)=\($0.value)" }.sorted().joined(separator: " ")
        lines.withLock { $0.append("\(event.message) \(metadata)") }
    }
}
