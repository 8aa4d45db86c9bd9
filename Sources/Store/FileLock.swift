import Foundation

/// Holds a database file for this process; the kernel frees it even after kill -9.
final class FileLock: Sendable {
    private let descriptor: Int32

    /// Locks `<file>.lock`.
    init(beside url: URL) throws(StoreError) {
        let path = url.path(percentEncoded: false) + ".lock"
        let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { throw .failed(path: path, detail: String(cString: strerror(errno))) }
        guard flock(file, LOCK_EX | LOCK_NB) == 0 else {
            let holder = try? String(contentsOfFile: path, encoding: .utf8)
            Foundation.close(file)
            throw .inUse(
                path: url.path(percentEncoded: false),
                pid: holder?.trimmingCharacters(in: .whitespacesAndNewlines) ?? "unknown")
        }
        let pid = Array("\(getpid())\n".utf8)
        ftruncate(file, 0)
        _ = pid.withUnsafeBytes { pwrite(file, $0.baseAddress, $0.count, 0) }
        descriptor = file
    }

    deinit { Foundation.close(descriptor) }

    /// Creates an empty file that only its owner can read, or leaves an existing one and takes others' rights away.
    ///
    /// SQLite gives its `-wal` and `-shm` files the mode of the database.
    static func createPrivate(_ url: URL) throws(StoreError) {
        let path = url.path(percentEncoded: false)
        let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard file >= 0 else {
            throw errno == ENOSPC
                ? .diskFull(path: path) : .failed(path: path, detail: String(cString: strerror(errno)))
        }
        fchmod(file, 0o600)
        Foundation.close(file)
    }
}
