import Foundation
import Testing

/// `docs/faults.md` promises a test for every fault; this holds it to that.
struct FaultPageTests {
    private static let top = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// The names of all tests, as they are written in the sources.
    private func testNames() throws -> Set<String> {
        var names: Set<String> = []
        let files = try #require(
            FileManager.default.enumerator(at: Self.top.appending(path: "Tests"), includingPropertiesForKeys: nil))
        for case let file as URL in files where file.pathExtension == "swift" {
            for match in try String(contentsOf: file, encoding: .utf8).matches(of: /func `([^`]+)`/) {
                names.insert(String(match.output.1))
            }
        }
        return names
    }

    @Test func `every test that the page of faults names exists`() throws {
        let page = try String(contentsOf: Self.top.appending(path: "docs/faults.md"), encoding: .utf8)
        let names = try testNames()
        let rows = page.split(separator: "\n").filter { $0.hasPrefix("| ") }.dropFirst()
        #expect(rows.count > 30)
        for row in rows {
            let cells = row.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            let named = try #require(cells.last).matches(of: /`([^`]+)`/).map { String($0.output.1) }
            #expect(!named.isEmpty, "no test: \(row)")
            for name in named { #expect(names.contains(name), "there is no test `\(name)`") }
        }
    }
}
