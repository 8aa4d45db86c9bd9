import Formats
import Foundation
import Protocols
import Testing

@testable import SensorService

/// 2026-11-20T00:00:00Z, a Friday.
private let midnight = Timestamp(milliseconds: 1_795_132_800_000)
private let utc = TimeZone.gmt

private struct Heard {
    var bpm: [Double] = []
    var rr: [Double] = []
    var motion: [Motion] = []
    var workouts: [Workout] = []

    init(_ samples: [RecordedSample]) {
        for sample in samples {
            switch sample {
            case .heartRate(let sample): bpm.append(sample.bpm)
            case .rr(let sample): rr += sample.rrMs
            case .motion(let sample): motion.append(sample)
            case .workout(let sample): workouts.append(sample)
            case .mood: break
            }
        }
    }

    var meanBpm: Double { bpm.reduce(0, +) / Double(bpm.count) }

    /// RMSSD without the pairs around artefacts (more than 20 % apart, Malik's rule).
    var rmssd: Double {
        let squares = zip(rr, rr.dropFirst()).filter { abs($1 - $0) < 0.2 * $0 }.map { ($1 - $0) * ($1 - $0) }
        return (squares.reduce(0, +) / Double(squares.count)).squareRoot()
    }

    /// Power of the intervals around a frequency, by projection on sine and cosine over the beats' own times.
    func power(at hertz: Double) -> Double {
        let mean = rr.reduce(0, +) / Double(rr.count)
        var (time, re, im) = (0.0, 0.0, 0.0)
        for interval in rr {
            time += interval / 1000
            re += (interval - mean) * cos(2 * .pi * hertz * time)
            im += (interval - mean) * sin(2 * .pi * hertz * time)
        }
        return re * re + im * im
    }
}

private func live(
    _ body: inout SimulatedBody, from start: Timestamp, minutes: Double, step: Double = 5
) -> [RecordedSample] {
    var samples: [RecordedSample] = []
    var now = start
    while now <= start.adding(seconds: minutes * 60) {
        samples += body.samples(until: now)
        now = now.adding(seconds: step)
    }
    return samples
}

private func still(stress: Double) -> DayPlan {
    DayPlan(entries: [.init(from: "00:00", to: "24:00", activity: .sit, stress: stress)])
}

struct SimulatedBodyTests {
    @Test(arguments: [1, 2, 3] as [UInt64])
    func `a sitting body is within published ranges`(seed: UInt64) {
        var body = SimulatedBody(seed: seed, timeZone: utc, plan: still(stress: 0.3))
        let heard = Heard(live(&body, from: midnight.adding(seconds: 36_000), minutes: 40))
        // Nunan et al. 2010, 44 studies of healthy adults: RMSSD 19…75 ms, mean 42; mean RR 785…1160 ms.
        #expect((25...60).contains(heard.rmssd))
        #expect((55...76).contains(heard.meanBpm))
        #expect(heard.bpm.count == 2400)
    }

    @Test func `breathing peaks between 0.2 and 0.3 Hz`() {
        var body = SimulatedBody(seed: 4, timeZone: utc, plan: still(stress: 0.2))
        let heard = Heard(live(&body, from: midnight.adding(seconds: 36_000), minutes: 10))
        let band: (ClosedRange<Double>) -> Double = { range in
            stride(from: range.lowerBound, through: range.upperBound, by: 0.002).map { heard.power(at: $0) }.reduce(
                0, +)
        }
        let breathing = band(0.2...0.3)
        #expect(breathing > band(0.3...0.4))
        #expect(breathing > band(0.1...0.2))
    }

    @Test func `stress and effort raise heart rate and take variability away`() {
        let entries: [DayPlan.Entry] = [
            .init(from: "00:00", to: "11:00", activity: .sit, stress: 0.2),
            .init(from: "11:00", to: "12:00", activity: .desk, stress: 0.95),
            .init(from: "12:00", to: "13:00", activity: .workout, stress: 0.2, sport: "running", effort: 0.7),
        ]
        var body = SimulatedBody(seed: 5, timeZone: utc, plan: DayPlan(entries: entries))
        let calm = Heard(live(&body, from: midnight.adding(seconds: 10 * 3600), minutes: 59))
        let stressed = Heard(live(&body, from: midnight.adding(seconds: 11 * 3600), minutes: 59))
        let running = Heard(live(&body, from: midnight.adding(seconds: 12 * 3600), minutes: 70))
        #expect((6...25).contains(stressed.meanBpm - calm.meanBpm))
        #expect(stressed.rmssd < 0.75 * calm.rmssd)
        #expect(running.rmssd < 15)
        #expect((130...170).contains(running.bpm[1800]))
        #expect(running.workouts.map(\.phase) == [.known(.started), .known(.ended)])
        let steps = running.motion.reduce(0) { $0 + $1.steps }
        #expect(abs(steps - 60 * 164) <= 164)
    }

    @Test func `a few beats come early or are missed, and no more`() {
        var body = SimulatedBody(seed: 6, timeZone: utc, plan: still(stress: 0.3))
        let rr = Heard(live(&body, from: midnight, minutes: 600)).rr
        let jumps = zip(rr, rr.dropFirst()).count { abs($1 - $0) > 0.25 * $0 }
        #expect(rr.count > 30_000)
        #expect((5...200).contains(jumps))
    }

    @Test func `the same seed gives the same bytes at any length of step, another seed others`() throws {
        func bytes(seed: UInt64, step: Double) -> [RecordedSample] {
            var body = SimulatedBody(seed: seed, timeZone: utc)
            return live(&body, from: midnight.adding(seconds: 60_000), minutes: 30, step: step)
        }
        let first = bytes(seed: 7, step: 1)
        #expect(first == bytes(seed: 7, step: 5))
        #expect(first == bytes(seed: 7, step: 60))
        #expect(first != bytes(seed: 8, step: 5))
    }

    @Test func `beats follow each other without a hole`() {
        var body = SimulatedBody(seed: 9, timeZone: utc)
        var end: Double?
        for sample in live(&body, from: midnight.adding(seconds: 30_000), minutes: 60) {
            guard case .rr(let rr) = sample else { continue }
            if let end { #expect(Double(rr.startAt.milliseconds) == end) }
            end = Double(rr.startAt.milliseconds) + rr.rrMs.reduce(0, +)
            #expect(!rr.gapBefore)
        }
    }

    @Test func `a song acts as its hidden effect says, and silence takes it back`() {
        let effects = HiddenEffects(seed: 10)
        let music = (0..<500).map { HeardMusic(songId: "s\($0)", tempoBpm: 175, energy: 0.95) }
            .max { effects.effect(of: $0).bpm < effects.effect(of: $1).bpm }
        guard let music else { return }
        let truth = effects.effect(of: music)
        func mean(_ music: HeardMusic?, effects: HiddenEffects?) -> Double {
            var body = SimulatedBody(seed: 11, timeZone: utc, plan: still(stress: 0.2), effects: effects)
            _ = live(&body, from: midnight.adding(seconds: 36_000), minutes: 5)
            body.hear(music, at: midnight.adding(seconds: 36_300))
            _ = live(&body, from: midnight.adding(seconds: 36_305), minutes: 20)
            return Heard(live(&body, from: midnight.adding(seconds: 37_510), minutes: 20)).meanBpm
        }
        let silent = mean(nil, effects: effects)
        let change = mean(music, effects: effects) - silent
        // At rest (effort 0.08) 84 % of the beats, and 20 beats for a whole unit of stress.
        #expect(abs(change - 0.84 * (truth.bpm + 20 * truth.stress)) < 0.5)
        #expect(mean(music, effects: nil) == silent)
    }

    @Test func `a long sleep of the machine is not caught up with`() {
        var body = SimulatedBody(seed: 12, timeZone: utc)
        _ = live(&body, from: midnight, minutes: 1)
        #expect(body.samples(until: midnight.adding(seconds: 40_000)).isEmpty)
        let after = live(&body, from: midnight.adding(seconds: 40_001), minutes: 1)
        let first = after.compactMap { if case .rr(let rr) = $0 { rr } else { nil } }.first
        #expect(first?.gapBefore == true)
    }

    @Test func `an invented day holds sleep, work and stress`() {
        for day in 0..<50 as Range<Int64> {
            let plan = DayPlan.invented(day: day, seed: 1)
            #expect(plan.entries.contains { $0.activity == .sleep })
            #expect(plan.entries.contains { ($0.stress ?? 0) > 0.7 })
            for entry in plan.entries { #expect(DayPlan.minute(entry.from) != nil && DayPlan.minute(entry.to) != nil) }
        }
    }
}
