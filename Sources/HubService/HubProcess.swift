import Bus
import Foundation
import Logging
import Protocols
import ServiceKit
import ServiceLifecycle

/// The hub as a process: its lock, its addresses, its life.
package struct HubProcess: Service {
    private let server: HubServer
    private let metrics: MetricsServer
    private let lock: HubLock

    /// Binds the sockets of a runtime directory.
    ///
    /// - Parameters:
    ///   - runtimeDirectory: 0700, ours; see `ensurePrivateDirectory`.
    ///   - spool: opens what keeps the events, once this is the only hub of the directory; see `SpoolFile`.
    ///   - listen: also serve TCP: plain at `127.0.0.1:PORT`, with CURVE and for keys on the list alone at any other
    ///     address of this machine (`*:PORT` = all) and at `curve://HOST:PORT`.
    ///   - config: directory of `hub-keys.json` and `authorized-peers.json`.
    ///   - metrics: also serve figures on TCP of this machine, as `127.0.0.1:PORT`.
    /// - Throws: `BusError/hubRuns(pid:path:)` when a hub has the directory, ``DirectoryError``, `KeyFileError` when the
    ///   keys cannot be used, ``MetricsServerError``.
    package init(
        runtimeDirectory: URL, spool: () throws -> any SpoolStore = { MemorySpool() }, listen: [String] = [],
        metrics address: String? = nil, config: URL, logger: Logger
    ) throws {
        let endpoints = try BusEndpoints(runtimeDirectory: runtimeDirectory)
        var plain: [BusEndpoints] = []
        var encrypted: [String] = []
        for address in listen {
            if address.hasPrefix(Self.curveScheme) {
                encrypted.append(String(address.dropFirst(Self.curveScheme.count)))
            } else if try BusEndpoints.isLoopback(address: address) {
                plain.append(try BusEndpoints(tcp: address))
            } else {
                encrypted.append(address)
            }
        }
        var remote: RemoteAccess?
        if !encrypted.isEmpty {
            try ensurePrivateDirectory(config)
            remote = try RemoteAccess(addresses: encrypted, directory: config)
        }
        let report = SupervisorReportFile(runtimeDirectory: runtimeDirectory)
        lock = try HubLock(runtimeDirectory: runtimeDirectory)
        server = try HubServer(
            endpoints, also: plain, remote: remote, spool: spool(), version: ResonanceVersion.current, logger: logger,
            supervision: { report.ofParent() })
        let board = server.board
        metrics = try MetricsServer(
            path: runtimeDirectory.appending(path: Self.metricsSocket).path(percentEncoded: false), address: address
        ) {
            MetricsPage(
                figures: board.newest, usage: ProcessUsage.samples() + PrometheusText.process.samples(),
                nowNs: Moment.read().monotonicNs)
        }
        logger.info("listening", metadata: ["input": "\(endpoints.input)", "output": "\(endpoints.output)"])
        if remote != nil {
            logger.info(
                "open to other machines", metadata: ["addresses": "\(encrypted.joined(separator: " "))"])
        }
    }

    /// Name of the socket in the runtime directory that serves figures over HTTP.
    package static let metricsSocket = "hub-metrics"

    /// Asks for encryption also where plain TCP is allowed.
    private static let curveScheme = "curve://"

    /// Seconds that the hub's loop has been busy with one round.
    package var secondsSinceProgress: Double? { server.secondsSinceProgress }

    package func run() async throws {
        metrics.start()
        await cancelWhenGracefulShutdown { await server.run() }
        metrics.stop()
        withExtendedLifetime(lock) {}
    }
}

/// Runs the hub from its options to its last breath.
package func runHub(_ options: ServiceOptions, listen: [String], metrics: String? = nil) async throws {
    let resolved = try await startProcess(.hub, options)
    let logger = processLogger(.hub, resolved)
    try ensurePrivateDirectory(resolved.directories.data)
    let hub = try HubProcess(
        runtimeDirectory: resolved.directories.runtime,
        spool: { try SpoolFile(directory: resolved.directories.data, limits: resolved.spool) },
        listen: listen.isEmpty ? resolved.listen : listen, metrics: metrics,
        config: resolved.directories.config, logger: logger)
    startWatchdog(resolved.watchdogSeconds, logger: logger) { hub.secondsSinceProgress }
    try await runUntilSignal(hub, logger: logger)
    logger.info("stopped")
}
