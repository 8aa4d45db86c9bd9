import BrainService
import Bus
import Foundation
import Protocols
import Testing

/// The main job through the real actors: signals in, state, picks, playback.
struct MainJobTests {
    private let songs = TestSongs.all()

    private func mean(_ values: [Double]) -> Double { values.reduce(0, +) / Double(max(1, values.count)) }

    /// Tempos of the picks that were not drawn at random.
    private func tempos(_ decisions: [DecisionMade]) -> [Double] {
        decisions.filter { !$0.random }.compactMap { $0.songId.flatMap { TestSongs.bpm($0, in: songs) } }
    }

    private func energies(_ decisions: [DecisionMade]) -> [Double] {
        decisions.filter { !$0.random }.compactMap { $0.songId.flatMap { TestSongs.energy($0, in: songs) } }
    }

    @Test func `a state every thirty seconds, on the grid`() async throws {
        let house = try House(at: "14:00")
        try await house.moveIn()
        house.tellBaseline()
        await house.live(minutes: 10, bpm: 68)
        let times = try house.states().map(\.at.milliseconds)
        #expect(times.count >= 20)
        #expect(times.allSatisfy { $0 % 30_000 == 0 })
        #expect(zip(times, times.dropFirst()).allSatisfy { $1 - $0 == 30_000 })
    }

    @Test func `a state every thirty seconds when one step of time is a minute`() async throws {
        let house = try House(at: "14:00")
        try await house.moveIn()
        await house.bus.advance(by: .seconds(1200), step: .seconds(60))
        let times = try house.states().map(\.at.milliseconds)
        #expect(zip(times, times.dropFirst()).allSatisfy { $1 - $0 == 30_000 })
        #expect(times.count >= 36)
    }

    @Test func `plays calm music under stress`() async throws {
        let house = try House(at: "14:00")
        try await house.moveIn()
        house.tellBaseline()
        await house.live(minutes: 8, bpm: 66)
        let before = house.bus.now
        // Still, and four standard deviations above what is usual.
        await house.live(minutes: 20, bpm: 95)
        let last = try #require(try house.states().last)
        #expect(last.stress > 0.7)
        #expect(last.need == .calm)
        let calm = try house.decisions(since: before.adding(seconds: 120))
        #expect(calm.count >= 4)
        #expect(calm.allSatisfy { $0.need == .calm && $0.targetBpm < 100 })
        #expect(tempos(calm).allSatisfy { $0 < 100 })
        #expect(mean(energies(calm)) < 0.4)
    }

    /// The same hours of the same heart, once after a bad night with an empty battery, once with neither known.
    @Test func `an empty battery and a bad night make the music quieter`() async throws {
        func live(_ tell: (House) -> Void) async throws -> (states: [StateVector], decisions: [DecisionMade]) {
            let house = try House(at: "14:00")
            try await house.moveIn()
            house.tellBaseline()
            tell(house)
            await house.live(minutes: 20, bpm: 72)
            return (try house.states(), try house.decisions())
        }
        let usual = try await live { _ in }
        let again = try await live { _ in }
        #expect(usual.states == again.states && usual.decisions == again.decisions)
        let tired = try await live { house in
            house.bus.publish(
                BatteryReading(
                    at: house.bus.now, day: "2026-03-04", battery: 5, zone: .recovery, fitness: 60, fatigue: 110,
                    form: -50, formPercent: -83, rampPerWeek: 6, guidanceLow: 0, guidanceHigh: 30, guidance: "",
                    illness: .none, calibratingDays: nil, adjustment: -8, confidence: 0.9, reasons: []),
                on: Registry.battery())
            let woke = house.bus.now.adding(seconds: -3600)
            house.bus.publish(
                SleepReport(
                    at: woke, night: "2026-03-04", startAt: woke.adding(seconds: -10_800), endAt: woke,
                    asleepMinutes: 170, inBedMinutes: nil, awakeMinutes: 10, stages: nil, score: 20, quality: .poor,
                    parts: [], rmssdMs: nil, hrvMinutes: nil, bpm: nil, goalMinutes: 480, bedtime: nil, confidence: 0.9,
                    sources: []), on: Registry.sleep())
        }
        #expect(usual.states.allSatisfy { !$0.sources.contains { $0.name == "bodyBattery" || $0.name == "bodySleep" } })
        let late = tired.states.suffix(20)
        #expect(late.allSatisfy { $0.sources.contains { $0.name == "bodyBattery" && $0.confidence > 0.8 } })
        #expect(late.allSatisfy { $0.sources.contains { $0.name == "bodySleep" } })
        #expect(mean(late.map(\.energy)) < mean(usual.states.suffix(20).map(\.energy)) - 0.05)
        #expect(mean(tired.decisions.map(\.targetBpm)) < mean(usual.decisions.map(\.targetBpm)))
    }

    @Test func `energizes a tired workout and calms after it`() async throws {
        let house = try House(at: "15:00")
        try await house.moveIn()
        house.tellBaseline()
        await house.live(minutes: 3, bpm: 66)
        house.bus.publish(Workout(phase: .started, sport: "cycling", at: house.bus.now), on: Registry.workout())
        let workout = house.bus.now.adding(seconds: 360)
        await house.live(minutes: 20, bpm: 74, moving: .cycling, intensity: 0.4)
        let tired = try house.decisions(since: workout)
        #expect(!tired.isEmpty)
        #expect(tired.allSatisfy { $0.activityContext == .workout && $0.need == .energize })
        #expect(tempos(tired).allSatisfy { $0 >= 110 })
        #expect(mean(energies(tired)) > 0.6)

        house.bus.publish(Workout(phase: .ended, sport: "cycling", at: house.bus.now), on: Registry.workout())
        let after = house.bus.now.adding(seconds: 60)
        await house.live(minutes: 10, bpm: 90)
        let cooling = try house.decisions(since: after)
        #expect(!cooling.isEmpty)
        #expect(cooling.allSatisfy { $0.activityContext == .postWorkout && $0.need == .calm })
        #expect(mean(tempos(cooling)) < mean(tempos(tired)) - 30)
    }

    @Test func `supports focus in deep work`() async throws {
        let house = try House(at: "10:00")
        try await house.moveIn()
        house.tellBaseline()
        let desk = DesktopContext(
            at: house.bus.now, focusActive: true, focusName: "Deep Work", app: "Xcode", appCategory: "productivity",
            idleSeconds: 2, workState: .deepWork)
        await house.live(minutes: 2, bpm: 66, desktop: desk)
        let settled = house.bus.now
        await house.live(minutes: 20, bpm: 66, desktop: desk)
        let focused = try house.decisions(since: settled)
        #expect(focused.count >= 4)
        #expect(focused.allSatisfy { $0.activityContext == .deepWork && $0.need == .focus })
        #expect(tempos(focused).allSatisfy { (70...125).contains($0) })
    }

    @Test(arguments: [("21:30", 100.0), ("23:45", 100), ("07:30", 120)])
    func `keeps the limits of night and morning`(start: String, limit: Double) async throws {
        let house = try House(at: start)
        try await house.moveIn()
        house.tellBaseline()
        await house.live(minutes: 30, bpm: 75, step: 10)
        let picks = try house.decisions()
        #expect(picks.count >= 9)
        #expect(picks.allSatisfy { $0.breaches.isEmpty && $0.relaxations.isEmpty })
        for id in try house.started() {
            let bpm = try #require(TestSongs.bpm(id, in: songs))
            #expect(bpm <= limit, "\(id)")
        }
    }

    @Test func `a mood changes the next pick at once`() async throws {
        let house = try House(at: "14:00")
        try await house.moveIn()
        house.tellBaseline()
        await house.live(minutes: 4, bpm: 68)
        let before = try #require(try house.decisions().last)
        let told = house.bus.now
        let reply = try await house.bus.request(SetMood(mood: 5, energy: 5))
        #expect(reply.note == "noted for 15 min")
        await house.live(minutes: 0.5, bpm: 68)
        let after = try #require(try house.decisions(since: told).first)
        #expect(after.targetEnergy > before.targetEnergy + 0.1)
        let queue = try await house.bus.request(ShowQueue())
        let newest = try #require(try house.decisions().last)
        #expect(queue.entries.last?.song.id == newest.songId)
        #expect(queue.entries.last?.status.value == .upNext)

        // Back to the sensors.
        _ = try await house.bus.request(ClearMood())
        let cleared = try #require(try house.decisions().last)
        #expect(cleared.targetEnergy < after.targetEnergy - 0.1)
    }

    @Test func `named moods and wrong ones`() async throws {
        let house = try House(at: "14:00")
        try await house.moveIn()
        await house.live(minutes: 1, bpm: 68)
        _ = try await house.bus.request(SetMood(named: "sad"))
        await house.live(minutes: 1, bpm: 68)
        #expect(try await house.status().moodUntilAt != nil)
        await #expect(throws: Refusal.self) { try await house.bus.request(SetMood(named: "sunny")) }
        await #expect(throws: Refusal.self) { try await house.bus.request(SetMood(mood: 9, energy: 1)) }
    }

    @Test func `the crown turns the volume, and in DJ mode the music`() async throws {
        let house = try House(at: "14:00")
        try await house.moveIn()
        house.tellBaseline()
        await house.live(minutes: 4, bpm: 68)
        let loud = try #require(try house.bus.messages(of: Registry.progress).last).volume
        house.bus.publish(Nudge(at: house.bus.now, delta: 0.4, kind: .energy), on: Registry.nudge())
        await house.live(minutes: 0.5, bpm: 68)
        // A full turn is a quarter of the range.
        #expect(abs(try #require(try house.bus.messages(of: Registry.progress).last).volume - loud - 0.1) < 1e-9)

        await #expect(throws: Refusal.self) { try await house.bus.request(SendNudge(delta: 0.5)) }
        #expect(try await house.bus.request(SetDJMode(on: true)).on)
        let before = try #require(try house.decisions().last)
        _ = try await house.bus.request(SendNudge(delta: 1, kind: "energy"))
        await house.live(minutes: 0.5, bpm: 68)
        let after = try #require(try house.decisions().last)
        #expect(after.decisionId != before.decisionId)
        #expect(after.targetEnergy > before.targetEnergy + 0.2)
        #expect(try await house.bus.request(SetDJMode()).energyNudge > 0.4)
        #expect(try await house.bus.request(SetDJMode(on: false)).energyNudge == 0)
    }

    @Test func `the first day: no history, no body, and still music with an honest state`() async throws {
        let house = try House(at: "14:00")
        try await house.moveIn()
        await house.live(minutes: 8)
        let state = try #require(try house.states().last)
        #expect(state.confidence < 0.2)
        #expect(try house.started().count >= 2)
        let why = try await house.bus.request(Explain())
        #expect(why.text.contains("no heart-rate data"))
        #expect(!why.text.contains("before ("))
    }

    /// Part 9.2.1 of the specification expects heart rate 95 and HRV 35 to be stress by themselves. By the corrections
    /// they are judged against what is usual for the person; without any history that is the population's usual, and
    /// from two to three minutes of it the confidence is what the sensors give. The outcome asserted is the corrected
    /// one: a tempo below 100 once the body has been still for a few minutes, and no claim that a song has calmed before.
    @Test func `test_fullSelectionPipeline_withMockData`() async throws {
        let house = try House(at: "14:00")
        try await house.moveIn(songs: Array(songs.prefix(20)))
        for _ in 0..<60 {
            let now = house.bus.now
            for second in 0..<5 {
                let at = now.adding(milliseconds: Int64(second) * 1000)
                house.bus.publish(HeartRate(at: at, bpm: 95, source: "test"), on: Registry.heartRate())
            }
            // 60000/95 ms with successive differences of 35 ms: RMSSD 35.
            house.bus.publish(
                RRIntervals(
                    startAt: now, rrMs: (0..<8).map { 631.6 + ($0.isMultiple(of: 2) ? 17.5 : -17.5) }, source: "test"),
                on: Registry.rr())
            house.bus.publish(Motion(at: now, intensity: 0, steps: 0, activity: .stationary), on: Registry.motion())
            await house.bus.step(to: now.adding(milliseconds: 5000))
        }
        let state = try #require(try house.states().last)
        #expect(state.stress > 0.7)
        #expect(state.need == .calm)
        let pick = try #require(try house.decisions().last)
        #expect(try #require(pick.songId.flatMap { TestSongs.bpm($0, in: songs) }) < 100)
        let effects = try await house.bus.request(ListEffects(songId: pick.songId))
        // No history: nothing is claimed about the song, where the specification wanted a calm score above 0.5.
        #expect(effects.effects.allSatisfy { $0.evidence == "not enough evidence" })
    }

    @Test func `five hundred picks without a breach`() async throws {
        let songs = TestSongs.all(count: 110, seconds: 60, artists: 70)
        let house = try House(at: "09:00")
        try await house.moveIn(songs: songs)
        house.tellBaseline()
        for block in 0..<85 {
            await house.live(minutes: 6, bpm: 62 + Double(block % 7) * 6, step: 15)
        }
        let decisions = try house.decisions()
        #expect(decisions.count >= 500)
        #expect(decisions.allSatisfy { $0.breaches.isEmpty })
        #expect(decisions.allSatisfy { $0.relaxations.isEmpty })
        #expect(try await house.status().breaches == 0)

        // The same rules counted again from what was really played: window = half of the pool's 110 min.
        let events = try house.bus.messages(of: Registry.playerEvent).filter { $0.kind == .started }
        #expect(events.count >= 480)
        var lastEnd: [String: Timestamp] = [:]
        for event in events {
            let id = try #require(event.songId)
            if let end = lastEnd[id] { #expect(event.at.seconds(since: end) >= 110 * 60 / 2, "\(id)") }
            lastEnd[id] = event.at.adding(seconds: 60)
        }
        let artists = events.compactMap { event in songs.first { $0.id == event.songId }?.artist }
        for index in artists.indices.dropFirst(2) {
            #expect(!(artists[index] == artists[index - 1] && artists[index] == artists[index - 2]))
        }
    }

    @Test func `the same day twice with one seed gives the same bytes, another seed other picks`() async throws {
        func day(_ seed: UInt64) async throws -> [[UInt8]] {
            let house = try House(at: "14:00", seed: seed)
            try await house.moveIn()
            house.tellBaseline()
            await house.live(minutes: 15, bpm: 66)
            await house.live(minutes: 15, bpm: 92)
            return house.bus.published.filter {
                $0.topic.hasPrefix("music/decision") || $0.topic.hasPrefix("music/played")
            }
            .map(\.body)
        }
        let first = try await day(3)
        #expect(first.count >= 15)
        #expect(try await day(3) == first)
        #expect(try await day(4) != first)
    }
}
