import Foundation

/// Writes a new 0600 file piece by piece; it is taken away again when it does not get finished.
package final class NewFileOutput {
    package let path: String
    package private(set) var bytes = 0
    private let file: Int32
    private var buffer: [UInt8] = []
    private var isFinished = false

    private static let piece = 1 << 16

    /// - Throws: ``StoreError``: `exists`, also for a symbolic link, or `cannotOpen`.
    package init(path: String) throws(StoreError) {
        self.path = path
        file = try NewFile.create(path)
    }

    deinit {
        close(file)
        if !isFinished { unlink(path) }
    }

    /// - Throws: ``StoreError``: `diskFull` or `failed`.
    package func write(_ text: String) throws(StoreError) {
        buffer.append(contentsOf: text.utf8)
        if buffer.count >= Self.piece { try flush() }
    }

    /// Keeps the file: what was written is on the disk when this returns.
    ///
    /// - Throws: ``StoreError``: `diskFull` or `failed`.
    package func finish() throws(StoreError) {
        try flush()
        guard fsync(file) == 0 else { throw .diskFull(path: path) }
        isFinished = true
    }

    private func flush() throws(StoreError) {
        var start = 0
        while start < buffer.count {
            let written = buffer.withUnsafeBytes {
                Glibc.write(file, $0.baseAddress?.advanced(by: start), $0.count - start)
            }
            if written < 0, errno == EINTR { continue }
            guard written > 0 else {
                throw errno == ENOSPC || errno == EDQUOT
                    ? .diskFull(path: path) : .failed(path: path, detail: String(cString: strerror(errno)))
            }
            start += written
        }
        bytes += buffer.count
        buffer.removeAll(keepingCapacity: true)
    }
}
