import Protocols

/// The rules of a player that plays silence on a clock: commands and time in, events out.
///
/// Time enters with every call, so a coarse clock loses nothing: a song that ended between two calls is reported
/// with the millisecond at which it ended, and the queued song starts at that same millisecond (gapless).
/// Every call must pass a time that is not before that of the call before; an earlier one counts as the same moment.
package struct Playback: Sendable {
    /// Assumed length of a song whose length nobody knows, in milliseconds: a short pop song. A real player asks the
    /// file instead; here the song has to end some time, or nothing after it would ever play.
    package static let defaultDurationMs: Int64 = 180_000

    private struct Track {
        var playId: String?
        var song: SongRef
        var durationMs: Int64 { song.durationMs ?? Playback.defaultDurationMs }
    }

    private var current: Track?
    private var next: Track?
    private var clock: Timestamp
    /// Position and heard time at `anchor`; while playing both run on from there.
    private var anchor: Timestamp
    private var anchorPositionMs: Int64 = 0
    private var anchorListenedMs: Int64 = 0
    private(set) package var playing = false
    private(set) package var volume: Double
    private let failing: Set<String>

    /// - Parameters:
    ///   - start: the time of the first call or before.
    ///   - volume: 0…1.
    ///   - failing: ids of songs that fail when they start, as an unreadable file would.
    package init(start: Timestamp, volume: Double = 0.6, failing: Set<String> = []) {
        clock = start
        anchor = start
        self.volume = volume
        self.failing = failing
    }

    /// Lets time pass: ends songs that ran out and starts the queued one.
    package mutating func advance(to now: Timestamp) -> [PlayerEvent] {
        clock = max(clock, now)
        return endFinished()
    }

    /// The player as it stands at the time of the last call.
    package var status: PlayerStatus {
        PlayerStatus(
            playId: current?.playId, songId: current?.song.id, nextPlayId: next?.playId, nextSongId: next?.song.id,
            positionMs: current == nil ? 0 : positionMs, durationMs: current?.durationMs,
            listenedMs: current == nil ? 0 : listenedMs, playing: playing, volume: volume)
    }

    /// Plays a song now. A song that was playing ends as `replaced` and the queued one is forgotten, because it was
    /// chosen for another moment. A play that already runs is left alone, so that asking twice does no harm.
    ///
    /// - Throws: ``Refusal`` `invalid` for a position or volume out of range.
    package mutating func play(_ command: PlayerPlay, at now: Timestamp) throws(Refusal) -> [PlayerEvent] {
        guard command.positionMs >= 0 else {
            throw Refusal(code: "invalid", message: "play: positionMs is \(command.positionMs), must be 0 or more")
        }
        if let wanted = command.volume { try Self.check(volume: wanted) }
        var events = advance(to: now)
        if let current, current.playId == command.playId { return events }
        if current != nil { events.append(end(.ended, .replaced)) }
        next = nil
        if let wanted = command.volume { volume = wanted }
        events += start(Track(playId: command.playId, song: command.song), from: command.positionMs)
        return events + endFinished()
    }

    /// Puts a song behind the current one, or clears that place. While nothing plays it waits for resume or skip.
    ///
    /// - Throws: ``Refusal`` `invalid` for a song without a play id.
    package mutating func queueNext(_ command: PlayerQueueNext, at now: Timestamp) throws(Refusal) -> [PlayerEvent] {
        if command.song != nil, command.playId == nil {
            throw Refusal(code: "invalid", message: "queue-next: a song needs a playId that its events can carry")
        }
        let events = advance(to: now)
        next = command.song.map { Track(playId: command.playId, song: $0) }
        return events
    }

    package mutating func pause(at now: Timestamp) -> [PlayerEvent] {
        var events = advance(to: now)
        guard playing else { return events }
        settle(playing: false)
        events.append(event(.paused))
        return events
    }

    /// Goes on; with nothing loaded it starts the queued song, if there is one.
    package mutating func resume(at now: Timestamp) -> [PlayerEvent] {
        var events = advance(to: now)
        if current == nil { return events + startNext() }
        guard !playing else { return events }
        settle(playing: true)
        events.append(event(.resumed))
        return events
    }

    /// Ends the song as skipped and starts the queued one at the same moment, even when it was paused.
    package mutating func skip(at now: Timestamp) -> [PlayerEvent] {
        var events = advance(to: now)
        if current != nil { events.append(end(.skipped, .skipped)) }
        return events + startNext() + endFinished()
    }

    /// Ends the song and forgets the queued one.
    ///
    /// - Throws: ``Refusal`` `invalid` for an outcome other than `stopped` and `replaced`.
    package mutating func stop(_ command: PlayerStop, at now: Timestamp) throws(Refusal) -> [PlayerEvent] {
        guard let outcome = PlayOutcome(rawValue: command.outcome), outcome == .stopped || outcome == .replaced else {
            throw Refusal(
                code: "invalid", message: "stop: outcome is '\(command.outcome)', must be stopped or replaced")
        }
        var events = advance(to: now)
        next = nil
        if current != nil { events.append(end(.ended, outcome)) }
        return events
    }

    /// Back to the start of the song.
    package mutating func previous(at now: Timestamp) -> [PlayerEvent] {
        var events = advance(to: now)
        guard current != nil else { return events }
        jump(to: 0)
        events.append(event(.seeked))
        return events
    }

    /// Jumps; behind the end means: to the end, so that the song is over at once.
    ///
    /// - Throws: ``Refusal`` `invalid` before the start or with nothing loaded.
    package mutating func seek(_ command: PlayerSeek, at now: Timestamp) throws(Refusal) -> [PlayerEvent] {
        guard command.positionMs >= 0 else {
            throw Refusal(code: "invalid", message: "seek: positionMs is \(command.positionMs), must be 0 or more")
        }
        var events = advance(to: now)
        guard let current else {
            throw Refusal(code: "invalid", message: "seek: nothing is loaded; play a song first")
        }
        jump(to: min(command.positionMs, current.durationMs))
        events.append(event(.seeked))
        return events + endFinished()
    }

    /// - Throws: ``Refusal`` `invalid` outside 0…1.
    package mutating func setVolume(_ command: PlayerVolume, at now: Timestamp) throws(Refusal) -> [PlayerEvent] {
        try Self.check(volume: command.volume)
        var events = advance(to: now)
        guard command.volume != volume else { return events }
        volume = command.volume
        events.append(event(.volume))
        return events
    }

    // MARK: - Time

    private var elapsedMs: Int64 { playing ? clock.milliseconds - anchor.milliseconds : 0 }
    private var positionMs: Int64 { anchorPositionMs + elapsedMs }
    private var listenedMs: Int64 { anchorListenedMs + elapsedMs }

    /// Writes the running time down and goes on from here.
    private mutating func settle(playing wanted: Bool) {
        (anchorPositionMs, anchorListenedMs) = (positionMs, listenedMs)
        anchor = clock
        playing = wanted
    }

    private mutating func jump(to position: Int64) {
        settle(playing: playing)
        anchorPositionMs = position
    }

    /// Ends every song whose last millisecond is not after `clock`, each at its own time.
    private mutating func endFinished() -> [PlayerEvent] {
        var events: [PlayerEvent] = []
        let reached = clock
        while playing, let current {
            let endAt = anchor.adding(milliseconds: max(0, current.durationMs - anchorPositionMs))
            guard endAt <= reached else { break }
            clock = endAt
            events.append(end(.ended, .finished))
            events += startNext()
        }
        clock = reached
        return events
    }

    // MARK: - Songs

    private mutating func startNext() -> [PlayerEvent] {
        guard let track = next else { return [] }
        next = nil
        return start(track, from: 0)
    }

    private mutating func start(_ track: Track, from position: Int64) -> [PlayerEvent] {
        current = track
        anchor = clock
        anchorPositionMs = min(position, max(0, track.durationMs))
        anchorListenedMs = 0
        playing = true
        guard track.durationMs > 0 else { return [end(.failed, .failed, reason: "the song has no length")] }
        guard !failing.contains(track.song.id) else {
            return [end(.failed, .failed, reason: "the song cannot be read")]
        }
        return [event(.started)]
    }

    private mutating func end(
        _ kind: PlayerEventKind, _ outcome: PlayOutcome, reason: String? = nil
    ) -> PlayerEvent {
        let ended = event(kind, outcome: outcome, reason: reason)
        settle(playing: false)
        current = nil
        return ended
    }

    private func event(_ kind: PlayerEventKind, outcome: PlayOutcome? = nil, reason: String? = nil) -> PlayerEvent {
        PlayerEvent(
            at: clock, kind: kind, playId: current?.playId, songId: current?.song.id,
            positionMs: current == nil ? 0 : positionMs, durationMs: current?.durationMs,
            listenedMs: current == nil ? 0 : listenedMs, outcome: outcome, volume: volume, reason: reason)
    }

    private static func check(volume: Double) throws(Refusal) {
        guard (0...1).contains(volume) else {
            throw Refusal(code: "invalid", message: "volume is \(volume), must be 0…1")
        }
    }
}
