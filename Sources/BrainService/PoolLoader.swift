import Foundation
import Learning
import Music
import Protocols

/// The songs of the chosen playlists as the librarian last told them.
package struct SongPool: Sendable {
    package private(set) var songs: [Song]
    package private(set) var table: SongTable
    /// How many of the songs can be played.
    package private(set) var playable: Int
    /// In the order of the table.
    package var features: [SongFeatures]
    /// Chosen names that the librarian does not know.
    package var missing: [String]
    /// Ids that the chosen names stand for.
    package var playlistIds: [String]
    package var revision: Int64

    package static let empty = SongPool(songs: [], missing: [], playlistIds: [], revision: -1)

    package init(songs: [Song], missing: [String], playlistIds: [String], revision: Int64) {
        self.songs = songs
        self.playlistIds = playlistIds
        table = SongTable(songs)
        features = songs.map { SongFeatures($0) }
        playable = songs.count { $0.playable }
        self.missing = missing
        self.revision = revision
    }

    package func song(_ id: String) -> Song? { table.position(of: id).map { songs[$0] } }

    /// The player could not play it.
    package mutating func markUnplayable(_ id: String) {
        guard let position = table.position(of: id), songs[position].playable else { return }
        songs[position].playable = false
        table.markUnplayable(position)
        playable -= 1
    }
}

/// Collects the pages of the chosen playlists; a library that changes in between is read again from the start.
package struct PoolLoader: Sendable {
    package let playlists: [String]
    private var songs: [Song] = []
    private var seen: Set<String> = []
    private var revision: Int64?
    private var restarts = 0

    /// Songs per page, the most that the librarian gives.
    static let pageSize = 500
    /// A library that changes more often than this during one reading is taken as it comes.
    static let restartLimit = 5

    package init(playlists: [String]) { self.playlists = playlists }

    package enum Step: Sendable {
        case ask(ListSongs)
        case done(SongPool)
    }

    package var first: ListSongs { question(offset: 0) }

    package mutating func take(_ page: SongPage) -> Step {
        if let revision, revision != page.revision, restarts < Self.restartLimit {
            restarts += 1
            songs = []
            seen = []
            self.revision = nil
            return .ask(question(offset: 0))
        }
        revision = page.revision
        for song in page.songs where seen.insert(song.id).inserted { songs.append(song) }
        let next = page.offset + page.songs.count
        if !page.songs.isEmpty, next < page.total { return .ask(question(offset: next)) }
        return .done(
            SongPool(
                songs: songs, missing: page.missing, playlistIds: page.playlistIds, revision: page.revision))
    }

    private func question(offset: Int) -> ListSongs {
        ListSongs(playlists: playlists, offset: offset, limit: Self.pageSize)
    }
}
