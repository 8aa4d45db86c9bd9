/// Weighted power: what a ride of changing effort cost, as an even effort.
///
/// 1 Hz, zeros kept, means over complete 30 s windows that start afresh after a gap, their fourth powers averaged,
/// fourth root. Known from training software as "normalized power"; also called IsoPower.
///
/// Source: Allen and Coggan, "Training and Racing with a Power Meter"; complete windows and the restart are what the
/// stored values of 15 rides of five makers show (`docs/accuracy.md`).
package enum WeightedPower {
    /// Seconds of one window.
    package static let window = 30

    /// Fourth root of the mean fourth power of the window means.
    ///
    /// - Parameter series: watts for power; speeds in m/s are weighted the same way.
    /// - Returns: in the unit of the series; nil when no stretch fills a window.
    package static func value(of series: SecondSeries) -> Double? {
        let means = series.completeWindowMeans(length: window)
        guard !means.isEmpty else { return nil }
        let sum = means.reduce(0) { $0 + $1 * $1 * $1 * $1 }
        return max(sum / Double(means.count), 0).squareRoot().squareRoot()
    }
}
