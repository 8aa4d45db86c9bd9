import Foundation

/// Keeps answers below what a message may hold.
enum ReplySize {
    /// Bytes of the rows of an answer; a message holds 1 MiB, and header and frame need some of it.
    static let rowBytes = 900_000
    /// Points of a series: `{"at":1767225600000,"value":61.123456789}` and a comma are below 56 bytes.
    static let points = 16_000

    /// As many rows as fit, from the first on; at least one.
    ///
    /// - Throws: what cannot be encoded.
    static func fitting<Row: Encodable>(_ rows: [Row]) throws -> [Row] {
        let encoder = JSONEncoder()
        var bytes = 0
        for (index, row) in rows.enumerated() {
            bytes += try encoder.encode(row).count + 1
            if bytes > rowBytes { return Array(rows.prefix(max(1, index))) }
        }
        return rows
    }
}
