import Foundation
import Testing

/// The main job on real input: three days of a real heart rate and 2,329 real songs through all processes.
@Suite(
    .serialized, .enabled(if: Binaries.directory != nil, "the executables are not built: run deploy/build"),
    .enabled(if: Binaries.sharedData != nil, "the recorded days (shared/data) are not on this machine"))
struct DaysTests {
    static let from = "2016-05-10T06:55:00Z"
    static let to = "2016-05-12T14:45:00Z"

    struct Run {
        var system: RunningSystem
        var states: [SeenState]
        var decisions: [[String: Any]]
        var decisionBytes: Data
        var why: [[String: Any]]
        var plays: [[String: Any]]
    }

    /// Replays a span of the days through a fresh set of processes.
    static func run(playlist: String, from: String = from, to: String = to, seed: Int = 7) async throws -> Run {
        let data = try #require(Binaries.sharedData)
        func path(_ name: String) -> String { data.appending(path: name).path(percentEncoded: false) }
        let system = try RunningSystem()
        let lists = try FileManager.default.contentsOfDirectory(atPath: path("library"))
            .filter { $0.hasSuffix(".m3u8") }.sorted()
        try await system.startAll(
            ["--clock", "bus", "--time-zone", "UTC", "--seed", "\(seed)"],
            [
                "librarian": ["--library", path("library/songs.csv")]
                    + lists.flatMap { ["--library", path("library/\($0)")] },
                "context-agent": [
                    "--focus", path("days/focus.jsonl"), "--activitywatch", path("days/activitywatch.json"),
                    "--calendar", path("days/calendar.ics"),
                ],
                "sensor-emitter": [
                    "--source", "replay", path("days/heart-rate.csv"), path("days/motion.csv"),
                    path("days/workouts.csv"), path("days/moods.csv"),
                ],
                "brain": ["--playlist", playlist, "--autoplay"],
            ])
        let states = try system.tail("states", "state/vector")
        let decisions = try system.tail("decisions", "music/decision", bodiesOnly: true)
        let why = try system.tail("why", "music/why")
        let plays = try system.tail("plays", "music/played")
        try await system.waitForTails(4)
        try await system.conduct(from, to)
        _ = try await eventually("the last state") {
            let end = try Date.ISO8601FormatStyle().parse(to).addingTimeInterval(-61)
            let last = try states.bodies("state/vector/me").last.flatMap(SeenState.init)
            return (last?.at ?? .distantPast) >= end ? true : nil
        }
        return Run(
            system: system, states: try states.bodies("state/vector/me").compactMap(SeenState.init),
            decisions: try decisions.lines(), decisionBytes: try decisions.bytes(),
            why: try why.bodies("music/why/me"), plays: try plays.bodies("music/played/me"))
    }

    @Test func `three real days give the right state, songs from the playlist only, and reasons that add up`()
        async throws
    {
        let data = try #require(Binaries.sharedData)
        let run = try await Self.run(playlist: "Everything")

        // A state every 30 s of event time.
        let spans = zip(run.states.dropFirst(), run.states).map { $0.at.timeIntervalSince($1.at) }
        #expect(spans.allSatisfy { $0 == 30 })
        #expect(run.states.count >= 6_690)

        // Context and need, window by window.
        for window in try ExpectedWindow.read(data.appending(path: "days/expected.csv")) {
            let context = window.contextShare(run.states)
            let need = window.needShare(run.states)
            #expect(context >= 0.95, "\(window.from) \(window.context): \(context)")
            #expect(need >= 0.95, "\(window.from) \(window.needs): \(need)")
        }

        // Songs, breaches, relaxations.
        #expect(run.decisions.count >= 500)
        #expect(run.decisions.allSatisfy { ($0["breaches"] as? [Any])?.isEmpty == true })
        #expect(run.decisions.allSatisfy { ($0["relaxations"] as? [Any])?.isEmpty == true })
        let page = try await run.system.json(["songs", "--playlist", "Everything", "--all"])
        let songs = try #require(Self.songs(page))
        #expect(run.plays.count >= 500)
        for play in run.plays {
            let id = try #require((play["song"] as? [String: Any])?["id"] as? String)
            #expect(songs[id] != nil)
        }

        let distinct = Set(run.plays.compactMap { ($0["song"] as? [String: Any])?["id"] as? String })
        print("\(run.plays.count) plays of \(distinct.count) songs, \(run.decisions.count) decisions")

        // Every explanation's terms sum to its score.
        #expect(run.why.count >= 500)
        for why in run.why {
            let terms = try #require(why["terms"] as? [[String: Any]])
            let sum = terms.reduce(0) { $0 + ($1["contribution"] as? Double ?? .nan) }
            #expect(abs(sum - (why["score"] as? Double ?? .nan)) < 1e-6)
        }

        // Tempo and energy follow the need.
        func picks(_ from: String, _ to: String) throws -> (bpm: Double, energy: Double) {
            let style = Date.ISO8601FormatStyle()
            let (first, last) = (try style.parse(from), try style.parse(to))
            let inside = run.plays.compactMap { play -> [String: Any]? in
                guard let at = play["startedAt"] as? Double, let song = play["song"] as? [String: Any],
                    let id = song["id"] as? String
                else { return nil }
                let date = Date(timeIntervalSince1970: at / 1000)
                return first <= date && date < last ? songs[id] : nil
            }
            let bpm = try #require(
                median(inside.compactMap { ($0["tempo"] as? [String: Any])?["bpm"] as? Double }))
            return (bpm, try #require(median(inside.compactMap { $0["energy"] as? Double })))
        }
        let deepWork = try picks("2016-05-11T13:35:00Z", "2016-05-11T16:14:00Z")
        let workout = try picks("2016-05-11T16:44:00Z", "2016-05-11T17:46:00Z")
        let after = try picks("2016-05-11T17:49:00Z", "2016-05-11T18:02:00Z")
        let evening = try picks("2016-05-11T22:02:00Z", "2016-05-11T22:59:00Z")
        print("median tempo and energy: deep work \(deepWork), run \(workout), after it \(after), evening \(evening)")
        #expect(workout.bpm > deepWork.bpm + 10)
        #expect(workout.energy > deepWork.energy + 0.15)
        #expect(after.bpm < workout.bpm - 10)
        #expect(after.energy < workout.energy - 0.25)
        #expect(evening.bpm <= 100)
        #expect(evening.energy < deepWork.energy)

        // Effects were learned, and are there after a restart.
        let before = try await run.system.json(["effects"])
        let rows = try #require((before as? [String: Any])?["effects"] as? [[String: Any]])
        #expect(rows.count >= 100)
        run.system.signal("brain", SIGKILL)
        _ = try await run.system.waitForExit("brain")
        try run.system.start(
            "brain",
            ["--clock", "bus", "--time-zone", "UTC", "--seed", "7", "--playlist", "Everything", "--autoplay"])
        let ready = try await run.system.resonance(["wait-ready", "brain", "--timeout", "30"])
        #expect(ready.status == 0)
        let again = try await run.system.json(["effects"])
        // The logged figures come from the database; the pooled evidence needs the songs again, and so the next step.
        func figures(_ answer: Any) throws -> [String: [Double]] {
            let rows = try #require((answer as? [String: Any])?["effects"] as? [[String: Any]])
            var figures: [String: [Double]] = [:]
            for row in rows {
                let key = ["songId", "activityContext", "slot"].map { row[$0] as? String ?? "" }.joined(separator: " ")
                figures[key] = ["calm", "focus", "energy", "moodLift", "confidence", "plays"].compactMap {
                    row[$0] as? Double
                }
            }
            return figures
        }
        #expect(try figures(before) == figures(again))
        try await run.system.stop(RunningSystem.order)
    }

    @Test func `the same day twice with one seed gives the same decisions byte for byte`() async throws {
        let span = ("2016-05-10T09:25:00Z", "2016-05-10T13:00:00Z")
        let first = try await Self.run(playlist: "Everything", from: span.0, to: span.1)
        try await first.system.stop(RunningSystem.order)
        let second = try await Self.run(playlist: "Everything", from: span.0, to: span.1)
        try await second.system.stop(RunningSystem.order)
        #expect(first.decisions.count >= 40)
        #expect(first.decisionBytes == second.decisionBytes)
    }

    @Test(arguments: ["Eight songs", "One artist"])
    func `a small playlist is played on, with guards that give way and say so`(playlist: String) async throws {
        let run = try await Self.run(
            playlist: playlist, from: "2016-05-10T09:25:00Z", to: "2016-05-10T13:00:00Z")
        #expect(run.plays.count >= 40)
        #expect(run.decisions.allSatisfy { ($0["breaches"] as? [Any])?.isEmpty == true })
        let relaxed = run.decisions.count { ($0["relaxations"] as? [Any])?.isEmpty == false }
        // Eight songs suffice for windows that are sized to the pool; one artist cannot be spaced from itself.
        #expect((relaxed > 0) == (playlist == "One artist"), "\(relaxed) of \(run.decisions.count)")
        let ids = run.plays.compactMap { ($0["song"] as? [String: Any])?["id"] as? String }
        let page = try await run.system.json(["songs", "--playlist", playlist, "--all"])
        let songs = try #require(Self.songs(page))
        #expect(ids.allSatisfy { songs[$0] != nil })
        // Never the same song twice in a row.
        #expect(zip(ids, ids.dropFirst()).allSatisfy { $0 != $1 })
        try await run.system.stop(RunningSystem.order)
    }

    /// Songs by id out of the answer of `resonance songs --json`.
    static func songs(_ answer: Any) -> [String: [String: Any]]? {
        guard let list = (answer as? [String: Any])?["songs"] as? [[String: Any]] else { return nil }
        var byId: [String: [String: Any]] = [:]
        for song in list { if let id = song["id"] as? String { byId[id] = song } }
        return byId
    }
}
