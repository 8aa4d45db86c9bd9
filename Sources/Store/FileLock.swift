import Foundation

/// Keeps a second process away from a file for as long as this object lives; the kernel frees it even after kill -9.
///
/// The lock is on a file beside the database: closing any descriptor of the database itself would free the locks that
/// SQLite holds on it.
final class FileLock: Sendable {
    private let descriptor: Int32

    /// - Throws: ``StoreError``: `taken` with the process id of the holder, `cannotOpen`.
    init(path: String) throws(StoreError) {
        let directory = URL(filePath: path).deletingLastPathComponent()
        if !FileManager.default.fileExists(atPath: directory.path(percentEncoded: false)) {
            do {
                try FileManager.default.createDirectory(
                    at: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            } catch {
                throw .cannotOpen(path: path, reason: "its directory cannot be created")
            }
        }
        let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { throw .cannotOpen(path: path, reason: String(cString: strerror(errno))) }
        guard flock(file, LOCK_EX | LOCK_NB) == 0 else {
            let holder = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
            close(file)
            let pid = holder.trimmingCharacters(in: .whitespacesAndNewlines)
            throw .taken(path: String(path.dropLast(".lock".count)), pid: pid.isEmpty ? "unknown" : pid)
        }
        ftruncate(file, 0)
        let pid = Array("\(getpid())\n".utf8)
        _ = pid.withUnsafeBytes { pwrite(file, $0.baseAddress, $0.count, 0) }
        descriptor = file
    }

    deinit { close(descriptor) }
}
