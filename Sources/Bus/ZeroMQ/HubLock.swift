import Foundation
import Protocols

/// Held by the one hub of a runtime directory; the kernel frees it even after kill -9.
///
/// ZeroMQ would let a second hub bind the same Unix socket and steal all new subscribers.
package final class HubLock: Sendable {
    private let descriptor: Int32

    /// - Throws: ``BusError/hubRuns(pid:path:)``, ``BusError/socket(operation:reason:)``.
    package init(runtimeDirectory: URL) throws(BusError) {
        let path = runtimeDirectory.appending(path: "hub.lock").path(percentEncoded: false)
        let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else {
            throw .socket(operation: "open \(path)", reason: String(cString: strerror(errno)))
        }
        guard flock(file, LOCK_EX | LOCK_NB) == 0 else {
            close(file)
            let holder = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
            throw .hubRuns(pid: holder.trimmingCharacters(in: .whitespacesAndNewlines), path: path)
        }
        ftruncate(file, 0)
        let pid = Array("\(ProcessInfo.processInfo.processIdentifier)\n".utf8)
        _ = pid.withUnsafeBytes { pwrite(file, $0.baseAddress, $0.count, 0) }
        descriptor = file
    }

    deinit { close(descriptor) }
}
