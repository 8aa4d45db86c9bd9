import Foundation
import Testing

/// The shipped example through all processes, in virtual time: what a newcomer sees first.
@Suite(.serialized, .enabled(if: Binaries.directory != nil, "the executables are not built: run deploy/build"))
struct ExampleDayTests {
    static let example = Binaries.repository.appending(path: "deploy/example")

    /// Options as in `deploy/example/resonance.conf`.
    static func options() -> [String: [String]] {
        func path(_ name: String) -> String { example.appending(path: name).path(percentEncoded: false) }
        let lists = ["Everything", "Deep Focus", "Run", "Evening Calm", "Tiny", "One Artist"]
        return [
            "librarian": ["--library", path("songs.csv")] + lists.flatMap { ["--library", path("\($0).m3u8")] },
            "context-agent": [
                "--focus", path("focus.jsonl"), "--activitywatch", path("activitywatch.json"), "--calendar",
                path("calendar"), "--every-day",
            ],
            "sensor-emitter": ["--source", "simulate", "--plan", path("day.json")],
            "brain": ["--playlist", "Everything", "--autoplay"],
        ]
    }

    @Test func `one day shows every need, keeps the hours, and obeys mood and crown`() async throws {
        let system = try RunningSystem()
        try await system.startAll(["--clock", "bus", "--time-zone", "UTC", "--seed", "3"], Self.options())
        let stateTail = try system.tail("states", "state/vector")
        let decisionTail = try system.tail("decisions", "music/decision", bodiesOnly: true)
        let playTail = try system.tail("plays", "music/played")
        try await system.waitForTails(3)

        // A Tuesday.
        try await system.conduct("2026-01-06T06:50:00Z", "2026-01-06T18:20:00Z")
        // Tired in the middle of the run.
        #expect(try await system.resonance(["mood", "3", "1"]).status == 0)
        try await system.conduct("2026-01-06T18:20:05Z", "2026-01-06T18:34:00Z")
        #expect(try await system.resonance(["mood", "auto"]).status == 0)
        try await system.conduct("2026-01-06T18:34:05Z", "2026-01-06T19:30:00Z")
        let before = try decisionTail.lines().count
        #expect(try await system.resonance(["dj-mode", "on"]).status == 0)
        #expect(try await system.resonance(["nudge", "1"]).status == 0)
        try await system.conduct("2026-01-06T19:30:05Z", "2026-01-06T19:34:00Z")
        let nudged = try decisionTail.lines().dropFirst(before)
        #expect(try await system.resonance(["dj-mode", "off"]).status == 0)
        try await system.conduct("2026-01-06T19:34:05Z", "2026-01-06T23:30:00Z")
        _ = try await eventually("the last state") {
            let last = try stateTail.bodies("state/vector/me").last.flatMap(SeenState.init)
            let end = try Date.ISO8601FormatStyle().parse("2026-01-06T23:29:00Z")
            return (last?.at ?? .distantPast) >= end ? true : nil
        }

        let states = try stateTail.bodies("state/vector/me").compactMap(SeenState.init)
        // The first minutes have a state too, and it is modest.
        let first = try #require(states.first)
        #expect(first.at == (try Date.ISO8601FormatStyle().parse("2026-01-06T06:50:00Z")) || states.count > 1900)
        #expect(first.confidence < 0.9)

        func share(_ from: String, _ to: String, _ wanted: (SeenState) -> Bool) throws -> Double {
            let style = Date.ISO8601FormatStyle()
            let (start, end) = (try style.parse("2026-01-06T\(from):00Z"), try style.parse("2026-01-06T\(to):00Z"))
            let inside = states.filter { start <= $0.at && $0.at < end }
            return Double(inside.count(where: wanted)) / Double(max(1, inside.count))
        }
        #expect(try share("09:31", "09:44") { $0.context == "work" } >= 0.95)
        #expect(try share("10:05", "11:55") { $0.context == "deepWork" && $0.need == "focus" } >= 0.95)
        #expect(try share("08:02", "08:28") { $0.context == "commute" } >= 0.95)
        #expect(try share("18:02", "18:48") { $0.context == "workout" } >= 0.95)
        #expect(try share("18:21", "18:33") { $0.need == "energize" } >= 0.9)
        #expect(try share("18:52", "19:04") { $0.context == "postWorkout" && $0.need == "calm" } >= 0.95)
        #expect(try share("22:35", "23:25") { $0.context == "preSleep" && $0.need == "calm" } >= 0.95)
        // The stressful hour at the desk asks for calm, the ordinary one before far less.
        let stressed = try share("15:10", "15:58") { $0.need == "calm" }
        let ordinary = try share("13:10", "13:58") { $0.need == "calm" }
        #expect(stressed >= 0.5, "calm wanted in \(stressed) of the stressful hour")
        #expect(
            stressed >= ordinary + 0.25, "calm wanted in \(ordinary) of the ordinary hour, \(stressed) under stress")

        let decisions = try decisionTail.lines()
        #expect(decisions.count >= 200)
        #expect(decisions.allSatisfy { ($0["breaches"] as? [Any])?.isEmpty == true })
        // The crown moves the target of the pick that follows.
        let energies = nudged.compactMap { $0["targetEnergy"] as? Double }
        let calmBefore = try decisionTail.lines()[before - 1]["targetEnergy"] as? Double
        #expect(try #require(energies.max()) > (try #require(calmBefore)) + 0.2)

        // Night and morning limits, from the table of the library.
        let songs = try #require(DaysTests.songs(try await system.json(["songs", "--all"])))
        for play in try playTail.bodies("music/played/me") {
            guard let at = play["startedAt"] as? Double, let song = play["song"] as? [String: Any],
                let id = song["id"] as? String,
                let bpm = (songs[id]?["tempo"] as? [String: Any])?["bpm"] as? Double
            else { continue }
            let second = Int(at / 1000) % 86_400
            if second >= 21 * 3600 + 600 { #expect(bpm <= 100, "\(song["title"] ?? "") at night") }
            if second < 9 * 3600 { #expect(bpm <= 120, "\(song["title"] ?? "") in the morning") }
        }
        try await system.stop(RunningSystem.order)
    }
}
