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
