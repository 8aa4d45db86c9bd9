import CPosix
import Foundation

/// Where Resonance keeps what, by the XDG base directory specification.
package struct Directories: Sendable, Hashable {
    /// Sockets, locks and pid files of this boot; 0700.
    package var runtime: URL
    /// Databases and outboxes; 0700.
    package var data: URL
    /// Logs and backups; 0700.
    package var state: URL
    /// The owner's own settings.
    package var config: URL

    package init(runtime: URL, data: URL, state: URL, config: URL) {
        self.runtime = runtime
        self.data = data
        self.state = state
        self.config = config
    }

    /// The standard places, each of which an environment variable moves:
    /// `RESONANCE_RUNTIME_DIR`, `RESONANCE_DATA_DIR`, `RESONANCE_STATE_DIR`, `RESONANCE_CONFIG_DIR`.
    ///
    /// Without `XDG_RUNTIME_DIR` the runtime directory is `/tmp/resonance-<uid>`: its owner and mode are checked.
    package static func standard(
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) -> Directories {
        let home = environment["HOME"].map { URL(filePath: $0, directoryHint: .isDirectory) } ?? .homeDirectory
        func place(_ own: String, _ xdg: String, _ fallback: URL) -> URL {
            if let path = environment[own], !path.isEmpty { return URL(filePath: path, directoryHint: .isDirectory) }
            if let path = environment[xdg], !path.isEmpty {
                return URL(filePath: path, directoryHint: .isDirectory)
                    .appending(path: "resonance", directoryHint: .isDirectory)
            }
            return fallback
        }
        return Directories(
            runtime: place(
                "RESONANCE_RUNTIME_DIR", "XDG_RUNTIME_DIR",
                URL(filePath: "/tmp/resonance-\(getuid())", directoryHint: .isDirectory)),
            data: place(
                "RESONANCE_DATA_DIR", "XDG_DATA_HOME",
                home.appending(path: ".local/share/resonance", directoryHint: .isDirectory)),
            state: place(
                "RESONANCE_STATE_DIR", "XDG_STATE_HOME",
                home.appending(path: ".local/state/resonance", directoryHint: .isDirectory)),
            config: place(
                "RESONANCE_CONFIG_DIR", "XDG_CONFIG_HOME",
                home.appending(path: ".config/resonance", directoryHint: .isDirectory)))
    }
}

/// Why a directory cannot hold what is private.
package enum DirectoryError: Error, Equatable, CustomStringConvertible {
    case cannotCreate(path: String, reason: String)
    case notOwn(path: String)
    case open(path: String, mode: UInt32)

    package var description: String {
        switch self {
        case .cannotCreate(let path, let reason): "cannot create \(path): \(reason)"
        case .notOwn(let path): "\(path) belongs to somebody else or is no directory: remove it, or set another one"
        case .open(let path, let mode):
            "\(path) can be entered by others (mode \(String(mode, radix: 8))): chmod 700 '\(path)'"
        }
    }
}

/// Makes sure that a directory exists, is ours, and that nobody else can look inside.
///
/// A directory that was there before and is open to others is refused, not changed: others may hold files in it.
package func ensurePrivateDirectory(_ url: URL) throws(DirectoryError) {
    let path = url.path(percentEncoded: false)
    do {
        try FileManager.default.createDirectory(
            at: url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
        throw .cannotCreate(path: path, reason: "\(error.localizedDescription)")
    }
    var status = stat()
    guard lstat(path.hasSuffix("/") ? String(path.dropLast()) : path, &status) == 0 else {
        throw .cannotCreate(path: path, reason: String(cString: strerror(errno)))
    }
    guard status.st_uid == geteuid(), status.st_mode & S_IFMT == S_IFDIR else { throw .notOwn(path: path) }
    guard status.st_mode & 0o077 == 0 else { throw .open(path: path, mode: UInt32(status.st_mode & 0o777)) }
}
