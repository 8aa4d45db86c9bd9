import ArgumentParser
import Foundation
import Glibc
import Testing

@testable import ResonanceCLI

/// `inspect` on small files whose content is known by hand; the readers have tests of their own.
struct InspectTests {
    private func inspect(_ words: [String]) async throws -> (output: String, error: String, failure: CommandFailure?) {
        let paper = Paper()
        let command = try #require(try ResonanceCommand.parseAsRoot(["inspect"] + words) as? InspectCommand)
        do {
            try await command.run(on: paper.terminal())
            return (paper.output, paper.error, nil)
        } catch let failure as CommandFailure {
            return (paper.output, paper.error, failure)
        }
    }

    private func object(_ text: String) throws -> [String: JSONValue] {
        let value = try JSONDecoder().decode(JSONValue.self, from: Data(text.utf8))
        guard case .object(let object) = value else { throw CommandFailure(.badData, "no object: \(text)") }
        return object
    }

    @Test func `an RR series has its figures under the agreed keys`() async throws {
        let directory = try TemporaryDirectory()
        // By hand: mean 4860/6 = 810; differences +10 −20 +60 −50 +10; squares 100+400+3600+2500+100 = 6700, /5 = 1340.
        try directory.write("rr.txt", "800\n810\n790\n850\n800\n810\n")
        let report = try object(try await inspect([directory.path("rr.txt"), "--json"]).output)
        #expect(report["kind"] == .string("rr"))
        #expect(report["n"] == .integer(6))
        #expect(report["meanNnMs"] == .integer(810))
        // One of five differences is above 50 ms.
        #expect(report["pnn50Percent"] == .integer(20))
        guard case .number(let rmssd)? = report["rmssdMs"] else {
            Issue.record("no RMSSD: \(report)")
            return
        }
        #expect(abs(rmssd - 1340.0.squareRoot()) < 1e-9)
        let keys = ["sdnnMs", "pnn50Percent", "artefacts", "correctedRmssdMs", "correctedShare", "wouldTake"]
        #expect(keys.filter { report[$0] == nil } == [])
    }

    @Test func `a calendar shows its occurrences in the asked days`() async throws {
        let directory = try TemporaryDirectory()
        let lines = [
            "BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//test//EN", "BEGIN:VEVENT", "UID:a@x", "SUMMARY:Stand-up",
            "DTSTAMP:20260101T000000Z", "DTSTART:20260105T090000Z", "DTEND:20260105T091500Z",
            "RRULE:FREQ=DAILY", "END:VEVENT", "END:VCALENDAR", "",
        ]
        try directory.write("c.ics", lines.joined(separator: "\r\n"))
        let report = try object(
            try await inspect([directory.path("c.ics"), "--from", "2026-01-06", "--to", "2026-01-08", "--json"]).output)
        #expect(report["kind"] == .string("calendar"))
        guard case .array(let occurrences)? = report["occurrences"], case .object(let first)? = occurrences.first else {
            Issue.record("no occurrences: \(report)")
            return
        }
        #expect(occurrences.count == 2)
        #expect(first["start"] == .string("2026-01-06T09:00:00+00:00"))
        #expect(first["end"] == .string("2026-01-06T09:15:00+00:00"))
        #expect(first["uid"] == .string("a@x"))
        #expect(first["allDay"] == .bool(false))
    }

    @Test func `a playlist shows its tracks, several files become an array`() async throws {
        let directory = try TemporaryDirectory()
        try directory.write("a.m3u8", "#EXTM3U\n#EXTINF:449,New Order - Blue Monday\nblue.flac\n")
        try directory.write("b.csv", "title,artist,tempoBpm\nPorcelain,Moby,95\n")
        let text = try await inspect([directory.path("a.m3u8"), directory.path("b.csv"), "--json"]).output
        let value = try JSONDecoder().decode(JSONValue.self, from: Data(text.utf8))
        guard case .array(let both) = value, case .object(let list)? = both.first, case .object(let table)? = both.last,
            case .array(let tracks)? = list["tracks"], case .object(let track)? = tracks.first
        else {
            Issue.record("not two reports: \(text)")
            return
        }
        #expect(list["kind"] == .string("playlist"))
        #expect(table["kind"] == .string("library"))
        #expect(track["title"] == .string("Blue Monday"))
        #expect(track["artist"] == .string("New Order"))
        #expect(track["seconds"] == .integer(449))
    }

    @Test func `text for a person says what an import would take`() async throws {
        let directory = try TemporaryDirectory()
        try directory.write("a.m3u8", "#EXTM3U\n#EXTINF:449,New Order - Blue Monday\nblue.flac\n")
        let result = try await inspect([directory.path("a.m3u8")])
        #expect(result.failure == nil)
        #expect(result.output.contains("Blue Monday"))
        #expect(result.output.contains("An import would take"))
    }

    @Test func `a file that is not there ends with 66, the others are shown all the same`() async throws {
        let directory = try TemporaryDirectory()
        try directory.write("a.m3u8", "#EXTM3U\n#EXTINF:449,New Order - Blue Monday\nblue.flac\n")
        let result = try await inspect([directory.path("none.ics"), directory.path("a.m3u8")])
        #expect(result.failure?.status == .noInput)
        #expect(result.failure?.cause.contains("none.ics") == true)
        #expect(result.output.contains("Blue Monday"))
        #expect(try await inspect([directory.path("")]).failure?.status == .noInput)
    }

    @Test(.timeLimit(.minutes(1)))
    func `a named pipe is refused by name at once, and so is a device`() async throws {
        let directory = try TemporaryDirectory()
        try #require(mkfifo(directory.path("beats.txt"), 0o600) == 0)
        for path in [directory.path("beats.txt"), "/dev/zero"] {
            let failure = try await inspect([path, "--json"]).failure
            #expect(failure?.status == .noInput)
            #expect(failure?.cause.contains(path) == true)
        }
    }

    @Test(arguments: ["x.ics", "x.m3u8", "x.xspf", "x.xml", "x.csv", "x.fit", "x.json", "x.txt", "x.jsonl"])
    func `empty and random files are refused by name, as text and as JSON`(name: String) async throws {
        let directory = try TemporaryDirectory()
        // xorshift64 with a fixed seed: the same bytes every time.
        var state: UInt64 = 0x9E37_79B9_7F4A_7C15
        let random = (0..<4096).map { _ -> UInt8 in
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            return UInt8(truncatingIfNeeded: state)
        }
        for bytes in [[], random] as [[UInt8]] {
            try directory.write(name, Data(bytes))
            let result = try await inspect([directory.path(name), "--json"])
            #expect(result.failure?.status == .badData)
            #expect(result.failure?.cause.contains(name) == true)
            let report = try object(result.output)
            #expect(report["kind"] == .string("unreadable"))
            #expect(report["file"] == .string(directory.path(name)))
            #expect(report["error"] != nil)
        }
    }

    @Test func `a bad date is a wrong command line`() {
        #expect(throws: (any Error).self) {
            try ResonanceCommand.parseAsRoot(["inspect", "a.ics", "--from", "yesterday"])
        }
        #expect(InspectCommand.edge("2026-01-31") == "2026-01-31")
        #expect(InspectCommand.edge("2026-01-31T12:00:00+01:00") == "2026-01-31T11:00:00.000Z")
        #expect(InspectCommand.edge(nil) == nil)
    }
}
