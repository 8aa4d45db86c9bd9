import CPosix
import Foundation

/// Why a secret cannot be read or kept. No case holds a value.
package enum SecretError: Error, Equatable, CustomStringConvertible {
    case badName(String)
    /// The file could be read by others: it may have been.
    case open(path: String, mode: UInt32)
    case notOwn(path: String)
    case unreadable(path: String, reason: String)
    case cannotWrite(path: String, reason: String)

    package var description: String {
        switch self {
        case .badName(let name):
            "“\(name.prefix(64))” is no name of a secret: lower-case letters, digits and '-', at most 64"
        case .open(let path, let mode):
            "\(path) can be read by others (mode \(String(mode, radix: 8))): change the secrets, then chmod 600 '\(path)'"
        case .notOwn(let path): "\(path) belongs to somebody else, or is no file: remove it"
        case .unreadable(let path, let reason): "\(path) cannot be read: \(reason)"
        case .cannotWrite(let path, let reason): "\(path) cannot be written: \(reason)"
        }
    }
}

/// Keys, passphrases and tokens by name, in one 0600 file of the configuration directory.
///
/// A file that others can read, that belongs to somebody else or that is a link is refused, never repaired in silence.
package struct SecretStore: Sendable {
    private struct Content: Codable {
        var format = 1
        var secrets: [String: String] = [:]
    }

    /// A longer file is none of ours.
    private static let largest = 1 << 20

    package let path: String
    private let directory: URL

    /// - Parameter directory: the configuration directory.
    package init(directory: URL) {
        self.directory = directory
        path = directory.appending(path: "secrets.json").path(percentEncoded: false)
    }

    /// - Throws: ``SecretError``: `open`, `notOwn`, `unreadable`, `badName`.
    package func value(of name: String) throws(SecretError) -> String? {
        try Self.check(name)
        return try read().secrets[name]
    }

    /// Names of all secrets, sorted.
    package func names() throws(SecretError) -> [String] { try read().secrets.keys.sorted() }

    /// Keeps a secret under a name, instead of the one that was there.
    package func set(_ name: String, to value: String) throws(SecretError) {
        try Self.check(name)
        try change { $0[name] = value }
    }

    /// - Returns: false when there is no such secret.
    @discardableResult
    package func remove(_ name: String) throws(SecretError) -> Bool {
        try Self.check(name)
        var was = false
        try change { was = $0.removeValue(forKey: name) != nil }
        return was
    }

    private static func check(_ name: String) throws(SecretError) {
        guard name.utf8.count <= 64, ServiceOptions.isTopicPart(name) else { throw .badName(name) }
    }

    private func read() throws(SecretError) -> Content {
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard file >= 0 else {
            if errno == ENOENT { return Content() }
            if errno == ELOOP { throw .notOwn(path: path) }
            throw .unreadable(path: path, reason: String(cString: strerror(errno)))
        }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid() else {
            throw .notOwn(path: path)
        }
        guard status.st_mode & 0o077 == 0 else { throw .open(path: path, mode: UInt32(status.st_mode & 0o777)) }
        guard status.st_size <= Self.largest,
            let data = try? FileHandle(fileDescriptor: file, closeOnDealloc: false).readToEnd() ?? Data(),
            let content = try? JSONDecoder().decode(Content.self, from: data), content.format == 1
        else { throw .unreadable(path: path, reason: "it is not a file of secrets of this version") }
        return content
    }

    /// Writes a new file and gives it the name of the old one, while nobody else does.
    private func change(_ edit: (inout [String: String]) -> Void) throws(SecretError) {
        do {
            try ensurePrivateDirectory(directory)
        } catch {
            throw .cannotWrite(path: path, reason: "\(error)")
        }
        let lock = open(path + ".lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard lock >= 0, flock(lock, LOCK_EX) == 0 else { throw failure() }
        defer { close(lock) }
        var content = try read()
        edit(&content.secrets)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted]
        guard let data = try? encoder.encode(content) else { throw failure() }
        let fresh = path + ".new"
        unlink(fresh)
        let file = open(fresh, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { throw failure() }
        let written = data.withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
        guard written == data.count, fsync(file) == 0, rename(fresh, path) == 0 else {
            let failure = failure()
            close(file)
            unlink(fresh)
            throw failure
        }
        close(file)
    }

    private func failure() -> SecretError {
        .cannotWrite(path: path, reason: String(cString: strerror(errno)))
    }
}
