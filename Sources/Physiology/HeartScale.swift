import Foundation
import Protocols

/// What the heart rate of the last minutes says about arousal.
package struct ArousalEstimate: Hashable, Codable, Sendable {
    /// 0 at rest … 0.3 on an ordinary still moment … 1 at the maximum.
    package var value: Double
    /// 0…1: quality × number of samples × age.
    package var confidence: Double
    /// Beats per minute now: median of the newest 30 s; nil without a sample.
    package var bpm: Double?
    /// Change per minute of the heart rate over the last 2…5 min; nil with too few samples.
    package var trendBpmPerMinute: Double?
    /// Seconds since the newest sample; nil without one.
    package var ageSeconds: Double?

    package init(
        value: Double, confidence: Double, bpm: Double?, trendBpmPerMinute: Double?, ageSeconds: Double?
    ) {
        self.value = value
        self.confidence = confidence
        self.bpm = bpm
        self.trendBpmPerMinute = trendBpmPerMinute
        self.ageSeconds = ageSeconds
    }
}

/// One person's scale from heart rate to arousal: a power of the heart-rate reserve.
///
/// The plain reserve leaves seated life between 0 and 0.3 and moves by 0.03 under stress; the exponent spreads that
/// range so that the person's ordinary still moment is 0.3, and keeps 0 at rest and 1 at the maximum.
package struct HeartScale: Hashable, Codable, Sendable {
    /// Beats per minute.
    package let restingBpm: Double
    package let maximumBpm: Double
    /// The exponent, 0.35…1.
    package let gamma: Double

    /// Arousal of an ordinary still moment.
    package static let stillArousal = 0.3
    package static let gammaRange = 0.35...1.0
    /// The trend never adds more than this.
    package static let trendLimit = 0.1
    /// Seconds of samples that the estimate looks at.
    package static let window = 300.0
    /// Below this span of seconds there is no trend.
    package static let trendMinimumSpan = 120.0
    package static let trendMinimumSamples = 3
    /// Seconds whose median is "now".
    package static let present = 30.0
    /// As many samples make full confidence (`resonance.md` 5.1.1).
    package static let fullSampleCount = 10.0

    package init(baseline: Baseline) {
        self.init(
            restingBpm: baseline.restingBpm, maximumBpm: baseline.maximumBpm, stillBpm: baseline.stillBpmMean)
    }

    /// - Parameters:
    ///   - stillBpm: the person's mean heart rate while still; nil = the exponent is 1.
    package init(restingBpm: Double, maximumBpm: Double, stillBpm: Double? = nil) {
        self.restingBpm = restingBpm
        let top = max(maximumBpm, restingBpm + 20)
        self.maximumBpm = top
        let still = stillBpm.map { ($0 - restingBpm) / (top - restingBpm) }
        if let still, still > 0, still < 1 {
            let wanted = log(Self.stillArousal) / log(still)
            gamma = min(max(wanted, Self.gammaRange.lowerBound), Self.gammaRange.upperBound)
        } else {
            gamma = still == nil ? 1 : Self.gammaRange.lowerBound
        }
    }

    /// Share of the heart-rate reserve, 0…1.
    package func reserve(bpm: Double) -> Double {
        min(max((bpm - restingBpm) / (maximumBpm - restingBpm), 0), 1)
    }

    /// Arousal of a steady heart rate, 0…1, monotone.
    package func arousal(bpm: Double) -> Double { pow(reserve(bpm: bpm), gamma) }

    /// Arousal of the last five minutes: where the heart is, and by at most 0.1 where it will be in a minute.
    ///
    /// - Parameter samples: any order; those older than 5 min or after `now` are left out.
    /// - Returns: value 0.5 with confidence 0 when there is no sample.
    package func arousal(of samples: some Collection<HeartRate>, now: Timestamp) -> ArousalEstimate {
        let recent = samples.filter { (0...Self.window).contains(now.seconds(since: $0.at)) && $0.quality > 0 }
            .sorted { $0.at < $1.at }
        guard let newest = recent.last else {
            return ArousalEstimate(value: 0.5, confidence: 0, bpm: nil, trendBpmPerMinute: nil, ageSeconds: nil)
        }
        let present = recent.filter { newest.at.seconds(since: $0.at) <= Self.present }.map(\.bpm)
        let bpm = median(of: present) ?? newest.bpm
        let trend = Self.trend(of: recent)
        let steady = arousal(bpm: bpm)
        let coming = trend.map { arousal(bpm: bpm + $0) - steady } ?? 0
        let value = steady + min(max(coming, -Self.trendLimit), Self.trendLimit)
        let quality = recent.reduce(0) { $0 + min(max($1.quality, 0), 1) } / Double(recent.count)
        let age = now.seconds(since: newest.at)
        let confidence = SourceConfidence.decayed(
            quality: quality * min(1, Double(recent.count) / Self.fullSampleCount), age: age,
            halfLife: SourceConfidence.HalfLife.heartRate)
        return ArousalEstimate(
            value: min(max(value, 0), 1), confidence: confidence, bpm: bpm, trendBpmPerMinute: trend, ageSeconds: age)
    }

    /// Beats per minute and minute, by least squares; nil with fewer than three samples or a span under two minutes.
    private static func trend(of recent: [HeartRate]) -> Double? {
        guard let first = recent.first, let last = recent.last, recent.count >= trendMinimumSamples,
            last.at.seconds(since: first.at) >= trendMinimumSpan
        else { return nil }
        return leastSquaresSlope(x: recent.map { $0.at.seconds(since: first.at) / 60 }, y: recent.map(\.bpm))
    }
}
