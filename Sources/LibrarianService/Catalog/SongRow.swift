import Foundation
import GRDB
import Protocols

/// How well a source knows title, artist, album: a better or equal one replaces what is stored.
enum TagSource: Int { case playlist, table, library }

/// A song as it is stored, without the user's corrections.
struct SongRow: Equatable {
    var song: Song
    var persistentId: String?
    var identity: SongIdentity
    var tagSource: TagSource

    static let columns = [
        "id", "persistentId", "identity", "foldedTitle", "words", "title", "artist", "albumArtist", "album", "genres",
        "year", "durationMs", "location", "tempoBpm", "tempoConfidence", "tempoSource", "energy", "valence",
        "instrumentalness", "acousticDensity", "acousticness", "danceability", "speechiness", "loudnessLufs",
        "musicalKey", "moods", "playable", "playCount", "skipCount", "lastPlayedAt", "addedAt", "hasArt", "tagRank",
    ]

    static let insertSQL = """
        INSERT INTO song (\(columns.joined(separator: ", "))) VALUES \
        (\(columns.map { _ in "?" }.joined(separator: ", ")))
        """
    static let updateSQL = """
        UPDATE song SET \(columns.dropFirst().map { "\($0) = ?" }.joined(separator: ", ")) WHERE id = ?
        """

    /// In the order of ``columns``.
    var values: [(any DatabaseValueConvertible)?] {
        [
            song.id, persistentId, identity.key, identity.foldedTitle, words, song.title, song.artist,
            song.albumArtist, song.album, Self.joined(song.genres), song.year, song.durationMs, song.location,
            song.tempo?.bpm, song.tempo?.confidence, song.tempo?.source, song.energy, song.valence,
            song.instrumentalness, song.acousticDensity, song.acousticness, song.danceability, song.speechiness,
            song.loudnessLufs, song.key, Self.joined(song.moods), song.playable, song.playCount, song.skipCount,
            song.lastPlayedAt?.milliseconds, song.addedAt?.milliseconds, song.hasArt, tagSource.rawValue,
        ]
    }

    private var words: String { FoldedWords.of([song.title, song.artist, song.album ?? ""]) }

    init(song: Song, persistentId: String?, identity: SongIdentity, tagSource: TagSource) {
        self.song = song
        self.persistentId = persistentId
        self.identity = identity
        self.tagSource = tagSource
    }

    /// The columns of a query on `song s`, as ``init(_:)`` and ``song(_:)`` expect them: positions are three times as
    /// fast as names.
    static let selection = columns.map { "s.\($0)" }.joined(separator: ", ")

    init(_ row: Row) {
        song = Self.song(row)
        persistentId = row[1]
        identity = SongIdentity(key: row[2], foldedTitle: row[3])
        tagSource = TagSource(rawValue: row[32]) ?? .playlist
    }

    /// The song of a row that begins with ``selection``.
    static func song(_ row: Row) -> Song {
        var tempo: TempoEstimate?
        if let bpm: Double = row[13] {
            tempo = TempoEstimate(bpm: bpm, confidence: row[14] ?? 0, source: row[15] ?? "tag")
        }
        return Song(
            id: row[0], title: row[5], artist: row[6], albumArtist: row[7], album: row[8], genres: split(row[9]),
            year: row[10], durationMs: row[11], location: row[12], tempo: tempo, energy: row[16], valence: row[17],
            instrumentalness: row[18], acousticDensity: row[19], acousticness: row[20], danceability: row[21],
            speechiness: row[22], loudnessLufs: row[23], key: row[24], moods: split(row[25]), playable: row[26],
            playCount: row[27], skipCount: row[28],
            lastPlayedAt: (row[29] as Int64?).map(Timestamp.init(milliseconds:)),
            addedAt: (row[30] as Int64?).map(Timestamp.init(milliseconds:)), hasArt: row[31])
    }

    /// Lists of words in one column; a word never holds a line feed.
    static func joined(_ words: [String]) -> String? {
        words.isEmpty ? nil : words.map { $0.replacing("\n", with: " ") }.joined(separator: "\n")
    }

    static func split(_ text: String?) -> [String] { text?.split(separator: "\n").map(String.init) ?? [] }
}

extension SongIdentity {
    init(key: String, foldedTitle: String) {
        self.key = key
        self.foldedTitle = foldedTitle
    }
}
