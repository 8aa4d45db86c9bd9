import Foundation
import Music
import Protocols

/// A song that was played, or is playing.
package struct RecentPlay: Codable, Hashable, Sendable {
    package let song: SongRef
    package let startedAt: Timestamp
    /// nil while it plays.
    package let endedAt: Timestamp?

    package init(song: SongRef, startedAt: Timestamp, endedAt: Timestamp?) {
        self.song = song
        self.startedAt = startedAt
        self.endedAt = endedAt
    }
}

/// The plays that repeat windows look back on, found again in the table.
package struct RecentPlays: Sendable {
    package struct Entry: Sendable {
        package let play: RecentPlay
        /// nil when the song is not in the pool.
        package let position: Int?
        package let work: Int32?
        package let artist: Int32?
        /// Since its end; 0 while it plays.
        package let seconds: Double
    }

    /// Oldest first.
    package let entries: [Entry]
    /// Minutes of the listener's own setting, over which the recency penalty fades.
    private let fadeMinutes: Double

    /// - Parameter plays: in any order; a play that starts after `now` is left out.
    package init(_ plays: [RecentPlay], in table: SongTable, now: Timestamp, preferences: Preferences) {
        fadeMinutes = preferences.avoidRecentMinutes
        entries = plays.filter { $0.startedAt <= now }.sorted { $0.startedAt < $1.startedAt }
            .map { play in
                let position = table.position(of: play.song.id)
                return Entry(
                    play: play, position: position,
                    work: position.map { table.work[$0] }
                        ?? table.work(title: play.song.title, artist: play.song.artist),
                    artist: position.map { table.artist[$0] } ?? table.artist(named: play.song.artist),
                    seconds: play.endedAt.map { max(0, now.seconds(since: $0)) } ?? 0)
            }
    }

    /// The recency penalty of a song: 1 when it has just been played, 0 from `avoidRecentMinutes` on.
    package func recency(of position: Int) -> Double {
        guard fadeMinutes > 0 else { return 0 }
        return entries.lazy.filter { $0.position == position }
            .map { max(0, 1 - $0.seconds / 60 / fadeMinutes) }.max() ?? 0
    }

    /// Positions in the pool that have a recency penalty.
    package var penalised: Set<Int> {
        Set(entries.compactMap { $0.seconds < fadeMinutes * 60 ? $0.position : nil })
    }
}
