import ArgumentParser
import Bus
import Foundation
import Protocols
import ServiceKit

/// How an answer is written.
struct OutputOptions: ParsableArguments {
    @Flag(name: .long, help: "Write one JSON document with sorted keys instead of text.")
    var json = false
}

/// Where the running processes are found.
struct BusOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Directory of the hub's sockets (default: $RESONANCE_RUNTIME_DIR, else $XDG_RUNTIME_DIR/resonance).",
            valueName: "directory"))
    var runtimeDir: String?

    @Option(
        help: ArgumentHelp(
            """
            The hub's address instead of the runtime directory: tcp://127.0.0.1:PORT, or the line of `resonance pair`, \
            or @FILE that holds it (default: what `resonance pair --accept` has stored).
            """,
            valueName: "endpoint"))
    var hub: String?

    @Option(
        help: ArgumentHelp(
            "Directory of the databases (default: $RESONANCE_DATA_DIR, else $XDG_DATA_HOME/resonance).",
            valueName: "directory"))
    var dataDir: String?

    @Option(help: ArgumentHelp("Whose topics to speak of (default: $RESONANCE_LISTENER, else me).", valueName: "name"))
    var listener: String?

    @Option(help: ArgumentHelp("Seconds to wait for the hub and for each answer.", valueName: "seconds"))
    var timeout: Double = 5

    func validate() throws {
        guard timeout > 0, timeout <= 86400 else { throw ValidationError("--timeout \(timeout): must be above 0 s") }
        if let listener, !Self.isTopicPart(listener) {
            throw ValidationError("--listener \(listener): lower-case letters, digits and '-' only")
        }
        let known = ["tcp://", "ipc://", Pairing.scheme, "@"]
        if let hub, !known.contains(where: { hub.hasPrefix($0) }) {
            throw ValidationError("--hub: an endpoint begins with \(known.joined(separator: ", "))")
        }
    }

    var deadline: Duration { .milliseconds(Int64(timeout * 1000)) }

    var directories: Directories {
        var directories = Directories.standard()
        if let runtimeDir { directories.runtime = URL(filePath: runtimeDir, directoryHint: .isDirectory) }
        if let dataDir { directories.data = URL(filePath: dataDir, directoryHint: .isDirectory) }
        return directories
    }

    var listenerName: String {
        if let listener { return listener }
        let named = ProcessInfo.processInfo.environment["RESONANCE_LISTENER"] ?? ""
        return Self.isTopicPart(named) ? named : "me"
    }

    /// Where the hub is.
    ///
    /// - Throws: ``CommandFailure`` with status 64 for an endpoint that cannot be one.
    func endpoints() throws(CommandFailure) -> BusEndpoints {
        do {
            let accepted = runtimeDir == nil ? directories.acceptedPairing : nil
            guard let hub = hub ?? accepted else { return try BusEndpoints(runtimeDirectory: directories.runtime) }
            guard hub.hasPrefix("ipc://") else { return try BusEndpoints(hub: hub) }
            let socket = URL(filePath: String(hub.dropFirst("ipc://".count)))
            let isSocket = socket.lastPathComponent.hasPrefix("hub-")
            return try BusEndpoints(runtimeDirectory: isSocket ? socket.deletingLastPathComponent() : socket)
        } catch let error as KeyFileError {
            throw CommandFailure(.notAllowed, "\(error)")
        } catch {
            throw CommandFailure(.usage, "\(error)", cure: "name another place with --runtime-dir or --hub")
        }
    }

    private static func isTopicPart(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2D }
    }
}
