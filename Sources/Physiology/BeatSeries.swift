import Foundation
import Protocols

/// Beat-to-beat intervals of one recording, with the places where beats are missing.
package struct BeatSeries: Hashable, Codable, Sendable {
    /// Milliseconds, oldest first, shape `[n]`.
    package var rrMs: [Double]
    /// Indices of intervals in front of which beats were lost, ascending: no difference is taken across them.
    package var gapsBefore: [Int]

    /// An interval above this is a hole in the recording, not a beat.
    package static let longestMs = 60_000.0

    /// - Parameters:
    ///   - rrMs: what is not finite, not positive or above a minute is left out and becomes a gap.
    package init(rrMs: [Double], gapsBefore: [Int] = []) {
        let isInterval: (Double) -> Bool = { $0 > 0 && $0 <= Self.longestMs }
        if rrMs.allSatisfy(isInterval) {
            self.rrMs = rrMs
            self.gapsBefore = Set(gapsBefore.filter { rrMs.indices.contains($0) && $0 > 0 }).sorted()
            return
        }
        var kept: [Double] = []
        var gaps = Set<Int>()
        let given = Set(gapsBefore)
        for (index, interval) in rrMs.enumerated() {
            if given.contains(index) || !isInterval(interval) { gaps.insert(kept.count) }
            if isInterval(interval) { kept.append(interval) }
        }
        self.rrMs = kept
        self.gapsBefore = gaps.filter { $0 > 0 && $0 < kept.count }.sorted()
    }

    /// The stretches without a hole, in order.
    package var segments: [Range<Int>] {
        let bounds = [0] + gapsBefore + [rrMs.count]
        return zip(bounds, bounds.dropFirst()).filter { $0 < $1 }.map { $0..<$1 }
    }
}

extension BeatSeries {
    /// A message that begins this many milliseconds after the last beat follows a hole.
    package static let seamToleranceMs = 300.0

    /// Puts messages together, in the order of time; overlapping ones (sent again, or a second sensor) are left out.
    package init(messages: [RRIntervals]) {
        var intervals: [Double] = []
        var gaps: [Int] = []
        var endMs = -Double.infinity
        for message in messages where !message.rrMs.isEmpty {
            let startMs = Double(message.startAt.milliseconds)
            guard startMs >= endMs - Self.seamToleranceMs else { continue }
            if message.gapBefore || startMs > endMs + Self.seamToleranceMs { gaps.append(intervals.count) }
            intervals += message.rrMs
            endMs = startMs + message.rrMs.reduce(0, +)
        }
        self.init(rrMs: intervals, gapsBefore: gaps)
    }
}
