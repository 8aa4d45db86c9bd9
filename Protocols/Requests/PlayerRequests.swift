/// Plays this song now, in place of any other.
package struct PlayerPlay: Request {
    package typealias Reply = PlayerStatus
    package static let target = ProcessName.player
    package static let name = "play"
    package var playId: String
    package var song: SongRef
    package var location: String?
    package var positionMs: Int64
    package var volume: Double?

    package init(playId: String, song: SongRef, location: String? = nil, positionMs: Int64 = 0, volume: Double? = nil) {
        self.playId = playId
        self.song = song
        self.location = location
        self.positionMs = positionMs
        self.volume = volume
    }
}

/// Puts one song behind the current one, replacing what waited there.
package struct PlayerQueueNext: Request {
    package typealias Reply = PlayerStatus
    package static let target = ProcessName.player
    package static let name = "queue-next"
    package var playId: String?
    /// nil = clear the slot.
    package var song: SongRef?
    package var location: String?

    package init(playId: String? = nil, song: SongRef? = nil, location: String? = nil) {
        self.playId = playId
        self.song = song
        self.location = location
    }
}

/// Pauses.
package struct PlayerPause: Request {
    package typealias Reply = PlayerStatus
    package static let target = ProcessName.player
    package static let name = "pause"
    package init() {}
}

/// Goes on.
package struct PlayerResume: Request {
    package typealias Reply = PlayerStatus
    package static let target = ProcessName.player
    package static let name = "resume"
    package init() {}
}

/// Ends the song as skipped and starts the queued one.
package struct PlayerSkip: Request {
    package typealias Reply = PlayerStatus
    package static let target = ProcessName.player
    package static let name = "skip"
    package init() {}
}

/// Ends the song without a next one.
package struct PlayerStop: Request {
    package typealias Reply = PlayerStatus
    package static let target = ProcessName.player
    package static let name = "stop"
    /// `stopped` or `replaced`.
    package var outcome: String

    package init(outcome: String = "stopped") {
        self.outcome = outcome
    }
}

/// Back to the start of the song.
package struct PlayerPrevious: Request {
    package typealias Reply = PlayerStatus
    package static let target = ProcessName.player
    package static let name = "previous"
    package init() {}
}

/// Jumps.
package struct PlayerSeek: Request {
    package typealias Reply = PlayerStatus
    package static let target = ProcessName.player
    package static let name = "seek"
    package var positionMs: Int64

    package init(positionMs: Int64) {
        self.positionMs = positionMs
    }
}

/// Sets the volume, 0…1.
package struct PlayerVolume: Request {
    package typealias Reply = PlayerStatus
    package static let target = ProcessName.player
    package static let name = "volume"
    package var volume: Double

    package init(volume: Double) {
        self.volume = volume
    }
}

/// What plays.
package struct PlayerStatusQuery: Request {
    package typealias Reply = PlayerStatus
    package static let target = ProcessName.player
    package static let name = "status"
    package init() {}
}

/// The player as it stands.
package struct PlayerStatus: Message {
    package var playId: String?
    package var songId: String?
    package var nextPlayId: String?
    package var nextSongId: String?
    package var positionMs: Int64
    package var durationMs: Int64?
    package var listenedMs: Int64
    package var playing: Bool
    package var volume: Double

    package init(
        playId: String?, songId: String?, nextPlayId: String?, nextSongId: String?, positionMs: Int64,
        durationMs: Int64?, listenedMs: Int64, playing: Bool, volume: Double
    ) {
        self.playId = playId
        self.songId = songId
        self.nextPlayId = nextPlayId
        self.nextSongId = nextSongId
        self.positionMs = positionMs
        self.durationMs = durationMs
        self.listenedMs = listenedMs
        self.playing = playing
        self.volume = volume
    }
}
