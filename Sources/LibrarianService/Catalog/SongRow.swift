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

    init(_ row: Row) {
        song = Self.song(row)
        persistentId = row["persistentId"]
        identity = SongIdentity(key: row["identity"], foldedTitle: row["foldedTitle"])
        tagSource = TagSource(rawValue: row["tagRank"]) ?? .playlist
    }

    /// The song of a row of the table `song`.
    static func song(_ row: Row) -> Song {
        var tempo: TempoEstimate?
        if let bpm: Double = row["tempoBpm"] {
            tempo = TempoEstimate(
                bpm: bpm, confidence: row["tempoConfidence"] ?? 0, source: row["tempoSource"] ?? "tag")
        }
        return Song(
            id: row["id"], title: row["title"], artist: row["artist"], albumArtist: row["albumArtist"],
            album: row["album"], genres: split(row["genres"]), year: row["year"], durationMs: row["durationMs"],
            location: row["location"], tempo: tempo, energy: row["energy"], valence: row["valence"],
            instrumentalness: row["instrumentalness"], acousticDensity: row["acousticDensity"],
            acousticness: row["acousticness"], danceability: row["danceability"], speechiness: row["speechiness"],
            loudnessLufs: row["loudnessLufs"], key: row["musicalKey"], moods: split(row["moods"]),
            playable: row["playable"], playCount: row["playCount"], skipCount: row["skipCount"],
            lastPlayedAt: (row["lastPlayedAt"] as Int64?).map(Timestamp.init(milliseconds:)),
            addedAt: (row["addedAt"] as Int64?).map(Timestamp.init(milliseconds:)), hasArt: row["hasArt"])
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
