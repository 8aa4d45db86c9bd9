import Protocols

/// One quantity of a workout at one value a second, in stretches without a gap.
///
/// Devices write every second, every few seconds, or when something changes. A value holds until the next one; a
/// pause, where nothing is written, ends a stretch. Zeros are values and stay.
package struct SecondSeries: Hashable, Sendable {
    /// Values second by second, oldest first.
    package var stretches: [[Double]]
    /// When each stretch begins; empty when nobody asks.
    package var starts: [Timestamp]
    /// Pauses between stretches.
    package var gaps: Int { max(stretches.count - 1, 0) }
    package var seconds: Int { stretches.reduce(0) { $0 + $1.count } }

    /// A gap between two samples that is longer than this many seconds is a pause, for a device that writes every second.
    package static let shortestGap = 1.5
    /// For a device that writes less often a gap is longer than this many of its usual intervals.
    static let gapIntervals = 3.0
    /// No device that says anything at all is silent for longer within an exercise, s.
    static let longestInterval = 60.0

    package init(stretches: [[Double]], starts: [Timestamp] = []) {
        self.stretches = stretches
        self.starts = starts
    }

    /// - Parameters:
    ///   - samples: in any order; those with the same second are averaged, a value that is not finite is left out.
    ///   - gap: longest interval within a stretch, s; nil = told from the usual interval, see ``gap(of:)``.
    package init(_ samples: [(at: Timestamp, value: Double)], gap: Double? = nil) {
        let sorted = samples.filter(\.value.isFinite).sorted { $0.at < $1.at }
        guard let first = sorted.first else {
            self.init(stretches: [])
            return
        }
        let limit = gap ?? Self.gap(of: sorted.map(\.at))
        var stretches: [[Double]] = []
        var starts = [first.at]
        var (start, previous) = (first.at, first.at)
        var values: [Double] = []
        /// How many samples the newest second is the mean of.
        var count = 0.0
        for sample in sorted {
            if sample.at.seconds(since: previous) > limit {
                stretches.append(values)
                starts.append(sample.at)
                (values, start, count) = ([], sample.at, 0)
            }
            let second = Int(sample.at.seconds(since: start).rounded())
            if second < values.count {
                values[second] = (values[second] * count + sample.value) / (count + 1)
                count += 1
            } else {
                while values.count < second { values.append(values[values.count - 1]) }
                values.append(sample.value)
                count = 1
            }
            previous = sample.at
        }
        stretches.append(values)
        self.init(stretches: stretches, starts: starts)
    }

    /// Every second with its value, as seconds since 1970.
    package func forEachSecond(_ body: (Int64, Double) -> Void) {
        for (start, values) in zip(starts, stretches) {
            let first = (start.milliseconds + 500) / 1000
            for (offset, value) in values.enumerated() { body(first + Int64(offset), value) }
        }
    }

    /// The longest interval that is no pause: 1.5 s for a device that writes every second, three of its usual (median)
    /// intervals for others, at most a minute.
    package static func gap(of times: [Timestamp]) -> Double {
        let intervals = zip(times.dropFirst(), times).map { $0.seconds(since: $1) }.filter { $0 > 0 }
        guard let usual = median(of: intervals), usual > shortestGap else { return shortestGap }
        return min(usual * gapIntervals, longestInterval)
    }

    /// Means of every complete window, stretch by stretch: a window never reaches over a gap.
    ///
    /// - Parameter length: seconds, at least 1.
    package func completeWindowMeans(length: Int) -> [Double] {
        var means: [Double] = []
        means.reserveCapacity(seconds)
        for values in stretches where values.count >= length {
            var sum = values[..<length].reduce(0, +)
            means.append(sum / Double(length))
            for index in length..<values.count {
                sum += values[index] - values[index - length]
                means.append(sum / Double(length))
            }
        }
        return means
    }
}
