import Foundation
import GRDB

extension DatabaseFile {
    /// Writes every row of every table as a JSON line `{"row":{…},"table":"…"}` into a new 0600 file.
    ///
    /// Blobs are base64. Rows come in the order of their primary key, so two exports of the same data are equal.
    ///
    /// - Returns: how many rows were written.
    /// - Throws: ``StoreError`` when the file exists already or cannot be written.
    package func exportRows(to path: String) throws(StoreError) -> Int {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw .failed(path: path, detail: String(cString: strerror(errno))) }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        do {
            return try writer.read { db in
                var rows = 0
                var buffer = Data()
                let tables = try String.fetchAll(
                    db,
                    sql: """
                        SELECT name FROM sqlite_master
                        WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE 'grdb_%' ORDER BY name
                        """)
                for table in tables {
                    let key = try db.primaryKey(table).columns.map(\.quotedDatabaseIdentifier)
                    let order = key.isEmpty ? "rowid" : key.joined(separator: ", ")
                    let cursor = try Row.fetchCursor(
                        db, sql: "SELECT * FROM \(table.quotedDatabaseIdentifier) ORDER BY \(order)")
                    while let row = try cursor.next() {
                        var fields: [String: Any] = [:]
                        for (column, value) in row { fields[column] = Self.json(value) }
                        buffer += try JSONSerialization.data(
                            withJSONObject: ["table": table, "row": fields],
                            options: [.sortedKeys, .withoutEscapingSlashes])
                        buffer.append(0x0A)
                        rows += 1
                        if buffer.count > 1 << 20 {
                            try file.write(contentsOf: buffer)
                            buffer.removeAll(keepingCapacity: true)
                        }
                    }
                }
                try file.write(contentsOf: buffer)
                try file.synchronize()
                return rows
            }
        } catch {
            throw StoreError(error, path: path)
        }
    }

    private static func json(_ value: DatabaseValue) -> Any {
        switch value.storage {
        case .null: NSNull()
        case .int64(let number): number
        // JSON has no infinity; such a value would be a bug, and is kept visible.
        case .double(let number): number.isFinite ? number : "\(number)"
        case .string(let text): text
        case .blob(let bytes): bytes.base64EncodedString()
        }
    }
}
