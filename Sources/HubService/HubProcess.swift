import Bus
import Foundation
import Logging
import Protocols
import ServiceKit
import ServiceLifecycle

/// The hub as a process: its lock, its addresses, its life.
package struct HubProcess: Service {
    private let server: HubServer
    private let lock: HubLock

    /// Binds the sockets of a runtime directory.
    ///
    /// - Parameters:
    ///   - runtimeDirectory: 0700, ours; see `ensurePrivateDirectory`.
    ///   - spool: keeps the events; see `SpoolFile`.
    ///   - listen: also serve TCP on this machine, as `127.0.0.1:PORT`.
    /// - Throws: `BusError/hubRuns(pid:path:)` when a hub has the directory, `BusError/notLoopback(endpoint:)` for an
    ///   address that others can reach.
    package init(
        runtimeDirectory: URL, spool: any SpoolStore = MemorySpool(), listen: [String] = [], logger: Logger
    ) throws(BusError) {
        let endpoints = try BusEndpoints(runtimeDirectory: runtimeDirectory)
        var others: [BusEndpoints] = []
        for address in listen { others.append(try BusEndpoints(tcp: address)) }
        lock = try HubLock(runtimeDirectory: runtimeDirectory)
        server = try HubServer(endpoints, also: others, spool: spool, version: ResonanceVersion.current, logger: logger)
        logger.info("listening", metadata: ["input": "\(endpoints.input)", "output": "\(endpoints.output)"])
    }

    /// Seconds that the hub's loop has been busy with one round.
    package var secondsSinceProgress: Double? { server.secondsSinceProgress }

    package func run() async throws {
        await cancelWhenGracefulShutdown { await server.run() }
        withExtendedLifetime(lock) {}
    }
}

/// Runs the hub from its options to its last breath.
package func runHub(_ options: ServiceOptions, listen: [String]) async throws {
    let resolved = try await startProcess(.hub, options)
    let logger = processLogger(.hub, resolved)
    try ensurePrivateDirectory(resolved.directories.data)
    let spool = try SpoolFile(directory: resolved.directories.data, limits: resolved.spool)
    let hub = try HubProcess(
        runtimeDirectory: resolved.directories.runtime, spool: spool, listen: listen, logger: logger)
    startWatchdog(resolved.watchdogSeconds, logger: logger) { hub.secondsSinceProgress }
    try await runUntilSignal(hub, logger: logger)
    logger.info("stopped")
}
