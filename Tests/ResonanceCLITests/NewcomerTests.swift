import ArgumentParser
import Foundation
import Protocols
import Testing

@testable import ResonanceCLI

/// What somebody reads who has just begun and mistyped something.
struct NewcomerTests {
    private func run(_ words: [String], in household: FakeHousehold, width: Int? = nil) async throws -> String {
        let paper = Paper()
        let parsed = try ResonanceCommand.parseAsRoot(words)
        let command = try #require(parsed as? any HouseholdCommand)
        try await command.run(in: household, on: paper.terminal(width: width))
        return paper.output
    }

    private static let song = Song(id: "song-1", title: "Blue Monday", artist: "New Order")

    @Test(arguments: [["play", "blue", "monday"], ["propose", "blue", "monday"], ["why-not", "blue", "monday"]])
    func `a song outside the chosen playlists is named with its playlists and the cure`(words: [String]) async throws {
        let household = FakeHousehold()
        try household.answer(GetSong.self, with: SongReply(song: Self.song, playlists: ["Run", "Eighties"]))
        for name in [Play.name, Propose.name, WhyNot.name] {
            household.refuse(.brain, name, code: "not-found", message: "'song-1' is not in the chosen playlists")
        }
        let failure = try await #require(throws: CommandFailure.self) { _ = try await run(words, in: household) }
        #expect(failure.status == .finding)
        #expect(failure.cause == "\"Blue Monday\" by New Order is not in the chosen playlists, but in Run, Eighties")
        #expect(failure.cure == "choose that: `resonance use \"Run\"`")
    }

    @Test func `why-not of a typing error says what may have been meant, as the librarian knows it`() async throws {
        let household = FakeHousehold()
        household.refuse(.brain, WhyNot.name, code: "not-found", message: "not in the chosen playlists")
        household.refuse(
            .librarian, GetSong.name, code: "not-found", message: "no song matches 'blu': did you mean \"Blue Monday\"?"
        )
        let refusal = try await #require(throws: Refusal.self) { _ = try await run(["why-not", "blu"], in: household) }
        #expect(refusal.message == "no song matches 'blu': did you mean \"Blue Monday\"?")
    }

    @Test func `nothing playing is no fault of the machinery`() {
        let failure = CommandFailure(
            Refusal(code: "nothing-plays", message: "nothing plays; start with `resonance play`"))
        #expect(failure.status == .finding)
        #expect(failure.cure == nil)
    }

    @Test(arguments: [
        ("statsu", "did you mean `resonance status`?"), ("playlist", "did you mean `resonance playlists`?"),
        ("foobarbaz", "see `resonance --help`"),
    ])
    func `an unknown command is answered with the nearest`(word: String, cure: String) {
        let failure = CommandNames.failure(of: [word])
        #expect(failure?.status == .usage)
        #expect(failure?.cure == cure)
    }

    @Test(arguments: [["status"], ["ps"], ["help", "now"], ["--version"], []])
    func `what is a command is left alone`(words: [String]) {
        #expect(CommandNames.failure(of: words) == nil)
    }

    @Test func `the list of preferences fits 80 columns and marks what was changed`() async throws {
        let household = FakeHousehold()
        let rows = [
            Preference(
                name: "preferFamiliarInStress", value: "off", defaultValue: "on", range: "on or off", unit: "",
                summary: "Prefer familiar songs under stress"),
            Preference(
                name: "workFocusNames", value: "work; arbeit; travail; trabajo; coding; deep; focus; study",
                defaultValue: "work; arbeit; travail; trabajo; coding; deep; focus; study",
                range: "words separated by ;", unit: "",
                summary: "Focus modes with one of these words in the name mean work"),
            Preference(
                name: "avoidRecentMinutes", value: "60", defaultValue: "60", range: "0…1440", unit: "min",
                summary: "A song does not come back within"),
        ]
        try household.answer(GetPreferences.self, with: PreferenceList(preferences: rows))
        let lines = try await run(["prefs"], in: household, width: 80).split(separator: "\n")
        #expect(lines.allSatisfy { Wording.displayWidth(String($0)) <= 80 })
        #expect(lines.contains { $0.hasPrefix("preferFamiliarInStress  off *") })
        #expect(lines.contains("* not the default"))
    }

    @Test func `what rounds to nothing has no minus`() {
        #expect(Wording.decimal(-0.0004, 3) == "0.000")
        #expect(Wording.decimal(-0.4, 1) == "-0.4")
        #expect(Wording.signed(-0.0004, 3) == "+0.000")
    }

    @Test func `the time that virtual time has reached is that of the latest kept state`() throws {
        func kept(_ at: Int64) throws -> Retained {
            let state = StateVector(
                at: Timestamp(milliseconds: at), arousal: 0.3, energy: 0.5, focus: 0.5, stress: 0.4, valence: 0.5,
                activityContext: .work, need: .maintain, confidence: 0.5, sources: [])
            return Retained(
                topic: "state/vector/me", epoch: 1, sequence: 1, schema: StateVector.schema,
                sentAt: Timestamp(milliseconds: 5),
                json: String(decoding: try JSONEncoder().encode(state), as: UTF8.self))
        }
        let reply = SnapshotReply(hubEpoch: 1, hubSequence: 2, values: [try kept(30_000), try kept(60_000)])
        #expect(ConductCommand.latest(of: reply) == Timestamp(milliseconds: 60_000))
        #expect(ConductCommand.latest(of: SnapshotReply(hubEpoch: 1, hubSequence: 2, values: [])) == nil)
    }

    @Test func `the pace of an import is told once it is known`() {
        var pace = ImportPace()
        let begin = ContinuousClock.now
        var state = ImportState(
            phase: Open(.reading), path: "/x/songs.csv", fileNumber: 1, fileCount: 3, fileBytes: 120_000_000)
        #expect(pace.line(state, at: begin) == "[1/3] songs.csv: reading 120 MB …")
        state.phase = Open(.storing)
        (state.rows, state.totalRows) = (0, 12_000)
        #expect(pace.line(state, at: begin) == "[1/3] songs.csv: 0 of 12000 songs")
        state.rows = 4000
        // 4,000 songs in 2 s leave 8,000 for 4 s.
        #expect(
            pace.line(state, at: begin + .seconds(2)) == "[1/3] songs.csv: 4000 of 12000 songs, 2000/s, 4 s left")
    }
}
