import CPosix
import Foundation

/// Moves of files and directories that happen wholly or not at all.
enum Place {
    /// Creates a directory and what is missing above it, 0700.
    static func makePrivate(_ directory: URL) throws(BackupError) {
        do {
            try FileManager.default.createDirectory(
                at: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw .cannotWrite(path: directory.path(percentEncoded: false), reason: "it cannot be created")
        }
    }

    /// Gives a file its name, unless that is taken.
    ///
    /// - Throws: ``BackupError``: `exists`, `cannotWrite`.
    static func moveNew(_ from: String, to: String) throws(BackupError) {
        if resonance_rename(from, to, UInt32(RESONANCE_RENAME_NOREPLACE)) != 0 {
            guard errno != EEXIST else { throw .exists(path: to) }
            // Not every file system (an old stick, a network share) knows that way.
            guard errno == EINVAL || errno == ENOSYS else { throw ByteFile.failure(to) }
            guard access(to, F_OK) != 0 else { throw .exists(path: to) }
            guard rename(from, to) == 0 else { throw ByteFile.failure(to) }
        }
        try ByteFile.sync(directory: parent(to))
    }

    /// Puts a directory in the place of another one, which is kept under a new name: both exist at every moment.
    ///
    /// - Parameter aside: new name of what was at `place` before.
    static func swap(_ new: String, into place: String, aside: String) throws(BackupError) {
        if access(place, F_OK) == 0 {
            guard access(aside, F_OK) != 0 else { throw .exists(path: aside) }
            if resonance_rename(new, place, UInt32(RESONANCE_RENAME_EXCHANGE)) == 0 {
                // Should this fail, the old data keeps the name of the new.
                guard rename(new, aside) == 0 else { throw ByteFile.failure(aside) }
            } else {
                guard errno == EINVAL || errno == ENOSYS else { throw ByteFile.failure(place) }
                guard rename(place, aside) == 0 else { throw ByteFile.failure(aside) }
                guard rename(new, place) == 0 else {
                    let failure = ByteFile.failure(place)
                    rename(aside, place)
                    throw failure
                }
            }
        } else {
            guard rename(new, place) == 0 else { throw ByteFile.failure(place) }
        }
        try ByteFile.sync(directory: parent(place))
    }

    /// Path of a directory without the slash at its end.
    static func path(_ directory: URL) -> String {
        let path = directory.standardizedFileURL.path(percentEncoded: false)
        return path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
    }

    static func parent(_ path: String) -> String { self.path(URL(filePath: path).deletingLastPathComponent()) }
}
