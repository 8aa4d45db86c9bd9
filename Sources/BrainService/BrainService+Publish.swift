import Bus
import Decisions
import Foundation
import Learning
import Protocols

/// What the bus was last told, so that nothing is told twice.
struct LastPublished: Sendable {
    var now: NowPlaying?
    var queue: MusicQueue?
    var glance: Glance?
}

extension BrainService {
    /// Songs of the past that the queue shows.
    private static let playedShown = 5

    /// Tells what plays, what comes next, and what small faces show, where that has changed.
    func publishMusic(_ bus: any BusPort) {
        let now = nowPlaying
        if now != published.now {
            published.now = now
            bus.publish(now, on: Registry.now(listener))
        }
        let queue = musicQueue
        if queue != published.queue {
            published.queue = queue
            bus.publish(queue, on: Registry.queue(listener))
        }
        publishGlance(bus)
    }

    func publishGlance(_ bus: any BusPort) {
        let glance = glance(at: bus.now)
        guard glance != published.glance else { return }
        published.glance = glance
        bus.publish(glance, on: Registry.glance(listener))
    }

    var nowPlaying: NowPlaying {
        guard let play = resume.turns.current else {
            let next = resume.turns.queued
            return NowPlaying(
                song: next?.song, playlist: next?.playlist, startedAt: nil, durationMs: next?.song.durationMs,
                playing: false, pick: next?.kind, notice: notice)
        }
        return NowPlaying(
            song: play.pick.song, playlist: play.pick.playlist, startedAt: play.startedAt,
            durationMs: play.durationMs, playing: play.playing && playerTrouble == nil, pick: play.pick.kind,
            notice: notice)
    }

    /// Why nothing plays, or what is wrong, in a sentence; nil when all is well.
    var notice: String? {
        if chosen.isEmpty { return "choose a playlist" }
        if pool.playable == 0 {
            if let librarianTrouble { return "the library does not answer (\(librarianTrouble))" }
            if poolStale { return "the library is being read" }
            if !pool.missing.isEmpty { return "choose a playlist: there is no \(pool.missing.joined(separator: ", "))" }
            return "choose a playlist: the chosen one holds no song that can be played"
        }
        if let emptyPool { return emptyPool.notice }
        if playerTrouble != nil { return "the player does not answer; the music goes on when it is back" }
        if unsaved.troubleSince != nil { return "the disk cannot be written; the music goes on" }
        return nil
    }

    var musicQueue: MusicQueue {
        var entries = resume.turns.latest.suffix(Self.playedShown).map {
            MusicQueue.Entry(song: $0.play.pick.song, status: .played, pick: $0.play.pick.kind)
        }
        if let play = resume.turns.current {
            entries.append(.init(song: play.pick.song, status: .playing, pick: play.pick.kind))
        }
        if let next = resume.turns.queued {
            entries.append(.init(song: next.song, status: .upNext, pick: next.kind))
        }
        return MusicQueue(entries: entries)
    }

    private func glance(at now: Timestamp) -> Glance {
        let play = resume.turns.current
        let pick = play?.pick ?? resume.turns.queued
        return Glance(
            title: pick?.song.title, artist: pick?.song.artist,
            shortReason: playerTrouble == nil ? pick?.shortReason ?? notice : "No player",
            bpm: pick?.features.bpm, energyWord: pick?.features.energy.map(Self.energyWord),
            stateEmoji: resume.lastState.map(Self.emoji), playing: play?.playing == true && playerTrouble == nil,
            // In hundredths: a new packet for every millisecond helps nobody.
            progress: play?.progress(at: now).map { ($0 * 100).rounded() / 100 })
    }

    private static func energyWord(_ energy: Double) -> String {
        energy < 0.4 ? "Low" : energy < 0.7 ? "Medium" : "High"
    }

    private static func emoji(_ state: StateVector) -> String {
        switch (state.activityContext.value ?? .unknown, state.need.value ?? .maintain) {
        case (.workout, _): "🏃"
        case (.preSleep, _): "🌙"
        case (_, .calm): "😌"
        case (_, .focus): "🎯"
        case (_, .energize): "⚡️"
        case (_, .transition): "🔄"
        case (_, .maintain): "🙂"
        }
    }
}
