/// Records of comma-separated text as RFC 4180 has it: quoted cells may hold commas, quotes (doubled) and line breaks.
struct CSVRecords {
    /// Line on which the record handed out last begins, from 1.
    private(set) var line = 0
    private var lines: LineReader
    private let file: String
    private let longestRecord: Int

    init(_ stream: ByteStream, longestRecord: Int) {
        lines = LineReader(stream, longest: longestRecord)
        file = stream.name
        self.longestRecord = longestRecord
    }

    /// The cells of the next record that is not an empty line, or nil at the end.
    ///
    /// - Throws: ``FormatError`` with the line: not UTF-8, a quote that never ends, text after a closing quote.
    mutating func next() throws(FormatError) -> [String]? {
        var bytes: [UInt8]
        repeat {
            guard let next = try lines.next() else { return nil }
            bytes = next
        } while bytes.isEmpty
        line = lines.number
        // An odd number of quotes: the record goes on after the line break.
        while bytes.count(where: { $0 == 0x22 }) % 2 == 1 {
            guard bytes.count <= longestRecord, let more = try lines.next() else {
                throw FormatError(
                    file: file, place: .line(line), cause: "a quoted cell that begins here never ends",
                    cure: "close the quote, or double a quote inside a cell")
            }
            bytes.append(0x0A)
            bytes.append(contentsOf: more)
        }
        return try cells(bytes)
    }

    private func cells(_ bytes: [UInt8]) throws(FormatError) -> [String] {
        var cells: [String] = []
        var cell: [UInt8] = []
        var index = 0
        while true {
            cell.removeAll(keepingCapacity: true)
            if index < bytes.count, bytes[index] == 0x22 {
                index += 1
                while index < bytes.count {
                    if bytes[index] == 0x22 {
                        guard index + 1 < bytes.count, bytes[index + 1] == 0x22 else { break }
                        index += 1
                    }
                    cell.append(bytes[index])
                    index += 1
                }
                index += 1
                guard index >= bytes.count || bytes[index] == 0x2C else {
                    throw FormatError(
                        file: file, place: .line(line), cause: "text follows a closing quote",
                        cure: "double a quote inside a cell")
                }
            } else {
                while index < bytes.count, bytes[index] != 0x2C {
                    cell.append(bytes[index])
                    index += 1
                }
            }
            cells.append(try utf8Text(cell, file: file, line: line))
            guard index < bytes.count else { return cells }
            index += 1
        }
    }
}
