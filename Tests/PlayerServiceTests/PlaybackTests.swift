import Protocols
import Testing

@testable import PlayerService

/// 2026-11-20T12:00:00Z; every expected number below is this plus a sum done by hand.
private let noon = Timestamp(milliseconds: 1_795_176_000_000)

private func song(_ id: String, _ durationMs: Int64?) -> SongRef {
    SongRef(id: id, title: id, artist: "A", durationMs: durationMs)
}

private func after(_ ms: Int64) -> Timestamp { noon.adding(milliseconds: ms) }

struct PlaybackTests {
    @Test func `heard time leaves pauses and jumps out`() throws {
        var playback = Playback(start: noon)
        _ = try playback.play(PlayerPlay(playId: "p1", song: song("a", 100_000)), at: noon)
        _ = playback.pause(at: after(10_000))
        _ = playback.resume(at: after(25_000))
        _ = try playback.seek(PlayerSeek(positionMs: 60_000), at: after(30_000))
        // 10 s before the pause and 5 s after it were heard; from 60 s on, 40 s are left: the end is at 70 s.
        let events = playback.advance(to: after(80_000))
        #expect(events.map(\.kind.rawValue) == ["ended"])
        #expect(events.first?.at == after(70_000))
        #expect(events.first?.listenedMs == 55_000)
        #expect(events.first?.positionMs == 100_000)
        #expect(events.first?.outcome == .known(.finished))
    }

    @Test func `the queued song starts at the millisecond at which the song before ended`() throws {
        var playback = Playback(start: noon)
        _ = try playback.play(PlayerPlay(playId: "p1", song: song("a", 61_234)), at: noon)
        _ = try playback.queueNext(PlayerQueueNext(playId: "p2", song: song("b", 90_000)), at: after(1000))
        let events = playback.advance(to: after(65_000))
        #expect(events.map(\.kind.rawValue) == ["ended", "started"])
        #expect(events.map(\.at) == [after(61_234), after(61_234)])
        #expect(events.map(\.playId) == ["p1", "p2"])
        #expect(playback.status.positionMs == 65_000 - 61_234)
        #expect(playback.status.nextPlayId == nil)
    }

    @Test func `one long step passes over two songs and ends both in time`() throws {
        var playback = Playback(start: noon)
        _ = try playback.play(PlayerPlay(playId: "p1", song: song("a", 20_000)), at: noon)
        _ = try playback.queueNext(PlayerQueueNext(playId: "p2", song: song("b", 15_000)), at: noon)
        let events = playback.advance(to: after(60_000))
        #expect(events.map(\.kind.rawValue) == ["ended", "started", "ended"])
        #expect(events.map(\.at) == [after(20_000), after(20_000), after(35_000)])
        #expect(!playback.status.playing)
    }

    @Test func `a song of unknown length is taken to last three minutes`() throws {
        var playback = Playback(start: noon)
        let events = try playback.play(PlayerPlay(playId: "p1", song: song("a", nil)), at: noon)
        #expect(events.first?.durationMs == 180_000)
        #expect(playback.advance(to: after(179_999)).isEmpty)
        #expect(playback.advance(to: after(180_000)).map(\.at) == [after(180_000)])
    }

    @Test func `a skip ends the song as skipped with what was heard and starts the queued one`() throws {
        var playback = Playback(start: noon)
        _ = try playback.play(PlayerPlay(playId: "p1", song: song("a", 200_000)), at: noon)
        _ = try playback.queueNext(PlayerQueueNext(playId: "p2", song: song("b", 90_000)), at: noon)
        _ = playback.pause(at: after(42_000))
        let events = playback.skip(at: after(50_000))
        #expect(events.map(\.kind.rawValue) == ["skipped", "started"])
        #expect(events.first?.outcome == .known(.skipped))
        #expect(events.first?.listenedMs == 42_000)
        #expect(events.first?.at == after(50_000))
        #expect(playback.status.playing)
    }

    @Test func `another play replaces the song and forgets the queued one`() throws {
        var playback = Playback(start: noon)
        _ = try playback.play(PlayerPlay(playId: "p1", song: song("a", 200_000)), at: noon)
        _ = try playback.queueNext(PlayerQueueNext(playId: "p2", song: song("b", 90_000)), at: noon)
        let events = try playback.play(
            PlayerPlay(playId: "p3", song: song("c", 90_000), positionMs: 30_000), at: after(7000))
        #expect(events.map(\.kind.rawValue) == ["ended", "started"])
        #expect(events.first?.outcome == .known(.replaced))
        #expect(events.last?.positionMs == 30_000)
        #expect(playback.status.nextPlayId == nil)
        #expect(playback.advance(to: after(100_000)).map(\.at) == [after(67_000)])
    }

    @Test func `the same play asked for twice goes on undisturbed`() throws {
        var playback = Playback(start: noon)
        let command = PlayerPlay(playId: "p1", song: song("a", 200_000))
        _ = try playback.play(command, at: noon)
        #expect(try playback.play(command, at: after(5000)).isEmpty)
        #expect(playback.status.positionMs == 5000)
    }

    @Test(arguments: [("stopped", PlayOutcome.stopped), ("replaced", .replaced)])
    func `stop ends the song with the outcome that was asked for`(text: String, outcome: PlayOutcome) throws {
        var playback = Playback(start: noon)
        _ = try playback.play(PlayerPlay(playId: "p1", song: song("a", 200_000)), at: noon)
        let events = try playback.stop(PlayerStop(outcome: text), at: after(12_345))
        #expect(events.map(\.outcome) == [.known(outcome)])
        #expect(events.first?.listenedMs == 12_345)
        #expect(playback.advance(to: after(500_000)).isEmpty)
    }

    @Test func `previous goes to the start and keeps what was heard`() throws {
        var playback = Playback(start: noon)
        _ = try playback.play(PlayerPlay(playId: "p1", song: song("a", 60_000)), at: noon)
        let events = playback.previous(at: after(40_000))
        #expect(events.map(\.kind.rawValue) == ["seeked"])
        #expect(events.first?.positionMs == 0)
        let ended = playback.advance(to: after(200_000))
        #expect(ended.map(\.at) == [after(100_000)])
        #expect(ended.first?.listenedMs == 100_000)
    }

    @Test func `a jump behind the end ends the song at once`() throws {
        var playback = Playback(start: noon)
        _ = try playback.play(PlayerPlay(playId: "p1", song: song("a", 60_000)), at: noon)
        let events = try playback.seek(PlayerSeek(positionMs: 99_000), at: after(2000))
        #expect(events.map(\.kind.rawValue) == ["seeked", "ended"])
        #expect(events.map(\.listenedMs) == [2000, 2000])
    }

    @Test func `a song that cannot be read fails, and the next one is not held up`() throws {
        var playback = Playback(start: noon, failing: ["bad"])
        _ = try playback.play(PlayerPlay(playId: "p1", song: song("a", 60_000)), at: noon)
        _ = try playback.queueNext(PlayerQueueNext(playId: "p2", song: song("bad", 60_000)), at: noon)
        let events = playback.advance(to: after(60_500))
        #expect(events.map(\.kind.rawValue) == ["ended", "failed"])
        #expect(events.last?.outcome == .known(.failed))
        #expect(events.last?.listenedMs == 0)
        #expect(events.last?.reason != nil)
        _ = try playback.play(PlayerPlay(playId: "p3", song: song("c", 60_000)), at: after(61_000))
        #expect(playback.status.playing)
    }

    @Test(arguments: [-0.1, 1.01, .nan, .infinity])
    func `a volume out of range is refused and changes nothing`(volume: Double) throws {
        var playback = Playback(start: noon, volume: 0.5)
        #expect(throws: Refusal.self) { try playback.setVolume(PlayerVolume(volume: volume), at: noon) }
        #expect(playback.volume == 0.5)
    }

    @Test func `time that runs backwards stands still`() throws {
        var playback = Playback(start: noon)
        _ = try playback.play(PlayerPlay(playId: "p1", song: song("a", 60_000)), at: after(10_000))
        #expect(playback.advance(to: after(5000)).isEmpty)
        #expect(playback.status.positionMs == 0)
    }

    @Test func `resume starts what is queued when nothing is loaded`() throws {
        var playback = Playback(start: noon)
        _ = try playback.queueNext(PlayerQueueNext(playId: "p1", song: song("a", 60_000)), at: noon)
        #expect(playback.advance(to: after(10_000)).isEmpty)
        #expect(playback.resume(at: after(10_000)).map(\.kind.rawValue) == ["started"])
    }
}
