import Foundation

/// Files that must not exist yet and that nobody else may read.
enum NewFile {
    /// Creates an empty 0600 file and opens it for writing; the caller closes the descriptor.
    ///
    /// - Throws: ``StoreError``: `exists`, also for a symbolic link, or `cannotOpen`.
    static func create(_ path: String) throws(StoreError) -> Int32 {
        let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else {
            throw errno == EEXIST
                ? .exists(path: path) : .cannotOpen(path: path, reason: String(cString: strerror(errno)))
        }
        return file
    }
}
