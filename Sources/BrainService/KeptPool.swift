import Protocols

/// The songs of the last pool, for a start while the librarian is away.
package struct KeptPool: Codable, Sendable {
    package static let name = "pool"
    /// Songs that are kept at most: enough for a day without repetition, and written in a moment.
    package static let bound = 2_500

    /// What had been chosen: another choice has other songs.
    package var playlists: [String]
    package var playlistIds: [String]
    package var songs: [Song]

    package init(playlists: [String], pool: SongPool) {
        self.playlists = playlists
        playlistIds = pool.playlistIds
        songs = Array(pool.songs.lazy.filter(\.playable).prefix(Self.bound))
    }

    /// Of no revision, so that any word of the librarian replaces it.
    package var pool: SongPool { SongPool(songs: songs, missing: [], playlistIds: playlistIds, revision: -1) }
}
