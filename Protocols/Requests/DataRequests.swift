/// Asks the owner of a database for everything it holds, as JSON lines in a new 0600 file.
///
/// Every process that keeps data answers it; the target is given with the request.
package struct ExportData: Message {
    /// Absolute path of a file that does not exist yet.
    package var path: String
    package static let name = "export"
    package init(path: String) { self.path = path }
}

/// What an export wrote.
package struct Exported: Message {
    package var path: String
    package var rows: Int
    package init(path: String, rows: Int) {
        self.path = path
        self.rows = rows
    }
}

/// Asks the owner of a database for a copy of it as it is now, in a new 0600 file, while it goes on working.
///
/// Every process that keeps data answers it; the target is given with the request.
package struct BackUpData: Message {
    /// Absolute path of a file that does not exist yet.
    package var path: String
    package static let name = "backup"
    package init(path: String) { self.path = path }
}

/// A copy was written.
package struct BackedUp: Message {
    package var path: String
    package init(path: String) { self.path = path }
}

/// Asks the owner of data to delete all of it, on disk and in memory, and to start empty.
package struct DeleteData: Message {
    /// Must be `delete all my data`.
    package var confirmation: String
    package static let name = "delete-all"
    package static let phrase = "delete all my data"
    package init(confirmation: String) { self.confirmation = confirmation }
}
