import CPosix
import Foundation

/// Why a second copy of a process does not start.
package enum InstanceLockError: Error, Equatable, CustomStringConvertible {
    case taken(name: String, pid: String, path: String)
    case cannotOpen(path: String, reason: String)

    package var description: String {
        switch self {
        case .taken(let name, let pid, let path):
            "\(name) already runs (pid \(pid)): stop it first, or give this one another data directory (lock \(path))"
        case .cannotOpen(let path, let reason): "cannot open the lock \(path): \(reason)"
        }
    }
}

/// Held for the life of a process: the kernel frees it even after kill -9.
package final class InstanceLock: Sendable {
    private let descriptor: Int32

    package init(name: String, in directory: URL) throws(InstanceLockError) {
        let path = directory.appending(path: "\(name).lock").path(percentEncoded: false)
        let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { throw .cannotOpen(path: path, reason: String(cString: strerror(errno))) }
        guard flock(file, LOCK_EX | LOCK_NB) == 0 else {
            let holder = try? String(contentsOfFile: path, encoding: .utf8)
            close(file)
            throw .taken(
                name: name, pid: holder?.trimmingCharacters(in: .whitespacesAndNewlines) ?? "unknown", path: path)
        }
        let pid = Array("\(getpid())\n".utf8)
        ftruncate(file, 0)
        _ = pid.withUnsafeBytes { pwrite(file, $0.baseAddress, $0.count, 0) }
        descriptor = file
    }

    deinit { close(descriptor) }
}
