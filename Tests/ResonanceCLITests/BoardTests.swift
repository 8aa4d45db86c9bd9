import ArgumentParser
import Bus
import Foundation
import Protocols
import Testing

@testable import ResonanceCLI

struct BoardTests {
    private func board() throws -> Board {
        var board = Board()
        board.apply(
            SnapshotReply(
                hubEpoch: 1, hubSequence: 9,
                values: [
                    try Sample.kept(Sample.now, on: Registry.now()),
                    try Sample.kept(Sample.state, on: Registry.state()),
                    try Sample.kept(Sample.why, on: Registry.why()),
                    try Sample.kept(
                        MusicQueue(entries: [
                            .init(song: Sample.song, status: .playing, pick: .ai),
                            .init(song: Sample.other, status: .upNext, pick: .ai),
                        ]), on: Registry.queue()),
                    try Sample.kept(
                        NowPlaying(
                            song: Sample.other, playlist: nil, startedAt: nil, durationMs: nil, playing: true, pick: nil
                        ),
                        on: Registry.now("ann")),
                ]), listener: "me")
        return board
    }

    @Test func `shows song, state, reason and what comes next`() throws {
        var board = try board()
        board.progress = Protocols.Progress(positionMs: 112_250, playing: true, volume: 0.6)
        let lines = BoardView(Paper().terminal(width: 60)).lines(board)
        #expect(
            lines == [
                "▶ Blue Monday — New Order",
                "  1:52 ██████████░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░ 7:29",
                "  Everything · picked by the DJ · volume 60 %",
                "",
                "  deepWork → focus · confidence 72 % · heart 64 BPM",
                "  arousal  ██████░░░░░░░░░░░░░░░░░░ 0.25",
                "  energy   ████████████░░░░░░░░░░░░ 0.50",
                "  focus    ██████████████████░░░░░░ 0.75",
                "  stress   ██████████░░░░░░░░░░░░░░ 0.40",
                "  valence  ████████████████████████ 1.00",
                "",
                "  why    Keeps you in flow.",
                "  next   Porcelain — Moby",
            ])
        #expect(lines.allSatisfy { Wording.displayWidth($0) <= 60 })
    }

    @Test func `says what to do when nothing plays, and when nobody says anything`() {
        let view = BoardView(Paper().terminal())
        #expect(
            view.lines(Board()) == ["■ Nothing is known", "  the DJ has not said anything; see `resonance doctor`"])
        var board = Board()
        board.now = NowPlaying(
            song: nil, playlist: nil, startedAt: nil, durationMs: nil, playing: false, pick: nil,
            notice: "choose a playlist")
        #expect(view.lines(board) == ["■ Nothing plays", "  choose a playlist"])
    }

    @Test func `a line per change, and none for what stays or belongs to somebody else`() throws {
        var board = Board()
        let view = BoardView(Paper().terminal())
        func log(_ event: BusEvent) -> [String] {
            board.apply(event, listener: "me").map { view.line($0, board, at: Sample.noon) }
        }
        #expect(
            log(try Sample.message(Sample.now, on: Registry.now())) == [
                "12:00:00 playing  Blue Monday — New Order (7:29) [Everything]"
            ])
        #expect(log(try Sample.message(Sample.now, on: Registry.now())) == [])
        #expect(log(try Sample.message(Sample.state, on: Registry.state("ann"))) == [])
        #expect(
            log(try Sample.message(Sample.state, on: Registry.state())) == [
                "12:00:00 state    deepWork → focus arousal 0.25 energy 0.50 focus 0.75 stress 0.40 valence 1.00"
                    + " heart 64 confidence 72 %"
            ])
        #expect(log(try Sample.message(Sample.why, on: Registry.why())) == ["12:00:00 because  Keeps you in flow."])
        var paused = Sample.now
        paused.playing = false
        #expect(
            log(try Sample.message(paused, on: Registry.now())) == [
                "12:00:00 paused   Blue Monday — New Order (7:29) [Everything]"
            ])
        #expect(log(.lost(reason: "x")) == ["12:00:00 hub      silent"])
        #expect(log(.lost(reason: "x")) == [])
        #expect(log(.joined(hubEpoch: 2)) == ["12:00:00 hub      all processes run"])
        let table = Sample.table([Sample.row(.body, running: false), Sample.row("cli-5", running: false)])
        #expect(
            log(try Sample.message(table, on: Registry.processes())) == ["12:00:00 hub      not running: body"])
    }

    @Test func `who is starting is not missing, who is frozen does not answer, who has ended does not run`() {
        let view = BoardView(Paper().terminal())
        func last(_ rows: [ProcessTable.Row]) -> String? {
            var board = Board()
            board.apply(Sample.table(rows))
            return view.lines(board).last
        }
        let quiet = view.lines(Board()).last
        // As after the start: the hub has heard of the brain by the supervisor only, or it has not said that it is ready.
        #expect(last([Sample.row(.body), Sample.row(.brain, state: .starting, wanted: .yes)]) == quiet)
        #expect(last([Sample.row(.brain, ready: false)]) == quiet)
        #expect(
            last([Sample.row(.body, state: .silent), Sample.row(.brain, state: .ended)])
                == "Not running: brain; not answering: body. See `resonance doctor`.")
        #expect(last([Sample.row("cli-7", state: .ended)]) == quiet)
    }

    @Test func `the picture of now is of now, not of a second ago`() async throws {
        let household = FakeHousehold()
        let before = Sample.table([Sample.row(.brain, state: .ended)])
        try household.answer(
            HubSnapshot.self,
            with: SnapshotReply(
                hubEpoch: 1, hubSequence: 1, values: [try Sample.kept(before, on: Registry.processes())]))
        try household.answer(HubPeers.self, with: Sample.table([Sample.row(.brain, state: .ready)]))
        let paper = Paper()
        try await Now.parse([]).run(in: household, on: paper.terminal())
        #expect(!paper.output.contains("Not running"))
    }

    @Test func `a new song forgets the place in the old one`() throws {
        var board = try board()
        board.progress = Protocols.Progress(positionMs: 5, playing: true, volume: 1)
        var next = Sample.now
        next.song = Sample.other
        _ = board.apply(try Sample.message(next, on: Registry.now()), listener: "me")
        #expect(board.progress == nil)
        #expect(board.why == nil)
    }

    @Test func `bytes that are no message change nothing`() {
        var board = Board()
        #expect(board.apply(topic: "music/now/me", body: Data([0xFF, 0]), listener: "me") == [])
        #expect(board == Board())
    }

    @Test func `watch writes a JSON document per change`() async throws {
        let paper = Paper()
        let household = FakeHousehold(events: [
            try Sample.message(Sample.now, on: Registry.now()), try Sample.message(Sample.state, on: Registry.state()),
        ])
        try await BoardWatch(household, paper.terminal(), json: true).run()
        let lines = paper.output.split(separator: "\n")
        #expect(lines.count == 2)
        let first = try JSONDecoder().decode(JSONValue.self, from: Data(try #require(lines.first).utf8))
        guard case .object(let object) = first else {
            Issue.record("not an object")
            return
        }
        #expect(object["change"] == .string("song"))
        #expect(object["at"] == .integer(Sample.noon.milliseconds))
    }
}
