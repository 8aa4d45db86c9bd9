import Foundation
import Learning
import Protocols

/// The newest samples of the body: enough for a state and for the windows around plays, and no more.
package struct BodyFeed: Sendable {
    package private(set) var heartRate: [HeartRate] = []
    package private(set) var beats: [RRIntervals] = []
    package private(set) var motion: [Motion] = []

    /// Seconds that samples are kept: a play of two and a half hours still has its start.
    package static let keptSeconds = 10_800.0
    /// Bound of each series, whatever the senders do; the oldest go first.
    package static let bound = 40_000

    package init() {}

    package mutating func add(_ sample: HeartRate) {
        guard (20...300).contains(sample.bpm), sample.quality > 0 else { return }
        Self.insert(sample, into: &heartRate, at: \.at)
    }

    package mutating func add(_ sample: RRIntervals) { Self.insert(sample, into: &beats, at: \.startAt) }

    package mutating func add(_ sample: Motion) { Self.insert(sample, into: &motion, at: \.at) }

    /// Keeps the order of time and drops what is there already.
    private static func insert<Sample: Equatable>(
        _ sample: Sample, into series: inout [Sample], at time: KeyPath<Sample, Timestamp>
    ) {
        let at = sample[keyPath: time]
        var place = series.count
        while place > 0, series[place - 1][keyPath: time] > at { place -= 1 }
        var same = place
        while same > 0, series[same - 1][keyPath: time] == at {
            same -= 1
            if series[same] == sample { return }
        }
        series.insert(sample, at: place)
        // In lumps, since removing from the front moves the whole array.
        if series.count > bound { series.removeFirst(bound / 8) }
    }

    /// Forgets what is older than anybody asks for; called with every state.
    package mutating func trim(now: Timestamp) {
        let limit = now.adding(seconds: -Self.keptSeconds)
        Self.trim(&heartRate, before: limit, at: \.at)
        Self.trim(&beats, before: limit, at: \.startAt)
        Self.trim(&motion, before: limit, at: \.at)
    }

    private static func trim<Sample>(
        _ series: inout [Sample], before limit: Timestamp, at time: KeyPath<Sample, Timestamp>
    ) {
        let old = series.firstIndex { $0[keyPath: time] >= limit } ?? series.count
        if old > 1000 || old == series.count { series.removeFirst(old) }
    }

    package func heartRate(from start: Timestamp, to end: Timestamp) -> ArraySlice<HeartRate> {
        Self.slice(heartRate, from: start, to: end, at: \.at)
    }

    package func beats(from start: Timestamp, to end: Timestamp) -> ArraySlice<RRIntervals> {
        Self.slice(beats, from: start, to: end, at: \.startAt)
    }

    package func motion(from start: Timestamp, to end: Timestamp) -> ArraySlice<Motion> {
        Self.slice(motion, from: start, to: end, at: \.at)
    }

    /// The samples of `start ≤ t ≤ end`, by bisection.
    private static func slice<Sample>(
        _ series: [Sample], from start: Timestamp, to end: Timestamp, at time: KeyPath<Sample, Timestamp>
    ) -> ArraySlice<Sample> {
        func firstIndex(after: (Timestamp) -> Bool) -> Int {
            var low = 0
            var high = series.count
            while low < high {
                let middle = (low + high) / 2
                if after(series[middle][keyPath: time]) { high = middle } else { low = middle + 1 }
            }
            return low
        }
        let first = firstIndex { $0 >= start }
        return series[first..<max(first, firstIndex { $0 > end })]
    }
}
