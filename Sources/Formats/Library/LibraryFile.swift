import Foundation

/// Why a track of a library is not taken: it is not a piece of music in a file.
package enum LeftOutReason: String, CaseIterable, Codable, Hashable, Sendable {
    case video, podcast, audiobook, book, ringtone, voiceMemo, remote, course
}

/// One track of a Music.app or iTunes library. Absent = the library does not say.
package struct LibraryTrack: Hashable, Sendable {
    /// `Track ID`: what the playlists of the same file refer to; another export may number differently.
    package var id: Int
    /// `Persistent ID`: stable from export to export.
    package var persistentId: String?
    package var title: String?
    package var artist: String?
    package var albumArtist: String?
    package var album: String?
    package var genre: String?
    package var year: Int?
    /// Tagged tempo, beats per minute, above 0.
    package var bpm: Double?
    package var seconds: Double?
    /// A path, or a URL that is not of a file.
    package var location: String?
    package var kind: String?
    package var playCount: Int?
    package var skipCount: Int?
    /// Not taken from dates that lie after the day of the export.
    package var lastPlayedAt: Date?
    package var addedAt: Date?
    /// The user unticked it: it is not to be played by itself.
    package var disabled = false
    package var compilation = false
    /// nil = music in a file.
    package var leftOut: LeftOutReason?

    package init(id: Int) { self.id = id }
}

/// A playlist of a library, in its order.
package struct LibraryPlaylist: Hashable, Sendable {
    package var name: String
    package var persistentId: String?
    /// Persistent id of the folder it is in.
    package var parentId: String?
    /// `Track ID`s, also of tracks that are left out.
    package var items: [Int]
    /// Made by rules.
    package var smart = false
    /// The whole library.
    package var master = false
    /// One of the built-in lists: Music, Films, Podcasts, Purchased …
    package var distinguished = false
    package var folder = false

    package init(name: String, items: [Int] = []) {
        self.name = name
        self.items = items
    }

    /// Made by the listener: neither the whole library, nor built in, nor a folder.
    package var isUsers: Bool { !master && !distinguished && !folder }
}

/// A Music.app or iTunes library as its `Library.xml` says.
package struct LibraryFile: Hashable, Sendable {
    package var source: String
    package var applicationVersion: String?
    /// Day of the export.
    package var writtenAt: Date?
    /// All tracks of the file in its order, those with ``LibraryTrack/leftOut`` too.
    package var tracks: [LibraryTrack]
    package var playlists: [LibraryPlaylist]

    package init(source: String) {
        self.source = source
        tracks = []
        playlists = []
    }

    /// The tracks that are music in a file.
    package var music: [LibraryTrack] { tracks.filter { $0.leftOut == nil } }

    /// How many tracks are left out, by reason.
    package var leftOut: [LeftOutReason: Int] {
        tracks.reduce(into: [:]) { counts, track in
            if let reason = track.leftOut { counts[reason, default: 0] += 1 }
        }
    }
}
