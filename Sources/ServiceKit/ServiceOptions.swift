import ArgumentParser
import Bus
import Configuration
import Foundation
import Logging
import Protocols
import SystemPackage

/// Which clock a process lives on.
package enum ClockKind: String, ExpressibleByArgument, CaseIterable, Sendable {
    /// The machine's own.
    case system
    /// Virtual time from `resonance conduct`.
    case bus
}

/// The options that every process has. What is not given on the command line comes from the environment
/// (`RESONANCE_TIME_ZONE` …), then from `config.json` in the configuration directory, then from the defaults.
package struct ServiceOptions: ParsableArguments {
    @Option(help: "Directory of sockets and locks (default: $XDG_RUNTIME_DIR/resonance).")
    package var runtimeDir: String?

    @Option(
        help: """
            The hub when it is not in the runtime directory: 127.0.0.1:PORT, or the line of `resonance pair`, or @FILE \
            that holds the line (default: what `resonance pair --accept` has stored).
            """)
    package var hub: String?

    @Option(help: "Directory of databases and outboxes (default: ~/.local/share/resonance).")
    package var dataDir: String?

    @Option(help: "The clock: system, or bus for virtual time from `resonance conduct`.")
    package var clock: ClockKind?

    @Option(help: "Whose topics to speak of.")
    package var listener: String?

    @Option(help: "Seed of everything random, so that a run can be repeated.")
    package var seed: UInt64?

    @Option(help: "The listener's time zone, such as Europe/Berlin (default: the machine's).")
    package var timeZone: String?

    @Option(help: "trace, debug, info, notice, warning, error or critical.")
    package var logLevel: String?

    @Option(help: "A JSON file of settings instead of config.json in the configuration directory.")
    package var config: String?

    @Option(help: "Abort after this many seconds without a sign of life from the main loop; 0 = never.")
    package var watchdogSeconds: Double?

    package init() {}

    package func validate() throws {
        if let timeZone, TimeZone(identifier: timeZone) == nil {
            throw ValidationError("--time-zone \(timeZone): no such zone; see `timedatectl list-timezones`")
        }
        if let logLevel, Logger.Level(rawValue: logLevel) == nil {
            throw ValidationError(
                "--log-level \(logLevel): must be trace, debug, info, notice, warning, error or critical")
        }
        if let listener, !Self.isTopicPart(listener) {
            throw ValidationError("--listener \(listener): letters, digits and '-' only")
        }
    }

    static func isTopicPart(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2D }
    }
}

/// The options of a process after environment, file and defaults have been asked.
package struct ResolvedOptions: Sendable {
    package var directories: Directories
    /// `HOST:PORT` of the hub, the line of a pairing or `@FILE`; nil = the sockets of the runtime directory.
    package var hub: String?
    /// Addresses at which a hub listens beside its runtime directory.
    package var listen: [String]
    package var clock: ClockKind
    package var listener: String
    package var seed: UInt64
    package var timeZone: TimeZone
    package var logLevel: Logger.Level
    package var watchdogSeconds: Double
    /// How much the hub's spool may hold.
    package var spool: SpoolLimits
}

extension ServiceOptions {
    /// Resolves every option.
    ///
    /// - Throws: an error that names the setting and the file when a setting cannot be read.
    package func resolved() async throws -> ResolvedOptions {
        var directories = Directories.standard()
        if let runtimeDir { directories.runtime = URL(filePath: runtimeDir, directoryHint: .isDirectory) }
        if let dataDir { directories.data = URL(filePath: dataDir, directoryHint: .isDirectory) }

        var providers: [any ConfigProvider] = [EnvironmentVariablesProvider()]
        let file = config ?? directories.config.appending(path: "config.json").path(percentEncoded: false)
        if config != nil || FileManager.default.fileExists(atPath: file) {
            do {
                providers.append(try await FileProvider<JSONSnapshot>(filePath: FilePath(file)))
            } catch {
                throw ValidationError("settings file \(file): \(error)")
            }
        }
        let settings = ConfigReader(providers: providers).scoped(to: "resonance")
        let zoneName = timeZone ?? settings.string(forKey: "time.zone")
        let zone = try zoneName.map { name in
            guard let zone = TimeZone(identifier: name) else {
                throw ValidationError("time zone \(name): no such zone; see `timedatectl list-timezones`")
            }
            return zone
        }
        let level = logLevel ?? settings.string(forKey: "log.level") ?? "info"
        guard let loggerLevel = Logger.Level(rawValue: level) else {
            throw ValidationError("log level \(level): must be trace … critical")
        }
        let listenerName = listener ?? settings.string(forKey: "listener") ?? "me"
        guard Self.isTopicPart(listenerName) else {
            throw ValidationError("listener \(listenerName): letters, digits and '-' only")
        }
        let clockName = clock?.rawValue ?? settings.string(forKey: "clock") ?? "system"
        guard let clockKind = ClockKind(rawValue: clockName) else {
            throw ValidationError("clock \(clockName): must be system or bus")
        }
        let listen = settings.string(forKey: "listen") ?? ""
        return ResolvedOptions(
            directories: directories,
            hub: hub ?? settings.string(forKey: "hub") ?? (runtimeDir == nil ? directories.acceptedPairing : nil),
            listen: listen.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }, clock: clockKind,
            listener: listenerName,
            seed: seed ?? UInt64(settings.string(forKey: "seed") ?? "") ?? 1,
            timeZone: zone ?? .current, logLevel: loggerLevel,
            watchdogSeconds: watchdogSeconds ?? settings.double(forKey: "watchdog.seconds", default: 20),
            spool: Self.spoolLimits(settings))
    }

    /// `spool.max.events`, `spool.max.megabytes`, `spool.keep.days`, `spool.keep.megabytes`.
    private static func spoolLimits(_ settings: ConfigReader) -> SpoolLimits {
        var limits = SpoolLimits()
        limits.maxEvents = max(0, settings.int(forKey: "spool.max.events", default: limits.maxEvents))
        limits.maxBytes = max(0, settings.double(forKey: "spool.max.megabytes").map(bytes) ?? limits.maxBytes)
        limits.keepSeconds = max(
            0, settings.double(forKey: "spool.keep.days").map { $0 * 86_400 } ?? limits.keepSeconds)
        limits.keepBytes = max(0, settings.double(forKey: "spool.keep.megabytes").map(bytes) ?? limits.keepBytes)
        return limits
    }

    private static func bytes(_ megabytes: Double) -> Int64 { Int64(min(max(megabytes, 0), 1e9) * 1_000_000) }
}
