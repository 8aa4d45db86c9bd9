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

/// Asks the owner of data to delete all of it, on disk and in memory, and to start empty.
package struct DeleteData: Message {
    /// Must be `delete all my data`.
    package var confirmation: String
    package static let name = "delete-all"
    package static let phrase = "delete all my data"
    package init(confirmation: String) { self.confirmation = confirmation }
}
