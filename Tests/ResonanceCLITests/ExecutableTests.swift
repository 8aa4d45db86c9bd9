import Foundation
import Testing

@testable import ResonanceCLI

/// The built executable, as a script sees it.
struct ExecutableTests {
    struct Ended {
        var status: Int32
        var output: String
        var error: String
    }

    /// Beside the test bundle, where the build puts both.
    static let executable: URL? = {
        let places = [Bundle.main.executableURL, Bundle.main.bundleURL, URL(filePath: CommandLine.arguments[0])]
        return places.compactMap { $0?.deletingLastPathComponent().appending(path: "resonance") }
            .first { FileManager.default.isExecutableFile(atPath: $0.path(percentEncoded: false)) }
    }()

    /// Runs it with its own empty directories, so that no hub can be there.
    static func run(_ words: [String], environment: [String: String] = [:], in directory: TemporaryDirectory)
        async throws -> Ended
    {
        let process = Process()
        let tool: URL = try #require(executable, "the executable is not beside the tests")
        process.executableURL = tool
        process.arguments = words
        var own = ["HOME": directory.path(""), "PATH": "/usr/bin:/bin", "TZ": "UTC"]
        for (name, place) in [("RUNTIME", "run"), ("DATA", "data"), ("STATE", "state"), ("CONFIG", "config")] {
            own["RESONANCE_\(name)_DIR"] = directory.path(place)
        }
        process.environment = own.merging(environment) { $1 }
        process.currentDirectoryURL = directory.url
        let (output, error) = (
            directory.path("stdout-\(UUID().uuidString)"), directory.path("stderr-\(UUID().uuidString)")
        )
        for file in [output, error] { try Data().write(to: URL(filePath: file)) }
        process.standardOutput = try FileHandle(forWritingTo: URL(filePath: output))
        process.standardError = try FileHandle(forWritingTo: URL(filePath: error))
        process.standardInput = FileHandle.nullDevice
        let (ends, sink) = AsyncStream.makeStream(of: Void.self)
        process.terminationHandler = { _ in sink.finish() }
        try process.run()
        for await _ in ends {}
        return Ended(
            status: process.terminationStatus, output: try String(contentsOfFile: output, encoding: .utf8),
            error: try String(contentsOfFile: error, encoding: .utf8))
    }

    @Test(
        arguments: [
            ["status"], ["now"], ["why"], ["mood", "calm"], ["queue"], ["play"], ["playlists"], ["songs"], ["profile"],
            ["prefs"], ["history"], ["peers"], ["tail", "state/vector"], ["watch"], ["export", "out"],
            ["nudge", "-0.3"], ["now", "--json"], ["conduct", "--from", "2026-01-01", "--to", "2026-01-02"],
        ])
    func `without a hub a command says so and ends with 69`(words: [String]) async throws {
        let directory = try TemporaryDirectory()
        let ended = try await Self.run(words + ["--timeout", "0.3"], in: directory)
        #expect(ended.status == 69)
        #expect(ended.output == "")
        #expect(ended.error.contains("no hub"))
        #expect(ended.error.contains("deploy/up"))
        #expect(!directory.exists("out"))
    }

    @Test func `waiting for a process that never comes ends with 75`() async throws {
        let directory = try TemporaryDirectory()
        let ended = try await Self.run(["wait-ready", "hub", "--timeout", "0.5"], in: directory)
        #expect(ended.status == 75)
        #expect(ended.error.contains("no hub"))
    }

    @Test func `doctor without a hub shows findings and ends with 1`() async throws {
        let directory = try TemporaryDirectory()
        let ended = try await Self.run(["doctor", "--timeout", "0.3", "--json"], in: directory)
        #expect(ended.status == 1)
        let document = try JSONDecoder().decode(JSONValue.self, from: Data(ended.output.utf8))
        guard case .object(let object) = document, case .array(let findings)? = object["findings"] else {
            Issue.record("no findings: \(ended.output)")
            return
        }
        #expect(findings.contains { if case .object(let one) = $0 { one["check"] == .string("hub") } else { false } })
    }

    @Test(arguments: [["nonsense"], ["mood", "9"], ["now", "--bogus"], ["seek", "x"], ["songs", "--limit", "-1"]])
    func `a wrong command line ends with 64 and says why on standard error`(words: [String]) async throws {
        let ended = try await Self.run(words, in: try TemporaryDirectory())
        #expect(ended.status == 64)
        #expect(ended.output == "")
        #expect(!ended.error.isEmpty)
    }

    @Test func `help and version need nothing and end with 0`() async throws {
        let directory = try TemporaryDirectory()
        for words in [["--help"], ["help", "now"], ["--version"], ["version"], ["topics"], ["mood", "--help"]] {
            let ended = try await Self.run(words, in: directory)
            #expect(ended.status == 0, "\(words)")
            #expect(!ended.output.isEmpty)
            #expect(ended.error == "")
        }
    }

    @Test func `output into a file has no colour and is not cut`() async throws {
        let ended = try await Self.run(["topics"], environment: ["COLUMNS": "20"], in: try TemporaryDirectory())
        #expect(!ended.output.contains("\u{1B}"))
        #expect(ended.output.contains("candidates, probabilities, guards of one pick"))
    }

    @Test func `an import of a file that is not there ends with 66 before anybody is asked`() async throws {
        let ended = try await Self.run(
            ["library", "import", "nothing.csv", "--timeout", "0.3"], in: try TemporaryDirectory())
        #expect(ended.status == 66)
        #expect(ended.error.contains("nothing.csv"))
    }

    @Test func `delete-all without a terminal and without --yes deletes nothing`() async throws {
        let directory = try TemporaryDirectory()
        try directory.write("data/body.sqlite", "kept")
        let refused = try await Self.run(["delete-all", "--timeout", "0.3"], in: directory)
        #expect(refused.status == 77)
        #expect(directory.exists("data/body.sqlite"))
        let done = try await Self.run(["delete-all", "--yes", "--timeout", "0.3"], in: directory)
        #expect(done.status == 0)
        #expect(!directory.exists("data/body.sqlite"))
        #expect(done.output.contains("Nothing is left."))
    }
}
