import Foundation
import Protocols

/// Stress as it goes on: when a reading is due, and what it says.
///
/// A value: feed it the samples, ask it at every tick, keep it (it is Codable) and it goes on after a restart. Samples may
/// come twice (live, and again in the batch for keeping): the second time changes nothing.
package struct LiveStress: Equatable, Codable, Sendable {
    /// Seconds between two readings (`stress.md` 5.2).
    package static let period = 360.0
    /// Readings for another reason (gate opened or closed, HRV is back) keep at least this distance.
    package static let shortestPause = 60.0
    /// The look at beats costs something, so it is taken this often.
    static let beatsEvery = 10.0
    /// A held value older than this is not told any more.
    package static let longestHeld = 3600.0
    /// Movement without a still moment is told for this long after the last sample.
    static let silence = 300.0

    package private(set) var estimator = StressEstimator()
    /// The last reading, or the last look that found nothing to say.
    package private(set) var saidAt: Timestamp?
    private var saidGate: StressGate?
    private var saidHrv = false
    /// The last one rested on too few samples; nil when there was nothing to say.
    private var saidPoor: Bool? = false
    private var beatsLookedAt: Timestamp?

    package init() {}

    package mutating func add(_ sample: HeartRate) { estimator.add(sample) }
    package mutating func add(_ intervals: RRIntervals) { estimator.add(intervals) }
    package mutating func add(_ motion: Motion) { estimator.add(motion) }
    package mutating func add(_ workout: Workout) { estimator.add(workout) }

    /// Samples in the order in which they are valid: movement first, it decides what the others mean.
    package mutating func add(_ batch: BioBatch) {
        batch.motion.forEach { add($0) }
        batch.heartRate.forEach { add($0) }
        batch.rr.forEach { add($0) }
    }

    /// Whether a reading is due: six minutes after the last one; earlier when the gate opened or closed, when there is
    /// HRV again after readings without, and when the last one had nothing or too little to rest on.
    package mutating func isDue(at now: Timestamp, baseline: Baseline) -> Bool {
        guard let saidAt else { return true }
        let elapsed = now.seconds(since: saidAt)
        if elapsed >= Self.period { return true }
        if saidPoor == nil { return hasNews(at: now) }
        guard elapsed >= Self.shortestPause else { return false }
        if saidPoor == true, estimator.isFull(at: now) { return true }
        if estimator.gate(at: now, baseline: baseline) != saidGate { return true }
        guard !saidHrv else { return false }
        if let beatsLookedAt, now.seconds(since: beatsLookedAt) < Self.beatsEvery { return false }
        beatsLookedAt = now
        guard let beats = estimator.beatReading(at: now) else { return false }
        return now.seconds(since: beats.at) < StressEstimator.present
    }

    /// A sample that is no older than a minute.
    private func hasNews(at now: Timestamp) -> Bool {
        [estimator.newestHeartRateAt, estimator.stillness.newestAt].compactMap(\.self)
            .contains { (0..<StressEstimator.present).contains(now.seconds(since: $0)) }
    }

    /// The reading now.
    ///
    /// - Returns: nil when there is nothing to say: no sample yet, or an hour without any.
    package mutating func reading(
        at now: Timestamp, baseline: Baseline, clock: LocalClock, cutPoints: StressCutPoints = .common,
        factors: StressFactors = StressFactors(), source: ReadingSource = .automatic
    ) -> StressReading? {
        let estimate = estimator.estimate(at: now, baseline: baseline, clock: clock, cutPoints: cutPoints)
        saidAt = now
        saidGate = estimate.gate
        saidHrv = estimate.beats != nil
        saidPoor = estimate.quality == .poor
        guard isTold(estimate, at: now) else {
            saidPoor = nil
            return nil
        }
        let context = factors.context(
            at: now, stillness: estimator.stillness, baseline: baseline, clock: clock)
        return estimate.reading(at: now, source: source, context: context, cutPoints: cutPoints)
    }

    private func isTold(_ estimate: StressEstimate, at now: Timestamp) -> Bool {
        if !estimate.isHeld { return true }
        if let age = estimate.ageSeconds, age <= Self.longestHeld { return true }
        let newest = [estimator.newestHeartRateAt, estimator.stillness.newestAt].compactMap(\.self).max()
        return estimate.gate != .none && newest.map { now.seconds(since: $0) <= Self.silence } ?? false
    }
}
