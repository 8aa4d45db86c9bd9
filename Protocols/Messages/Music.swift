/// Names a song for a person and for a machine.
package struct SongRef: Codable, Hashable, Sendable {
    /// Stable id of the librarian.
    package var id: String
    package var title: String
    package var artist: String
    package var album: String?
    package var durationMs: Int64?

    package init(id: String, title: String, artist: String, album: String? = nil, durationMs: Int64? = nil) {
        self.id = id
        self.title = title
        self.artist = artist
        self.album = album
        self.durationMs = durationMs
    }
}

/// Who chose a song.
package enum PickKind: String, Codable, Hashable, Sendable { case ai, user, adviser }

/// What plays, or what waits to be played when `playing` is false.
package struct NowPlaying: Message {
    /// Absent when nothing has been chosen yet.
    package var song: SongRef?
    /// The chosen playlists by name.
    package var playlist: String?
    /// Whose turn it is: `ai` or `user`.
    package var turn: Open<PickKind>
    /// Absent when nothing plays.
    package var startedAt: Timestamp?
    package var durationMs: Int64?
    /// False when paused, and when the player does not answer.
    package var playing: Bool
    /// Who chose it.
    package var pick: Open<PickKind>?
    /// Why nothing plays, in a sentence: "choose a playlist".
    package var notice: String?

    package init(
        song: SongRef?, playlist: String?, turn: PickKind = .ai, startedAt: Timestamp?, durationMs: Int64?,
        playing: Bool, pick: PickKind?, notice: String? = nil
    ) {
        self.song = song
        self.playlist = playlist
        self.turn = Open(turn)
        self.startedAt = startedAt
        self.durationMs = durationMs
        self.playing = playing
        self.pick = pick.map { Open($0) }
        self.notice = notice
    }
}

/// What small faces show.
package struct Glance: Message {
    package var title: String?
    package var artist: String?
    package var artUrl: String?
    /// Two or three words.
    package var shortReason: String?
    package var bpm: Double?
    /// `Low`, `Medium`, `High`.
    package var energyWord: String?
    /// One emoji for how the listener is.
    package var stateEmoji: String?
    /// False when paused, and when the player does not answer.
    package var playing: Bool
    /// 0…1.
    package var progress: Double?

    package init(
        title: String? = nil, artist: String? = nil, artUrl: String? = nil, shortReason: String? = nil,
        bpm: Double? = nil, energyWord: String? = nil, stateEmoji: String? = nil, playing: Bool,
        progress: Double? = nil
    ) {
        self.title = title
        self.artist = artist
        self.artUrl = artUrl
        self.shortReason = shortReason
        self.bpm = bpm
        self.energyWord = energyWord
        self.stateEmoji = stateEmoji
        self.playing = playing
        self.progress = progress
    }
}

package struct Progress: Message {
    package var positionMs: Int64
    package var playing: Bool
    /// 0…1.
    package var volume: Double
    package init(positionMs: Int64, playing: Bool, volume: Double) {
        self.positionMs = positionMs
        self.playing = playing
        self.volume = volume
    }
}

package enum QueueStatus: String, Codable, Hashable, Sendable { case playing, played, upNext, queuedIfUserSkips }

package struct MusicQueue: Message {
    package struct Entry: Codable, Hashable, Sendable {
        package var song: SongRef
        package var status: Open<QueueStatus>
        package var pick: Open<PickKind>
        package init(song: SongRef, status: QueueStatus, pick: PickKind) {
            self.song = song
            self.status = Open(status)
            self.pick = Open(pick)
        }
    }

    /// Oldest first: played, playing, next.
    package var entries: [Entry]
    package init(entries: [Entry]) { self.entries = entries }
}

/// One addend of a song's score.
package struct ScoreTerm: Codable, Hashable, Sendable {
    /// `tempo` `energy` `familiarity` `effect` `context` `recency` `timeOfDay` `transition` `learned`
    /// `variety`.
    package var name: String
    /// The term's own value, 0…1.
    package var value: Double
    /// By which the value is multiplied. `timeOfDay` and `transition` multiply the sum of the terms before them by
    /// 1 − weight · (1 − value) instead; `learned` is added as it is.
    package var weight: Double
    /// What it adds to the score, so also what a factor takes away; the contributions of a song sum to its score.
    package var contribution: Double
    /// In plain words, with the figures that made it.
    package var text: String?
    package init(name: String, value: Double, weight: Double, contribution: Double, text: String? = nil) {
        self.name = name
        self.value = value
        self.weight = weight
        self.contribution = contribution
        self.text = text
    }
}

/// Why the current song was picked.
package struct Why: Message {
    package var song: SongRef
    /// The reason in plain English.
    package var text: String
    /// Sum of `terms[].contribution`.
    package var score: Double
    /// 0…1: how much the score rests on knowledge.
    package var confidence: Double
    /// The addends of the score.
    package var terms: [ScoreTerm]
    /// The state that it was picked for.
    package var state: StateVector
    /// Probability with which the policy picked this song among all that were admissible.
    package var probability: Double
    /// Songs that were admissible.
    package var candidateCount: Int
    /// True for one of the few picks that are drawn uniformly, to learn.
    package var random: Bool
    /// Guards that had to give way, in order, in words: `artistWindow` `artistInRow` `timeOfDay` `otherVersions` `songWindow`.
    package var relaxations: [String]

    package init(
        song: SongRef, text: String, score: Double, confidence: Double, terms: [ScoreTerm], state: StateVector,
        probability: Double, candidateCount: Int, random: Bool, relaxations: [String]
    ) {
        self.song = song
        self.text = text
        self.score = score
        self.confidence = confidence
        self.terms = terms
        self.state = state
        self.probability = probability
        self.candidateCount = candidateCount
        self.random = random
        self.relaxations = relaxations
    }
}

/// One decision, whole enough to judge another policy by.
package struct DecisionMade: Message {
    package struct Candidate: Codable, Hashable, Sendable {
        /// Absent when nothing could be picked.
        package var songId: String
        /// Of the song that was picked.
        package var score: Double
        /// 0…1; with the uniform share of all songs that are not listed it sums to 1.
        package var probability: Double
        package init(songId: String, score: Double, probability: Double) {
            self.songId = songId
            self.score = score
            self.probability = probability
        }
    }

    package var at: Timestamp
    /// Unique for this listener.
    package var decisionId: String
    package var songId: String?
    package var playlist: String?
    /// The best, best first.
    package var candidates: [Candidate]
    /// Songs that were admissible.
    package var candidateCount: Int
    /// SHA-256 over the sorted ids of all admissible songs, hex.
    package var candidatesHash: String
    /// How the draw was made.
    package var policy: String
    /// Of the generator of this draw.
    package var seed: UInt64
    /// True for a uniform draw.
    package var random: Bool
    /// Guards that kept at least one song out.
    package var guardsApplied: [String]
    /// Guards that gave way, in order.
    package var relaxations: [String]
    /// Hard rules that the pick breaks without a relaxation: always a bug.
    package var breaches: [String]
    package var need: Open<MusicNeed>
    package var activityContext: Open<ActivityContext>
    /// Beats per minute, 50…180.
    package var targetBpm: Double
    /// 0…1.
    package var targetEnergy: Double
    package var score: Double?

    package init(
        at: Timestamp, decisionId: String, songId: String?, playlist: String?, candidates: [Candidate],
        candidateCount: Int, candidatesHash: String, policy: String, seed: UInt64, random: Bool,
        guardsApplied: [String], relaxations: [String], breaches: [String], need: MusicNeed,
        activityContext: ActivityContext, targetBpm: Double, targetEnergy: Double, score: Double?
    ) {
        self.at = at
        self.decisionId = decisionId
        self.songId = songId
        self.playlist = playlist
        self.candidates = candidates
        self.candidateCount = candidateCount
        self.candidatesHash = candidatesHash
        self.policy = policy
        self.seed = seed
        self.random = random
        self.guardsApplied = guardsApplied
        self.relaxations = relaxations
        self.breaches = breaches
        self.need = Open(need)
        self.activityContext = Open(activityContext)
        self.targetBpm = targetBpm
        self.targetEnergy = targetEnergy
        self.score = score
    }
}

package enum PlayOutcome: String, Codable, Hashable, Sendable {
    case finished, skipped, stopped, replaced, failed, lost
}

/// One play, over.
package struct Played: Message {
    /// As in the events of the player.
    package var playId: String
    package var song: SongRef
    package var playlist: String?
    package var startedAt: Timestamp
    package var endedAt: Timestamp
    package var listenedMs: Int64
    package var durationMs: Int64
    /// Only `skipped` is a skip by the listener.
    package var outcome: Open<PlayOutcome>
    /// The listener went back to it within 10 s of its end, or at once again.
    package var repeated: Bool
    /// 0…1.
    package var volumeStart: Double
    /// 0…1.
    package var volumeEnd: Double
    /// Changes of the volume while it played.
    package var volumeAdjustments: Int
    /// Who chose it.
    package var pick: Open<PickKind>

    package init(
        playId: String, song: SongRef, playlist: String?, startedAt: Timestamp, endedAt: Timestamp, listenedMs: Int64,
        durationMs: Int64, outcome: PlayOutcome, repeated: Bool, volumeStart: Double, volumeEnd: Double,
        volumeAdjustments: Int, pick: PickKind
    ) {
        self.playId = playId
        self.song = song
        self.playlist = playlist
        self.startedAt = startedAt
        self.endedAt = endedAt
        self.listenedMs = listenedMs
        self.durationMs = durationMs
        self.outcome = Open(outcome)
        self.repeated = repeated
        self.volumeStart = volumeStart
        self.volumeEnd = volumeEnd
        self.volumeAdjustments = volumeAdjustments
        self.pick = Open(pick)
    }
}

package enum PlayerEventKind: String, Codable, Hashable, Sendable {
    case started, paused, resumed, ended, skipped, seeked, volume, failed, outsideChange
}

/// What the player saw.
package struct PlayerEvent: Message {
    package var at: Timestamp
    package var kind: Open<PlayerEventKind>
    /// Given by the brain with `PlayerPlay` or `PlayerQueueNext`; ties events to a play.
    package var playId: String?
    package var songId: String?
    package var positionMs: Int64
    package var durationMs: Int64?
    /// Time that was really heard, pauses and seeks left out.
    package var listenedMs: Int64
    /// With `ended`, `skipped` and `failed`: how it ended.
    package var outcome: Open<PlayOutcome>?
    package var volume: Double
    /// Why it failed.
    package var reason: String?

    package init(
        at: Timestamp, kind: PlayerEventKind, playId: String?, songId: String?, positionMs: Int64,
        durationMs: Int64?, listenedMs: Int64, outcome: PlayOutcome? = nil, volume: Double, reason: String? = nil
    ) {
        self.at = at
        self.kind = Open(kind)
        self.playId = playId
        self.songId = songId
        self.positionMs = positionMs
        self.durationMs = durationMs
        self.listenedMs = listenedMs
        self.outcome = outcome.map { Open($0) }
        self.volume = volume
        self.reason = reason
    }
}
