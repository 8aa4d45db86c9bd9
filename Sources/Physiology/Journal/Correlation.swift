import Foundation

/// Spearman's rank correlation of two series of days, with what can and cannot be said of it.
///
/// Days resemble their neighbours, which makes an interval too narrow; the number of independent days is estimated from
/// both series' correlation with themselves a day later. Several comparisons find something by chance alone, so a claim
/// needs an interval without 0 at a level that is divided by their number.
///
/// Sources: Fieller, Hartley and Pearson, "Tests for rank correlation coefficients", Biometrika 44:470 (1957), variance
/// 1.06/(n − 3) of Fisher's z; Bartlett, "Some aspects of the time-correlation problem", J. R. Stat. Soc. 98:536 (1935),
/// effective n; Bonferroni's inequality.
package struct Correlation: Hashable, Codable, Sendable {
    package enum Verdict: String, Codable, Hashable, Sendable, CaseIterable {
        case notEnoughData, noEvidence, lowerTogether, higherTogether
    }

    /// Days with both.
    package var n: Int
    /// As many independent days.
    package var effectiveN: Double
    /// −1…1; nil below the minimum of days or when one series never changes.
    package var coefficient: Double?
    /// 95 % interval of this comparison alone.
    package var low: Double?
    package var high: Double?
    /// Of the interval that the verdict rests on, which is wider by the number of comparisons.
    package var adjustedLow: Double?
    package var adjustedHigh: Double?
    package var verdict: Verdict

    /// Days below which nothing is said.
    package static let minimumDays = 14
    /// Independent days below which nothing is said.
    package static let minimumEffectiveDays = 8.0

    /// - Parameters:
    ///   - pairs: by day; each day once, any order.
    ///   - comparisons: how many are looked at side by side, this one included.
    package init(_ pairs: [(day: Int, x: Double, y: Double)], comparisons: Int) {
        let sorted = pairs.sorted { $0.day < $1.day }
        n = sorted.count
        effectiveN = Double(sorted.count)
        verdict = .notEnoughData
        guard n >= Self.minimumDays else { return }
        let x = ranks(of: sorted.map(\.x))
        let y = ranks(of: sorted.map(\.y))
        guard let r = pearson(x, y) else { return }
        let days = sorted.map(\.day)
        let product = Self.nextDay(x, days) * Self.nextDay(y, days)
        effectiveN = product > 0 ? Double(n) * (1 - product) / (1 + product) : Double(n)
        guard effectiveN >= Self.minimumEffectiveDays else { return }
        coefficient = r
        (low, high) = Self.interval(r, effectiveN, level: 0.05)
        let (adjustedLow, adjustedHigh) = Self.interval(r, effectiveN, level: 0.05 / Double(max(1, comparisons)))
        (self.adjustedLow, self.adjustedHigh) = (adjustedLow, adjustedHigh)
        verdict = adjustedLow > 0 ? .higherTogether : adjustedHigh < 0 ? .lowerTogether : .noEvidence
    }

    private static func interval(_ r: Double, _ n: Double, level: Double) -> (Double, Double) {
        let z = atanh(min(max(r, -0.999_999), 0.999_999))
        let half = normalQuantile(1 - level / 2) * (1.06 / (n - 3)).squareRoot()
        return (tanh(z - half), tanh(z + half))
    }

    /// Correlation of a series with itself a day later, from neighbouring days alone; 0 when there are too few.
    private static func nextDay(_ values: [Double], _ days: [Int]) -> Double {
        let neighbours = days.indices.dropFirst().filter { days[$0] == days[$0 - 1] + 1 }
        guard neighbours.count >= 5 else { return 0 }
        return pearson(neighbours.map { values[$0 - 1] }, neighbours.map { values[$0] }) ?? 0
    }
}

/// Pearson's correlation; nil when there are fewer than two pairs or one series never changes.
package func pearson(_ x: [Double], _ y: [Double]) -> Double? {
    guard x.count == y.count, x.count >= 2, let meanX = mean(of: x), let meanY = mean(of: y) else { return nil }
    var (xy, xx, yy) = (0.0, 0.0, 0.0)
    for (a, b) in zip(x, y) {
        xy += (a - meanX) * (b - meanY)
        xx += (a - meanX) * (a - meanX)
        yy += (b - meanY) * (b - meanY)
    }
    guard xx > 0, yy > 0 else { return nil }
    return min(1, max(-1, xy / (xx * yy).squareRoot()))
}

/// Ranks from 1, ties sharing the mean of theirs.
package func ranks(of values: [Double]) -> [Double] {
    let order = values.indices.sorted { values[$0] < values[$1] }
    var ranks = [Double](repeating: 0, count: values.count)
    var first = 0
    while first < order.count {
        var last = first
        while last + 1 < order.count, values[order[last + 1]] == values[order[first]] { last += 1 }
        for index in first...last { ranks[order[index]] = Double(first + last) / 2 + 1 }
        first = last + 1
    }
    return ranks
}

/// Quantile of the standard normal distribution, absolute error below 1e-8.
///
/// Source: bisection on the complementary error function of the C library.
///
/// - Parameter fraction: above 0 and below 1.
package func normalQuantile(_ fraction: Double) -> Double {
    var (low, high) = (-40.0, 40.0)
    while high - low > 1e-9 {
        let middle = (low + high) / 2
        if 0.5 * erfc(-middle / 2.0.squareRoot()) < fraction { low = middle } else { high = middle }
    }
    return (low + high) / 2
}
