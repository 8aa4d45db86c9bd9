import BrainService
import Bus
import Foundation
import Physiology
import Protocols
import Testing

/// What a brain must know at its start before the others have told it, and what grows old while it waits.
struct RememberedTests {
    @Test func `restarted while the librarian is away, it goes on picking from the last pool`() async throws {
        let house = try House(at: "14:00")
        try await house.moveIn()
        await house.live(minutes: 2, bpm: 66)
        house.bus.remove(.brain)
        house.bus.remove(.librarian)
        try house.addBrain()
        let restart = house.bus.now
        await house.live(minutes: 16, bpm: 66)
        let decisions = try house.decisions(since: restart)
        #expect(Set(decisions.compactMap(\.songId)).count >= 4)
        #expect(Set(try house.started()).count >= 6)
        #expect(try await house.status().now.playing)

        // Other playlists have other songs.
        house.bus.remove(.brain)
        try house.addBrain(playlists: ["Few"])
        await house.live(minutes: 1, bpm: 66)
        #expect(try await house.status().pool == 0)
    }

    @Test func `a heart that still races after a run is no stress, also after a restart`() async throws {
        let house = try House(at: "15:00")
        try await house.moveIn()
        house.tellBaseline()
        house.bus.publish(Workout(phase: .started, sport: "running", at: house.bus.now), on: Registry.workout())
        await house.live(minutes: 10, bpm: 150, moving: .running, intensity: 0.8)
        house.bus.publish(Workout(phase: .ended, sport: "running", at: house.bus.now), on: Registry.workout())
        await house.live(minutes: 2, bpm: 120)
        house.bus.remove(.brain)
        try house.addBrain()
        let restart = house.bus.now
        await house.live(minutes: 5, bpm: 110)
        let states = try house.states().filter { $0.at > restart.adding(seconds: 30) }
        #expect(states.count >= 8)
        #expect(states.allSatisfy { $0.stressGate?.value == .recovering && $0.stress < 0.7 })
        // The baseline of 55…185 bpm is kept too: (110 − 55)/130 to the power ln 0.3/ln 0.1 = 0.523.
        #expect(states.allSatisfy { abs($0.arousal - 0.638) < 0.11 })
    }

    @Test func `a pick that waited while the hours changed is made again`() async throws {
        let house = try House(at: "20:30")
        try await house.moveIn()
        house.tellBaseline()
        await house.live(minutes: 2, bpm: 66)
        // The machine sleeps for two hours in the middle of a song.
        house.bus.remove(.brain)
        house.bus.remove("player-stub")
        await house.live(minutes: 120, step: 60)
        let before = try house.started().count
        let back = house.bus.now
        house.addPlayer()
        try house.addBrain()
        await house.live(minutes: 1, bpm: 66)
        let song = try #require(try house.started().dropFirst(before).first)
        let decision = try #require(try house.decisions(since: back).first)
        #expect(decision.songId == song)
        #expect(decision.activityContext == .preSleep && decision.need == .calm)
    }

    @Test func `music after a long pause belongs to a new session`() async throws {
        let house = try House(at: "14:00")
        try await house.moveIn()
        await house.live(minutes: 2, bpm: 66)
        let first = try #require(try await house.status().sessionId)
        _ = try await house.bus.request(Pause())
        await house.live(minutes: 32, bpm: 66)
        #expect(try await house.status().sessionId == nil)
        _ = try await house.bus.request(Play())
        await house.live(minutes: 3, bpm: 66)
        let second = try #require(try await house.status().sessionId)
        #expect(second != first)
        let sessions = try await house.bus.request(ListSessions()).sessions
        #expect(sessions.first { $0.id == second }?.songs == 1)
    }

    @Test func `the listener says that they have company`() async throws {
        let house = try House(at: "14:00")
        try await house.moveIn()
        house.tellBaseline()
        await house.live(minutes: 1, bpm: 66)
        _ = try await house.bus.request(SayContext(context: "social", minutes: 30))
        let told = house.bus.now
        await house.live(minutes: 29, bpm: 66)
        let states = try house.states().filter { $0.at > told }
        #expect(states.count >= 56 && states.allSatisfy { $0.activityContext == .social })
        await house.live(minutes: 2, bpm: 66)
        #expect(try house.states().last?.activityContext.value != .social)

        _ = try await house.bus.request(SayContext(context: "social"))
        _ = try await house.bus.request(SayContext())
        await house.live(minutes: 1, bpm: 66)
        #expect(try house.states().last?.activityContext.value != .social)
        for wrong in [
            SayContext(context: "flying"), SayContext(context: "unknown"), SayContext(context: "work", minutes: 0),
        ] {
            await #expect { try await house.bus.request(wrong) } throws: { ($0 as? Refusal)?.code == "invalid" }
        }
    }

    /// By hand for 63 bpm and a stranger of 40 (still 72.5 ± 10 between and ± 7 within people, rest 8 below, maximum 180):
    /// the mean moves by 9.5 · 100/149 = 6.376 to 66.12, rest to 58.12; γ = ln 0.3/ln(8/121.88) = 0.442;
    /// (4.88/121.88)^0.442 = 0.241.
    @Test func `a slow heart in the first minute is a low scale and no zero`() {
        let zone = TimeZone(secondsFromGMT: 0) ?? .current
        let now = Timestamp(milliseconds: 1_772_409_600_000)
        let stranger = BaselineBuilder(profile: Profile(), clock: LocalClock(timeZone: zone))
            .baseline(at: now, minutes: [])
        func samples(_ bpm: Double) -> [HeartRate] {
            (0..<60).map { HeartRate(at: now.adding(seconds: Double($0)), bpm: bpm, source: "test") }
        }
        #expect(HeartScale(baseline: stranger).arousal(bpm: 63) == 0)
        let lowered = HeartScale(baseline: stranger.lowered(to: samples(63)))
        #expect(abs(lowered.arousal(bpm: 63) - 0.241) < 0.002)
        #expect(stranger.lowered(to: samples(95)) == stranger)
        #expect(stranger.lowered(to: []) == stranger)
        // Somebody known: nothing moves by more than a beat.
        var known = stranger
        known.stillMinutes = 5000
        known.stillBpmSd = 7
        #expect(known.lowered(to: samples(63)).stillBpmMean > 71.5)
    }
}
