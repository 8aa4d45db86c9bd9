/// All playlists.
package struct ListPlaylists: Request {
    package typealias Reply = PlaylistList
    package static let target = ProcessName.librarian
    package static let name = "playlists"
    package init() {}
}

/// A playlist.
package struct PlaylistSummary: Codable, Hashable, Sendable {
    package var id: String
    package var name: String
    package var songs: Int
    package var totalMs: Int64
    /// File it came from.
    package var source: String
    package var averageBpm: Double?
    package var averageEnergy: Double?

    package init(
        id: String, name: String, songs: Int, totalMs: Int64, source: String, averageBpm: Double? = nil,
        averageEnergy: Double? = nil
    ) {
        self.id = id
        self.name = name
        self.songs = songs
        self.totalMs = totalMs
        self.source = source
        self.averageBpm = averageBpm
        self.averageEnergy = averageEnergy
    }
}

/// Playlists.
package struct PlaylistList: Message {
    package var playlists: [PlaylistSummary]

    package init(playlists: [PlaylistSummary]) {
        self.playlists = playlists
    }
}

/// Songs, a page at a time, in playlist order.
package struct ListSongs: Request {
    package typealias Reply = SongPage
    package static let target = ProcessName.librarian
    package static let name = "songs"
    /// Ids or names; nil = the whole library.
    package var playlists: [String]?
    package var search: String?
    package var offset: Int
    package var limit: Int

    package init(playlists: [String]? = nil, search: String? = nil, offset: Int = 0, limit: Int = 500) {
        self.playlists = playlists
        self.search = search
        self.offset = offset
        self.limit = limit
    }
}

/// A page of songs.
package struct SongPage: Message {
    package var revision: Int64
    package var total: Int
    package var offset: Int
    package var songs: [Song]
    /// Ids that the asked names resolved to.
    package var playlistIds: [String]
    /// Asked playlists that do not exist.
    package var missing: [String]

    package init(revision: Int64, total: Int, offset: Int, songs: [Song], playlistIds: [String], missing: [String]) {
        self.revision = revision
        self.total = total
        self.offset = offset
        self.songs = songs
        self.playlistIds = playlistIds
        self.missing = missing
    }
}

/// One song; several matches are refused with the candidates.
package struct GetSong: Request {
    package typealias Reply = SongReply
    package static let target = ProcessName.librarian
    package static let name = "song"
    /// Id, or part of a title.
    package var song: String

    package init(song: String) {
        self.song = song
    }
}

/// A song and where it is.
package struct SongReply: Message {
    package var song: Song
    package var playlists: [String]

    package init(song: Song, playlists: [String]) {
        self.song = song
        self.playlists = playlists
    }
}

/// The user knows better; it survives every import.
package struct CorrectSong: Request {
    package typealias Reply = SongReply
    package static let target = ProcessName.librarian
    package static let name = "correct"
    package var song: String
    /// Beats per minute, 20…300.
    package var tempoBpm: Double?
    package var energy: Double?
    package var valence: Double?
    package var moods: [String]?
    /// Corrections to take back: `tempo` `energy` `valence` `moods`.
    package var clear: [String]

    package init(
        song: String, tempoBpm: Double? = nil, energy: Double? = nil, valence: Double? = nil, moods: [String]? = nil,
        clear: [String] = []
    ) {
        self.song = song
        self.tempoBpm = tempoBpm
        self.energy = energy
        self.valence = valence
        self.moods = moods
        self.clear = clear
    }
}

/// Imports playlists, libraries and feature tables.
package struct ImportLibrary: Request {
    package typealias Reply = ImportReport
    package static let target = ProcessName.librarian
    package static let name = "import"
    /// Absolute paths of files, read by the librarian.
    package var paths: [String]

    package init(paths: [String]) {
        self.paths = paths
    }
}

/// What an import did.
package struct ImportReport: Message {
    package var files: [ImportedFile]
    package var added: Int
    package var updated: Int
    package var unchanged: Int
    package var playlists: Int
    /// What was not taken, by reason.
    package var leftOut: [String: Int]
    package var revision: Int64

    package init(
        files: [ImportedFile], added: Int, updated: Int, unchanged: Int, playlists: Int, leftOut: [String: Int],
        revision: Int64
    ) {
        self.files = files
        self.added = added
        self.updated = updated
        self.unchanged = unchanged
        self.playlists = playlists
        self.leftOut = leftOut
        self.revision = revision
    }
}

/// One file of an import.
package struct ImportedFile: Codable, Hashable, Sendable {
    package var path: String
    package var kind: String
    package var taken: Int
    /// Names the place and the cure; nothing of this file was taken.
    package var error: String?

    package init(path: String, kind: String, taken: Int, error: String? = nil) {
        self.path = path
        self.kind = kind
        self.taken = taken
        self.error = error
    }
}

/// A square thumbnail.
package struct GetArt: Request {
    package typealias Reply = Art
    package static let target = ProcessName.librarian
    package static let name = "art"
    package var song: String
    /// 80 or 300.
    package var pixels: Int

    package init(song: String, pixels: Int) {
        self.song = song
        self.pixels = pixels
    }
}

/// A picture.
package struct Art: Message {
    package var mediaType: String
    package var width: Int
    package var height: Int
    package var base64: String

    package init(mediaType: String, width: Int, height: Int, base64: String) {
        self.mediaType = mediaType
        self.width = width
        self.height = height
        self.base64 = base64
    }
}
