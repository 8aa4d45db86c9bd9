import Foundation
import GRDB
import Protocols
import Testing

@testable import ResonanceCLI

/// `resonance body … --database`, as a person and a script use it: the built executable, without any process.
struct BodyExecutableTests {
    private static let shared: URL? = ProcessInfo.processInfo.environment["RESONANCE_SHARED_DATA"]
        .map { URL(filePath: $0, directoryHint: .isDirectory) }

    private static func json<Value: Decodable>(_ type: Value.Type, _ words: [String], in directory: TemporaryDirectory)
        async throws -> Value
    {
        let ended = try await ExecutableTests.run(words + ["--json"], in: directory)
        #expect(ended.status == 0, "\(words): \(ended.error)")
        return try JSONDecoder().decode(Value.self, from: Data(ended.output.utf8))
    }

    private struct Trends: Decodable {
        struct Series: Decodable {
            var name: String
            var points: [Point]
        }
        struct Point: Decodable {
            var date: String
            var value: Double?
        }
        var series: [Series]
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
        struct Steps: Decodable {
            var day: String
            var watch: Double
        }
        var nights: [Night]
        var rhr: [Resting]
        var steps: [Steps]
        var workouts: [Workout]
        struct Workout: Decodable {
            var type: String
            var moving_s: Double
        }
    }

    private struct Days: Decodable {
        var day: DaySummary?
        var before: [DaySummary]
    }

    @Test(
        .enabled(if: shared != nil, "needs the shared data folder: set RESONANCE_SHARED_DATA"),
        arguments: [("export_v14_en.xml", "America/New_York"), ("export_v12_broken_dtd_pt.xml", "Europe/Lisbon")])
    func `an Apple Health export becomes the nights, resting heart rates and steps of its reference`(
        file: String, zone: String
    ) async throws {
        let directory = try TemporaryDirectory()
        let folder = try #require(Self.shared).appending(path: "apple-health")
        let expected = try #require(
            try JSONDecoder().decode(
                [String: Expected].self, from: Data(contentsOf: folder.appending(path: "expected.json")))[file])
        let database = directory.path("body.sqlite")
        let path = folder.appending(path: file).path(percentEncoded: false)
        let taken = try await ExecutableTests.run(
            ["body", "import", path, "--database", database], environment: ["TZ": zone], in: directory)
        #expect(taken.status == 0, "\(taken.error)")
        let exported = try await ExecutableTests.run(
            ["body", "export", "--json", "--database", database], environment: ["TZ": zone], in: directory)
        let days = try JSONDecoder().decode([DaySummary].self, from: Data(exported.output.utf8))
        let byDate = Dictionary(uniqueKeysWithValues: days.map { ($0.date, $0) })
        for night in expected.nights { #expect(byDate[night.morning]?.asleepMinutes == night.asleep_min_watch) }
        for resting in expected.rhr { #expect(byDate[resting.day]?.restingBpm == resting.bpm) }
        for steps in expected.steps { #expect(byDate[steps.day]?.steps == steps.watch) }
        #expect(days.reduce(0) { $0 + $1.workouts } == expected.workouts.count)

        let trends = try await ExecutableTests.run(
            ["body", "trends", "--json", "--by", "day", "--from", "2020-01-01", "--database", database],
            environment: ["TZ": zone], in: directory)
        let series = try JSONDecoder().decode(Trends.self, from: Data(trends.output.utf8)).series
        let resting = try #require(series.first { $0.name == "resting heart rate" })
        // Days after the export have no measurement, only what follows from those before.
        let measured = resting.points.filter { $0.value != nil }
        #expect(measured.compactMap(\.value) == expected.rhr.map(\.bpm))
        #expect(measured.map(\.date) == expected.rhr.map(\.day))
    }

    @Test func `a journal is written, read, taken back and exported without any process`() async throws {
        let directory = try TemporaryDirectory()
        let place = ["--database", directory.path("body.sqlite")]
        func add(_ words: String...) async throws -> JournalEntry {
            try await Self.json(JournalEntry.self, ["body", "journal", "add"] + words + place, in: directory)
        }
        #expect(try await add("mood", "Very-Happy", "--energy", "4", "--stress", "2").mood?.value == .veryHappy)
        #expect(try await add("water", "12oz").amountMl.map { ($0 * 100).rounded() } == 35_488)
        #expect(try await add("caffeine", "espresso", "--note", "=after lunch").caffeineMg == 80)
        #expect(try await add("exertion", "7").exertion == 7)
        let page = try await Self.json(JournalPage.self, ["body", "journal", "list"] + place, in: directory)
        #expect(page.entries.count == 4)
        #expect(page.caffeineNowMg > 75 && page.caffeineNowMg <= 80)
        let undone = try await Self.json(JournalEntry.self, ["body", "journal", "undo"] + place, in: directory)
        #expect(undone.kind == .exertion)
        let csv = try await ExecutableTests.run(["body", "export", "--kind", "journal"] + place, in: directory)
        #expect(csv.output.split(separator: "\r\n").count == 4)
        // A note that a spreadsheet would run as a formula.
        #expect(csv.output.contains(",'=after lunch"))
        let today = try await Self.json(Days.self, ["body", "today"] + place, in: directory)
        #expect(today.day?.caffeineMg == 80)
    }

    @Test func `what cannot be is refused with a status and a cure`() async throws {
        let directory = try TemporaryDirectory()
        let place = ["--database", directory.path("body.sqlite")]
        let cases: [([String], Int32, String)] = [
            (["today"], 66, "no such database"),
            (["journal", "add", "mood", "jolly"], 64, "veryHappy"),
            (["journal", "add", "water", "lots"], 64, "250ml"),
            (["journal", "add", "water", "9000ml"], 1, "1…3000 ml"),
            (["journal", "undo"], 1, "no entry"),
            (["thresholds", "set", "power", "2000"], 1, "30.0…700.0 W"),
            (["thresholds", "set", "power", "250", "--since", "2026-02-30"], 1, "2026-01-31"),
            (["settings", "set", "units", "stones"], 1, "metric or imperial"),
            (["correlations", "--days", "3"], 1, "14…3660"),
            (["delete", "--from", "2026-01-01", "--to", "2026-02-01"], 77, "nothing was deleted"),
            (["import", "missing.xml"], 66, "no such file"),
        ]
        for (words, status, text) in cases {
            let ended = try await ExecutableTests.run(["body"] + words + place, in: directory)
            #expect(ended.status == status, "\(words): \(ended.error)")
            #expect(ended.error.contains(text), "\(words): \(ended.error)")
        }
    }

    @Test func `thresholds hold from their day, and paces are speeds`() async throws {
        let directory = try TemporaryDirectory()
        let place = ["--database", directory.path("body.sqlite")]
        for words in [
            ["power", "250", "--since", "2025-10-01"], ["run", "4:00/km", "--since", "2025-10-01"],
            ["power", "260", "--since", "2026-01-01"], ["swim", "1:40/100m", "--since", "2026-01-01"],
        ] {
            _ = try await Self.json(ThresholdList.self, ["body", "thresholds", "set"] + words + place, in: directory)
        }
        let list = try await Self.json(ThresholdList.self, ["body", "thresholds", "list"] + place, in: directory)
        #expect(list.rows.map(\.since) == ["2025-10-01", "2026-01-01"])
        #expect(list.rows.map(\.thresholdPowerW) == [250, 260])
        #expect(list.rows[0].thresholdRunMps.map { ($0 * 1000).rounded() } == 4167)
        #expect(list.rows[1].thresholdSwimMps == 1)
        let cleared = try await Self.json(
            ThresholdList.self, ["body", "thresholds", "clear", "power", "--since", "2026-01-01"] + place,
            in: directory)
        #expect(cleared.rows.map(\.thresholdPowerW) == [250, nil])
    }

    @Test func `a breathing session is paced and kept`() async throws {
        let directory = try TemporaryDirectory()
        let place = ["--database", directory.path("body.sqlite")]
        let words = ["body", "breathe", "--minutes", "0.03", "--pattern", "0.5-0.5"]
        let session = try await Self.json(BreathingSession.self, words + place, in: directory)
        #expect(session.breaths == 2)
        #expect(session.bpmBefore == nil)
        let page = try await Self.json(BreathingPage.self, ["body", "breathe", "--list"] + place, in: directory)
        #expect(page.sessions == [session])
    }
}
