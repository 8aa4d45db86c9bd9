import Formats
import Protocols

/// Tempo and energy of songs by title and artist, from a table beside the sensor.
package struct SongFeatures: Sendable {
    /// Knows nothing and asks nobody.
    package static let unknown = SongFeatures(rows: [:], asksLibrarian: false)
    /// Knows nothing and asks the librarian for every song.
    package static let librarian = SongFeatures(rows: [:], asksLibrarian: true)

    private let rows: [String: HeardMusic]
    let asksLibrarian: Bool

    private init(rows: [String: HeardMusic], asksLibrarian: Bool) {
        self.rows = rows
        self.asksLibrarian = asksLibrarian
    }

    /// Reads a features CSV; songs that are not in it are asked from the librarian.
    ///
    /// - Throws: ``FormatError`` with file and line.
    package init(path: String) throws(FormatError) {
        let table = try FeatureTable.read(path: path)
        rows = table.rows.reduce(into: [:]) { rows, row in
            rows[Self.key(row.title, row.artist)] = HeardMusic(
                songId: "", tempoBpm: row.tempoBpm, energy: row.energy)
        }
        asksLibrarian = true
    }

    func find(_ song: SongRef) -> HeardMusic? { rows[Self.key(song.title, song.artist)] }

    private static func key(_ title: String, _ artist: String) -> String {
        "\(title.lowercased())\u{0}\(artist.lowercased())"
    }
}
