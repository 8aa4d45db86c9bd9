import Foundation
import Learning
import Protocols

/// Music without a break of more than 30 min (`HistoricalSession` of 4.1.3).
package struct ListeningSession: Codable, Hashable, Sendable {
    package var id: String
    package var startedAt: Timestamp
    /// End of the last music heard so far.
    package var lastMusicAt: Timestamp
    package var playlist: String?
    package var activityContext: ActivityContext
    package var slot: String
    /// 1 (Sunday) … 7.
    package var dayOfWeek: Int
    package var bpm = Level()
    package var rmssdMs = Level()
    package var motion = Level()
    package var steps = 0
    package var workoutSport: String?
    package var workoutKcal: Double?
    package var songs = 0
    package var skips = 0
    package var listenShareSum = 0.0

    /// Seconds without music that end a session.
    package static let gap = 1800.0

    /// First, last, least, most and mean of a series.
    package struct Level: Codable, Hashable, Sendable {
        package private(set) var first: Double?
        package private(set) var last: Double?
        package private(set) var least: Double?
        package private(set) var most: Double?
        private var sum = 0.0
        private var count = 0

        package init() {}

        package mutating func add(_ value: Double) {
            first = first ?? value
            last = value
            least = min(least ?? value, value)
            most = max(most ?? value, value)
            sum += value
            count += 1
        }

        package var mean: Double? { count > 0 ? sum / Double(count) : nil }
        package var change: Double? { first.flatMap { first in last.map { $0 - first } } }
    }

    package init(
        id: String, startedAt: Timestamp, playlist: String?, activityContext: ActivityContext, slot: String,
        dayOfWeek: Int
    ) {
        self.id = id
        self.startedAt = startedAt
        lastMusicAt = startedAt
        self.playlist = playlist
        self.activityContext = activityContext
        self.slot = slot
        self.dayOfWeek = dayOfWeek
    }

    package var skipRate: Double { songs > 0 ? Double(skips) / Double(songs) : 0 }
    package var averageListenShare: Double { songs > 0 ? listenShareSum / Double(songs) : 0 }

    /// 5.3.3; nil before the first song that counts.
    package var quality: Double? {
        guard songs > 0 else { return nil }
        return SessionQuality(
            skipRate: skipRate, averageListenShare: averageListenShare, hrvChangeMs: rmssdMs.change
        ).score
    }

    /// True when music at `moment` still belongs to it.
    package func continues(at moment: Timestamp) -> Bool { moment.seconds(since: lastMusicAt) <= Self.gap }

    /// Counts a play; browsing (under 5 s) counts for nothing.
    package mutating func add(_ finished: FinishedPlay) {
        lastMusicAt = max(lastMusicAt, finished.endedAt)
        guard finished.listenedMs >= PlayObservation.browsingMs, finished.outcome != .failed else { return }
        songs += 1
        if finished.outcome == .skipped { skips += 1 }
        listenShareSum += finished.listenShare
    }

    package var summary: SessionSummary {
        SessionSummary(
            id: id, startedAt: startedAt, endedAt: nil, playlist: playlist, activityContext: activityContext.rawValue,
            slot: slot, songs: songs, skips: skips, averageListenShare: averageListenShare, quality: quality,
            startBpm: bpm.first, endBpm: bpm.last)
    }
}
