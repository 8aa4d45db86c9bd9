import Glibc

/// Bytes that come piece by piece: of a file, of an entry of a zip archive, or of memory.
protocol ByteFeed: AnyObject {
    /// Path, and the entry for an archive; it appears in every error.
    var name: String { get }
    /// All bytes that will come, 0 when that is not known.
    var totalBytes: Int { get }
    /// Fills a part of the buffer.
    ///
    /// - Returns: the number of bytes, 0 at the end.
    /// - Throws: ``FormatError`` when the system or the archive cannot be read.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws(FormatError) -> Int
}

/// A regular file of any size.
final class FileFeed: ByteFeed {
    let name: String
    let totalBytes: Int
    private let descriptor: Int32

    init(path: String) throws(FormatError) {
        name = path
        descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            throw FormatError(
                file: path, cause: "cannot be opened (\(String(cString: strerror(errno))))",
                cure: "check the path and its permissions")
        }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            throw FormatError(file: path, cause: "is not a regular file", cure: "give a file")
        }
        totalBytes = Int(status.st_size)
    }

    deinit { close(descriptor) }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws(FormatError) -> Int {
        var got = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
        while got < 0, errno == EINTR { got = Glibc.read(descriptor, buffer.baseAddress, buffer.count) }
        guard got >= 0 else {
            throw FormatError(
                file: name, cause: "cannot be read (\(String(cString: strerror(errno))))",
                cure: "check the disk and the permissions")
        }
        return got
    }
}

/// Bytes in memory, in pieces of a chosen size.
final class MemoryFeed: ByteFeed {
    let name: String
    let totalBytes: Int
    private var rest: ArraySlice<UInt8>
    private let piece: Int

    /// - Parameter piece: bytes at a time, at least 1.
    init(_ bytes: [UInt8], name: String, piece: Int = 1 << 18) {
        self.name = name
        totalBytes = bytes.count
        rest = bytes[...]
        self.piece = max(1, piece)
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        let count = min(buffer.count, piece, rest.count)
        buffer.copyBytes(from: rest.prefix(count))
        rest = rest.dropFirst(count)
        return count
    }
}
