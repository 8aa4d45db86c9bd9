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
    ///   - spool: keeps the events; see `SpoolFile`.
    ///   - listen: also serve TCP on this machine, as `127.0.0.1:PORT`.
    ///   - metrics: also serve figures on TCP of this machine, as `127.0.0.1:PORT`.
    /// - Throws: `BusError/hubRuns(pid:path:)` when a hub has the directory, `BusError/notLoopback(endpoint:)` for an
    ///   address that others can reach, ``MetricsServerError``.
    package init(
        runtimeDirectory: URL, spool: any SpoolStore = MemorySpool(), listen: [String] = [],
        metrics address: String? = nil, logger: Logger
    ) throws {
        let endpoints = try BusEndpoints(runtimeDirectory: runtimeDirectory)
        var others: [BusEndpoints] = []
        for address in listen { others.append(try BusEndpoints(tcp: address)) }
        let report = SupervisorReportFile(runtimeDirectory: runtimeDirectory)
        lock = try HubLock(runtimeDirectory: runtimeDirectory)
        server = try HubServer(
            endpoints, also: others, spool: spool, version: ResonanceVersion.current, logger: logger,
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
    }

    /// Name of the socket in the runtime directory that serves figures over HTTP.
    package static let metricsSocket = "hub-metrics"

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
    let spool = try SpoolFile(directory: resolved.directories.data, limits: resolved.spool)
    let hub = try HubProcess(
        runtimeDirectory: resolved.directories.runtime, spool: spool, listen: listen, metrics: metrics,
        logger: logger)
    startWatchdog(resolved.watchdogSeconds, logger: logger) { hub.secondsSinceProgress }
    try await runUntilSignal(hub, logger: logger)
    logger.info("stopped")
}
