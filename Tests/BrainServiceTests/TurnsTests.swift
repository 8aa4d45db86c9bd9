import BrainService
import Learning
import Protocols
import Testing

/// The rules of turns by hand, without a bus.
struct TurnsTests {
    private let start = Timestamp(milliseconds: 1_000_000)

    private func pick(_ id: String, song: String? = nil) -> Pick {
        Pick(
            playId: id, decisionId: nil,
            song: SongRef(id: song ?? "song-\(id)", title: id, artist: "A", durationMs: 200_000),
            location: nil, playlist: "All", kind: .ai, activityContext: .deepWork, need: .focus, slot: "morning",
            features: SongFeatures())
    }

    private func event(
        _ kind: PlayerEventKind, _ playId: String, at seconds: Double, position: Double = 0, listened: Double = 0,
        outcome: PlayOutcome? = nil, volume: Double = 0.5
    ) -> PlayerEvent {
        PlayerEvent(
            at: start.adding(seconds: seconds), kind: kind, playId: playId, songId: "song-\(playId)",
            positionMs: Int64(position * 1000), durationMs: 200_000, listenedMs: Int64(listened * 1000),
            outcome: outcome, volume: volume)
    }

    private func playing(_ id: String) -> Turns {
        var turns = Turns()
        turns.offer(pick(id))
        _ = turns.apply(event(.started, id, at: 0))
        return turns
    }

    private func ended(_ changes: [Turns.Change]) -> [FinishedPlay] {
        changes.compactMap { if case .ended(let finished) = $0 { finished } else { nil } }
    }

    @Test func `the queued song becomes the current one when it starts`() {
        var turns = playing("a")
        turns.queue(pick("b"))
        let over = ended(turns.apply(event(.ended, "a", at: 200, position: 200, listened: 200, outcome: .finished)))
        #expect(over.map(\.outcome) == [.finished])
        #expect(over.map(\.listenedMs) == [200_000])
        #expect(over.first?.listenShare == 1)
        _ = turns.apply(event(.started, "b", at: 200))
        #expect(turns.current?.pick.playId == "b")
        #expect(turns.queued == nil)
    }

    @Test func `events about strangers, and late or repeated ones, change nothing`() {
        var turns = playing("a")
        let firstAnswer = turns.apply(event(.started, "stranger", at: 5))
        #expect(firstAnswer.isEmpty)
        let secondAnswer = turns.apply(event(.started, "a", at: 0))
        #expect(secondAnswer.isEmpty)
        _ = turns.apply(event(.skipped, "a", at: 20, listened: 20, outcome: .skipped))
        let after = turns
        let thirdAnswer = turns.apply(event(.skipped, "a", at: 20, listened: 20, outcome: .skipped))
        #expect(thirdAnswer.isEmpty)
        let fourthAnswer = turns.apply(event(.started, "a", at: 0))
        #expect(fourthAnswer.isEmpty)
        let fifthAnswer = turns.apply(event(.paused, "a", at: 10))
        #expect(fifthAnswer.isEmpty)
        #expect(turns == after)
    }

    @Test func `an end that overtakes its start still makes one whole play`() {
        var turns = Turns()
        turns.queue(pick("a"))
        let over = ended(turns.apply(event(.ended, "a", at: 200, listened: 200, outcome: .finished)))
        #expect(over.first?.play.startedAt == start)
        let firstAnswer = turns.apply(event(.started, "a", at: 0))
        #expect(firstAnswer.isEmpty)
        #expect(turns.current == nil)
    }

    @Test func `a crossing message: an older offer may start, the newer one waits on`() {
        var turns = playing("a")
        turns.queue(pick("b"))
        turns.queue(pick("c"))
        _ = turns.apply(event(.ended, "a", at: 200, listened: 200, outcome: .finished))
        _ = turns.apply(event(.started, "b", at: 200))
        #expect(turns.current?.pick.playId == "b")
        #expect(turns.queued?.playId == "c")
    }

    @Test func `pauses, volume and the way back near the end are noticed`() {
        var turns = playing("a")
        _ = turns.apply(event(.volume, "a", at: 10, position: 10, volume: 0.7))
        _ = turns.apply(event(.volume, "a", at: 11, position: 11, volume: 0.6))
        _ = turns.apply(event(.paused, "a", at: 20, position: 20))
        #expect(turns.current?.position(at: start.adding(seconds: 60)) == 20_000)
        _ = turns.apply(event(.resumed, "a", at: 100, position: 20))
        #expect(turns.current?.position(at: start.adding(seconds: 130)) == 50_000)
        #expect(turns.current?.repeated == false)
        // 195 s into the song, 5 s before its end.
        _ = turns.apply(event(.seeked, "a", at: 275, position: 0))
        #expect(turns.current?.repeated == true)
        #expect(turns.current?.volumeAdjustments == 2)
        #expect(turns.current?.volumeStart == 0.5)
        #expect(turns.current?.volumeNow == 0.6)
    }

    @Test func `work must last for the whole song`() {
        var turns = playing("a")
        turns.note(context: .work)
        #expect(turns.current?.workContextKept == true)
        turns.note(context: .relaxation)
        turns.note(context: .deepWork)
        #expect(turns.current?.workContextKept == false)
    }

    @Test func `what the player says is believed when it was seen twice`() {
        var watch = PlayerWatch()
        func status(_ playId: String?) -> PlayerStatus {
            PlayerStatus(
                playId: playId, songId: nil, nextPlayId: nil, nextSongId: nil, positionMs: 0, durationMs: nil,
                listenedMs: 0, playing: true, volume: 0.5)
        }
        let firstAnswer = watch.shouldAsk(expectsMusic: false, at: start)
        #expect(firstAnswer)
        let secondAnswer = watch.shouldAsk(expectsMusic: true, at: start.adding(seconds: 1))
        #expect(!secondAnswer)
        let thirdAnswer = watch.judge(status("a"), current: "a", at: start)
        #expect(thirdAnswer == .agrees)
        let fourthAnswer = watch.judge(status(nil), current: "a", at: start.adding(seconds: 10))
        #expect(fourthAnswer == .doubtful)
        let fifthAnswer = watch.judge(status(nil), current: "a", at: start.adding(seconds: 11))
        #expect(fifthAnswer == .doubtful)
        let sixthAnswer = watch.judge(status(nil), current: "a", at: start.adding(seconds: 12))
        #expect(sixthAnswer == .lost)
        let seventhAnswer = watch.judge(status("b"), current: "a", at: start.adding(seconds: 20))
        #expect(seventhAnswer == .doubtful)
        let eighthAnswer = watch.judge(status("b"), current: "b", at: start.adding(seconds: 22))
        #expect(eighthAnswer == .agrees)
        let ninthAnswer = watch.judge(status("c"), current: "b", at: start.adding(seconds: 30))
        #expect(ninthAnswer == .doubtful)
        let tenthAnswer = watch.judge(status("c"), current: "b", at: start.adding(seconds: 33))
        #expect(tenthAnswer == .plays(playId: "c"))
    }

    @Test func `a player that was gone is asked each second, and its empty hands are believed at once`() {
        var watch = PlayerWatch()
        let empty = PlayerStatus(
            playId: nil, songId: nil, nextPlayId: nil, nextSongId: nil, positionMs: 0, durationMs: nil,
            listenedMs: 0, playing: false, volume: 0.5)
        watch.miss()
        var asked: [Bool] = []
        for second in [0.0, 0.5, 1, 1.5, 2] {
            asked.append(watch.shouldAsk(expectsMusic: true, at: start.adding(seconds: second)))
        }
        #expect(asked == [true, false, true, false, true])
        let verdict = watch.judge(empty, current: "a", at: start.adding(seconds: 2))
        #expect(verdict == .lost)
        // One that was only silent has events on their way: it is looked at twice.
        watch.detach()
        let careful = watch.judge(empty, current: "a", at: start.adding(seconds: 10))
        #expect(careful == .doubtful)
    }

    @Test func `a library that changes while is read again`() {
        var loader = PoolLoader(playlists: ["All"])
        func page(_ offset: Int, _ ids: [String], revision: Int64) -> SongPage {
            SongPage(
                revision: revision, total: 3, offset: offset,
                songs: ids.map { Song(id: $0, title: $0, artist: "A") }, playlistIds: ["pl"], missing: [])
        }
        func offset(_ step: PoolLoader.Step) -> Int? {
            if case .ask(let question) = step { question.offset } else { nil }
        }
        func take(_ offset: Int, _ ids: [String], _ revision: Int64) -> PoolLoader.Step {
            loader.take(page(offset, ids, revision: revision))
        }
        #expect(loader.first.offset == 0)
        #expect(offset(take(0, ["a", "b"], 1)) == 2)
        #expect(offset(take(2, ["c"], 2)) == 0)
        #expect(offset(take(0, ["x", "b"], 2)) == 2)
        guard case .done(let pool) = loader.take(page(2, ["b"], revision: 2)) else {
            Issue.record("not done")
            return
        }
        #expect(pool.songs.map(\.id) == ["x", "b"])
        #expect(pool.playlistIds == ["pl"])
        #expect(pool.revision == 2)
    }

    @Test func `a session counts songs, skips and shares, and ends after half an hour`() {
        var session = ListeningSession(
            id: "s", startedAt: start, playlist: "All", activityContext: .work, slot: "morning", dayOfWeek: 4)
        func over(_ listened: Int64, _ outcome: PlayOutcome, at seconds: Double) -> FinishedPlay {
            FinishedPlay(
                play: CurrentPlay(pick: pick("x"), startedAt: start, volume: 0.5, durationMs: 200_000),
                endedAt: start.adding(seconds: seconds), listenedMs: listened, durationMs: 200_000, outcome: outcome)
        }
        session.add(over(200_000, .finished, at: 200))
        session.add(over(50_000, .skipped, at: 250))
        session.add(over(4_000, .skipped, at: 254))
        #expect(session.songs == 2)
        #expect(session.skips == 1)
        #expect(session.averageListenShare == 0.625)
        // .25 · .5 + .30 · .5 + .25 · .625 + .20 · .5, nothing known about HRV and sleep.
        #expect(abs((session.quality ?? 0) - 0.53125) < 1e-12)
        #expect(session.continues(at: start.adding(seconds: 254 + 1800)))
        #expect(!session.continues(at: start.adding(seconds: 254 + 1801)))
    }
}
