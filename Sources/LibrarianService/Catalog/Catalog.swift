import Foundation
import GRDB
import Music
import Protocols
import Store

/// The listener's music on disk: songs, playlists, corrections. Every method is one transaction.
package struct Catalog: Sendable {
    /// Songs that one answer may hold.
    package static let largestPage = 500
    static let correctable = ["tempo", "energy", "valence", "moods"]

    let file: DatabaseFile

    package init(file: DatabaseFile) { self.file = file }

    /// Opens `library.sqlite` in a directory.
    ///
    /// - Throws: ``StoreError``.
    package init(directory: URL) throws {
        file = try DatabaseFile(
            path: directory.appending(path: "library.sqlite").path(percentEncoded: false),
            migrator: CatalogSchema.migrator, readers: 1)
    }

    /// Writes all rows into a new file as `DatabaseFile.exportRows` does.
    ///
    /// - Throws: ``StoreError``.
    package func exportRows(to path: String) throws -> Int { try file.exportRows(to: path) }

    /// Writes a copy of the database into a new file as `DatabaseFile.backup` does.
    ///
    /// - Throws: ``StoreError``.
    package func backup(to path: String) throws { try file.backup(to: path) }

    /// The picture in or beside the file of a song, as it is there: untrusted bytes. nil when there is none.
    package func picture(of song: Song) -> Data? { song.location.flatMap(ArtFinder().picture) }

    /// The counts that other processes hear of: a song is analysed when tempo and energy are known.
    package func revision() throws -> LibraryRevision {
        try file.read { db in try Self.revision(db) }
    }

    static func revision(_ db: Database) throws -> LibraryRevision {
        let row = try Row.fetchOne(
            db,
            sql: """
                SELECT (SELECT revision FROM libraryState) AS revision, (SELECT COUNT(*) FROM playlist) AS playlists,
                COUNT(*) AS songs,
                COUNT(CASE WHEN COALESCE(c.tempoBpm, s.tempoBpm) IS NOT NULL
                    AND COALESCE(c.energy, s.energy) IS NOT NULL THEN 1 END) AS analysed
                FROM song s LEFT JOIN correction c ON c.songId = s.id
                """)
        guard let row else { return LibraryRevision(revision: 0, songs: 0, playlists: 0, analysed: 0, pending: 0) }
        let songs: Int = row["songs"]
        let analysed: Int = row["analysed"]
        return LibraryRevision(
            revision: row["revision"], songs: songs, playlists: row["playlists"], analysed: analysed,
            pending: songs - analysed)
    }

    /// All playlists in the order of their arrival; averages over the songs whose figure is known.
    package func playlists() throws -> [PlaylistSummary] {
        try file.read { db in
            try Row.fetchAll(
                db,
                sql: """
                    SELECT p.id, p.name, p.source, COUNT(e.songId) AS songs, TOTAL(s.durationMs) AS totalMs,
                    AVG(COALESCE(c.tempoBpm, s.tempoBpm)) AS bpm, AVG(COALESCE(c.energy, s.energy)) AS energy
                    FROM playlist p LEFT JOIN playlistEntry e ON e.playlistId = p.id
                    LEFT JOIN song s ON s.id = e.songId LEFT JOIN correction c ON c.songId = s.id
                    GROUP BY p.id ORDER BY p.position
                    """
            ).map { row in
                PlaylistSummary(
                    id: row["id"], name: row["name"], songs: row["songs"], totalMs: Int64(row["totalMs"] as Double),
                    source: row["source"], averageBpm: row["bpm"], averageEnergy: row["energy"])
            }
        }
    }

    /// A page of songs: of the library in order of arrival, or of playlists, one after the other in their order, each
    /// song once.
    ///
    /// - Throws: ``Refusal``: `invalid` for a bad range, `ambiguous` for a name that several playlists have.
    package func songs(_ query: ListSongs) throws -> SongPage {
        guard query.offset >= 0, query.limit > 0 else {
            throw Refusal(code: "invalid", message: "offset must not be below 0 and limit must be above 0")
        }
        return try file.read { db in
            var ids: [String] = []
            var missing: [String] = []
            for name in query.playlists ?? [] {
                guard let id = try Self.playlistId(name, db) else {
                    missing.append(name)
                    continue
                }
                if !ids.contains(id) { ids.append(id) }
            }
            var page = SongPage(
                revision: try Self.revision(db).revision, total: 0, offset: query.offset, songs: [], playlistIds: ids,
                missing: missing)
            guard query.playlists == nil || !ids.isEmpty else { return page }
            let (source, order, arguments) = try Self.selection(ids, search: query.search, db)
            page.total =
                try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM (SELECT s.id \(source))", arguments: arguments) ?? 0
            page.songs = try Row.fetchAll(
                db,
                sql: """
                    SELECT \(Self.correctedSelection) \(source) \(order) LIMIT ? OFFSET ?
                    """,
                arguments: arguments + [min(query.limit, Self.largestPage), query.offset]
            ).map(Self.corrected)
            return page
        }
    }

    /// FROM … GROUP BY, ORDER BY and the arguments of a selection of songs.
    private static func selection(
        _ playlists: [String], search: String?, _ db: Database
    ) throws -> (source: String, order: String, arguments: StatementArguments) {
        var source = "FROM song s LEFT JOIN correction c ON c.songId = s.id"
        var order = "ORDER BY s.position"
        var arguments = StatementArguments()
        if !playlists.isEmpty {
            let values = playlists.indices.map { "(?, \($0))" }.joined(separator: ", ")
            source = """
                FROM (SELECT e.songId AS songId, MIN(w.place * 10000000 + e.position) AS place
                FROM playlistEntry e JOIN (SELECT column1 AS id, column2 AS place FROM (VALUES \(values))) w
                ON w.id = e.playlistId GROUP BY e.songId) m
                JOIN song s ON s.id = m.songId LEFT JOIN correction c ON c.songId = s.id
                """
            order = "ORDER BY m.place"
            arguments += StatementArguments(playlists)
        }
        let patterns = search.map(FoldedWords.patterns) ?? []
        if !patterns.isEmpty {
            source += " WHERE " + patterns.map { _ in "s.words LIKE ? ESCAPE '\\'" }.joined(separator: " AND ")
            arguments += StatementArguments(patterns)
        }
        return (source, order, arguments)
    }

    private static func playlistId(_ name: String, _ db: Database) throws -> String? {
        if let id = try String.fetchOne(db, sql: "SELECT id FROM playlist WHERE id = ?", arguments: [name]) {
            return id
        }
        let exact = try Row.fetchAll(
            db, sql: "SELECT id, name, source FROM playlist WHERE name = ? ORDER BY position", arguments: [name])
        let found =
            try exact.isEmpty
            ? Row.fetchAll(
                db, sql: "SELECT id, name, source FROM playlist WHERE foldedName = ? ORDER BY position",
                arguments: [folded(name)]) : exact
        guard found.count < 2 else {
            let candidates = found.prefix(8).map { "\($0["id"] as String) (\($0["source"] as String))" }
            throw Refusal(
                code: "ambiguous",
                message:
                    "\(found.count) playlists are named '\(name)': \(candidates.joined(separator: ", ")); give an id")
        }
        return found.first?["id"]
    }

    /// The one song that a text means, with the playlists that hold it.
    ///
    /// - Parameter text: an id, a title, or words of title, artist and album.
    /// - Throws: ``Refusal``: `not-found`, or `ambiguous` with up to eight candidates.
    package func song(_ text: String) throws -> SongReply {
        try file.read { db in try Self.song(text, db) }
    }

    static func song(_ text: String, _ db: Database) throws -> SongReply {
        let id = try resolve(text, db)
        let row = try Row.fetchOne(
            db,
            sql: """
                SELECT \(correctedSelection)
                FROM song s LEFT JOIN correction c ON c.songId = s.id WHERE s.id = ?
                """, arguments: [id])
        guard let row else { throw Refusal(code: "not-found", message: "there is no song with the id \(id)") }
        let playlists = try String.fetchAll(
            db,
            sql: """
                SELECT p.name FROM playlistEntry e JOIN playlist p ON p.id = e.playlistId
                WHERE e.songId = ? ORDER BY p.position
                """, arguments: [id])
        return SongReply(song: corrected(row), playlists: playlists)
    }

    private static func resolve(_ text: String, _ db: Database) throws -> String {
        if let id = try String.fetchOne(db, sql: "SELECT id FROM song WHERE id = ?", arguments: [text]) { return id }
        let title = folded(text)
        var found = try Row.fetchAll(
            db, sql: "SELECT id, title, artist FROM song WHERE foldedTitle = ? ORDER BY position LIMIT 100",
            arguments: [title])
        if found.isEmpty {
            let patterns = FoldedWords.patterns(of: text)
            guard !patterns.isEmpty else { throw Refusal(code: "invalid", message: "say which song: an id or a title") }
            let conditions = patterns.map { _ in "words LIKE ? ESCAPE '\\'" }.joined(separator: " AND ")
            found = try Row.fetchAll(
                db, sql: "SELECT id, title, artist FROM song WHERE \(conditions) ORDER BY position LIMIT 100",
                arguments: StatementArguments(patterns))
        }
        guard let first = found.first else {
            let close = try closeTitles(to: text, db)
            let hint = close.isEmpty ? "look with `resonance songs --search`" : "did you mean \(close)?"
            throw Refusal(code: "not-found", message: "no song matches '\(text)': \(hint)")
        }
        guard found.count == 1 else {
            let candidates = found.prefix(8).map { row in
                "\(row["id"] as String) \(row["artist"] as String) – \(row["title"] as String)"
            }
            let count = found.count == 100 ? "100 or more" : "\(found.count)"
            let more = found.count > candidates.count ? "; and others" : ""
            throw Refusal(
                code: "ambiguous",
                message: "\(count) songs match '\(text)': \(candidates.joined(separator: "; "))\(more); give an id")
        }
        return first["id"]
    }

    /// Songs whose titles are a typing error away, as words for a person; empty when there are none.
    private static func closeTitles(to text: String, _ db: Database) throws -> String {
        // A large library is looked through in part: a hint must not take longer than an answer.
        let titles = try Set(String.fetchAll(db, sql: "SELECT title FROM song ORDER BY position LIMIT 50000"))
        return CloseWords.nearest(to: text, among: titles, limit: 3).map { "\"\($0)\"" }.joined(separator: " or ")
    }

    private static let correctedSelection =
        "\(SongRow.selection), c.songId, c.tempoBpm, c.energy, c.valence, c.moods"

    /// The song of a row of ``correctedSelection``.
    private static func corrected(_ row: Row) -> Song {
        var song = SongRow.song(row)
        let first = SongRow.columns.count
        guard (row[first] as String?) != nil else { return song }
        if let bpm: Double = row[first + 1] {
            song.tempo = TempoEstimate(bpm: bpm, confidence: 1, source: "user")
            song.corrected.append("tempo")
        }
        if let energy: Double = row[first + 2] {
            song.energy = energy
            song.corrected.append("energy")
        }
        if let valence: Double = row[first + 3] {
            song.valence = valence
            song.corrected.append("valence")
        }
        if let moods: String = row[first + 4] {
            song.moods = SongRow.split(moods)
            song.corrected.append("moods")
        }
        return song
    }
}
