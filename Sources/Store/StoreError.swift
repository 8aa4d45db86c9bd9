import GRDB

/// Why a database cannot be used; says the cause and the cure.
package enum StoreError: Error, Equatable, CustomStringConvertible {
    /// Another process holds the file.
    case inUse(path: String, pid: String)
    /// The file was written by a newer version of Resonance.
    case newer(path: String, unknownMigrations: [String])
    /// The file is damaged.
    case damaged(path: String, detail: String)
    /// The disk is full; nothing of the transaction was kept.
    case diskFull(path: String)
    /// Anything else that SQLite or the system says.
    case failed(path: String, detail: String)

    package var description: String {
        switch self {
        case .inUse(let path, let pid): "\(path) is in use by process \(pid): stop it first"
        case .newer(let path, let unknown):
            "\(path) was written by a newer version of Resonance (\(unknown.joined(separator: ", "))): update this one"
        case .damaged(let path, let detail):
            "\(path) is damaged (\(detail)): restore a backup, or move the file away to start empty"
        case .diskFull(let path): "no space left for \(path): free some; nothing that was stored is lost"
        case .failed(let path, let detail): "\(path): \(detail)"
        }
    }

    /// What a thrown error means for the database at `path`.
    package init(_ error: any Error, path: String) {
        if let known = error as? StoreError {
            self = known
            return
        }
        guard let error = error as? DatabaseError else {
            self = .failed(path: path, detail: "\(error)")
            return
        }
        switch error.resultCode {
        case .SQLITE_FULL: self = .diskFull(path: path)
        case .SQLITE_CORRUPT, .SQLITE_NOTADB:
            self = .damaged(path: path, detail: error.message ?? "\(error.resultCode)")
        case .SQLITE_BUSY: self = .inUse(path: path, pid: "unknown")
        default: self = .failed(path: path, detail: error.message ?? "\(error.resultCode)")
        }
    }
}
