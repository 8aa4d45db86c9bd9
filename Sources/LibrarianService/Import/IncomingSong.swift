import Formats
import Foundation
import Music
import Protocols

/// A song as one file tells of it; its id is not known yet.
///
/// A song counts as playable unless its library says that the user disabled it. A file that is not on this disk does
/// not change that: the silent player needs none, and a real one says itself what it could not open.
struct IncomingSong {
    /// Confidence of a tempo from a table of features: measured, by a program that we do not know.
    static let tableTempoConfidence = 0.9
    /// Confidence of a tempo tag: typed or measured by anybody, at times at half or double time.
    static let tagTempoConfidence = 0.8

    var song: Song
    var persistentId: String?
    var identity: SongIdentity
    var tagSource: TagSource

    /// An entry of a playlist; nil for a stream, which has no end and no features.
    init?(_ entry: TrackEntry, in file: PlaylistFile) {
        guard !entry.isRemote else { return nil }
        let location = file.absoluteLocation(of: entry)
        let stem = URL(filePath: location).deletingPathExtension().lastPathComponent
        song = Song(
            id: "", title: Self.clean(entry.title) ?? stem, artist: Self.clean(entry.artist) ?? "",
            album: Self.clean(entry.album), durationMs: Self.milliseconds(entry.seconds), location: location)
        identity = Self.identity(of: song)
        tagSource = .playlist
    }

    /// A piece of music of a library; nil when it has neither title nor file.
    init?(_ track: LibraryTrack) {
        let stem = track.location.map { URL(filePath: $0).deletingPathExtension().lastPathComponent }
        guard let title = Self.clean(track.title) ?? stem else { return nil }
        song = Song(
            id: "", title: title, artist: Self.clean(track.artist) ?? Self.clean(track.albumArtist) ?? "",
            albumArtist: Self.clean(track.albumArtist), album: Self.clean(track.album),
            genres: Self.clean(track.genre).map { [$0] } ?? [], year: track.year,
            durationMs: Self.milliseconds(track.seconds), location: track.location,
            tempo: track.bpm.map { TempoEstimate(bpm: $0, confidence: Self.tagTempoConfidence, source: "tag") },
            playable: !track.disabled, playCount: track.playCount, skipCount: track.skipCount,
            lastPlayedAt: track.lastPlayedAt.map(Timestamp.init), addedAt: track.addedAt.map(Timestamp.init))
        persistentId = track.persistentId
        identity = Self.identity(of: song)
        tagSource = .library
    }

    /// A row of a table of features.
    init(_ row: FeatureRow) {
        song = Song(
            id: "", title: row.title, artist: row.artist, album: row.album, genres: row.genre.map { [$0] } ?? [],
            year: row.year, durationMs: Self.milliseconds(row.durationSeconds), location: row.location,
            tempo: row.tempoBpm.map { TempoEstimate(bpm: $0, confidence: Self.tableTempoConfidence, source: "csv") },
            energy: row.energy, valence: row.valence, instrumentalness: row.instrumentalness,
            acousticDensity: row.acousticDensity, acousticness: row.acousticness, danceability: row.danceability,
            speechiness: row.speechiness, loudnessLufs: row.loudnessLufs, key: row.key, moods: row.moods)
        identity = Self.identity(of: song)
        tagSource = .table
    }

    private static func identity(of song: Song) -> SongIdentity {
        if song.artist.isEmpty, let location = song.location {
            return SongIdentity(location: location, title: song.title)
        }
        return SongIdentity(title: song.title, artist: song.artist)
    }

    private static func clean(_ text: String?) -> String? {
        guard let text = text?.trimmingCharacters(in: .whitespacesAndNewlines), !text.isEmpty else { return nil }
        return text
    }

    private static func milliseconds(_ seconds: Double?) -> Int64? {
        guard let seconds, seconds > 0, seconds < 864_000 else { return nil }
        return Int64((seconds * 1000).rounded())
    }
}

extension SongRow {
    /// Takes over what a file knows: unknown never replaces known.
    ///
    /// Title, artist and album come from the source that knows tags best, and among equals from the latest. A table of
    /// features is believed on features; a tempo tag only where there is no measured tempo.
    mutating func merge(_ new: IncomingSong) {
        let other = new.song
        let better = new.tagSource.rawValue >= tagSource.rawValue
        func choose<Value>(_ old: Value?, _ incoming: Value?, _ prefer: Bool) -> Value? {
            prefer ? incoming ?? old : old ?? incoming
        }
        if better {
            song.title = other.title
            if !other.artist.isEmpty { song.artist = other.artist }
            identity = new.identity
            tagSource = new.tagSource
        }
        if song.genres.isEmpty || better && !other.genres.isEmpty { song.genres = other.genres }
        song.albumArtist = choose(song.albumArtist, other.albumArtist, better)
        song.album = choose(song.album, other.album, better)
        song.year = choose(song.year, other.year, better)
        song.durationMs = choose(song.durationMs, other.durationMs, better)
        song.location = choose(song.location, other.location, new.tagSource == .library)
        persistentId = new.persistentId ?? persistentId
        let features = new.tagSource == .table
        song.energy = choose(song.energy, other.energy, features)
        song.valence = choose(song.valence, other.valence, features)
        song.instrumentalness = choose(song.instrumentalness, other.instrumentalness, features)
        song.acousticDensity = choose(song.acousticDensity, other.acousticDensity, features)
        song.acousticness = choose(song.acousticness, other.acousticness, features)
        song.danceability = choose(song.danceability, other.danceability, features)
        song.speechiness = choose(song.speechiness, other.speechiness, features)
        song.loudnessLufs = choose(song.loudnessLufs, other.loudnessLufs, features)
        song.key = choose(song.key, other.key, features)
        if !other.moods.isEmpty { song.moods = other.moods }
        song.tempo = choose(song.tempo, other.tempo, features || song.tempo?.source == "tag")
        guard new.tagSource == .library else { return }
        song.playable = other.playable
        song.playCount = other.playCount ?? song.playCount
        song.skipCount = other.skipCount ?? song.skipCount
        song.lastPlayedAt = other.lastPlayedAt ?? song.lastPlayedAt
        song.addedAt = other.addedAt ?? song.addedAt
    }
}
