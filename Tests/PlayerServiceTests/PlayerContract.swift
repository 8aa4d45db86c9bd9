import Bus
import Protocols
import Testing

/// What the brain relies on from any process that answers to the role `player`, checked on the bus.
///
/// The songs are silent 20 s and 30 s long; a player of real files is given such files through `location`.
struct PlayerContract {
    let makePlayer: () -> any BusService
    /// Where a player of real files finds a silent file of this many seconds.
    var location: @Sendable (_ seconds: Int64) -> String? = { _ in nil }
    /// How exactly the player knows when something happened, in milliseconds.
    var toleranceMs: Int64 = 0

    let start = Timestamp(milliseconds: 1_795_176_000_000)

    /// Plays one song into the next, then pause, resume, seek, skip, and stop.
    ///
    /// - Returns: the events that were published, for tests that compare runs.
    @discardableResult
    func check(step: Duration) async throws -> [PlayerEvent] {
        let bus = LockStep(start: start)
        bus.add(makePlayer(), as: "player-under-test", roles: [.player])
        await bus.step(to: start)

        let idle = try await bus.request(PlayerStatusQuery())
        #expect(idle.playId == nil && !idle.playing)

        let first = SongRef(id: "s1", title: "One", artist: "A", durationMs: 150_000)
        let second = SongRef(id: "s2", title: "Two", artist: "B", durationMs: 400_000)
        let third = SongRef(id: "s3", title: "Three", artist: "C", durationMs: 200_000)
        let playing = try await bus.request(
            PlayerPlay(playId: "p1", song: first, location: location(150), volume: 0.4))
        #expect(playing.playing && playing.playId == "p1" && playing.volume == 0.4)
        let queued = try await bus.request(PlayerQueueNext(playId: "p2", song: second, location: location(400)))
        #expect(queued.nextPlayId == "p2")

        await bus.advance(to: at(240), step: step)  // s1 ends at 150 s
        _ = try await bus.request(PlayerPause())
        await bus.advance(to: at(300), step: step)
        let paused = try await bus.request(PlayerStatusQuery())
        #expect(!paused.playing && near(paused.positionMs, 90_000))
        _ = try await bus.request(PlayerResume())
        _ = try await bus.request(PlayerVolume(volume: 0.7))
        await bus.advance(to: at(360), step: step)
        _ = try await bus.request(PlayerSeek(positionMs: 10_000))
        _ = try await bus.request(PlayerQueueNext(playId: "p3", song: third, location: location(200)))
        await bus.advance(to: at(420), step: step)
        _ = try await bus.request(PlayerSkip())
        await bus.advance(to: at(480), step: step)
        let stopped = try await bus.request(PlayerStop())
        #expect(stopped.playId == nil && !stopped.playing)
        await bus.advance(to: at(540), step: step)

        let events = try bus.messages(of: Registry.playerEvent)
        let expected: [(kind: String, playId: String, seconds: Int64, listenedMs: Int64)] = [
            ("started", "p1", 0, 0), ("ended", "p1", 150, 150_000), ("started", "p2", 150, 0),
            ("paused", "p2", 240, 90_000), ("resumed", "p2", 300, 90_000), ("volume", "p2", 300, 90_000),
            ("seeked", "p2", 360, 150_000), ("skipped", "p2", 420, 210_000), ("started", "p3", 420, 0),
            ("ended", "p3", 480, 60_000),
        ]
        #expect(events.map(\.kind.rawValue) == expected.map(\.kind))
        #expect(events.map(\.playId) == expected.map(\.playId))
        for (event, wanted) in zip(events, expected) {
            #expect(near(event.at.milliseconds, at(wanted.seconds).milliseconds), "\(wanted.kind) \(wanted.playId)")
            #expect(near(event.listenedMs, wanted.listenedMs), "\(wanted.kind) \(wanted.playId)")
        }
        let outcomes = events.compactMap(\.outcome?.rawValue)
        #expect(outcomes == ["finished", "skipped", "stopped"])
        #expect(bus.failures.isEmpty)
        return events
    }

    private func at(_ seconds: Int64) -> Timestamp { start.adding(milliseconds: seconds * 1000) }
    private func near(_ a: Int64, _ b: Int64) -> Bool { abs(a - b) <= toleranceMs }
}
