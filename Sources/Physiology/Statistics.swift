import Foundation

/// Mean; nil for nothing.
package func mean(of values: some Collection<Double>) -> Double? {
    values.isEmpty ? nil : values.reduce(0, +) / Double(values.count)
}

/// Sample standard deviation (n − 1); nil below two values.
package func sampleSD(of values: some Collection<Double>) -> Double? {
    guard values.count >= 2, let mean = mean(of: values) else { return nil }
    let squares = values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
    return (squares / Double(values.count - 1)).squareRoot()
}

/// The true median: the mean of the two middle values of an even number; nil for nothing.
package func median(of values: some Collection<Double>) -> Double? {
    quantile(0.5, ofSorted: values.sorted())
}

/// Quantile with linear interpolation between the order statistics (type 7 of Hyndman and Fan 1996).
///
/// - Parameters:
///   - fraction: 0…1.
///   - sorted: ascending.
/// - Returns: nil for nothing.
package func quantile(_ fraction: Double, ofSorted sorted: [Double]) -> Double? {
    guard let last = sorted.last else { return nil }
    let position = min(max(fraction, 0), 1) * Double(sorted.count - 1)
    let below = Int(position)
    guard below + 1 < sorted.count else { return last }
    return sorted[below] + (sorted[below + 1] - sorted[below]) * (position - Double(below))
}

/// Median absolute deviation from the median, not scaled; nil for nothing.
package func medianAbsoluteDeviation(of values: some Collection<Double>) -> Double? {
    guard let centre = median(of: values) else { return nil }
    return median(of: values.map { abs($0 - centre) })
}

/// Robust z of a value against a history: 0.6745 · (x − median) / MAD, where the MAD has a floor.
///
/// The floor matters: integer resting heart rates often have MAD 0 or 1, and 0 would hide an illness.
///
/// - Parameters:
///   - floor: smallest MAD, in the unit of the values: 1 for beats per minute, 0.05 for ln RMSSD.
/// - Returns: nil without a history.
///
/// Source: Iglewicz and Hoaglin, "How to Detect and Handle Outliers" (1993).
package func robustZ(of value: Double, in history: some Collection<Double>, floor: Double) -> Double? {
    guard let centre = median(of: history), let mad = medianAbsoluteDeviation(of: history) else { return nil }
    return 0.6744897501960817 * (value - centre) / max(mad, floor)
}

/// Slope of the least-squares line through points; nil when all x are equal or there are fewer than two.
package func leastSquaresSlope(x: [Double], y: [Double]) -> Double? {
    guard x.count == y.count, let meanX = mean(of: x), let meanY = mean(of: y) else { return nil }
    var numerator = 0.0
    var denominator = 0.0
    for (a, b) in zip(x, y) {
        numerator += (a - meanX) * (b - meanY)
        denominator += (a - meanX) * (a - meanX)
    }
    return denominator > 0 ? numerator / denominator : nil
}
