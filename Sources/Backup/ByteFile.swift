import Foundation

/// A file that is read or written from its beginning to its end.
final class ByteFile {
    let path: String
    private let descriptor: Int32

    private init(path: String, descriptor: Int32) {
        self.path = path
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    /// - Throws: ``BackupError/cannotRead(path:reason:)``, also for anything but a regular file.
    static func reading(_ path: String) throws(BackupError) -> ByteFile {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw .cannotRead(path: path, reason: String(cString: strerror(errno))) }
        let file = ByteFile(path: path, descriptor: descriptor)
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw .cannotRead(path: path, reason: "it is not a file")
        }
        return file
    }

    /// A new file with mode 0600.
    ///
    /// - Throws: ``BackupError``: `exists`, `cannotWrite`.
    static func creating(_ path: String) throws(BackupError) -> ByteFile {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else {
            throw errno == EEXIST
                ? .exists(path: path) : .cannotWrite(path: path, reason: String(cString: strerror(errno)))
        }
        // A umask may only take away, and nothing is to be missing either.
        fchmod(descriptor, 0o600)
        return ByteFile(path: path, descriptor: descriptor)
    }

    /// At most `count` bytes; none at the end.
    func read(_ count: Int) throws(BackupError) -> [UInt8] {
        while true {
            var got = 0
            let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
                got = Glibc.read(descriptor, buffer.baseAddress, count)
                filled = max(0, got)
            }
            if got < 0, errno == EINTR { continue }
            guard got >= 0 else { throw .cannotRead(path: path, reason: String(cString: strerror(errno))) }
            return bytes
        }
    }

    func write(_ bytes: some Collection<UInt8>) throws(BackupError) {
        let bytes = Array(bytes)
        var done = 0
        while done < bytes.count {
            let count = bytes.withUnsafeBytes { buffer in
                Glibc.write(descriptor, buffer.baseAddress?.advanced(by: done), buffer.count - done)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw Self.failure(path) }
            done += count
        }
    }

    /// Returns when the content is on the disk.
    func sync() throws(BackupError) {
        guard fsync(descriptor) == 0 else { throw Self.failure(path) }
    }

    /// Returns when the names in a directory are on the disk.
    static func sync(directory: String) throws(BackupError) {
        let descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure(directory) }
        defer { close(descriptor) }
        // Some file systems cannot; they have no better way either.
        guard fsync(descriptor) == 0 || errno == EINVAL else { throw failure(directory) }
    }

    static func failure(_ path: String) -> BackupError {
        errno == ENOSPC || errno == EDQUOT
            ? .diskFull(path: path) : .cannotWrite(path: path, reason: String(cString: strerror(errno)))
    }
}
