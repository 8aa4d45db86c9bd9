import Foundation
import Protocols

/// One play as learning sees it; kept in the database, so that everything learnt can be computed again without it.
package struct PlayObservation: Codable, Hashable, Sendable {
    package var playId: String
    package var songId: String
    package var features: SongFeatures
    package var activityContext: ActivityContext
    /// `morning` `afternoon` `evening` `night`.
    package var slot: String
    package var need: MusicNeed
    package var endedAt: Timestamp
    package var listenedMs: Int64
    package var durationMs: Int64
    package var outcome: PlayOutcome
    package var volumeAdjustments: Int
    /// The context was `work` or `deepWork` from the first to the last second.
    package var workContextKept: Bool
    /// What the listener said before and after, −1…1; nil when they did not say.
    package var moodChange: Double?
    /// nil = bad window: the body teaches nothing.
    package var body: BodyWindow?

    package init(
        playId: String, songId: String, features: SongFeatures, activityContext: ActivityContext, slot: String,
        need: MusicNeed, endedAt: Timestamp, listenedMs: Int64, durationMs: Int64, outcome: PlayOutcome,
        volumeAdjustments: Int = 0, workContextKept: Bool = false, moodChange: Double? = nil, body: BodyWindow? = nil
    ) {
        self.playId = playId
        self.songId = songId
        self.features = features
        self.activityContext = activityContext
        self.slot = slot
        self.need = need
        self.endedAt = endedAt
        self.listenedMs = listenedMs
        self.durationMs = durationMs
        self.outcome = outcome
        self.volumeAdjustments = volumeAdjustments
        self.workContextKept = workContextKept
        self.moodChange = moodChange
        self.body = body
    }

    /// Plays below this many milliseconds are browsing and count for nothing.
    package static let browsingMs: Int64 = 5_000
    /// Focus is credited from this many milliseconds on.
    package static let focusMs: Int64 = 180_000

    /// Share of the song that was heard, 0…1.
    package var listenShare: Double {
        durationMs > 0 ? min(1, max(0, Double(listenedMs) / Double(durationMs))) : 0
    }

    package var skipped: Bool { outcome == .skipped }

    /// False for browsing and for plays that ended because something broke: they say nothing about the song.
    package var counts: Bool { listenedMs >= Self.browsingMs && outcome != .failed && outcome != .lost }

    /// Says whether the song helped to concentrate: 1, 0, or nil when it cannot say.
    package var focusCredit: Double? {
        guard counts, workContextKept, skipped || listenedMs >= Self.focusMs else { return nil }
        return !skipped && volumeAdjustments == 0 && listenShare >= 0.9 ? 1 : 0
    }
}
