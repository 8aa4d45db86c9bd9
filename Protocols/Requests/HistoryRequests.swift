/// The latest sessions, newest first.
package struct ListSessions: Request {
    package typealias Reply = SessionList
    package static let target = ProcessName.brain
    package static let name = "sessions"
    package var limit: Int

    package init(limit: Int = 20) {
        self.limit = limit
    }
}

/// A listening session.
package struct SessionSummary: Codable, Hashable, Sendable {
    package var id: String
    package var startedAt: Timestamp
    package var endedAt: Timestamp?
    package var playlist: String?
    package var activityContext: String
    package var slot: String
    package var songs: Int
    package var skips: Int
    package var averageListenShare: Double
    package var quality: Double?
    package var startBpm: Double?
    package var endBpm: Double?

    package init(
        id: String, startedAt: Timestamp, endedAt: Timestamp?, playlist: String?, activityContext: String, slot: String,
        songs: Int, skips: Int, averageListenShare: Double, quality: Double?, startBpm: Double?, endBpm: Double?
    ) {
        self.id = id
        self.startedAt = startedAt
        self.endedAt = endedAt
        self.playlist = playlist
        self.activityContext = activityContext
        self.slot = slot
        self.songs = songs
        self.skips = skips
        self.averageListenShare = averageListenShare
        self.quality = quality
        self.startBpm = startBpm
        self.endBpm = endBpm
    }
}

/// Sessions.
package struct SessionList: Message {
    package var sessions: [SessionSummary]

    package init(sessions: [SessionSummary]) {
        self.sessions = sessions
    }
}

/// The latest plays, newest first.
package struct ListHistory: Request {
    package typealias Reply = History
    package static let target = ProcessName.brain
    package static let name = "history"
    package var limit: Int
    package var before: Timestamp?

    package init(limit: Int = 50, before: Timestamp? = nil) {
        self.limit = limit
        self.before = before
    }
}

/// A play with what was learnt from it.
package struct PlayRow: Codable, Hashable, Sendable {
    package var playId: String
    package var song: SongRef
    package var playlist: String?
    package var startedAt: Timestamp
    package var endedAt: Timestamp?
    package var listenedMs: Int64
    package var outcome: String?
    package var pick: String
    package var score: Double?
    package var why: String?
    package var activityContext: String?
    package var need: String?
    package var calmEffect: Double?
    package var energyEffect: Double?

    package init(
        playId: String, song: SongRef, playlist: String?, startedAt: Timestamp, endedAt: Timestamp?, listenedMs: Int64,
        outcome: String?, pick: String, score: Double?, why: String?, activityContext: String?, need: String?,
        calmEffect: Double?, energyEffect: Double?
    ) {
        self.playId = playId
        self.song = song
        self.playlist = playlist
        self.startedAt = startedAt
        self.endedAt = endedAt
        self.listenedMs = listenedMs
        self.outcome = outcome
        self.pick = pick
        self.score = score
        self.why = why
        self.activityContext = activityContext
        self.need = need
        self.calmEffect = calmEffect
        self.energyEffect = energyEffect
    }
}

/// Plays.
package struct History: Message {
    package var plays: [PlayRow]

    package init(plays: [PlayRow]) {
        self.plays = plays
    }
}

/// Forgets what was learnt; the plays stay in the history.
package struct Undo: Request {
    package typealias Reply = Done
    package static let target = ProcessName.brain
    package static let name = "undo"
    /// Forget what was learnt in the last minutes; nil = the last play.
    package var minutes: Double?

    package init(minutes: Double? = nil) {
        self.minutes = minutes
    }
}

/// What has been learnt about songs.
package struct ListEffects: Request {
    package typealias Reply = EffectList
    package static let target = ProcessName.brain
    package static let name = "effects"
    package var songId: String?

    package init(songId: String? = nil) {
        self.songId = songId
    }
}

/// A song's logged effect in a context.
package struct EffectRow: Codable, Hashable, Sendable {
    package var songId: String
    package var title: String
    package var artist: String
    package var activityContext: String
    package var slot: String
    package var calm: Double
    package var focus: Double
    package var energy: Double
    package var moodLift: Double
    package var plays: Int
    package var confidence: Double
    /// `not enough evidence` until the interval excludes zero.
    package var evidence: String

    package init(
        songId: String, title: String, artist: String, activityContext: String, slot: String, calm: Double,
        focus: Double, energy: Double, moodLift: Double, plays: Int, confidence: Double, evidence: String
    ) {
        self.songId = songId
        self.title = title
        self.artist = artist
        self.activityContext = activityContext
        self.slot = slot
        self.calm = calm
        self.focus = focus
        self.energy = energy
        self.moodLift = moodLift
        self.plays = plays
        self.confidence = confidence
        self.evidence = evidence
    }
}

/// Effects.
package struct EffectList: Message {
    package var effects: [EffectRow]

    package init(effects: [EffectRow]) {
        self.effects = effects
    }
}
