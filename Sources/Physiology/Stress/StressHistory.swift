import Foundation
import Protocols

/// Stress readings of the past, computed from stored still minutes: what imported data say.
package enum StressHistory {
    /// Confidence of a minute of which only the mean is known.
    package static let confidence = 0.7

    /// One reading for each six minutes that hold a still minute, each judged by the days before its own alone.
    ///
    /// - Parameters:
    ///   - minutes: still minutes, any order.
    ///   - source: `watch` for minutes of an export.
    ///   - days: local days that are wanted; nil = all.
    /// - Returns: oldest first. The first days are judged by the population and the profile.
    package static func readings(
        from minutes: [StillMinute], profile: Profile, clock: LocalClock, source: ReadingSource = .watch,
        days: ClosedRange<Int>? = nil
    ) -> [StressReading] {
        let sorted = minutes.sorted { $0.at < $1.at }
        let numbers = sorted.map { clock.day(of: $0.at) }
        let builder = BaselineBuilder(profile: profile, clock: clock)
        var readings: [StressReading] = []
        var windowStart = 0
        var index = 0
        while index < sorted.count {
            let day = numbers[index]
            var end = index
            while end < sorted.count, numbers[end] == day { end += 1 }
            defer { index = end }
            guard days?.contains(day) ?? true else { continue }
            while windowStart < index, numbers[windowStart] < day - BaselineBuilder.windowDays { windowStart += 1 }
            let baseline = builder.baseline(at: sorted[index].at, minutes: Array(sorted[windowStart..<index]))
            var slot: Int64?
            for minute in sorted[index..<end] {
                let number = minute.at.milliseconds / Int64(LiveStress.period * 1000)
                guard number != slot else { continue }
                slot = number
                readings.append(reading(minute, baseline: baseline, clock: clock, source: source))
            }
        }
        return readings
    }

    private static func reading(
        _ minute: StillMinute, baseline: Baseline, clock: LocalClock, source: ReadingSource
    ) -> StressReading {
        let hrv = minute.lnRmssd.flatMap { baseline.hrvZ(lnRmssd: $0) }
        let parts = StressEstimator.parts(
            heartZ: baseline.stillZ(bpm: minute.bpm, hour: clock.hour(of: minute.at)), heartWeight: 1,
            hrv: hrv.map { ($0, StressEstimator.hrvWeight) })
        let z = parts.reduce(0) { $0 + $1.z }
        return StressReading(
            at: minute.at, level: StressScale.level(z: z), score: StressScale.score(z: z), factors: parts, gate: .none,
            confidence: confidence, z: z, quality: minute.lnRmssd == nil ? .fair : .good, source: source, isHeld: false,
            bpm: minute.bpm, rmssdMs: minute.lnRmssd.map { exp($0) }, sdnnMs: minute.sdnnMs,
            cutPoints: StressCutPoints.common.values, isPersonal: false)
    }
}
