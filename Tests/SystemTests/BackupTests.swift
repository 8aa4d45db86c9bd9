import Foundation
import Testing

/// A backup of a house that is at work, put back in another one.
@Suite(.serialized, .enabled(if: Binaries.directory != nil, "the executables are not built: run deploy/build"))
struct BackupTests {
    private static let common = ["--clock", "bus", "--time-zone", "UTC", "--seed", "3"]
    /// Those that keep something, and the hub: a restored house without new samples and plays.
    private static let keepers = ["hub", "librarian", "body", "brain"]

    private func lines(_ system: RunningSystem, _ folder: String, _ name: String) throws -> [String] {
        let file = system.root.appending(path: "\(folder)/\(name).jsonl")
        return try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map(String.init)
    }

    /// Rows of some tables of an export.
    private func rows(_ lines: [String], _ tables: [String]) -> [String] {
        lines.filter { line in tables.contains { line.hasSuffix("\"table\":\"\($0)\"}") } }.sorted()
    }

    /// What identifies the plays of an export; what was learnt from one is added to its row later.
    private func plays(_ lines: [String]) -> [String] {
        rows(lines, ["plays"]).compactMap { $0.firstMatch(of: /"id":"([^"]*)"/).map { String($0.1) } }.sorted()
    }

    private func export(_ system: RunningSystem, _ folder: String) async throws {
        let path = system.root.appending(path: folder).path(percentEncoded: false)
        let export = try await system.resonance(["export", path])
        #expect(FileManager.default.fileExists(atPath: path + "/brain.jsonl"), "\(export.errors)")
    }

    private func start(_ system: RunningSystem, _ names: [String]) async throws {
        for name in names {
            try system.start(name, Self.common)
            let ready = try await system.resonance(["wait-ready", name, "--timeout", "30"])
            #expect(ready.status == 0, "\(name): \(ready.errors)\n\(system.log(name).suffix(2000))")
        }
    }

    @Test func `a house that is backed up at work is the same in another place, and nothing is handled twice`()
        async throws
    {
        let first = try RunningSystem()
        let passphrase = first.root.appending(path: "passphrase").path(percentEncoded: false)
        try Data("six words of a dice game\n".utf8).write(to: URL(filePath: passphrase))
        #expect(chmod(passphrase, 0o600) == 0)
        func backup(_ name: String) -> String { first.root.appending(path: name).path(percentEncoded: false) }
        let key = ["--passphrase-file", passphrase]

        try await first.startAll(Self.common, ExampleDayTests.options())
        // While virtual time runs, samples, plays and decisions are written and events are on their way.
        async let day: Void = first.conduct("2026-01-06T06:50:00Z", "2026-01-06T09:30:00Z")
        _ = try await eventually("a play") { () -> Bool? in
            let history = try? await first.json(["history"]) as? [String: Any]
            return (history?["plays"] as? [Any])?.isEmpty == false ? true : nil
        }
        let working = try await first.resonance(["backup", backup("working.age"), "--json"] + key, within: 120)
        #expect(working.status == 0, "\(working.errors)")
        try await day
        let resting = try await first.resonance(["backup", backup("resting.age")] + key, within: 120)
        #expect(resting.status == 0, "\(resting.errors)")
        try await export(first, "exported")
        let body = try lines(first, "exported", "body")
        let brain = try lines(first, "exported", "brain")
        let library = try lines(first, "exported", "librarian")

        // A house that runs is not overwritten.
        let refused = try await first.resonance(["restore", backup("resting.age"), "--replace"] + key)
        #expect(refused.status == 77)
        #expect(refused.errors.contains("brain"))
        try await first.stop(RunningSystem.order)
        let again = try await first.resonance(["restore", backup("resting.age")] + key)
        #expect(again.status == 77, "\(again.errors)")

        // At rest: the very same rows.
        let second = try RunningSystem()
        let restored = try await second.resonance(["restore", backup("resting.age")] + key, within: 120)
        #expect(restored.status == 0, "\(restored.errors)")
        try await start(second, Self.keepers)
        try await export(second, "exported")
        let samples = ["heartRate", "rr", "motion", "workout", "mood", "desktopContext"]
        #expect(rows(body, samples).count > 100)
        #expect(rows(try lines(second, "exported", "body"), samples) == rows(body, samples))
        #expect(
            rows(try lines(second, "exported", "librarian"), ["song", "playlist"])
                == rows(library, ["song", "playlist"]))
        #expect(plays(brain).count > 3)
        #expect(plays(try lines(second, "exported", "brain")) == plays(brain))
        try await second.stop(Self.keepers)

        // At work: what it has is what the first house had at some moment, no row twice and none of its own.
        let third = try RunningSystem()
        let half = try await third.resonance(["restore", backup("working.age")] + key, within: 120)
        #expect(half.status == 0, "\(half.errors)")
        try await start(third, Self.keepers)
        // Virtual time goes on for those who keep data: what was on its way is handled now.
        let step = try await third.resonance(
            ["conduct", "--from", "2026-01-06T09:31:00Z", "--to", "2026-01-06T09:32:00Z", "--expect"]
                + Self.keepers.dropFirst(), within: 120)
        #expect(step.status == 0, "\(step.errors)")
        _ = try await eventually("the events that were on their way to be handled", within: 30) { () -> Bool? in
            try await export(third, "try-\(UInt32.random(in: 0...UInt32.max))")
            let latest = try FileManager.default.contentsOfDirectory(
                at: third.root, includingPropertiesForKeys: [.creationDateKey]
            ).filter { $0.lastPathComponent.hasPrefix("try-") }
            defer { for folder in latest { try? FileManager.default.removeItem(at: folder) } }
            guard let folder = latest.first?.lastPathComponent else { return nil }
            let pending = rows(try lines(third, folder, "hub"), ["pending"])
            return pending.isEmpty ? true : nil
        }
        try await export(third, "exported")
        let (someSamples, allSamples) = (rows(try lines(third, "exported", "body"), samples), rows(body, samples))
        #expect(someSamples.count > 100)
        #expect(Set(someSamples).count == someSamples.count)
        #expect(Set(someSamples).isSubset(of: Set(allSamples)))
        let somePlays = plays(try lines(third, "exported", "brain"))
        #expect(!somePlays.isEmpty)
        #expect(Set(somePlays).count == somePlays.count)
        #expect(Set(somePlays).isSubset(of: Set(plays(brain))))
        try await third.stop(Self.keepers)
    }
}
