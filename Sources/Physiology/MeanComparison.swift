import Foundation

/// Two groups of days side by side: how far apart their means are, and how sure that is.
package struct MeanComparison: Hashable, Codable, Sendable {
    /// Mean of the first group − mean of the second, in their unit.
    package var difference: Double
    /// 95 % interval of the difference.
    package var low: Double
    package var high: Double
    package var firstMean: Double
    package var secondMean: Double
    /// Values in each group.
    package var firstCount: Int
    package var secondCount: Int

    /// True when the interval leaves out 0.
    package var isClear: Bool { low > 0 || high < 0 }

    /// Values below which a group says nothing.
    package static let minimumCount = 3
    /// Differences below this share of the means are the rounding of sums, not of days.
    static let rounding = 1e-9

    /// Welch's interval of the difference of two means; nil when a group has fewer than three values.
    ///
    /// - Parameters:
    ///   - comparisons: how many such questions are asked at once: the interval is widened for all of them (Bonferroni).
    ///
    /// Source: B. L. Welch, "The generalization of Student's problem …", Biometrika 34:28 (1947).
    package init?(_ first: [Double], against second: [Double], comparisons: Int = 1) {
        guard first.count >= Self.minimumCount, second.count >= Self.minimumCount,
            let firstMean = mean(of: first), let secondMean = mean(of: second),
            let firstSd = sampleSD(of: first), let secondSd = sampleSD(of: second)
        else { return nil }
        let a = firstSd * firstSd / Double(first.count)
        let b = secondSd * secondSd / Double(second.count)
        difference = firstMean - secondMean
        self.firstMean = firstMean
        self.secondMean = secondMean
        firstCount = first.count
        secondCount = second.count
        // Two groups of one value each: their means differ by the rounding of sums at least.
        let noise = Self.rounding * max(abs(firstMean), abs(secondMean))
        let variance = a + b
        guard variance > noise * noise else {
            low = difference - noise
            high = difference + noise
            return
        }
        let freedom =
            variance * variance
            / (a * a / Double(first.count - 1) + b * b / Double(second.count - 1))
        let tail = 0.025 / Double(max(comparisons, 1))
        let reach = StudentT.quantile(1 - tail, freedom: freedom) * variance.squareRoot()
        low = difference - reach
        high = difference + reach
    }
}

/// Student's distribution.
package enum StudentT {
    /// - Parameters:
    ///   - p: 0.5…<1.
    ///   - freedom: degrees of freedom, ≥ 1; smaller ones count as 1.
    /// - Returns: the value that a fraction `p` lies below.
    package static func quantile(_ p: Double, freedom: Double) -> Double {
        let freedom = max(freedom, 1)
        guard p > 0.5 else { return 0 }
        var low = 0.0
        var high = 2.0
        while cumulative(high, freedom: freedom) < p, high < 1e9 { high *= 2 }
        for _ in 0..<80 {
            let middle = (low + high) / 2
            if cumulative(middle, freedom: freedom) < p { low = middle } else { high = middle }
        }
        return (low + high) / 2
    }

    /// Share of the distribution below `t ≥ 0`.
    static func cumulative(_ t: Double, freedom: Double) -> Double {
        1 - incompleteBeta(freedom / (freedom + t * t), freedom / 2, 0.5) / 2
    }

    /// Regularised incomplete beta function by its continued fraction.
    ///
    /// Source: Abramowitz and Stegun, "Handbook of Mathematical Functions", 26.5.8, evaluated by Lentz's method.
    private static func incompleteBeta(_ x: Double, _ a: Double, _ b: Double) -> Double {
        if x <= 0 { return 0 }
        if x >= 1 { return 1 }
        let power: Double = a * log(x) + b * log(1 - x)
        let front: Double = exp(logGamma(a + b) - logGamma(a) - logGamma(b) + power)
        if x > (a + 1) / (a + b + 2) { return 1 - front * fraction(1 - x, b, a) / b }
        return front * fraction(x, a, b) / a
    }

    private static func logGamma(_ x: Double) -> Double {
        let (value, _): (Double, Int) = lgamma(x)
        return value
    }

    private static func fraction(_ x: Double, _ a: Double, _ b: Double) -> Double {
        let tiny = 1e-300
        var c = 1.0
        var d = 1 - (a + b) * x / (a + 1)
        d = 1 / (abs(d) < tiny ? tiny : d)
        var result = d
        for m in 1...300 {
            let m = Double(m)
            let middle = a + 2 * m
            let even: Double = m * (b - m) * x / ((middle - 1) * middle)
            let odd: Double = -(a + m) * (a + b + m) * x / (middle * (middle + 1))
            for numerator in [even, odd] {
                d = 1 + numerator * d
                d = 1 / (abs(d) < tiny ? tiny : d)
                c = 1 + numerator / c
                if abs(c) < tiny { c = tiny }
                result *= c * d
            }
            if abs(c * d - 1) < 1e-14 { break }
        }
        return result
    }
}
