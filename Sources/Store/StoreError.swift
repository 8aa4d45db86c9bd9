import Foundation
import GRDB
import Protocols

/// Why a database cannot be used, with what helps.
package enum StoreError: PassingTrouble, Equatable, CustomStringConvertible {
    /// Another process has the database open.
    case taken(path: String, pid: String)
    /// A newer Resonance wrote it; `migrations` are the ones this build has never heard of.
    case newerVersion(path: String, migrations: [String])
    /// The bytes of the file are not a sound database.
    case damaged(path: String, detail: String)
    /// No room for what was to be written; nothing of that transaction was stored.
    case diskFull(path: String)
    /// The file or its directory cannot be opened or created.
    case cannotOpen(path: String, reason: String)
    /// A file that must be new is there already.
    case exists(path: String)
    /// The database was closed.
    case closed(path: String)
    /// Any other complaint of SQLite; the transaction was rolled back.
    case failed(path: String, detail: String)

    package var description: String {
        switch self {
        case .taken(let path, let pid):
            "\(path) is in use by process \(pid): stop that process, or give this one another data directory"
        case .newerVersion(let path, let migrations):
            "\(path) was written by a newer version (it has \(migrations.joined(separator: ", "))): install that "
                + "version, or restore a backup that this one wrote"
        case .damaged(let path, let detail):
            "\(path) is damaged (\(detail)): move it and its -wal and -shm files away, then put a backup in its place "
                + "or start with an empty one"
        case .diskFull(let path):
            "no space left to write \(path): free some; nothing was half-stored"
        case .cannotOpen(let path, let reason):
            "cannot open \(path) (\(reason)): check that the directory exists and belongs to you"
        case .exists(let path):
            "\(path) exists already: choose another name, it is not overwritten"
        case .closed(let path):
            "\(path) is closed: the process is stopping"
        case .failed(let path, let detail):
            "\(path): \(detail)"
        }
    }

    /// A constraint that an event violates is its own fault; a disk or a file is not.
    package var isPassing: Bool {
        switch self {
        case .taken, .damaged, .diskFull, .cannotOpen, .closed: true
        case .newerVersion, .exists, .failed: false
        }
    }

    /// What SQLite complained about, as one of ours; any other error unchanged.
    static func mapped(_ error: any Error, path: String) -> any Error {
        guard let error = error as? DatabaseError else { return error }
        return mapped(error, path: path)
    }

    static func mapped(_ error: DatabaseError, path: String) -> StoreError {
        // The message of SQLite never holds values, only names of tables, columns and constraints.
        let detail = error.message ?? "SQLite error \(error.extendedResultCode.rawValue)"
        return switch error.resultCode {
        case .SQLITE_FULL: .diskFull(path: path)
        case .SQLITE_CORRUPT, .SQLITE_NOTADB: .damaged(path: path, detail: detail)
        case .SQLITE_CANTOPEN, .SQLITE_READONLY, .SQLITE_PERM, .SQLITE_AUTH:
            .cannotOpen(path: path, reason: detail)
        default: .failed(path: path, detail: detail)
        }
    }
}
