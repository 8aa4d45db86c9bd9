import Foundation
import Learning
import Protocols

/// A song that was chosen, with everything that is known about the choice; kept over a restart.
package struct Pick: Codable, Equatable, Sendable {
    /// Ties the player's events to this choice.
    package var playId: String
    package var decisionId: String?
    package var song: SongRef
    package var location: String?
    package var playlist: String?
    package var kind: PickKind
    package var activityContext: ActivityContext
    package var need: MusicNeed
    /// `morning` `afternoon` `evening` `night`.
    package var slot: String
    /// What learning is pooled over, as known when the song was picked.
    package var features: SongFeatures
    /// The whole explanation; absent for a song that the user asked for by name.
    package var why: Why?
    /// For small faces.
    package var shortReason: String?

    package init(
        playId: String, decisionId: String?, song: SongRef, location: String?, playlist: String?, kind: PickKind,
        activityContext: ActivityContext, need: MusicNeed, slot: String, features: SongFeatures, why: Why? = nil,
        shortReason: String? = nil
    ) {
        self.playId = playId
        self.decisionId = decisionId
        self.song = song
        self.location = location
        self.playlist = playlist
        self.kind = kind
        self.activityContext = activityContext
        self.need = need
        self.slot = slot
        self.features = features
        self.why = why
        self.shortReason = shortReason
    }
}

/// A pick that the player was told to play now.
package struct StartingPick: Sendable {
    package var pick: Pick
    /// When the player answered; nil while its answer is awaited, however long a step of time is.
    package var answeredAt: Timestamp?
}

/// A play that is going on, or paused.
package struct CurrentPlay: Codable, Equatable, Sendable {
    package var pick: Pick
    package var startedAt: Timestamp
    package var playing: Bool
    /// Position at `anchorAt`; runs on from there while playing.
    package var positionMs: Int64
    package var anchorAt: Timestamp
    package var durationMs: Int64?
    package var volumeStart: Double
    package var volumeNow: Double
    package var volumeAdjustments = 0
    /// The listener wanted it twice.
    package var repeated = false
    /// The context has been work or deep work all the time.
    package var workContextKept: Bool

    package init(pick: Pick, startedAt: Timestamp, volume: Double, durationMs: Int64?) {
        self.pick = pick
        self.startedAt = startedAt
        playing = true
        positionMs = 0
        anchorAt = startedAt
        self.durationMs = durationMs ?? pick.song.durationMs
        volumeStart = volume
        volumeNow = volume
        workContextKept = pick.activityContext == .work || pick.activityContext == .deepWork
    }

    /// Where the song is at `now`, milliseconds.
    package func position(at now: Timestamp) -> Int64 {
        guard playing else { return positionMs }
        let reached = positionMs + max(0, now.milliseconds - anchorAt.milliseconds)
        return durationMs.map { min($0, reached) } ?? reached
    }

    /// Seconds until the song ends if nothing happens; nil when paused or of unknown length.
    package func secondsLeft(at now: Timestamp) -> Double? {
        guard playing, let durationMs else { return nil }
        return Double(durationMs - position(at: now)) / 1000
    }

    /// 0…1.
    package func progress(at now: Timestamp) -> Double? {
        durationMs.flatMap { $0 > 0 ? min(1, Double(position(at: now)) / Double($0)) : nil }
    }
}

/// A play that is over.
package struct FinishedPlay: Codable, Equatable, Sendable {
    package var play: CurrentPlay
    package var endedAt: Timestamp
    package var listenedMs: Int64
    package var durationMs: Int64
    package var outcome: PlayOutcome

    package init(
        play: CurrentPlay, endedAt: Timestamp, listenedMs: Int64, durationMs: Int64, outcome: PlayOutcome
    ) {
        self.play = play
        self.endedAt = endedAt
        self.listenedMs = listenedMs
        self.durationMs = durationMs
        self.outcome = outcome
    }

    /// Share of the song that was heard, 0…1.
    package var listenShare: Double {
        durationMs > 0 ? min(1, max(0, Double(listenedMs) / Double(durationMs))) : 0
    }

    /// What the bus is told.
    package var message: Played {
        Played(
            playId: play.pick.playId, song: play.pick.song, playlist: play.pick.playlist, startedAt: play.startedAt,
            endedAt: endedAt, listenedMs: listenedMs, durationMs: durationMs, outcome: outcome,
            repeated: play.repeated, volumeStart: play.volumeStart, volumeEnd: play.volumeNow,
            volumeAdjustments: play.volumeAdjustments, pick: play.pick.kind)
    }
}
