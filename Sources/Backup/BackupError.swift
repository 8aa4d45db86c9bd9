/// Why there is no backup, or nothing was restored; with what helps.
package enum BackupError: Error, Equatable, CustomStringConvertible {
    case cannotRead(path: String, reason: String)
    case cannotWrite(path: String, reason: String)
    case diskFull(path: String)
    /// A file that must be new is there already.
    case exists(path: String)
    /// The passphrase or key does not open this backup.
    case wrongKey(path: String)
    /// The bytes are not, or no longer, a backup.
    case damaged(path: String, reason: String)
    /// A newer Resonance wrote it, in a container that this one does not know.
    case newerFormat(path: String, format: Int)
    /// A database in it has steps of migration that this build has never heard of.
    case newerSchema(database: String, migrations: [String])
    /// A database in it that this build does not know.
    case unknownDatabase(String)
    /// More events came and went while everything was copied than the spool could keep.
    case eventsPassed
    /// A place that holds something already.
    case notEmpty(path: String)

    package var description: String {
        switch self {
        case .cannotRead(let path, let reason): "cannot read \(path): \(reason)"
        case .cannotWrite(let path, let reason): "cannot write \(path): \(reason)"
        case .diskFull(let path): "no space left to write \(path)"
        case .exists(let path): "\(path) exists already: it is not overwritten"
        case .wrongKey(let path): "\(path) does not open with this passphrase or key"
        case .damaged(let path, let reason): "\(path) cannot be used: \(reason)"
        case .newerFormat(let path, let format):
            "\(path) was written by a newer version of Resonance (format \(format)): install that version"
        case .newerSchema(let database, let migrations):
            "\(database) in the backup was written by a newer version of Resonance "
                + "(it has \(migrations.joined(separator: ", "))): install that version"
        case .unknownDatabase(let name):
            "the backup holds the database \(name), which this version of Resonance does not know: install a newer one"
        case .eventsPassed: "more events came and went while everything was copied than the spool keeps"
        case .notEmpty(let path): "\(path) holds data already"
        }
    }
}
