import Foundation
import Glibc

/// A regular file of which pieces are read; outside its bounds there is nothing.
final class BoundedFile {
    let size: Int
    private let descriptor: Int32

    /// nil when it is missing, not readable or not a regular file.
    init?(path: String) {
        descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        var status = stat()
        // A failed initialiser of a class does not run `deinit` before all is set.
        size = fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG ? Int(status.st_size) : -1
        if size < 0 { return nil }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Exactly `count` bytes, or nil.
    func bytes(at offset: Int, count: Int) -> Data? {
        guard offset >= 0, count >= 0, count <= size, offset <= size - count else { return nil }
        var data = Data(count: count)
        let got = data.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, count, off_t(offset)) }
        return got == count ? data : nil
    }

    /// An unsigned big-endian number of up to 8 bytes.
    func number(at offset: Int, bytes count: Int) -> Int? {
        guard let data = bytes(at: offset, count: count) else { return nil }
        let value = data.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return Int(exactly: value)
    }
}
