import Foundation
import Testing

/// A short run of `Benchmarks/chaos`: mixed traffic while processes are killed, frozen and the hub restarted.
@Suite(
    .timeLimit(.minutes(5)),
    .enabled(if: Binaries.directory != nil, "the executables are not built: run deploy/build"))
struct ChaosTests {
    @Test func `under seeded deaths and freezes nothing promised is lost or done twice, and all loss is counted`()
        async throws
    {
        let system = try RunningSystem()
        let report = system.root.appending(path: "report.md")
        let result = try await system.run(
            system.binaries.appending(path: "chaos"),
            ["run", "--seed", "16", "--seconds", "40", "--rate", "500", "--report", report.path()],
            within: 240)
        let text = (try? String(contentsOf: report, encoding: .utf8)) ?? result.errors
        #expect(result.status == 0, "\(text)")
        // A run in which nothing happened proves nothing.
        #expect(text.contains(": hub kill -9") && text.contains("frozen for"))
        let verdicts = text.split(separator: "\n").filter { $0.hasSuffix("|") && $0.contains("| yes |") }
        #expect(verdicts.count == 8, "\(text)")
    }
}
