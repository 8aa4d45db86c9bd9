/// Plays a song, or goes on.
package struct Play: Request {
    package typealias Reply = Done
    package static let target = ProcessName.brain
    package static let name = "play"
    /// A song of the chosen playlists to play now; nil = resume, or start.
    package var songId: String?

    package init(songId: String? = nil) {
        self.songId = songId
    }
}

/// Pauses.
package struct Pause: Request {
    package typealias Reply = Done
    package static let target = ProcessName.brain
    package static let name = "pause"
    package init() {}
}

/// Goes on.
package struct Resume: Request {
    package typealias Reply = Done
    package static let target = ProcessName.brain
    package static let name = "resume"
    package init() {}
}

/// Ends the song now; it counts as skipped by the user.
package struct Skip: Request {
    package typealias Reply = Done
    package static let target = ProcessName.brain
    package static let name = "skip"
    package init() {}
}

/// Back to the start of the song, or to the one before within its first 5 s.
package struct Previous: Request {
    package typealias Reply = Done
    package static let target = ProcessName.brain
    package static let name = "previous"
    package init() {}
}

/// Jumps inside the song.
package struct Seek: Request {
    package typealias Reply = Done
    package static let target = ProcessName.brain
    package static let name = "seek"
    package var positionMs: Int64

    package init(positionMs: Int64) {
        self.positionMs = positionMs
    }
}

/// Sets the volume.
package struct SetVolume: Request {
    package typealias Reply = Done
    package static let target = ProcessName.brain
    package static let name = "volume"
    /// 0…1.
    package var volume: Double

    package init(volume: Double) {
        self.volume = volume
    }
}

/// Decides the next song again and answers with the queue.
package struct PickNext: Request {
    package typealias Reply = MusicQueue
    package static let target = ProcessName.brain
    package static let name = "next"
    package init() {}
}

/// The queue.
package struct ShowQueue: Request {
    package typealias Reply = MusicQueue
    package static let target = ProcessName.brain
    package static let name = "queue"
    package init() {}
}

/// Proposes the next song; the guards still hold.
package struct Propose: Request {
    package typealias Reply = Done
    package static let target = ProcessName.brain
    package static let name = "propose"
    package var songId: String
    /// `user` or the adviser's name.
    package var from: String

    package init(songId: String, from: String) {
        self.songId = songId
        self.from = from
    }
}

/// Chooses the source playlists.
package struct UsePlaylists: Request {
    package typealias Reply = Done
    package static let target = ProcessName.brain
    package static let name = "use-playlist"
    /// Names or ids; they become the only source.
    package var playlists: [String]

    package init(playlists: [String]) {
        self.playlists = playlists
    }
}

/// The listener's mood, for 15 min.
package struct SetMood: Request {
    package typealias Reply = Done
    package static let target = ProcessName.brain
    package static let name = "mood"
    /// 1…5.
    package var mood: Int?
    /// 1…5.
    package var energy: Int?
    /// A named mood instead.
    package var named: String?
    package var via: String

    package init(mood: Int? = nil, energy: Int? = nil, named: String? = nil, via: String = "cli") {
        self.mood = mood
        self.energy = energy
        self.named = named
        self.via = via
    }
}

/// Back to what the sensors say.
package struct ClearMood: Request {
    package typealias Reply = Done
    package static let target = ProcessName.brain
    package static let name = "clear-mood"
    package init() {}
}

/// Says what the listener is doing, such as `social`, which no sensor knows; a workout goes before it.
package struct SayContext: Request {
    package typealias Reply = Done
    package static let target = ProcessName.brain
    package static let name = "say-context"
    /// An activity context; nil = back to what the sensors say.
    package var context: String?
    /// How long it holds, 1…1440.
    package var minutes: Double

    package init(context: String? = nil, minutes: Double = 120) {
        self.context = context
        self.minutes = minutes
    }
}

/// A turn of the crown in DJ mode.
package struct SendNudge: Request {
    package typealias Reply = Done
    package static let target = ProcessName.brain
    package static let name = "nudge"
    /// −1…1.
    package var delta: Double
    /// `energy` or `intensity`.
    package var kind: String

    package init(delta: Double, kind: String = "energy") {
        self.delta = delta
        self.kind = kind
    }
}

/// Turns DJ mode on or off; off clears the nudges.
package struct SetDJMode: Request {
    package typealias Reply = DJMode
    package static let target = ProcessName.brain
    package static let name = "dj-mode"
    /// nil = ask only.
    package var on: Bool?

    package init(on: Bool? = nil) {
        self.on = on
    }
}

/// DJ mode as it stands.
package struct DJMode: Message {
    package var on: Bool
    /// Added to the target energy, −0.5…0.5.
    package var energyNudge: Double
    /// Added to the target tempo, −20…20 beats per minute.
    package var tempoNudge: Double

    package init(on: Bool, energyNudge: Double, tempoNudge: Double) {
        self.on = on
        self.energyNudge = energyNudge
        self.tempoNudge = tempoNudge
    }
}

/// Why the current song was picked.
package struct Explain: Request {
    package typealias Reply = Why
    package static let target = ProcessName.brain
    package static let name = "explain"
    package init() {}
}

/// Why a song was not picked at the last decision.
package struct WhyNot: Request {
    package typealias Reply = WhyNotAnswer
    package static let target = ProcessName.brain
    package static let name = "why-not"
    /// Id, or part of a title.
    package var song: String

    package init(song: String) {
        self.song = song
    }
}

/// The song beside the one that was picked.
package struct WhyNotAnswer: Message {
    package var song: SongRef
    package var text: String
    package var admissible: Bool
    /// Guards that kept it out, in words.
    package var blockedBy: [String]
    /// 1 = best among the admissible.
    package var rank: Int?
    package var score: Double?
    package var chosenScore: Double?
    package var terms: [ScoreTerm]
    package var chosenTerms: [ScoreTerm]

    package init(
        song: SongRef, text: String, admissible: Bool, blockedBy: [String], rank: Int? = nil, score: Double? = nil,
        chosenScore: Double? = nil, terms: [ScoreTerm], chosenTerms: [ScoreTerm]
    ) {
        self.song = song
        self.text = text
        self.admissible = admissible
        self.blockedBy = blockedBy
        self.rank = rank
        self.score = score
        self.chosenScore = chosenScore
        self.terms = terms
        self.chosenTerms = chosenTerms
    }
}

/// Every preference with its range.
package struct GetPreferences: Request {
    package typealias Reply = PreferenceList
    package static let target = ProcessName.brain
    package static let name = "prefs"
    package init() {}
}

/// Changes one preference.
package struct SetPreference: Request {
    package typealias Reply = PreferenceList
    package static let target = ProcessName.brain
    package static let name = "prefs-set"
    package var name: String
    /// nil = back to the default.
    package var value: String?

    package init(name: String, value: String? = nil) {
        self.name = name
        self.value = value
    }
}

/// All preferences back to their defaults.
package struct ResetPreferences: Request {
    package typealias Reply = PreferenceList
    package static let target = ProcessName.brain
    package static let name = "prefs-reset"
    package init() {}
}

/// One preference, as text.
package struct Preference: Codable, Hashable, Sendable {
    package var name: String
    package var value: String
    package var defaultValue: String
    package var range: String
    package var unit: String
    package var summary: String

    package init(name: String, value: String, defaultValue: String, range: String, unit: String, summary: String) {
        self.name = name
        self.value = value
        self.defaultValue = defaultValue
        self.range = range
        self.unit = unit
        self.summary = summary
    }
}

/// The preferences.
package struct PreferenceList: Message {
    package var preferences: [Preference]
    /// What else changed, such as weights that were normalised to 1.
    package var notice: String?

    package init(preferences: [Preference], notice: String? = nil) {
        self.preferences = preferences
        self.notice = notice
    }
}

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

/// How the brain is.
package struct BrainStatus: Request {
    package typealias Reply = BrainStatusReply
    package static let target = ProcessName.brain
    package static let name = "status"
    package init() {}
}

/// The brain's own figures.
package struct BrainStatusReply: Message {
    package var state: StateVector?
    package var now: NowPlaying
    package var playlists: [String]
    /// Songs of the chosen playlists that can be played.
    package var pool: Int
    package var sessionId: String?
    package var decisions: Int
    package var breaches: Int
    package var relaxations: Int
    package var djMode: DJMode
    package var moodUntilAt: Timestamp?
    /// Share of the chosen playlists that has been played at all.
    package var coverage: Double

    package init(
        state: StateVector?, now: NowPlaying, playlists: [String], pool: Int, sessionId: String?, decisions: Int,
        breaches: Int, relaxations: Int, djMode: DJMode, moodUntilAt: Timestamp?, coverage: Double
    ) {
        self.state = state
        self.now = now
        self.playlists = playlists
        self.pool = pool
        self.sessionId = sessionId
        self.decisions = decisions
        self.breaches = breaches
        self.relaxations = relaxations
        self.djMode = djMode
        self.moodUntilAt = moodUntilAt
        self.coverage = coverage
    }
}
