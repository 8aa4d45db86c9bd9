import Foundation
import Testing

/// `docs/accuracy.md` says what is computed now.
@Suite(.timeLimit(.minutes(5)))
struct AccuracyDocumentTests {
    private static let document = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appending(path: "docs/accuracy.md")
    private static let isThere =
        SharedData.has("hrv/reference.json") && SharedData.has("apple-health/expected.json")
        && SharedData.has("fit/reference.json") && SharedData.has("daily/reference.json")
        && SharedData.has("stress/reference.json")

    @Test(.enabled(if: isThere, "needs the shared data folder: set RESONANCE_SHARED_DATA"))
    func `the page holds what is computed now beside the reference`() throws {
        let text = try AccuracyPage.text()
        if ProcessInfo.processInfo.environment["RESONANCE_WRITE_DOCS"] != nil {
            try Data(text.utf8).write(to: Self.document)
        }
        let written = try String(contentsOf: Self.document, encoding: .utf8).split(separator: "\n")
        for (line, wanted) in zip(written, text.split(separator: "\n")) where line != wanted {
            Issue.record("write it with RESONANCE_WRITE_DOCS=1: \(line) is now \(wanted)")
            return
        }
        #expect(written.count == text.split(separator: "\n").count)
        // A figure that only one of the two has, or another place, is never published as if it were well.
        #expect(!text.contains("**"))
    }

    @Test func `differences are told with a sign and without the noise of rounding`() {
        #expect(AccuracyTable.difference(1.25, 1) == "+0.25")
        #expect(AccuracyTable.difference(1, 1.25) == "−0.25")
        #expect(AccuracyTable.difference(1 + 1e-12, 1) == "< 1e-8")
        #expect(AccuracyTable.difference(1, 1) == "0")
        #expect(AccuracyTable.difference(nil, 1) == "**only one**")
        var table = AccuracyTable(columns: ["a", "n", "most"])
        table.add("x", all: [(1, 1.5), (nil, nil), (2, 2)])
        table.add("y", all: [(1, nil)])
        #expect(table.rows == [["x", "2", "0.5"], ["y", "1", "1 without a partner"]])
    }
}
