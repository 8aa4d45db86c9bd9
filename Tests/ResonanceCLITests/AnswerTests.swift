import ArgumentParser
import Bus
import Foundation
import Protocols
import Testing

@testable import ResonanceCLI

/// What commands ask and answer, with the processes played by the test.
struct AnswerTests {
    /// Parses a command line and runs it; returns what was written.
    private func run(_ words: [String], in household: FakeHousehold, width: Int? = nil) async throws -> String {
        let paper = Paper()
        let parsed = try ResonanceCommand.parseAsRoot(CommandLineText.normalised(words))
        let command = try #require(parsed as? any HouseholdCommand)
        try await command.run(in: household, on: paper.terminal(width: width))
        return paper.output
    }

    @Test func `why shows every term and what they add up to`() async throws {
        let household = FakeHousehold()
        try household.answer(Explain.self, with: Sample.why)
        #expect(
            try await run(["why"], in: household) == """
                Blue Monday — New Order
                  Keeps you in flow.

                  TERM    VALUE  WEIGHT   ADDS  FROM
                  tempo    0.80    0.25  0.200  130 BPM against 128
                  energy   0.50    0.50  0.250

                  score        0.450
                  confidence   60 %
                  probability  13 % among 40 songs
                  gave way     artistWindow
                  state        deepWork → focus (confidence 72 %)
                  from         heartRate 3 s ago

                """)
    }

    @Test func `in each row of why the columns make what it adds, a term that multiplies shows its factor`()
        async throws
    {
        let household = FakeHousehold()
        var why = Sample.why
        // 0.2 + 0.25 = 0.45; × (1 − 0.3 · 0.5) = 0.3825; × (1 − 0.2 · 0.25) = 0.363375; + 0.02.
        why.terms += [
            ScoreTerm(name: "timeOfDay", value: 0.5, weight: 0.3, contribution: -0.0675),
            ScoreTerm(name: "transition", value: 0.75, weight: 0.2, contribution: -0.019125),
            ScoreTerm(name: "learned", value: 0.52, weight: 1, contribution: 0.02),
        ]
        try household.answer(Explain.self, with: why)
        let lines = try await run(["why"], in: household).split(separator: "\n").map(String.init)
        let rows = lines.filter { line in why.terms.contains { line.hasPrefix("  \($0.name) ") } }
        var sum = 0.0
        for row in rows {
            let factor = row.split(separator: "×").dropFirst().first.map { $0.split(separator: " ") }
            let cells = row.split(separator: " ").map { String($0) }
            if let factor, let by = Double(factor[0]), let adds = Double(factor[1].replacing("−", with: "-")) {
                #expect(abs(sum * (by - 1) - adds) < 0.003, "\(row)")
                sum += adds
            } else if cells[1] == "–" {
                sum += try #require(Double(cells[3]))
            } else {
                let (value, weight, adds) = (
                    try #require(Double(cells[1])), try #require(Double(cells[2])), try #require(Double(cells[3]))
                )
                #expect(abs(value * weight - adds) < 0.003, "\(row)")
                sum += adds
            }
        }
        #expect(rows.count == 5)
        #expect(abs(sum - 0.383375) < 0.002)
    }

    @Test func `why-not shows the guards and the two scores`() async throws {
        let household = FakeHousehold()
        try household.answer(
            WhyNot.self,
            with: WhyNotAnswer(
                song: Sample.other, text: "It scored lower.", admissible: true, blockedBy: [], rank: 5, score: 0.4,
                chosenScore: 0.45, terms: [ScoreTerm(name: "tempo", value: 0.6, weight: 0.25, contribution: 0.15)],
                chosenTerms: Sample.terms))
        #expect(
            try await run(["why-not", "porcelain", "moby"], in: household) == """
                Porcelain — Moby
                  It scored lower.
                  rank 5 among the admissible

                  TERM    THIS SONG  THE PICK  DIFFERENCE
                  tempo       0.150     0.200      −0.050
                  energy          –     0.250           –
                  score       0.400     0.450      −0.050

                """)
        #expect(household.asked.map(\.body) == [.object(["song": .string("porcelain moby")])])
    }

    @Test func `JSON is the reply itself, sorted, and nothing else`() async throws {
        let household = FakeHousehold()
        try household.answer(SetDJMode.self, with: DJMode(on: true, energyNudge: 0.25, tempoNudge: -5))
        #expect(
            try await run(["dj-mode", "on", "--json"], in: household) == """
                {
                  "energyNudge" : 0.25,
                  "on" : true,
                  "tempoNudge" : -5
                }

                """)
        #expect(household.asked.map(\.body) == [.object(["on": .bool(true)])])
        #expect(try await run(["dj-mode"], in: household) == "DJ mode is on: energy +0.25, tempo −5 BPM\n")
    }

    @Test func `orders reach the brain with their figures`() async throws {
        let household = FakeHousehold()
        for name in [SetMood.name, ClearMood.name, SendNudge.name, Seek.name, SetVolume.name, Skip.name, Undo.name] {
            try household.answer(.brain, name, with: Done())
        }
        #expect(try await run(["mood", "4", "2"], in: household) == "mood 4, energy 2 for 15 minutes\n")
        #expect(try await run(["mood", "calm"], in: household) == "calm for 15 minutes\n")
        #expect(try await run(["mood", "auto"], in: household) == "back to what the sensors say\n")
        #expect(try await run(["nudge", "-0.5"], in: household) == "energy −0.50\n")
        #expect(try await run(["seek", "1:23"], in: household) == "at 1:23\n")
        #expect(try await run(["volume", "60"], in: household) == "volume 60 %\n")
        #expect(try await run(["undo", "--minutes", "30"], in: household) == "forgotten\n")
        #expect(
            household.asked.map(\.body) == [
                .object(["mood": .integer(4), "energy": .integer(2), "via": .string("cli")]),
                .object(["named": .string("calm"), "via": .string("cli")]), .object([:]),
                .object(["delta": .number(-0.5), "kind": .string("energy")]), .object(["positionMs": .integer(83_000)]),
                .object(["volume": .number(0.6)]), .object(["minutes": .integer(30)]),
            ])
    }

    @Test func `a song that is named by its title is played by its id`() async throws {
        let household = FakeHousehold()
        try household.answer(
            GetSong.self,
            with: SongReply(song: Song(id: "s1", title: "Blue Monday", artist: "New Order"), playlists: []))
        try household.answer(Play.self, with: Done(note: "playing Blue Monday"))
        #expect(try await run(["play", "blue", "monday"], in: household) == "playing Blue Monday\n")
        #expect(
            household.asked.map(\.body) == [
                .object(["song": .string("blue monday")]), .object(["songId": .string("s1")]),
            ])
    }

    @Test func `all songs are fetched a page at a time`() async throws {
        let household = FakeHousehold()
        let songs = (0..<500).map { Song(id: "s\($0)", title: "T", artist: "A") }
        try household.answer(
            ListSongs.self,
            with: SongPage(revision: 1, total: 1000, offset: 0, songs: songs, playlistIds: [], missing: []))
        _ = try await run(["songs", "--all", "--json"], in: household)
        #expect(
            household.asked.map(\.body) == [
                .object(["limit": .integer(500), "offset": .integer(0)]),
                .object(["limit": .integer(500), "offset": .integer(500)]),
            ])
    }

    @Test func `an unknown feature is shown as unknown`() async throws {
        let household = FakeHousehold()
        var song = Song(id: "s1", title: "Blue Monday", artist: "New Order", energy: 0.8)
        song.corrected = ["energy"]
        try household.answer(GetSong.self, with: SongReply(song: song, playlists: ["Run"]))
        #expect(
            try await run(["song", "s1"], in: household) == """
                Blue Monday — New Order
                  id               s1
                  tempo            unknown
                  energy           0.80  (yours)
                  valence          unknown
                  playlists        Run

                """)
    }

    @Test func `tail prints one JSON line per message and ends after the count`() async throws {
        let household = FakeHousehold(events: [
            try Sample.message(Nudge(at: Sample.noon, delta: 0.5, kind: .energy), on: Registry.nudge(), kept: true),
            try Sample.message(Nudge(at: Sample.noon, delta: 0.1, kind: .energy), on: Registry.nudge("ann")),
            try Sample.message(Nudge(at: Sample.noon, delta: 1, kind: .intensity), on: Registry.nudge()),
            try Sample.message(Nudge(at: Sample.noon, delta: 0, kind: .energy), on: Registry.nudge()),
        ])
        #expect(
            try await run(["tail", "input/nudge", "--count", "2"], in: household) == """
                {"at":1767268800000,"body":{"at":1767268800000,"delta":0.5,"kind":"energy"},"class":"event","epoch":7,\
                "kept":true,"schema":"1.0","sequence":3,"topic":"input/nudge/me"}
                {"at":1767268800000,"body":{"at":1767268800000,"delta":1,"kind":"intensity"},"class":"event","epoch":7,\
                "kept":false,"schema":"1.0","sequence":3,"topic":"input/nudge/me"}

                """)
    }

    @Test func `status counts what is ready and fails when something is missing`() async throws {
        let household = FakeHousehold()
        try household.answer(HubPeers.self, with: Sample.table(Sample.fullHouse + [Sample.row("cli-9")]))
        try household.answer(BrainStatus.self, with: Sample.brain())
        try household.answer(
            HubSnapshot.self,
            with: SnapshotReply(
                hubEpoch: 1, hubSequence: 1,
                values: [
                    try Sample.kept(
                        LibraryRevision(revision: 3, songs: 240, playlists: 6, analysed: 236, pending: 0),
                        on: Registry.library())
                ]))
        #expect(
            try await run(["status"], in: household) == """
                Resonance 0.1.0 · listener me
                processes   6 of 6 ready
                library     240 songs, 6 playlists, 236 with features
                playlists   Everything (240 songs, 5 % played)
                now         Blue Monday — New Order
                state       deepWork → focus, confidence 72 %
                decisions   12, 1 relaxation, 0 breaches

                """)
        try household.answer(HubPeers.self, with: Sample.table(Array(Sample.fullHouse.dropLast())))
        let failure = try await #require(throws: CommandFailure.self) { _ = try await run(["status"], in: household) }
        #expect(failure.status == .finding)
        #expect(failure.cause == "not everything runs: brain")
    }

    @Test func `an import that refuses a file names it and ends with bad data`() async throws {
        let directory = try TemporaryDirectory()
        try directory.write("a.csv", "title\n")
        try directory.write("b.m3u8", "x")
        let household = FakeHousehold()
        try household.answer(
            StartImport.self, with: ImportState(phase: Open(.reading), path: "/x/a.csv", fileNumber: 1, fileCount: 2))
        try household.answer(
            GetImport.self,
            with: ImportState(
                phase: Open(.done), fileNumber: 2, fileCount: 2,
                report: ImportReport(
                    files: [
                        ImportedFile(path: "/x/a.csv", kind: "features", taken: 1),
                        ImportedFile(
                            path: "/x/b.m3u8", kind: "playlist", taken: 0,
                            error: "b.m3u8, line 1: not text; save as UTF-8"),
                    ], added: 1, updated: 0, unchanged: 2, playlists: 0, leftOut: ["video": 2], revision: 1)))
        let paper = Paper()
        let command = try #require(
            try ResonanceCommand.parseAsRoot(["library", "import", directory.path("a.csv")]) as? LibraryImport)
        let failure = try await #require(throws: CommandFailure.self) {
            try await command.run(in: household, on: paper.terminal())
        }
        #expect(failure.status == .badData)
        #expect(
            paper.output == """
                FILE    KIND      TAKEN
                a.csv   features      1
                b.m3u8  playlist      0  refused
                  b.m3u8, line 1: not text; save as UTF-8
                1 song added, 0 updated, 2 unchanged; 0 playlists
                left out: 2 video

                """)
    }

    @Test func `refusals become exit codes`() {
        let codes: [(String, CommandStatus)] = [
            ("not-found", .finding), ("invalid", .finding), ("unavailable", .unavailable),
            ("unknown-process", .unavailable), ("deadline", .tryAgain), ("not-allowed", .notAllowed),
            ("internal", .software), ("version", .version), ("something-new", .finding),
        ]
        for (code, status) in codes {
            #expect(CommandFailure(Refusal(code: code, message: "m")).status == status, "\(code)")
        }
    }
}
