import Bus
import Foundation
import Protocols
import Testing

/// How processes start, end, and refuse to start.
@Suite(.serialized, .enabled(if: Binaries.directory != nil, "the executables are not built: run deploy/build"))
struct LifeCycleTests {
    static let example = Binaries.repository.appending(path: "deploy/example")

    static func exampleOptions() -> [String: [String]] {
        [
            "librarian": ["--library", example.appending(path: "songs.csv").path(percentEncoded: false)],
            "sensor-emitter": ["--source", "simulate"],
            "brain": ["--autoplay"],
        ]
    }

    @Test func `SIGTERM ends every process with 0, also when the hub is gone`() async throws {
        let system = try RunningSystem()
        try await system.startAll(["--time-zone", "UTC"], Self.exampleOptions())
        system.signal("hub", SIGKILL)
        _ = try await system.waitForExit("hub")
        for name in RunningSystem.order.dropFirst() {
            system.signal(name, SIGTERM)
            let status = try await system.waitForExit(name, within: 5)
            #expect(status == 0, "\(name): \(status) \(system.log(name).suffix(500))")
        }
    }

    @Test(arguments: RunningSystem.order)
    func `a second copy is refused and says who runs`(name: String) async throws {
        let system = try RunningSystem()
        let options = Self.exampleOptions()
        try system.start("hub")
        _ = try await system.resonance(["wait-ready", "hub", "--timeout", "30"])
        if name != "hub" {
            try system.start(name, options[name] ?? [])
            let ready = try await system.resonance(["wait-ready", name, "--timeout", "30"])
            #expect(ready.status == 0, "\(ready.errors) \(system.log(name).suffix(500))")
        }
        let pid = try #require(system.pid(name))
        let second = try await system.run(
            system.binaries.appending(path: name), options[name] ?? [], within: 20)
        #expect(second.status != 0)
        #expect(second.errors.contains("already runs"), "\(second.errors)")
        #expect(second.errors.contains("\(pid)"), "\(second.errors)")
        // The first one is unharmed.
        let ready = try await system.resonance(["wait-ready", name, "--timeout", "10"])
        #expect(ready.status == 0)
    }

    @Test func `an unknown option is named and exits with 64`() async throws {
        let system = try RunningSystem()
        for name in RunningSystem.order {
            let outcome = try await system.run(
                system.binaries.appending(path: name), ["--no-such-option"], within: 20)
            #expect(outcome.status == 64, "\(name): \(outcome.status)")
            #expect(outcome.errors.contains("no-such-option"))
        }
    }

    @Test func `every file is for its owner alone`() async throws {
        let system = try RunningSystem()
        try await system.startAll(["--time-zone", "UTC"], Self.exampleOptions())
        _ = try await eventually("the databases") {
            ["library.sqlite", "body.sqlite", "brain.sqlite"].allSatisfy {
                FileManager.default.fileExists(atPath: system.data.appending(path: $0).path(percentEncoded: false))
            } ? true : nil
        }
        let files = try #require(
            FileManager.default.enumerator(at: system.root, includingPropertiesForKeys: nil)?.allObjects as? [URL])
        for file in files where file.pathExtension != "log" && !file.lastPathComponent.hasPrefix("out-") {
            let path = file.path(percentEncoded: false)
            let attributes = try FileManager.default.attributesOfItem(atPath: path)
            let mode = try #require(attributes[.posixPermissions] as? Int)
            #expect(mode & 0o077 == 0, "\(path) has mode \(String(mode, radix: 8))")
        }
        try await system.stop(RunningSystem.order)
    }

    @Test func `delete-all leaves no trace of what was known`() async throws {
        let system = try RunningSystem()
        try await system.startAll(["--time-zone", "UTC"], Self.exampleOptions())
        // A value that can be found again in bytes: an exact, unusual profile, and a song title of the library.
        #expect(try await system.resonance(["profile", "set", "usualRmssdMs", "43.1234567"]).status == 0)
        #expect(try await system.resonance(["mood", "2", "4"]).status == 0)
        // Batches of samples come every 30 s.
        _ = try await eventually("samples in the database", within: 90) {
            let folder = system.root.appending(path: "export-\(UInt32.random(in: 0...UInt32.max))")
            let export = try await system.resonance(["export", folder.path(percentEncoded: false)])
            #expect(export.status == 0, "\(export.errors)")
            let samples = Self.occurrences(of: "\"bpm\":", below: folder)
            try FileManager.default.removeItem(at: folder)
            return samples > 0 ? true : nil
        }
        #expect(Self.occurrences(of: "43.1234567", below: system.data, double: 43.1234567) > 0)
        // An event: it is kept in the hub's spool after it was handled.
        let client = try await BusClient.connect(
            to: try BusEndpoints(runtimeDirectory: system.root.appending(path: "run")), as: "test")
        client.publish(
            MoodInput(at: Timestamp(.now), mood: 2, energy: 3, via: "only-here-4711"), on: Registry.mood())
        #expect(await client.flush(timeout: .seconds(20)))
        await client.close()
        #expect(Self.occurrences(of: "only-here-4711", below: system.data.appending(path: "spool")) > 0)
        let outcome = try await system.resonance(["delete-all", "--yes"])
        #expect(outcome.status == 0, "\(outcome.errors)")
        try await system.stop(RunningSystem.order)
        #expect(Self.occurrences(of: "43.1234567", below: system.root, double: 43.1234567) == 0)
        #expect(Self.occurrences(of: "only-here-4711", below: system.root) == 0)
    }

    /// Files below a folder that hold a text, or a number as SQLite stores it (8 bytes, big-endian).
    static func occurrences(of text: String, below folder: URL, double: Double? = nil) -> Int {
        let needles =
            [Data(text.utf8)]
            + (double.map { [withUnsafeBytes(of: $0.bitPattern.bigEndian) { Data($0) }] } ?? [])
        let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)?.allObjects ?? []
        return files.compactMap { $0 as? URL }.count { file in
            guard let bytes = try? Data(contentsOf: file) else { return false }
            return needles.contains { bytes.range(of: $0) != nil }
        }
    }
}
