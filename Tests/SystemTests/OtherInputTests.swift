import Foundation
import Testing

/// Other people's hearts, beats, rides and libraries through the same processes, for an hour or so each.
@Suite(
    .serialized, .enabled(if: Binaries.directory != nil, "the executables are not built: run deploy/build"),
    .enabled(if: Binaries.sharedData != nil, "the recordings (shared/data) are not on this machine"))
struct OtherInputTests {
    /// Replays files at their own time with the shipped example library; nobody is at a desk.
    private func run(
        _ files: [String], from: String, to: String, playlists: [String] = [],
        before: (RunningSystem) async throws -> Void = { _ in }
    ) async throws -> (states: [SeenState], decisions: [[String: Any]], bpm: [Double]) {
        let system = try RunningSystem()
        var options = ExampleDayTests.options()
        options["context-agent"] = []
        options["sensor-emitter"] = ["--source", "replay"] + files
        if !playlists.isEmpty { options["brain"] = playlists.flatMap { ["--playlist", $0] } + ["--autoplay"] }
        try await system.startAll(["--clock", "bus", "--time-zone", "UTC", "--seed", "5"], options)
        try await before(system)
        let states = try system.tail("states", "state/vector")
        let decisions = try system.tail("decisions", "music/decision", bodiesOnly: true)
        try await system.waitForTails(2)
        try await system.conduct(from, to)
        let end = try Date.ISO8601FormatStyle().parse(to).addingTimeInterval(-61)
        _ = try await eventually("the last state") {
            let last = try states.bodies("state/vector/me").last.flatMap(SeenState.init)
            return (last?.at ?? .distantPast) >= end ? true : nil
        }
        let bodies = try states.bodies("state/vector/me")
        let result = (
            bodies.compactMap(SeenState.init), try decisions.lines(), bodies.compactMap { $0["bpm"] as? Double }
        )
        try await system.stop(RunningSystem.order)
        return result
    }

    private func check(_ run: (states: [SeenState], decisions: [[String: Any]], bpm: [Double]), states: Int) {
        #expect(run.states.count >= states)
        let spans = zip(run.states.dropFirst(), run.states).map { $0.at.timeIntervalSince($1.at) }
        #expect(spans.allSatisfy { $0 == 30 })
        #expect(run.decisions.count >= 3)
        #expect(run.decisions.allSatisfy { ($0["breaches"] as? [Any])?.isEmpty == true })
        #expect(run.states.allSatisfy { (0...1).contains($0.arousal) && (0...1).contains($0.stress) })
    }

    /// Participants of Stress-Predict; the column `Time(sec)` is Unix time.
    @Test(arguments: [7, 15, 35])
    func `a person of the stress recordings is followed`(participant: Int) async throws {
        let data = try #require(Binaries.sharedData)
        let table = try String(
            contentsOf: data.appending(path: "stress/hr_resp_label_1hz.csv"), encoding: .utf8)
        let rows = table.split(separator: "\n").dropFirst().map { $0.split(separator: ",") }
            // Some rows of the table have lost their time.
            .filter { $0[0] == "\(participant)" && (Double($0[3]) ?? 0) > 1_600_000_000 }
        // The table has a person's tasks in the order of the protocol, not always in that of the clock.
        let times = rows.compactMap { Double($0[3]) }
        let first = try #require(times.min())
        let last = try #require(times.max())
        let file = FileManager.default.temporaryDirectory.appending(path: "person-\(UUID().uuidString).csv")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data(("time,bpm\n" + rows.map { "\($0[3]),\($0[1])" }.joined(separator: "\n") + "\n").utf8).write(to: file)
        func text(_ seconds: Double) -> String {
            Date(timeIntervalSince1970: (seconds / 30).rounded(.down) * 30).formatted(.iso8601)
        }
        let run = try await run([file.path(percentEncoded: false)], from: text(first), to: text(last))
        check(run, states: Int((last - first) / 30) - 3)
        // What the state says the heart does is what the recording says: the median within 3 BPM.
        let recorded = try #require(median(rows.compactMap { Double($0[1]) }))
        #expect(abs(try #require(median(run.bpm)) - recorded) <= 3)
    }

    @Test func `a series of beats alone gives a state with HRV in it`() async throws {
        let data = try #require(Binaries.sharedData)
        let file = data.appending(path: "hrv/gc_rr_seconds_with_artefacts.txt").path(percentEncoded: false)
        let run = try await run(
            [file, "--start", "2026-01-06T13:00:00Z"], from: "2026-01-06T13:00:00Z", to: "2026-01-06T13:13:00Z")
        check(run, states: 24)
        #expect(run.states.suffix(5).allSatisfy { $0.confidence > 0.3 })
    }

    @Test func `a ride is a workout, with what comes after it`() async throws {
        let data = try #require(Binaries.sharedData)
        let file = data.appending(path: "fit/raw/indoor-edge1030-power-hr-rr.fit").path(percentEncoded: false)
        let run = try await run(
            [file, "--start", "2026-01-06T13:00:00Z"], from: "2026-01-06T13:00:00Z", to: "2026-01-06T13:20:00Z")
        check(run, states: 39)
        // 627 records: the ride lasts a little over ten minutes.
        let during = run.states.filter { $0.at < Date(timeIntervalSince1970: 1_767_704_400 + 600) }
        #expect(during.dropFirst(2).count { $0.context == "workout" } >= during.count - 4)
        #expect(run.states.suffix(8).allSatisfy { $0.context == "postWorkout" && $0.need == "calm" })
    }

    @Test func `an imported iTunes library is played from`() async throws {
        let data = try #require(Binaries.sharedData)
        let library = data.appending(path: "playlists/itunes_library_libpytunes.xml").path(percentEncoded: false)
        let hearts = data.appending(path: "days/heart-rate.csv").path(percentEncoded: false)
        let run = try await run(
            [hearts], from: "2016-05-10T13:00:00Z", to: "2016-05-10T14:00:00Z",
            playlists: ["Jazz", "Classical Music"]
        ) { system in
            let imported = try await system.resonance(["library", "import", library])
            #expect(imported.status == 0, "\(imported.errors)")
            let playlists = try await system.resonance(["playlists"])
            #expect(playlists.output.contains("Jazz"))
        }
        check(run, states: 119)
        #expect(run.decisions.allSatisfy { ($0["candidateCount"] as? Int ?? 99) <= 12 })
    }
}
