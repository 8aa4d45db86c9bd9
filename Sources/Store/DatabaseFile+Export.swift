import Foundation
import GRDB
import Glibc

extension DatabaseFile {
    /// Writes every row of every table as a line of JSON, `{"row":{column: value, …},"table":name}`, into a new 0600
    /// file: tables by name, rows in the order of the table, columns by name. Bytes are `{"base64":"…"}`.
    ///
    /// - Parameter export: path of a file that does not exist yet.
    /// - Returns: the number of rows.
    /// - Throws: ``StoreError``: `exists`, `cannotOpen`, `diskFull`; no partial file is left.
    package func exportRows(to export: String) throws -> Int {
        let file = try NewFile.create(export)
        do {
            defer { Glibc.close(file) }
            var rows = 0
            try read { db in
                var output = LineOutput(file: file, path: export)
                let tables = try String.fetchAll(
                    db,
                    sql: """
                        SELECT name FROM sqlite_master
                        WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND name <> 'grdb_migrations'
                        ORDER BY name
                        """)
                for table in tables {
                    let name = JSONText.string(table)
                    let cursor = try Row.fetchCursor(db, sql: "SELECT * FROM \(table.quotedDatabaseIdentifier)")
                    while let row = try cursor.next() {
                        try output.write("{\"row\":\(JSONText.object(row)),\"table\":\(name)}\n")
                        rows += 1
                    }
                }
                try output.flush()
            }
            guard fsync(file) == 0 else { throw StoreError.diskFull(path: export) }
            return rows
        } catch {
            unlink(export)
            throw error
        }
    }
}

/// Collects lines, so that a row does not cost a system call.
private struct LineOutput {
    let file: Int32
    let path: String
    private var buffer: [UInt8] = []
    private static let piece = 1 << 16

    init(file: Int32, path: String) {
        self.file = file
        self.path = path
    }

    mutating func write(_ line: String) throws(StoreError) {
        buffer.append(contentsOf: line.utf8)
        if buffer.count >= Self.piece { try flush() }
    }

    mutating func flush() throws(StoreError) {
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
        buffer.removeAll(keepingCapacity: true)
    }
}

/// A row as JSON.
private enum JSONText {
    static func object(_ row: Row) -> String {
        let members = row.sorted { $0.0 < $1.0 }.map { name, value in "\(string(name)):\(text(value))" }
        return "{\(members.joined(separator: ","))}"
    }

    private static func text(_ value: DatabaseValue) -> String {
        switch value.storage {
        case .null: "null"
        case .int64(let number): "\(number)"
        // JSON has no infinity; SQLite stores NaN as NULL.
        case .double(let number): number.isFinite ? "\(number)" : string("\(number)")
        case .string(let text): string(text)
        case .blob(let bytes): "{\"base64\":\"\(bytes.base64EncodedString())\"}"
        }
    }

    static func string(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            default:
                if scalar.value < 0x20 {
                    let digits = String(scalar.value, radix: 16)
                    result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
                } else {
                    result.unicodeScalars.append(scalar)
                }
            }
        }
        return result + "\""
    }
}
