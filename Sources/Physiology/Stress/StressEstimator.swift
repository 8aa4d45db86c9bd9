import Foundation
import Protocols

/// Stress as of one moment.
package struct StressEstimate: Hashable, Codable, Sendable {
    /// Unit variance for the person, 0 on an average still moment; the held one while gated.
    package var z: Double
    /// 0…1, see ``StressScale``.
    package var score: Double
    /// nil while gated and when nothing was measured for 10 min.
    package var level: StressLevel?
    package var gate: StressGate
    /// 0…1.
    package var confidence: Double
    /// What `z` is made of; the parts sum to it. Empty while held.
    package var factors: [StressReading.Factor]
    /// Seconds since the still moment that `z` rests on; nil when there was none.
    package var ageSeconds: Double?
    package var quality = ReadingQuality.unknown
    /// True when nothing still was measured in the minute before.
    package var isHeld = true
    /// Mean heart rate of the minute, also while gated.
    package var bpm: Double?
    /// HRV of the minute, where its beats were good enough.
    package var beats: BeatReading?

    /// - Parameters:
    ///   - context: factors that stand beside the score.
    ///   - cutPoints: those that `level` was told by.
    package func reading(
        at: Timestamp, source: ReadingSource = .automatic, context: [StressReading.Factor] = [],
        cutPoints: StressCutPoints = .common
    ) -> StressReading {
        StressReading(
            at: at, level: level, score: score, factors: factors + context, gate: gate, confidence: confidence, z: z,
            quality: quality, source: source, isHeld: isHeld, bpm: bpm, rmssdMs: beats.map { exp($0.lnRmssd) },
            sdnnMs: beats?.sdnnMs, cutPoints: cutPoints.values, isPersonal: cutPoints.isPersonal)
    }
}

/// Estimates stress from live samples: heart rate leads, HRV adds a little, movement closes the gate.
///
/// A value: feed it in the order of time, keep it (it is Codable) and it goes on after a restart.
///
/// Measured on 34 people with labelled stress (Stress-Predict): z of the heart rate alone reaches AUC 0.64, RMSSD from a
/// wrist 0.54; a fixed 0.6 HRV + 0.4 heart rate is worse than heart rate alone. So each part weighs by its reliability,
/// and beats with holes do not weigh at all: with a weight that only fell as the square of the coverage the AUC fell too.
/// On those with beats HRV leaves the AUC where it is (0.6662 without, 0.6661 with weight 0.1, 0.6657 with 0.2).
package struct StressEstimator: Equatable, Codable, Sendable {
    /// Weight of −ln RMSSD z beside 1 for the heart rate, for beats without a hole.
    package static let hrvWeight = 0.1
    /// Share of the minute covered by beats: below the first they do not count, from the second they count in full.
    package static let coverageRange = 0.85...1.0
    /// Correlation of the two z within a person, for the unit variance of their sum: median over the people of
    /// Stress-Predict.
    package static let correlation = 0.15
    /// Seconds of heart rate that make one reading.
    package static let present = 60.0
    /// Heart-rate samples of the minute that make it fully reliable.
    package static let fullSampleCount = 10.0
    /// Share of the confidence that is left when nothing is known about movement: a fast heart may be a staircase. Ours.
    package static let withoutMotion = 0.8
    /// A z beyond this says "far outside" and no more.
    package static let zLimit = 4.0
    /// Half-life of the held value on its way to the personal mean, seconds.
    package static let holdHalfLife = 600.0
    /// Seconds after which a held value is no reading any more.
    package static let levelLifetime = 600.0

    private struct Still: Hashable, Codable, Sendable {
        var at: Timestamp
        var z: Double
        var confidence: Double
    }

    package private(set) var stillness = StillnessGate()
    private var beats = BeatWindow()
    private var heartRates: [HeartRate] = []
    private var lastStill: Still?

    package init() {}

    package mutating func add(_ sample: HeartRate) {
        guard sample.quality > 0, (20...300).contains(sample.bpm) else { return }
        // Kept in the order of time, so that old ones go from the front.
        let place = heartRates.lastIndex { $0.at <= sample.at }.map { $0 + 1 } ?? 0
        // Live samples come again in the batch for keeping.
        let same = heartRates[..<place].reversed().prefix { $0.at == sample.at }
        if same.contains(where: { $0.source == sample.source }) { return }
        heartRates.insert(sample, at: place)
        guard let newest = heartRates.last?.at else { return }
        let old = heartRates.prefix { newest.seconds(since: $0.at) > 2 * Self.present }.count
        heartRates.removeFirst(old)
    }

    package mutating func add(_ intervals: RRIntervals) { beats.add(intervals) }
    package mutating func add(_ motion: Motion) { stillness.add(motion) }
    package mutating func add(_ workout: Workout) { stillness.add(workout) }

    /// Stress now.
    ///
    /// While the listener moves or has just trained, and while there is no heart rate, the last still value is held: it
    /// moves to the personal mean with a half-life of 10 min, and its confidence falls.
    ///
    /// - Parameter cutPoints: of the levels.
    package mutating func estimate(
        at now: Timestamp, baseline: Baseline, clock: LocalClock, cutPoints: StressCutPoints = .common
    ) -> StressEstimate {
        let minute = minute(at: now)
        let bpm = Self.weightedMean(minute)
        let gate = gate(at: now, baseline: baseline)
        guard gate == .none, let bpm, let newest = minute.map(\.at).max() else {
            var held = held(at: now, gate: gate, cutPoints: cutPoints)
            held.bpm = bpm
            return held
        }

        let quality = minute.reduce(0) { $0 + min($1.quality, 1) } / Double(minute.count)
        let heartConfidence = SourceConfidence.decayed(
            quality: Self.trust(in: minute), age: now.seconds(since: newest),
            halfLife: SourceConfidence.HalfLife.heartRate)
        let confidence = heartConfidence * (stillness.knowsMotion(at: now) ? 1 : Self.withoutMotion)
        let reading = beats.reading(at: now)
        let parts = Self.parts(
            heartZ: baseline.stillZ(bpm: bpm, hour: clock.hour(of: now)), heartWeight: max(heartConfidence, 0.01),
            hrv: reading.flatMap { hrvPart($0, at: now, baseline: baseline) })
        let z = parts.reduce(0) { $0 + $1.z }
        lastStill = Still(at: now, z: z, confidence: confidence)
        let fresh = reading.flatMap { now.seconds(since: $0.at) < Self.present ? $0 : nil }
        return StressEstimate(
            z: z, score: StressScale.score(z: z), level: StressScale.level(z: z, cutPoints: cutPoints.values),
            gate: .none, confidence: confidence, factors: parts, ageSeconds: now.seconds(since: newest),
            quality: Self.quality(samples: minute.count, sensor: quality, beats: fresh), isHeld: false, bpm: bpm,
            beats: fresh)
    }

    /// Whether stress can be told at all now.
    package func gate(at now: Timestamp, baseline: Baseline) -> StressGate {
        let bpm = Self.weightedMean(minute(at: now))
        return stillness.gate(at: now, reserve: bpm.map(HeartScale(baseline: baseline).reserve))
    }

    /// HRV of the minute before the newest beat.
    package func beatReading(at now: Timestamp) -> BeatReading? { beats.reading(at: now) }

    /// Whether a whole reading's worth of heart rates was heard in the last minute.
    package func isFull(at now: Timestamp) -> Bool { Double(minute(at: now).count) >= Self.fullSampleCount }

    /// 0…1: mean quality of the ten best samples, missing ones as 0; so a sample that is missing never makes it more.
    private static func trust(in minute: [HeartRate]) -> Double {
        let best = minute.map { min($0.quality, 1) }.sorted(by: >).prefix(Int(fullSampleCount))
        return best.reduce(0, +) / fullSampleCount
    }

    /// Newest heart rate that was heard.
    package var newestHeartRateAt: Timestamp? { heartRates.last?.at }

    private func minute(at now: Timestamp) -> [HeartRate] {
        heartRates.filter { (0..<Self.present).contains(now.seconds(since: $0.at)) }
    }

    /// What a minute of samples is good for.
    ///
    /// - Parameters:
    ///   - samples: heart rates in the minute.
    ///   - sensor: their mean quality by the sensor's own word, 0…1.
    package static func quality(samples: Int, sensor: Double, beats: BeatReading?) -> ReadingQuality {
        if samples == 0 { return .unknown }
        guard Double(samples) >= fullSampleCount, sensor >= doubtfulQuality else { return .poor }
        guard let beats, sensor >= sureQuality, beats.coverage >= coverageRange.lowerBound else { return .fair }
        return .good
    }

    /// A sensor's own quality below which a reading is poor, and from which it may be good.
    package static let doubtfulQuality = 0.5
    package static let sureQuality = 0.8

    /// The parts of z, scaled so that their sum has unit variance for the person.
    ///
    /// - Parameter hrv: −ln RMSSD z with its weight, when there is one.
    package static func parts(heartZ: Double, heartWeight: Double, hrv: (z: Double, weight: Double)?)
        -> [StressReading.Factor]
    {
        guard let hrv, hrv.weight > 0 else { return [factor(.rhrElevation, heartZ)] }
        let variance =
            heartWeight * heartWeight + hrv.weight * hrv.weight + 2 * correlation * heartWeight * hrv.weight
        let scale = 1 / variance.squareRoot()
        return [
            factor(.rhrElevation, heartWeight * scale * heartZ),
            factor(.hrvDeviation, hrv.weight * scale * hrv.z),
        ]
    }

    /// A part of the score; as much as ``StressFactors/fullImpactZ`` is a full impact.
    private static func factor(_ kind: StressFactorKind, _ z: Double) -> StressReading.Factor {
        .init(name: kind.rawValue, z: z, impact: StressFactors.impact(z / StressFactors.fullImpactZ), isContext: false)
    }

    private func hrvPart(_ reading: BeatReading, at now: Timestamp, baseline: Baseline) -> (z: Double, weight: Double)?
    {
        guard let z = baseline.hrvZ(lnRmssd: reading.lnRmssd) else { return nil }
        let weight = SourceConfidence.decayed(
            quality: Self.hrvWeight * Self.reliability(of: reading), age: now.seconds(since: reading.at),
            halfLife: SourceConfidence.HalfLife.hrv)
        return (z, weight)
    }

    /// 0…1: holes and artefacts mean a wrist that moved, and RMSSD suffers first.
    package static func reliability(of reading: BeatReading) -> Double {
        let clean = 1 - reading.artefactShare / HRVAnalysis.maximumCorrectedShare
        let whole =
            (reading.coverage - coverageRange.lowerBound) / (coverageRange.upperBound - coverageRange.lowerBound)
        return min(max(whole, 0), 1) * min(max(clean, 0), 1)
    }

    private func held(at now: Timestamp, gate: StressGate, cutPoints: StressCutPoints) -> StressEstimate {
        guard let still = lastStill else {
            return StressEstimate(
                z: 0, score: StressScale.personalMean, level: nil, gate: gate, confidence: 0, factors: [],
                ageSeconds: nil)
        }
        let age = max(now.seconds(since: still.at), 0)
        let z = still.z * exp2(-age / Self.holdHalfLife)
        return StressEstimate(
            z: z, score: StressScale.score(z: z),
            level: gate == .none && age <= Self.levelLifetime
                ? StressScale.level(z: z, cutPoints: cutPoints.values) : nil, gate: gate,
            confidence: SourceConfidence.decayed(
                quality: still.confidence, age: age, halfLife: SourceConfidence.HalfLife.stress),
            factors: [], ageSeconds: age)
    }

    private static func weightedMean(_ samples: [HeartRate]) -> Double? {
        let weight = samples.reduce(0) { $0 + min($1.quality, 1) }
        guard weight > 0 else { return nil }
        return samples.reduce(0) { $0 + min($1.quality, 1) * $1.bpm } / weight
    }
}

extension Baseline {
    /// How far a still minute's heart rate is from the same hour of the day, in personal SDs, −4…4.
    ///
    /// - Parameter hour: local, 0…23.
    package func stillZ(bpm: Double, hour: Int) -> Double {
        let usual = stillBpmByHour.indices.contains(hour) ? stillBpmByHour[hour] ?? stillBpmMean : stillBpmMean
        let z = (bpm - usual) / max(stillBpmSd, 1)
        return min(max(z, -StressEstimator.zLimit), StressEstimator.zLimit)
    }

    /// −z of ln RMSSD of a still waking minute, −4…4; nil when the baseline has no figure for it.
    package func hrvZ(lnRmssd: Double) -> Double? {
        guard let centre = stillLnRmssdMean ?? lnRmssdMean, let spread = stillLnRmssdSd ?? lnRmssdSd else { return nil }
        let z = (centre - lnRmssd) / max(spread, 0.05)
        return min(max(z, -StressEstimator.zLimit), StressEstimator.zLimit)
    }
}
