import Foundation

/// One row of a features CSV. Absent = unknown.
package struct FeatureRow: Hashable, Sendable {
    /// Line of the file, from 1.
    package var line: Int
    package var title: String
    package var artist: String
    package var album: String?
    package var genre: String?
    package var year: Int?
    /// Beats per minute, 20…400.
    package var tempoBpm: Double?
    /// 0…1 each.
    package var energy: Double?
    package var valence: Double?
    package var acousticness: Double?
    package var danceability: Double?
    package var speechiness: Double?
    package var instrumentalness: Double?
    package var acousticDensity: Double?
    /// −70…10.
    package var loudnessLufs: Double?
    /// As written: `C`, `Am` …
    package var key: String?
    /// Mood words, separated by `;` in the file.
    package var moods: [String] = []
    package var durationSeconds: Double?
    package var location: String?

    package init(line: Int, title: String, artist: String) {
        self.line = line
        self.title = title
        self.artist = artist
    }
}

/// Songs with their audio features: a table of ours that anything can write.
///
/// Columns are found by name, in any order; `title` and `artist` must be there, unknown names are ignored and listed.
/// A missing column or an empty cell is unknown; a tempo, year or duration of 0 is unknown too. See
/// `docs/library-formats.md`.
package struct FeatureTable: Hashable, Sendable {
    package var source: String
    package var rows: [FeatureRow]
    /// Columns that are there and have no meaning here.
    package var ignoredColumns: [String]

    private static let largest = 1 << 30
    private static let longestRecord = 1 << 18
    private static let mostRows = 2_000_000
    package static let columns = [
        "title", "artist", "album", "genre", "year", "tempoBpm", "energy", "valence", "acousticness", "danceability",
        "speechiness", "instrumentalness", "acousticDensity", "loudnessLufs", "key", "mood", "durationSeconds",
        "location",
    ]

    /// - Throws: ``FormatError`` with the line and the column; nothing is returned then.
    package static func read(path: String) throws(FormatError) -> FeatureTable {
        try read(ByteStream(path: path, limit: largest))
    }

    /// - Parameter name: stands for the file in errors.
    package static func read(bytes: [UInt8], name: String) throws(FormatError) -> FeatureTable {
        try read(ByteStream(bytes: bytes, name: name))
    }

    private static func read(_ stream: ByteStream) throws(FormatError) -> FeatureTable {
        var records = CSVRecords(stream, longestRecord: longestRecord)
        guard let first = try records.next() else {
            throw FormatError(file: stream.name, cause: "is empty", cure: "write a line of column names first")
        }
        let header = try FeatureHeader(first, file: stream.name)
        var table = FeatureTable(source: stream.name, rows: [], ignoredColumns: header.ignored)
        while let cells = try records.next() {
            guard table.rows.count < mostRows else {
                throw FormatError(
                    file: stream.name, place: .line(records.line), cause: "has more than \(mostRows) rows",
                    cure: "split it")
            }
            table.rows.append(try header.row(cells, line: records.line))
        }
        return table
    }
}

/// Which cell means what.
private struct FeatureHeader {
    let file: String
    let names: [String]
    let ignored: [String]
    private let places: [String: Int]

    init(_ cells: [String], file: String) throws(FormatError) {
        self.file = file
        names = cells.map { $0.trimmingCharacters(in: .whitespaces) }
        let known = Dictionary(uniqueKeysWithValues: FeatureTable.columns.map { ($0.lowercased(), $0) })
        var places: [String: Int] = [:]
        var ignored: [String] = []
        for (index, name) in names.enumerated() {
            guard let column = known[name.lowercased()] else {
                ignored.append(String(name.prefix(60)))
                continue
            }
            guard places.updateValue(index, forKey: column) == nil else {
                throw FormatError(
                    file: file, place: .line(1), cause: "the column '\(column)' is there twice",
                    cure: "remove one of them")
            }
        }
        for column in ["title", "artist"] where places[column] == nil {
            throw FormatError(
                file: file, place: .line(1), cause: "there is no column '\(column)'",
                cure: "the first line must name the columns, at least title and artist")
        }
        self.places = places
        self.ignored = ignored
    }

    func row(_ cells: [String], line: Int) throws(FormatError) -> FeatureRow {
        guard cells.count == names.count else {
            throw FormatError(
                file: file, place: .line(line), cause: "has \(cells.count) cells, the first line has \(names.count)",
                cure: "quote cells that hold commas; a cut last line means the file is incomplete")
        }
        guard let title = text("title", cells), let artist = text("artist", cells) else {
            throw FormatError(
                file: file, place: .line(line), cause: "title or artist is empty",
                cure: "fill it in, or remove the line")
        }
        var row = FeatureRow(line: line, title: title, artist: artist)
        row.album = text("album", cells)
        row.genre = text("genre", cells)
        row.year = try number("year", cells, line, 1000...9999, zeroIsUnknown: true).map { Int($0) }
        row.tempoBpm = try number("tempoBpm", cells, line, 20...400, zeroIsUnknown: true)
        row.energy = try number("energy", cells, line, 0...1)
        row.valence = try number("valence", cells, line, 0...1)
        row.acousticness = try number("acousticness", cells, line, 0...1)
        row.danceability = try number("danceability", cells, line, 0...1)
        row.speechiness = try number("speechiness", cells, line, 0...1)
        row.instrumentalness = try number("instrumentalness", cells, line, 0...1)
        row.acousticDensity = try number("acousticDensity", cells, line, 0...1)
        row.loudnessLufs = try number("loudnessLufs", cells, line, -70...10)
        row.key = text("key", cells)
        row.moods = (text("mood", cells) ?? "").split(separator: ";")
            .map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
        row.durationSeconds = try number("durationSeconds", cells, line, 0...86_400, zeroIsUnknown: true)
        row.location = text("location", cells).map(TrackLocation.path)
        return row
    }

    private func text(_ column: String, _ cells: [String]) -> String? {
        guard let place = places[column] else { return nil }
        let text = cells[place].trimmingCharacters(in: .whitespaces)
        return text.isEmpty ? nil : text
    }

    private func number(
        _ column: String, _ cells: [String], _ line: Int, _ range: ClosedRange<Double>, zeroIsUnknown: Bool = false
    ) throws(FormatError) -> Double? {
        guard let text = text(column, cells) else { return nil }
        guard let value = Double(text), value.isFinite else {
            throw FormatError(
                file: file, place: .line(line), cause: "\(column) is '\(text.prefix(20))', not a number",
                cure: "correct it, or leave the cell empty when unknown")
        }
        if zeroIsUnknown, value == 0 { return nil }
        guard range.contains(value) else {
            throw FormatError(
                file: file, place: .line(line),
                cause: "\(column) is \(text.prefix(20)), outside \(range.lowerBound)…\(range.upperBound)",
                cure: "correct it, or leave the cell empty when unknown")
        }
        return value
    }
}
