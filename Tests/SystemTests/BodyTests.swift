import Foundation
import Testing

/// The long view in a running house: import, reading, faults, deletion.
@Suite(.serialized, .enabled(if: Binaries.directory != nil, "the executables are not built: run deploy/build"))
struct BodyTests {
    private static let keepers = ["hub", "body"]

    private func start(_ system: RunningSystem, _ names: [String], zone: String = "UTC") async throws {
        for name in names {
            try system.start(name, ["--time-zone", zone])
            let ready = try await system.resonance(["wait-ready", name, "--timeout", "30"])
            #expect(ready.status == 0, "\(name): \(ready.errors)\n\(system.log(name).suffix(2000))")
        }
    }

    private struct Expected: Decodable {
        struct Night: Decodable {
            var morning: String
            var asleep_min_watch: Double
        }
        struct Resting: Decodable {
            var day: String
            var bpm: Double
        }
        var nights: [Night]
        var rhr: [Resting]
    }

    @Test(.enabled(if: Binaries.sharedData != nil, "needs the shared data folder: set RESONANCE_SHARED_DATA"))
    func `an export that is imported into a running house is read back as its reference, and deleted without a trace`()
        async throws
    {
        let file = "export_v14_en.xml"
        let folder = try #require(Binaries.sharedData).appending(path: "apple-health")
        let expected = try #require(
            try JSONDecoder().decode(
                [String: Expected].self, from: Data(contentsOf: folder.appending(path: "expected.json")))[file])
        let system = try RunningSystem()
        try await start(system, Self.keepers, zone: "America/New_York")
        let path = folder.appending(path: file).path(percentEncoded: false)
        let taken = try await system.resonance(["body", "import", path])
        #expect(taken.status == 0, "\(taken.errors)")
        let again = try await system.json(["body", "import", path]) as? [String: Any]
        #expect((again?["files"] as? [[String: Any]])?.first?["unchanged"] as? Bool == true)

        let days = try #require(try await system.json(["body", "export"]) as? [[String: Any]])
        let byDate = Dictionary(
            uniqueKeysWithValues: days.compactMap { day in (day["date"] as? String).map { ($0, day) } })
        for night in expected.nights {
            #expect(byDate[night.morning]?["asleepMinutes"] as? Double == night.asleep_min_watch, "\(night.morning)")
        }
        for resting in expected.rhr {
            #expect(byDate[resting.day]?["restingBpm"] as? Double == resting.bpm, "\(resting.day)")
        }
        let last = try #require(expected.rhr.last)
        let today = try await system.json(["body", "today"]) as? [String: Any]
        let day = try #require(today?["day"] as? [String: Any])
        #expect(day["date"] as? String == last.day)
        #expect(day["restingBpm"] as? Double == last.bpm)
        let trends = try await system.json(["body", "trends", "--from", "2026-01-01", "--by", "day"]) as? [String: Any]
        let series = try #require(trends?["series"] as? [[String: Any]])
        let resting = try #require(series.first { $0["name"] as? String == "resting heart rate" })
        let values = (resting["points"] as? [[String: Any]])?.compactMap { $0["value"] as? Double }
        #expect(values == expected.rhr.map(\.bpm))

        let note = "only-in-my-journal-4711"
        #expect(try await system.resonance(["body", "journal", "add", "mood", "calm", "--note", note]).status == 0)
        let exported = system.root.appending(path: "exported")
        #expect(
            try await system.resonance(["export", exported.path(percentEncoded: false)]).status == 69,
            "the brain and the librarian do not run here")
        let rows = try String(contentsOf: exported.appending(path: "body.jsonl"), encoding: .utf8)
        for table in ["heartRateDay", "sleepSegment", "variability", "restingHeartRate", "workoutRecord", "journal"] {
            #expect(rows.contains("\"table\":\"\(table)\""), "\(table)")
        }
        #expect(rows.contains(note))
        try FileManager.default.removeItem(at: exported)

        #expect(LifeCycleTests.occurrences(of: note, below: system.data) > 0)
        #expect(LifeCycleTests.occurrences(of: "Test Watch", below: system.data) > 0)
        let deleted = try await system.resonance(["delete-all", "--yes"])
        #expect(deleted.status == 0, "\(deleted.errors)")
        try await system.stop(Self.keepers)
        #expect(LifeCycleTests.occurrences(of: note, below: system.root) == 0)
        #expect(LifeCycleTests.occurrences(of: "Test Watch", below: system.root) == 0)
    }

    /// An Apple Health export of one heart rate each 5 s.
    private static func export(_ records: Int) -> Data {
        var text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<HealthData locale=\"en_US\">\n"
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        for index in 0..<records {
            let second = index * 5
            let time = "\(two(second / 3600 % 24)):\(two(second / 60 % 60)):\(two(second % 60))"
            let moment = "2026-01-\(two(1 + second / 86_400)) \(time) +0000"
            text +=
                "<Record type=\"HKQuantityTypeIdentifierHeartRate\" sourceName=\"Watch\" unit=\"count/min\" "
                + "creationDate=\"\(moment)\" startDate=\"\(moment)\" endDate=\"\(moment)\" "
                + "value=\"\(50 + index * 7 % 61)\"/>\n"
        }
        return Data((text + "</HealthData>\n").utf8)
    }

    @Test func `a body that is killed while it imports goes on where it was, without loss or duplicates`() async throws
    {
        let records = 100_000
        let system = try RunningSystem()
        let file = system.root.appending(path: "export.xml")
        try Self.export(records).write(to: file)
        let path = file.path(percentEncoded: false)
        try await start(system, Self.keepers)
        var kills = 0
        for _ in 0..<4 {
            let tool = try #require(Binaries.directory).appending(path: "resonance")
            try system.start("importing", ["body", "import", path], executable: tool)
            // A batch more than it had when it was asked; on a fast machine it may be done before anybody looks.
            let isReading: Bool = try await eventually("the import to read", within: 60) {
                guard
                    let state = try? await system.json(["body", "import", "--status"]) as? [String: Any],
                    let phase = state["phase"] as? String
                else { return nil }
                if phase == "done" { return false }
                return phase == "reading" && (state["records"] as? Int ?? 0) > (kills + 1) * 15_000 ? true : nil
            }
            guard isReading else { break }
            system.signal("body", SIGKILL)
            _ = try await system.waitForExit("body")
            kills += 1
            system.signal("importing", SIGKILL)
            _ = try await system.waitForExit("importing")
            try await start(system, ["body"])
        }
        let last = try await system.resonance(["body", "import", path, "--json"], within: 120)
        #expect(last.status == 0, "\(last.errors)")
        let points = try #require(
            try await system.json(["body", "export", "--kind", "heartRate"], within: 120) as? [[String: Any]])
        #expect(points.count == records)
        #expect(Set(points.compactMap { $0["at"] as? Int }).count == records)
        try await system.stop(Self.keepers)
    }
}
