import Foundation

/// Finds beats that are ectopic, missed, extra, or too long or short, by thresholds that follow the recording.
///
/// Source: Lipponen and Tarvainen, "A robust algorithm for heart rate variability time series artefact correction using
/// novel beat classification", J. Med. Eng. Technol. 43:173 (2019), figure 1. Where the paper leaves room (edges, order
/// of the tests, one pass) this follows the open implementation in NeuroKit2 0.2, so that the indices agree.
package struct LipponenTarvainen {
    static let slope = 0.13
    static let intercept = 0.17
    static let alpha = 5.2
    static let thresholdWindow = 91
    static let medianWindow = 11
    static let medianLimit = 3.0

    /// Seconds; element 0 stands for the beat before the first interval and holds the mean.
    private let rr: [Double]
    /// Difference to the interval before, over its threshold; NaN where the threshold is 0.
    private let difference: [Double]
    /// Deviation from the running median, over its threshold; NaN where the threshold is 0.
    private let deviation: [Double]
    private let runningMedian: [Double]
    private let deviationThreshold: [Double]
    private let neighbour: [Double]
    private let following: [Double]

    /// Artefacts of a series without gaps.
    ///
    /// - Parameter beatsMs: times of the beats in whole milliseconds, ascending, shape `[n + 1]` for `n` intervals.
    package static func artefacts(beatsMs: [Int]) -> BeatArtefacts {
        guard beatsMs.count > 2 else { return BeatArtefacts() }
        return LipponenTarvainen(beatsMs: beatsMs).classify()
    }

    /// Times of the beats of a series, the first at 0, rounded to whole milliseconds as half to even.
    package static func beats(ofIntervals rrMs: some Collection<Double>) -> [Int] {
        var beats = [0]
        beats.reserveCapacity(rrMs.count + 1)
        var time = 0.0
        for interval in rrMs {
            time += interval
            beats.append(Int(time.rounded(.toNearestOrEven)))
        }
        return beats
    }

    private init(beatsMs: [Int]) {
        var rr = [0.0] + zip(beatsMs.dropFirst(), beatsMs).map { Double($0 - $1) / 1000 }
        rr[0] = mean(of: rr.dropFirst()) ?? 1
        var difference = [0.0] + zip(rr.dropFirst(), rr).map { $0 - $1 }
        difference[0] = mean(of: difference.dropFirst()) ?? 0
        difference = Self.scaled(difference, by: Self.threshold(of: difference))

        let runningMedian = Self.rolling(rr, window: Self.medianWindow, quantiles: [0.5]).map { $0[0] }
        let signed = zip(rr, runningMedian).map { value, median in
            value < median ? (value - median) * 2 : value - median
        }
        let deviationThreshold = Self.threshold(of: signed)
        self.rr = rr
        self.difference = difference
        self.runningMedian = runningMedian
        self.deviationThreshold = deviationThreshold
        deviation = Self.scaled(signed, by: deviationThreshold)

        // The neighbours, reflected at both ends.
        let count = difference.count
        let at: (Int) -> Double = { index in
            let low = abs(index)
            return difference[low < count ? low : 2 * (count - 1) - low]
        }
        neighbour = (0..<count).map { index in
            if difference[index] > 0 { return Self.larger(at(index - 1), at(index + 1)) }
            if difference[index] < 0 { return Self.smaller(at(index - 1), at(index + 1)) }
            return 0
        }
        following = (0..<count).map { index in
            if difference[index] >= 0 { return Self.smaller(at(index + 1), at(index + 2)) }
            if difference[index] < 0 { return Self.larger(at(index + 1), at(index + 2)) }
            return 0
        }
    }

    private func classify() -> BeatArtefacts {
        var found = BeatArtefacts()
        var index = 0
        while index < rr.count - 2 {
            let step = difference[index]
            if abs(step) <= 1 {
                index += 1
                continue
            }
            let upDown = step > 1 && neighbour[index] < -Self.slope * step - Self.intercept
            let downUp = step < -1 && neighbour[index] > -Self.slope * step + Self.intercept
            if upDown || downUp {
                found.ectopic.append(index)
                index += 1
                continue
            }
            if !(abs(step) > 1 || abs(deviation[index]) > Self.medianLimit) {
                index += 1
                continue
            }
            var candidates = [index]
            if abs(difference[index + 1]) < abs(difference[index + 2]) { candidates.append(index + 1) }
            for beat in candidates {
                judge(beat, into: &found)
                index += 1
            }
        }
        return found
    }

    /// Long, short, extra, missed or normal.
    private func judge(_ beat: Int, into found: inout BeatArtefacts) {
        let long = difference[beat] > 1 && following[beat] < -1
        let short = difference[beat] < -1 && following[beat] > 1
        guard long || short || abs(deviation[beat]) > Self.medianLimit else { return }
        let halfFits = abs(rr[beat] / 2 - runningMedian[beat]) < deviationThreshold[beat]
        let sumFits =
            beat + 1 < rr.count && abs(rr[beat] + rr[beat + 1] - runningMedian[beat]) < deviationThreshold[beat]
        if short && sumFits {
            found.extra.append(beat)
        } else if long && halfFits {
            found.missed.append(beat)
        } else {
            found.longshort.append(beat)
        }
    }

    /// 5.2 times the quartile deviation of the absolute values of 91 beats.
    private static func threshold(of signal: [Double]) -> [Double] {
        rolling(signal.map(abs), window: thresholdWindow, quantiles: [0.25, 0.75]).map { alpha * (($0[1] - $0[0]) / 2) }
    }

    private static func scaled(_ signal: [Double], by threshold: [Double]) -> [Double] {
        zip(signal, threshold).map { $1 == 0 ? .nan : $0 / $1 }
    }

    /// Quantiles of a centred window that is cut off at the ends.
    private static func rolling(_ signal: [Double], window: Int, quantiles: [Double]) -> [[Double]] {
        let half = window / 2
        var sorted: [Double] = []
        sorted.reserveCapacity(window)
        for value in signal.prefix(half) { sorted.insert(value, at: insertionPoint(of: value, in: sorted)) }
        return signal.indices.map { index in
            if index + half < signal.count {
                let value = signal[index + half]
                sorted.insert(value, at: insertionPoint(of: value, in: sorted))
            }
            if index - half - 1 >= 0 {
                sorted.remove(at: insertionPoint(of: signal[index - half - 1], in: sorted))
            }
            return quantiles.map { quantile($0, ofSorted: sorted) ?? 0 }
        }
    }

    /// Index of the first element that is not below `value`.
    private static func insertionPoint(of value: Double, in sorted: [Double]) -> Int {
        var low = 0
        var high = sorted.count
        while low < high {
            let middle = (low + high) / 2
            if sorted[middle] < value { low = middle + 1 } else { high = middle }
        }
        return low
    }

    // A missing neighbour (NaN) makes the comparison missing.
    private static func larger(_ a: Double, _ b: Double) -> Double { a.isNaN || b.isNaN ? .nan : max(a, b) }
    private static func smaller(_ a: Double, _ b: Double) -> Double { a.isNaN || b.isNaN ? .nan : min(a, b) }
}
