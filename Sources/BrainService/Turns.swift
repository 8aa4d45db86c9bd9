import Foundation
import Protocols

/// What plays and what comes next, as a fold over the player's events: the same event twice, or late, changes nothing.
package struct Turns: Codable, Equatable, Sendable {
    package private(set) var current: CurrentPlay?
    /// What waits at the player.
    package private(set) var queued: Pick?
    /// What the player was given lately: any of it may start, since a message may cross another.
    private var offered: [Pick] = []
    /// Plays that are over, so that late events about them are known as such.
    private var over: [String] = []
    /// Newest last.
    package private(set) var latest: [FinishedPlay] = []

    private static let offeredKept = 6
    private static let overKept = 128
    private static let latestKept = 8
    /// "Previous" within the last so many milliseconds of a song means: again.
    package static let repeatWindowMs: Int64 = 10_000

    package init() {}

    /// What an event brought about.
    package enum Change: Equatable, Sendable {
        case started(CurrentPlay)
        case ended(FinishedPlay)
        /// Pause, position or volume.
        case updated
    }

    /// Remembers what was sent to the player for later; nil clears the place.
    package mutating func queue(_ pick: Pick?) {
        queued = pick
        if let pick { offer(pick) }
    }

    /// Remembers what was sent to the player for now.
    package mutating func offer(_ pick: Pick) {
        offered.removeAll { $0.playId == pick.playId }
        offered.append(pick)
        if offered.count > Self.offeredKept { offered.removeFirst(offered.count - Self.offeredKept) }
    }

    package func isKnown(_ playId: String) -> Bool {
        current?.pick.playId == playId || offered.contains { $0.playId == playId } || over.contains(playId)
    }

    package mutating func apply(_ event: PlayerEvent) -> [Change] {
        guard let kind = event.kind.value else { return [] }
        switch kind {
        case .started: return started(event)
        case .ended, .skipped, .failed: return ended(event, kind)
        case .paused, .resumed, .seeked, .volume: return updated(event, kind)
        case .outsideChange:
            guard let play = current, event.playId != play.pick.playId else { return [] }
            return [finish(play, at: event.at, listenedMs: nil, outcome: .replaced)]
        }
    }

    /// Takes what the player says plays, where its events cannot come any more.
    package mutating func adopt(_ playId: String, positionMs: Int64, volume: Double, at now: Timestamp) -> [Change] {
        guard let pick = offered.first(where: { $0.playId == playId }), !over.contains(playId) else { return [] }
        var changes: [Change] = []
        if let play = current { changes.append(finish(play, at: now, listenedMs: nil, outcome: .lost)) }
        begin(pick, at: now.adding(milliseconds: -positionMs), volume: volume, durationMs: nil)
        return changes + (current.map { [.started($0)] } ?? [])
    }

    /// The player does not know the current play any more.
    package mutating func lose(at now: Timestamp) -> [Change] {
        guard let play = current else { return [] }
        return [finish(play, at: now, listenedMs: nil, outcome: .lost)]
    }

    /// What the player reports each second. It starts and pauses songs by events only: a report that says otherwise
    /// comes from a player that has just been born, and its position means nothing.
    package mutating func progress(_ progress: Protocols.Progress, at now: Timestamp) {
        guard var play = current, now >= play.anchorAt, play.playing == progress.playing else { return }
        play.positionMs = progress.positionMs
        play.anchorAt = now
        play.volumeNow = progress.volume
        current = play
    }

    /// Takes the player's answer on whether the current song plays, where its event got lost.
    package mutating func follow(playing: Bool, at now: Timestamp) {
        guard var play = current, play.playing != playing else { return }
        play.positionMs = play.position(at: now)
        play.anchorAt = max(play.anchorAt, now)
        play.playing = playing
        current = play
    }

    /// The activity context changed while a song plays.
    package mutating func note(context: ActivityContext) {
        if context != .work, context != .deepWork { current?.workContextKept = false }
    }

    // MARK: - Events

    private mutating func started(_ event: PlayerEvent) -> [Change] {
        guard let id = event.playId, !over.contains(id), current?.pick.playId != id,
            let pick = offered.first(where: { $0.playId == id })
        else { return [] }
        var changes: [Change] = []
        if let play = current { changes.append(finish(play, at: event.at, listenedMs: nil, outcome: .lost)) }
        begin(pick, at: event.at, volume: event.volume, durationMs: event.durationMs)
        return changes + (current.map { [.started($0)] } ?? [])
    }

    private mutating func begin(_ pick: Pick, at moment: Timestamp, volume: Double, durationMs: Int64?) {
        if queued?.playId == pick.playId { queued = nil }
        var play = CurrentPlay(pick: pick, startedAt: moment, volume: volume, durationMs: durationMs)
        if let last = latest.last, last.play.pick.song.id == pick.song.id, pick.kind == .user {
            play.repeated = true
        }
        current = play
    }

    private mutating func ended(_ event: PlayerEvent, _ kind: PlayerEventKind) -> [Change] {
        guard let id = event.playId, !over.contains(id) else { return [] }
        let outcome: PlayOutcome =
            event.outcome?.value ?? (kind == .skipped ? .skipped : kind == .failed ? .failed : .finished)
        if var play = current, play.pick.playId == id {
            play.volumeNow = event.volume
            play.durationMs = event.durationMs ?? play.durationMs
            return [finish(play, at: event.at, listenedMs: event.listenedMs, outcome: outcome)]
        }
        // Its start was never told, or is told later: a song that failed at once, or events that overtook each other.
        guard let pick = offered.first(where: { $0.playId == id }) else { return [] }
        if queued?.playId == id { queued = nil }
        let play = CurrentPlay(
            pick: pick, startedAt: event.at.adding(milliseconds: -event.listenedMs), volume: event.volume,
            durationMs: event.durationMs)
        let running = current
        let change = finish(play, at: event.at, listenedMs: event.listenedMs, outcome: outcome)
        current = running
        return [change]
    }

    private mutating func updated(_ event: PlayerEvent, _ kind: PlayerEventKind) -> [Change] {
        guard var play = current, event.playId == play.pick.playId else { return [] }
        switch kind {
        case .volume:
            if abs(event.volume - play.volumeNow) > 0.001 { play.volumeAdjustments += 1 }
            play.volumeNow = event.volume
        case .seeked:
            let before = play.position(at: event.at)
            if event.positionMs < 1000, let duration = play.durationMs, duration - before <= Self.repeatWindowMs {
                play.repeated = true
            }
        case .paused: play.playing = false
        case .resumed: play.playing = true
        default: break
        }
        if event.at >= play.anchorAt {
            play.positionMs = event.positionMs
            play.anchorAt = event.at
        }
        current = play
        return [.updated]
    }

    private mutating func finish(
        _ play: CurrentPlay, at moment: Timestamp, listenedMs: Int64?, outcome: PlayOutcome
    ) -> Change {
        let position = play.position(at: moment)
        let finished = FinishedPlay(
            play: play, endedAt: outcome == .lost ? min(moment, max(play.anchorAt, play.startedAt)) : moment,
            // Without the player's word: what its last progress proves.
            listenedMs: listenedMs ?? (outcome == .lost ? play.positionMs : position),
            durationMs: play.durationMs ?? max(position, listenedMs ?? 0), outcome: outcome)
        over.append(play.pick.playId)
        if over.count > Self.overKept { over.removeFirst(over.count - Self.overKept) }
        var kept = finished
        kept.play.pick.why = nil
        latest.append(kept)
        if latest.count > Self.latestKept { latest.removeFirst(latest.count - Self.latestKept) }
        current = nil
        return .ended(finished)
    }
}
