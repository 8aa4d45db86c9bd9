import Foundation
import Testing

@testable import FuzzTargets

/// The fuzzers' entry points under a bounded, seeded loop; `deploy/fuzz` runs them under libFuzzer for longer.
@Suite(.serialized)
struct FuzzTests {
    static let repository = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
    static let corpus = repository.appending(path: "Fuzz/Corpus", directoryHint: .isDirectory)
    static let rounds = ProcessInfo.processInfo.environment["RESONANCE_FUZZ_ROUNDS"].flatMap(Int.init)
    static let isOptimised = {
        var checked = false
        assert({ checked = true }() == ())
        return !checked
    }()

    /// The corpus of the repository; for messages all golden vectors instead.
    static func seeds(_ target: FuzzTarget) throws -> [[UInt8]] {
        guard target != .json else { return try vectors() }
        let folder = corpus.appending(path: target.rawValue, directoryHint: .isDirectory)
        return try FileManager.default.contentsOfDirectory(atPath: folder.path(percentEncoded: false)).sorted()
            .map { Array(try Data(contentsOf: folder.appending(path: $0))) }
    }

    private static func vectors() throws -> [[UInt8]] {
        let folder = repository.appending(path: "Protocols/Vectors/1.0", directoryHint: .isDirectory)
        return try FileManager.default.contentsOfDirectory(atPath: folder.path(percentEncoded: false)).sorted().map {
            let type = $0.replacing(".json", with: "")
            return Array(type.utf8) + [0x0A] + Array(try Data(contentsOf: folder.appending(path: $0)))
        }
    }

    /// Resident memory of this process in bytes.
    static func memory() throws -> Int {
        let text = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
        return (text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * 4096
    }

    /// Rounds that take about four seconds in a release build.
    static func usual(_ target: FuzzTarget) -> Int {
        let release =
            switch target {
            case .header, .frames, .archive: 200_000
            case .json, .outbox: 60_000
            case .hub: 8_000
            case .backup: 6_000
            case .fit, .xml, .export, .table: 20_000
            }
        return isOptimised ? release : release / 20
    }

    @Test(.timeLimit(.minutes(5)), arguments: FuzzTarget.allCases)
    func `changed inputs neither crash nor break a promise nor make memory grow`(target: FuzzTarget) throws {
        let seeds = try Self.seeds(target)
        #expect(!seeds.isEmpty)
        for seed in seeds { try target.run(seed) }
        var mutator = Mutator(seed: 0x7265_736f_6e61_6e63)
        let rounds = Self.rounds ?? Self.usual(target)
        var settled = 0
        for round in 0..<rounds {
            let input = mutator.input(from: seeds)
            do {
                try target.run(input)
            } catch {
                Issue.record("\(error): \(Data(input).base64EncodedString())")
                return
            }
            if round == rounds / 4 { settled = try Self.memory() }
        }
        let grown = try Self.memory() - settled
        #expect(grown < 64 << 20, "\(grown >> 20) MiB more after three quarters of the rounds")
    }

    @Test func `what is not promised is not complained of, what is broken is said`() {
        #expect(Array("HeartRate\n{".utf8).withUnsafeBytes { fuzz("json", $0) } == nil)
        #expect([UInt8]().withUnsafeBytes { fuzz("no such target", $0) } == nil)
        #expect(BrokenPromise("a reason").description == "a reason")
    }
}
