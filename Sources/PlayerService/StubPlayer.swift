import Bus
import Logging
import Protocols
import ServiceKit

/// Plays silence in real or virtual time and reports as a real player does: the default player, and the double of
/// every other one in tests.
///
/// It remembers nothing over its own end: a fresh player reports that nothing plays, and the brain takes it from there.
package actor StubPlayer: BusService {
    package nonisolated let subscriptions: [String] = []
    package nonisolated let tick = Duration.milliseconds(250)

    private let listener: String
    private let logger: Logger
    private let failing: Set<String>
    private var playback: Playback?
    private var progressAt: Timestamp?

    package init(listener: String, logger: Logger, failing: Set<String> = []) {
        self.listener = listener
        self.logger = logger
        self.failing = failing
    }

    package func receive(_ event: BusEvent, bus: any BusPort) async throws {
        switch event {
        case .tick:
            passTime(bus)
            reportProgress(force: false, bus: bus)
        case .request(let request):
            passTime(bus)
            answer(request, bus: bus)
        case .joined:
            reportProgress(force: true, bus: bus)
        case .message, .lost:
            break
        }
    }

    /// Reports what time alone brought about, so that it is told even when the command that follows is refused.
    private func passTime(_ bus: any BusPort) {
        // The playback begins with the first moment that this process hears of.
        var changed = playback ?? Playback(start: bus.now, failing: failing)
        report(changed.advance(to: bus.now), bus: bus)
        playback = changed
    }

    private func answer(_ request: IncomingRequest, bus: any BusPort) {
        guard var changed = playback else { return }
        do throws(Refusal) {
            if request.name == DeleteData.name {
                guard try request.decodeBody(DeleteData.self).confirmation == DeleteData.phrase else {
                    throw Refusal(code: "invalid", message: "confirm with '\(DeleteData.phrase)'")
                }
                request.reply(Done(note: "the player keeps nothing but events on their way, which are gone"))
                return
            }
            let events = try Self.apply(request, to: &changed, at: bus.now)
            playback = changed
            report(events, bus: bus)
            request.reply(changed.status)
            if !events.isEmpty { reportProgress(force: true, bus: bus) }
        } catch {
            logger.notice("request refused", metadata: ["request": "\(request.name)", "code": "\(error.code)"])
            request.refuse(error)
        }
    }

    private static func apply(
        _ request: IncomingRequest, to playback: inout Playback, at now: Timestamp
    ) throws(Refusal) -> [PlayerEvent] {
        switch request.name {
        case PlayerPlay.name: try playback.play(request.decodeBody(PlayerPlay.self), at: now)
        case PlayerQueueNext.name: try playback.queueNext(request.decodeBody(PlayerQueueNext.self), at: now)
        case PlayerPause.name: playback.pause(at: now)
        case PlayerResume.name: playback.resume(at: now)
        case PlayerSkip.name: playback.skip(at: now)
        case PlayerStop.name: try playback.stop(request.decodeBody(PlayerStop.self), at: now)
        case PlayerPrevious.name: playback.previous(at: now)
        case PlayerSeek.name: try playback.seek(request.decodeBody(PlayerSeek.self), at: now)
        case PlayerVolume.name: try playback.setVolume(request.decodeBody(PlayerVolume.self), at: now)
        case PlayerStatusQuery.name: playback.advance(to: now)
        default:
            throw Refusal(code: "unknown-request", message: "the player does not know '\(request.name)'")
        }
    }

    private func report(_ events: [PlayerEvent], bus: any BusPort) {
        for event in events { bus.publish(event, on: Registry.playerEvent(listener)) }
    }

    /// Once a second while a song plays, and whenever something changed.
    private func reportProgress(force: Bool, bus: any BusPort) {
        // Silence is right while nothing plays: nobody is to call it a fault.
        bus.say(playback?.playing == true ? nil : .idle, of: Registry.progress(listener))
        guard let playback else { return }
        let due = progressAt.map { bus.now.milliseconds - $0.milliseconds >= 1000 } ?? true
        guard force || (playback.playing && due) else { return }
        progressAt = bus.now
        let status = playback.status
        bus.publish(
            Progress(positionMs: status.positionMs, playing: status.playing, volume: status.volume),
            on: Registry.progress(listener))
    }
}
