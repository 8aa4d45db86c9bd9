import Foundation

/// Why a key, a pairing or the list of keys cannot be used.
package enum KeyFileError: Error, Equatable, CustomStringConvertible {
    /// Others may read it: what it holds is no secret any more.
    case open(path: String, mode: UInt32)
    case notOwn(path: String)
    case unreadable(path: String, reason: String)
    case bad(path: String, reason: String)
    case cannotWrite(path: String, reason: String)
    case nameTaken(name: String)
    case unknownName(name: String)
    case badName(name: String)

    package var description: String {
        switch self {
        case .open(let path, let mode):
            "\(path) can be read by others (mode \(String(mode, radix: 8))): chmod 600 '\(path)', and make new keys "
                + "if others use this machine"
        case .notOwn(let path): "\(path) belongs to somebody else or is no file: remove it"
        case .unreadable(let path, let reason): "cannot read \(path): \(reason)"
        case .bad(let path, let reason): "\(path): \(reason)"
        case .cannotWrite(let path, let reason): "cannot write \(path): \(reason)"
        case .nameTaken(let name):
            "\(name) is paired already: choose another name, or end the old pairing with `resonance unpair \(name)`"
        case .unknownName(let name): "nobody is paired as \(name): see `resonance pair --list`"
        case .badName(let name):
            "\(name): a name has lower-case letters, digits and '-', at most 64, and is none of the hub's own processes"
        }
    }
}

/// A small file that only its owner can read.
enum PrivateFile {
    static let sizeLimit = 1 << 20

    /// What tells that a file has changed: nil = there is none.
    struct Stamp: Hashable, Sendable {
        let inode: UInt
        let size: Int
        let seconds: Int
        let nanoseconds: Int
    }

    static func stamp(_ url: URL) -> Stamp? {
        var status = stat()
        guard stat(url.path(percentEncoded: false), &status) == 0 else { return nil }
        return Stamp(
            inode: UInt(status.st_ino), size: Int(status.st_size), seconds: Int(status.st_mtim.tv_sec),
            nanoseconds: Int(status.st_mtim.tv_nsec))
    }

    /// - Returns: the bytes, or nil when there is no such file.
    static func read(_ url: URL) throws(KeyFileError) -> Data? {
        let path = url.path(percentEncoded: false)
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard file >= 0 else {
            if errno == ENOENT { return nil }
            throw .unreadable(path: path, reason: String(cString: strerror(errno)))
        }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0 else {
            throw .unreadable(path: path, reason: String(cString: strerror(errno)))
        }
        guard status.st_uid == geteuid(), status.st_mode & S_IFMT == S_IFREG else { throw .notOwn(path: path) }
        guard status.st_mode & 0o077 == 0 else { throw .open(path: path, mode: UInt32(status.st_mode & 0o777)) }
        guard status.st_size <= sizeLimit else { throw .bad(path: path, reason: "larger than 1 MiB") }
        do {
            return try FileHandle(fileDescriptor: file, closeOnDealloc: false).read(upToCount: sizeLimit) ?? Data()
        } catch {
            throw .unreadable(path: path, reason: error.localizedDescription)
        }
    }

    /// Replaces the file as a whole: after a crash there is the old one or the new one.
    static func write(_ data: Data, to url: URL) throws(KeyFileError) {
        let path = url.path(percentEncoded: false)
        func failure() -> KeyFileError { .cannotWrite(path: path, reason: String(cString: strerror(errno))) }
        let partial = "\(path).new-\(getpid())"
        unlink(partial)
        let file = open(partial, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { throw failure() }
        let isWritten = data.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) } == data.count
        guard isWritten, fsync(file) == 0 else {
            let error = failure()
            close(file)
            unlink(partial)
            throw error
        }
        close(file)
        guard rename(partial, path) == 0 else {
            let error = failure()
            unlink(partial)
            throw error
        }
        let folder = open(url.deletingLastPathComponent().path(percentEncoded: false), O_RDONLY | O_DIRECTORY)
        if folder >= 0 {
            fsync(folder)
            close(folder)
        }
    }

    /// Lets one process at a time change the files of a directory.
    static func locked<Value>(
        _ directory: URL, _ body: () throws(KeyFileError) -> Value
    ) throws(KeyFileError) -> Value {
        let path = directory.path(percentEncoded: false)
        let folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0, flock(folder, LOCK_EX) == 0 else {
            throw .cannotWrite(path: path, reason: String(cString: strerror(errno)))
        }
        defer { close(folder) }
        return try body()
    }
}
