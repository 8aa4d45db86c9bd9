import Decisions
import Foundation
import Music
import Physiology
import Protocols

/// Times one decision over pools of growing size, with a numpy implementation of the same formula in the same run.
@main
struct DecisionBenchmark {
    static func main() throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        let sizes = arguments.compactMap { Int($0) }
        let script = arguments.first { $0.hasSuffix(".py") } ?? "Benchmarks/decision/ranking.py"
        print("| songs | rank, Swift | rank, numpy | ratio | largest difference | whole decision |")
        print("|---:|---:|---:|---:|---:|---:|")
        for size in sizes.isEmpty ? [1000, 100_000, 1_000_000] : sizes {
            print(try row(size, script: script))
        }
    }

    private static func row(_ size: Int, script: String) throws -> String {
        let pool = BenchmarkPool(count: size)
        let table = pool.table
        let repeats = max(5, min(200, 20_000_000 / size))
        var scores = [Double](repeating: 0, count: size)
        let blocked = [UInt8](repeating: 0, count: size)
        var top = TopSongs(of: scores, blocked: blocked, limit: 24, table: table)
        let ranking = median(repeats) {
            RankingKernel.score(table, dynamics: pool.dynamics, rules: pool.rules, into: &scores)
            top = TopSongs(of: scores, blocked: blocked, limit: 24, table: table)
        }
        var generator = SplitMix64(seed: 1)
        let deciding = median(max(3, repeats / 10)) {
            let decision = DecisionMaker.decide(pool.input, using: &generator)
            precondition(decision.position != nil)
        }
        let numpy = try compare(pool, scores: scores, best: top.entries.map(\.position), script: script)
        return String(
            format: "| %d | %.3f ms | %.3f ms | %.1f× | %.0e | %.2f ms |", size, ranking * 1000, numpy.seconds * 1000,
            numpy.seconds / ranking, numpy.difference, deciding * 1000)
    }

    /// Seconds of the median run.
    private static func median(_ repeats: Int, _ body: () -> Void) -> Double {
        let clock = ContinuousClock()
        let times = (0..<repeats).map { _ in clock.measure(body) }.sorted()
        let (seconds, attoseconds) = times[repeats / 2].components
        return Double(seconds) + Double(attoseconds) * 1e-18
    }

    private struct Numpy: Decodable {
        let seconds: Double
        let difference: Double
        let sameBest: Bool
    }

    private enum Failure: Error { case numpy(String), disagreement(Double) }

    /// Gives the same columns to the script and takes its time and its largest difference.
    private static func compare(
        _ pool: BenchmarkPool, scores: [Double], best: [Int], script: String
    ) throws -> Numpy {
        let folder = FileManager.default.temporaryDirectory.appending(path: "decision-benchmark-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try pool.export(to: folder)
        try write(scores, "scores", folder)
        try write(best.map(Double.init), "best", folder)
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["python3", script, folder.path]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Failure.numpy("exit \(process.terminationStatus)") }
        let result = try JSONDecoder().decode(Numpy.self, from: data)
        guard result.difference < 1e-6, result.sameBest else { throw Failure.disagreement(result.difference) }
        return result
    }
}

/// Raw doubles in the machine's own order, as numpy reads them.
func write(_ column: [Double], _ name: String, _ folder: URL) throws {
    try column.withUnsafeBytes { try Data($0).write(to: folder.appending(path: name + ".f64")) }
}
