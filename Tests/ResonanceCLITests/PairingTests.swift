import Foundation
import Testing

@testable import ResonanceCLI

/// Pairing as a person meets it, without a hub.
struct PairingTests {
    private func run(_ words: String..., in directory: TemporaryDirectory) async throws -> ExecutableTests.Ended {
        try await ExecutableTests.run(words, in: directory)
    }

    @Test func `what is not there to be taken away ends with 1, whatever it is`() async throws {
        let directory = try TemporaryDirectory()
        for words in [["pair", "--forget"], ["unpair", "nobody"], ["secret", "remove", "none"], ["pair", "--show"]] {
            let ended = try await ExecutableTests.run(words, in: directory)
            #expect(ended.status == 1, "\(words): \(ended.error)")
        }
    }

    @Test func `a line that cannot be taken is named, whatever else is wrong`() async throws {
        let directory = try TemporaryDirectory()
        // This machine lets others in itself: true, and not what is wrong with the file.
        let paired = try await run("pair", "wrist", "--address", "192.168.1.20:7600", in: directory)
        #expect(paired.status == 0, "\(paired.error)")
        let line = paired.output.trimmingCharacters(in: .whitespacesAndNewlines)
        try directory.write("bad", "resonance://wrist@192.168.1.20:7600/cut\n", mode: 0o600)
        try directory.write("good", line + "\n", mode: 0o600)
        let none = try await run("pair", "--accept", "@none", in: directory)
        #expect(none.status == 66 && none.error.contains("there is no file"), "\(none.error)")
        let bad = try await run("pair", "--accept", "@bad", in: directory)
        #expect(bad.status == 65 && bad.error.contains("was the line cut?"), "\(bad.error)")
        let good = try await run("pair", "--accept", "@good", in: directory)
        #expect(good.status == 77 && good.error.contains("a hub of its own"), "\(good.error)")
    }

    @Test func `a hub that nobody else can reach is said so, with its port`() {
        let note = PairCommand.closedHub(address: "192.168.1.20:7611")
        #expect(note.contains("--listen '*:7611'") && note.contains("HUB_OPTIONS"))
    }
}
