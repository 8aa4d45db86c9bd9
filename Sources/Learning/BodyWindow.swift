import Foundation
import Protocols

/// What the body did around one play: levels at its start and end, and the movement between.
package struct BodyWindow: Codable, Hashable, Sendable {
    /// Median heart rate of the 30 s around the start and the end, beats per minute.
    package var bpmStart: Double
    package var bpmEnd: Double
    /// RMSSD around the start and the end, milliseconds; absent when beats were missing.
    package var rmssdStartMs: Double?
    package var rmssdEndMs: Double?
    /// Mean movement 0…1 around the start, around the end, and over the whole play.
    package var motionStart: Double
    package var motionEnd: Double
    package var motionMean: Double
    /// Seconds from start to end.
    package var seconds: Double

    package init(
        bpmStart: Double, bpmEnd: Double, rmssdStartMs: Double? = nil, rmssdEndMs: Double? = nil,
        motionStart: Double = 0, motionEnd: Double = 0, motionMean: Double = 0, seconds: Double
    ) {
        self.bpmStart = bpmStart
        self.bpmEnd = bpmEnd
        self.rmssdStartMs = rmssdStartMs
        self.rmssdEndMs = rmssdEndMs
        self.motionStart = motionStart
        self.motionEnd = motionEnd
        self.motionMean = motionMean
        self.seconds = seconds
    }

    /// Change of the heart rate, beats per minute.
    package var bpmChange: Double { bpmEnd - bpmStart }
    /// Change of RMSSD in milliseconds.
    package var rmssdChangeMs: Double? { rmssdStartMs.flatMap { start in rmssdEndMs.map { $0 - start } } }
    /// Change of ln RMSSD.
    package var lnRmssdChange: Double? {
        guard let rmssdStartMs, let rmssdEndMs, rmssdStartMs > 0, rmssdEndMs > 0 else { return nil }
        return log(rmssdEndMs / rmssdStartMs)
    }

    /// One sample of a series.
    package struct Sample: Hashable, Sendable {
        package var at: Timestamp
        package var value: Double
        package init(at: Timestamp, value: Double) {
            self.at = at
            self.value = value
        }
    }

    /// Seconds on each side of the start and of the end (`model.md`: the 30 s around them).
    package static let halfWindowSeconds = 15.0
    /// Samples that each median needs.
    package static let samplesNeeded = 3
    /// Shorter plays say nothing: both medians would share their samples.
    package static let shortestSeconds = 45.0

    /// Measures a play, or answers nil when the window is bad.
    ///
    /// - Parameters:
    ///   - heartRate: beats per minute, in any order.
    ///   - motion: intensities 0…1, in any order; none = still is assumed, the regression then cannot correct for it.
    ///   - rmssdStartMs: RMSSD around the start, by the caller, since it needs beats and not samples.
    /// - Returns: nil when the play is shorter than ``shortestSeconds`` or either side holds fewer than
    ///   ``samplesNeeded`` heart rates.
    package static func measure(
        heartRate: [Sample], motion: [Sample], rmssdStartMs: Double? = nil, rmssdEndMs: Double? = nil,
        from start: Timestamp, to end: Timestamp
    ) -> BodyWindow? {
        let seconds = end.seconds(since: start)
        guard seconds >= shortestSeconds else { return nil }
        let before = around(start, heartRate)
        let after = around(end, heartRate)
        guard before.count >= samplesNeeded, after.count >= samplesNeeded,
            let bpmStart = median(before), let bpmEnd = median(after)
        else { return nil }
        let during = motion.filter { $0.at >= start && $0.at <= end }.map(\.value)
        return BodyWindow(
            bpmStart: bpmStart, bpmEnd: bpmEnd, rmssdStartMs: rmssdStartMs, rmssdEndMs: rmssdEndMs,
            motionStart: mean(around(start, motion)), motionEnd: mean(around(end, motion)), motionMean: mean(during),
            seconds: seconds)
    }

    private static func around(_ moment: Timestamp, _ samples: [Sample]) -> [Double] {
        samples.filter { abs($0.at.seconds(since: moment)) <= halfWindowSeconds }.map(\.value)
    }

    private static func mean(_ values: [Double]) -> Double {
        values.isEmpty ? 0 : values.sorted().reduce(0, +) / Double(values.count)
    }

    /// True median: the mean of the two middle values for an even count.
    private static func median(_ values: [Double]) -> Double? {
        guard !values.isEmpty else { return nil }
        let sorted = values.sorted()
        let middle = sorted.count / 2
        return sorted.count.isMultiple(of: 2) ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
    }
}
