import ArgumentParser
import Bus
import CPosix
import Foundation
import Logging
import Protocols
import ServiceLifecycle
import UnixSignals

/// Runs one process from its options to its last breath: directories, lock, log, watchdog, bus, signals.
///
/// - Parameters:
///   - name: the name of the process.
///   - roles: further names that it answers to, such as `player`.
///   - build: wires the service; called once the process is known to be the only copy.
/// - Throws: an error with cause and cure; nothing has been changed on disk by then but directories and the lock.
package func runService(
    _ name: ProcessName, _ options: ServiceOptions, roles: [ProcessName] = [],
    build: @Sendable (ServiceEnvironment) async throws -> any BusService
) async throws {
    let resolved = try await startProcess(name, options)
    let data = resolved.directories.data
    try ensurePrivateDirectory(data)
    let lock = try InstanceLock(name: name.rawValue, in: data)
    defer { withExtendedLifetime(lock) {} }
    let logger = processLogger(name, resolved)
    let environment = ServiceEnvironment(
        process: name, listener: resolved.listener, seed: resolved.seed, timeZone: resolved.timeZone,
        dataDirectory: data, logger: logger, isVirtual: resolved.clock == .bus)
    logger.info(
        "starting",
        metadata: [
            "pid": "\(getpid())", "seed": "\(resolved.seed)", "clock": "\(resolved.clock)",
            "version": "\(ResonanceVersion.current)",
        ])
    let service = try await build(environment)
    let peer = try makePeer(name, roles: roles, resolved: resolved, logger: logger)
    startWatchdog(resolved.watchdogSeconds, logger: logger) { peer.secondsSinceProgress }
    try await runUntilSignal(BusProcess(service: service, peer: peer), logger: logger)
    logger.info("stopped")
}

/// What comes before anything else in every process: nobody else may read what it writes, and it dies with its
/// supervisor.
package func startProcess(_ name: ProcessName, _ options: ServiceOptions) async throws -> ResolvedOptions {
    umask(0o077)
    signal(SIGPIPE, SIG_IGN)
    guard ParentWatch.start() else { throw CleanExit.message("\(name): the parent process is gone") }
    let resolved = try await options.resolved()
    try ensurePrivateDirectory(resolved.directories.runtime)
    return resolved
}

package func processLogger(_ name: ProcessName, _ resolved: ResolvedOptions) -> Logger {
    var logger = Logger(label: "resonance.\(name)") { _ in JSONLogHandler(label: name.rawValue) }
    logger.logLevel = resolved.logLevel
    return logger
}

package func startWatchdog(_ limit: Double, logger: Logger, silence: @escaping @Sendable () -> Double?) {
    guard limit > 0 else { return }
    Watchdog(limit: limit, silence: silence) { silent in
        logger.critical(
            "main loop has stopped, aborting so that the supervisor starts a new process",
            metadata: ["silentSeconds": "\(Int(silent))"])
        abort()
    }.start()
}

/// Runs a service until SIGTERM or SIGINT; it then has 0.9 s to end.
package func runUntilSignal(_ service: some Service, logger: Logger) async throws {
    var quiet = logger
    quiet.logLevel = max(logger.logLevel, .warning)
    var configuration = ServiceGroupConfiguration(
        services: [.init(service: service, successTerminationBehavior: .gracefullyShutdownGroup)],
        gracefulShutdownSignals: [.sigterm, .sigint], logger: quiet)
    configuration.maximumGracefulShutdownDuration = .milliseconds(900)
    configuration.maximumCancellationDuration = .milliseconds(500)
    try await ServiceGroup(configuration: configuration).run()
}
