import ArgumentParser
import Foundation
import Protocols
import Testing

@testable import ResonanceCLI

struct CommandLineTests {
    /// Every command of the tool, by the words that call it.
    static func commands(_ command: any ParsableCommand.Type = ResonanceCommand.self, _ path: [String] = [])
        -> [(path: [String], type: any ParsableCommand.Type)]
    {
        command.configuration.subcommands.flatMap { child -> [(path: [String], type: any ParsableCommand.Type)] in
            let here = path + [child._commandName]
            return [(here, child)] + commands(child, here)
        }
    }

    @Test func `the commands of the contract exist`() {
        let names = Set(Self.commands().map { $0.path.joined(separator: " ") })
        let wanted = [
            "status", "now", "why", "why-not", "mood", "context", "dj-mode", "nudge", "queue", "play", "pause",
            "resume", "skip",
            "previous", "seek", "volume", "next", "propose", "profile get", "profile set", "profile clear", "sessions",
            "history", "effects", "undo", "playlists", "use", "songs", "song", "correct", "library import", "art",
            "topics", "info", "hz", "bw", "tail", "ps", "doctor", "prefs list", "prefs get", "prefs set", "prefs reset",
            "export",
            "backup", "restore", "secret set", "secret list", "secret remove", "delete-all", "conduct", "inspect",
            "version", "watch", "wait-ready",
            "dead-letters list", "dead-letters show", "dead-letters replay", "dead-letters drop", "consumers list",
            "consumers add", "consumers remove",
        ]
        #expect(wanted.filter { !names.contains($0) } == [])
    }

    @Test func `every command has help with an example and takes json`() {
        for (path, type) in Self.commands() {
            let help = ResonanceCommand.helpMessage(for: type, columns: 100)
            let name = path.joined(separator: " ")
            #expect(!type.configuration.abstract.isEmpty, "\(name) has no abstract")
            if type.configuration.subcommands.isEmpty {
                #expect(help.contains("Example: resonance"), "\(name) has no example")
                #expect(help.contains("--json"), "\(name) has no --json")
            }
        }
    }

    @Test func `docs have a section with an example for every command`() throws {
        let docs = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "docs/cli.md")
        let text = try String(contentsOf: docs, encoding: .utf8)
        for (path, type) in Self.commands() where type.configuration.subcommands.isEmpty {
            let name = path.joined(separator: " ")
            #expect(text.contains("### \(name)"), "docs/cli.md has no section for \(name)")
            #expect(text.contains("resonance \(name)"), "docs/cli.md has no example for \(name)")
        }
        for status in CommandStatus.allCases {
            #expect(text.contains("| \(status.rawValue) |"), "exit \(status.rawValue)")
        }
    }

    @Test(
        arguments: [
            (["4", "2"], Mood.Wish.scales(mood: 4, energy: 2)), (["calm"], .named(.calm)),
            (["Very-Happy"], .named(.veryHappy)), (["very", "sad"], .named(.verySad)), (["AUTO"], .auto),
        ] as [([String], Mood.Wish)])
    func `moods are two numbers, a name, or auto`(words: [String], expected: Mood.Wish) throws {
        #expect(try Mood.Wish(words) == expected)
    }

    @Test(arguments: [["3"], ["0", "3"], ["3", "6"], ["3", "3", "3"], ["jolly"]])
    func `other moods are refused with what is possible`(words: [String]) {
        #expect(throws: ValidationError.self) { try Mood.Wish(words) }
    }

    @Test(
        arguments: [
            ("60", 0.6), ("60%", 0.6), ("0.6", 0.6), ("0", 0), ("100", 1), ("1.0", 1), ("1%", 0.01), ("1", nil),
            ("101", nil), ("-5", nil), ("loud", nil),
        ] as [(String, Double?)])
    func `a volume is percent, or a fraction with a point`(text: String, expected: Double?) {
        #expect(Loudness(argument: text)?.fraction == expected)
    }

    @Test(
        arguments: [
            ("83", 83_000), ("1:23", 83_000), ("83.5", 83_500), ("1:02:03", 3_723_000), ("90:00", 5_400_000),
            ("1:60", nil), ("x", nil), ("-1", nil), ("1:2:3:4", nil), ("", nil),
        ] as [(String, Int64?)])
    func `a place in a song is seconds or a clock`(text: String, expected: Int64?) {
        #expect(SongPosition(argument: text)?.milliseconds == expected)
    }

    @Test func `a nudge may be negative although it looks like an option`() throws {
        let words = CommandLineText.normalised(["nudge", "-0.3", "--kind", "intensity"])
        let command = try #require(try ResonanceCommand.parseAsRoot(words) as? NudgeCommand)
        #expect(command.delta == Turn(delta: -0.3))
        #expect(command.kind == .intensity)
        #expect(Turn(argument: "+0.3") == Turn(delta: 0.3))
        #expect(Turn(argument: "1.5") == nil)
        #expect(Turn(argument: "down") == Turn(delta: -0.25))
        #expect(CommandLineText.normalised(["-h", "-", "--", "-x1"]) == ["-h", "-", "--", "-x1"])
    }

    @Test(
        arguments: [
            ("2026-01-01T12:00:00Z", 1_767_268_800_000), ("2026-01-01T13:00:00+01:00", 1_767_268_800_000),
            ("2026-01-01T12:00:00.250Z", 1_767_268_800_250), ("2026-01-01 13:00", 1_767_268_800_000),
            ("2026-01-01", 1_767_222_000_000), ("2026-02-30", nil), ("yesterday", nil), ("2026-01-01 25:00", nil),
        ] as [(String, Int64?)])
    func `moments are RFC 3339, or local without a zone`(text: String, expected: Int64?) throws {
        let berlin = try #require(TimeZone(identifier: "Europe/Berlin"))
        #expect(MomentArgument(text, in: berlin)?.at.milliseconds == expected)
    }

    @Test func `a topic is a full name, a family or a prefix of the registry`() throws {
        #expect(try TailCommand.subscription("bio/heart-rate/me") == "bio/heart-rate")
        #expect(try TailCommand.subscription("bio/heart-rate") == "bio/heart-rate")
        #expect(try TailCommand.subscription("bio/") == "bio/")
        #expect(throws: ValidationError.self) { try TailCommand.subscription("bio/heart-rat") }
        #expect(throws: ValidationError.self) { try TailCommand.subscription("x/") }
        #expect(TailCommand.isWanted("state/vector/me", "state/vector", "me"))
        #expect(!TailCommand.isWanted("state/vector/ann", "state/vector", "me"))
        #expect(TailCommand.isWanted("state/vector/ann", "state/vector/ann", "me"))
        #expect(TailCommand.isWanted("sys/heartbeat/brain", "sys/heartbeat", "me"))
        #expect(TailCommand.isWanted("bio/rr/me", "bio/", "me"))
    }

    @Test func `bad options are refused by name`() {
        for words in [
            ["now", "--timeout", "0"], ["now", "--listener", "A b"], ["now", "--hub", "localhost"],
            ["songs", "--limit", "0"], ["undo", "--minutes", "-3"], ["correct", "x"],
            ["correct", "x", "--energy", "2"],
            ["art", "x", "--output", "f", "--size", "81"], ["tail", "state/vector", "--count", "0"],
        ] {
            #expect(throws: (any Error).self, "\(words)") {
                _ = try ResonanceCommand.parseAsRoot(CommandLineText.normalised(words))
            }
        }
    }
}
