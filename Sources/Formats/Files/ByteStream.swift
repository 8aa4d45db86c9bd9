import Foundation
import Glibc

/// Bytes of a file or of memory, handed out in pieces of at most 256 KiB, so that memory does not grow with the file.
///
/// Only regular files are opened: a pipe or a device would block or never end.
package final class ByteStream {
    /// Path of the file, or the name given to the bytes; it appears in every error.
    package let name: String
    /// Bytes handed out so far.
    package private(set) var offset = 0
    private let source: Source
    private let limit: Int
    private static let piece = 1 << 18

    private enum Source {
        case memory([UInt8])
        case descriptor(Int32)
    }

    /// Opens a file.
    ///
    /// - Parameter limit: the largest size in bytes that is accepted.
    /// - Throws: ``FormatError`` when it is missing, not readable, not a regular file or too large.
    package init(path: String, limit: Int) throws(FormatError) {
        name = path
        self.limit = limit
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else {
            let reason = String(cString: strerror(errno))
            throw FormatError(
                file: path, cause: "cannot be opened (\(reason))", cure: "check the path and its permissions")
        }
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(file)
            throw FormatError(file: path, cause: "is not a regular file", cure: "give a file")
        }
        guard Int(status.st_size) <= limit else {
            close(file)
            throw FormatError(
                file: path, cause: "has \(status.st_size) bytes, more than the \(limit) that this format may have",
                cure: "check that it is the right file, or split it")
        }
        source = .descriptor(file)
    }

    /// Reads from memory; `name` stands for the file in errors.
    package init(bytes: [UInt8], name: String) {
        self.name = name
        limit = bytes.count
        source = .memory(bytes)
    }

    deinit {
        if case .descriptor(let file) = source { close(file) }
    }

    /// The next bytes, or nil at the end.
    ///
    /// - Throws: ``FormatError`` when the system cannot read, or the file grew over its limit meanwhile.
    package func next() throws(FormatError) -> [UInt8]? {
        switch source {
        case .memory(let bytes):
            guard offset < bytes.count else { return nil }
            let end = min(bytes.count, offset + Self.piece)
            defer { offset = end }
            return Array(bytes[offset..<end])
        case .descriptor(let file):
            var failure: Int32 = 0
            let bytes = [UInt8](unsafeUninitializedCapacity: Self.piece) { buffer, count in
                var got = read(file, buffer.baseAddress, buffer.count)
                while got < 0, errno == EINTR { got = read(file, buffer.baseAddress, buffer.count) }
                if got < 0 { failure = errno }
                count = max(0, got)
            }
            guard failure == 0 else {
                throw FormatError(
                    file: name, place: .byte(offset), cause: "cannot be read (\(String(cString: strerror(failure))))",
                    cure: "check the disk and the permissions")
            }
            offset += bytes.count
            guard offset <= limit else {
                throw FormatError(
                    file: name, place: .byte(offset), cause: "grows beyond \(limit) bytes", cure: "try again later")
            }
            return bytes.isEmpty ? nil : bytes
        }
    }

    /// Everything that is left, for formats whose files are small.
    package func rest() throws(FormatError) -> [UInt8] {
        var all: [UInt8] = []
        while let piece = try next() { all.append(contentsOf: piece) }
        return all
    }

    /// Everything that is left as UTF-8, without a byte order mark.
    ///
    /// - Throws: ``FormatError`` also for other encodings, with the line.
    package func restAsUTF8() throws(FormatError) -> [UInt8] {
        var all = try rest()
        if all.starts(with: [0xFF, 0xFE]) || all.starts(with: [0xFE, 0xFF]) {
            throw FormatError(file: name, place: .byte(0), cause: "is text in UTF-16", cure: "save it again as UTF-8")
        }
        guard String(validating: all, as: UTF8.self) != nil else {
            var line = 1
            for bytes in all.split(separator: 0x0A, omittingEmptySubsequences: false) {
                _ = try utf8Text(bytes, file: name, line: line)
                line += 1
            }
            throw FormatError(file: name, cause: "is not UTF-8", cure: "save it again as UTF-8")
        }
        if all.starts(with: [0xEF, 0xBB, 0xBF]) { all.removeFirst(3) }
        return all
    }
}
