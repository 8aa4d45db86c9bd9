import Foundation

/// A Bayesian linear regression with known noise: normal prior in, normal posterior out, one observation at a time.
///
/// Holds the posterior in information form (precision matrix and precision-weighted mean), so that adding an
/// observation is a sum and the order of observations only matters to rounding.
///
/// Source: Bishop, "Pattern Recognition and Machine Learning" (2006), equations 3.50 and 3.51.
package struct LinearPosterior: Sendable, Equatable {
    /// Number of coefficients, `d`.
    package let dimension: Int
    /// Row by row, shape `[d × d]`, symmetric and positive definite.
    private var precision: [Double]
    /// Precision times mean, shape `[d]`.
    private var information: [Double]

    /// - Parameters:
    ///   - mean: prior mean of each coefficient, shape `[d]`.
    ///   - sd: prior standard deviation of each coefficient, shape `[d]`, each above 0.
    package init(mean: [Double], sd: [Double]) {
        precondition(mean.count == sd.count, "one standard deviation per coefficient")
        dimension = mean.count
        precision = [Double](repeating: 0, count: mean.count * mean.count)
        information = [Double](repeating: 0, count: mean.count)
        for i in 0..<dimension {
            precision[i * dimension + i] = 1 / (sd[i] * sd[i])
            information[i] = mean[i] / (sd[i] * sd[i])
        }
    }

    /// Adds one observation `y = x · β + ε`, where `1 / weight` is the variance of ε.
    package mutating func add(_ x: [Double], y: Double, weight: Double) {
        for i in 0..<dimension {
            let weighted = x[i] * weight
            information[i] += weighted * y
            for j in 0..<dimension { precision[i * dimension + j] += weighted * x[j] }
        }
    }

    /// Posterior mean, shape `[d]`, and the factor from which variances are read.
    package func solve() -> Solution {
        let lower = Self.cholesky(precision, dimension)
        let forward = Self.forward(lower, information, dimension)
        return Solution(mean: Self.backward(lower, forward, dimension), lower: lower, dimension: dimension)
    }

    /// The posterior, solved.
    package struct Solution: Sendable, Equatable {
        package let mean: [Double]
        fileprivate let lower: [Double]
        fileprivate let dimension: Int

        /// Mean of `x · β`.
        package func mean(of x: [Double]) -> Double {
            var sum = 0.0
            for i in 0..<min(x.count, mean.count) { sum += x[i] * mean[i] }
            return sum
        }

        /// Variance of `x · β`, noise not counted.
        ///
        /// Asked for every song of a pool, so it works on the stack.
        package func variance(of x: [Double]) -> Double {
            withUnsafeTemporaryAllocation(of: Double.self, capacity: dimension) { solved in
                var sum = 0.0
                for i in 0..<dimension {
                    var value = x[i]
                    for k in 0..<i { value -= lower[i * dimension + k] * solved[k] }
                    value /= lower[i * dimension + i]
                    solved[i] = value
                    sum += value * value
                }
                return sum
            }
        }
    }

    private static func cholesky(_ matrix: [Double], _ d: Int) -> [Double] {
        var lower = [Double](repeating: 0, count: d * d)
        for i in 0..<d {
            for j in 0...i {
                var sum = matrix[i * d + j]
                for k in 0..<j { sum -= lower[i * d + k] * lower[j * d + k] }
                // The prior keeps the diagonal above 0; the floor only guards against rounding.
                lower[i * d + j] = i == j ? max(sum, 1e-12).squareRoot() : sum / lower[j * d + j]
            }
        }
        return lower
    }

    private static func forward(_ lower: [Double], _ b: [Double], _ d: Int) -> [Double] {
        var x = b
        for i in 0..<d {
            for k in 0..<i { x[i] -= lower[i * d + k] * x[k] }
            x[i] /= lower[i * d + i]
        }
        return x
    }

    private static func backward(_ lower: [Double], _ b: [Double], _ d: Int) -> [Double] {
        var x = b
        for i in stride(from: d - 1, through: 0, by: -1) {
            for k in (i + 1)..<max(d, i + 1) { x[i] -= lower[k * d + i] * x[k] }
            x[i] /= lower[i * d + i]
        }
        return x
    }
}

/// Value below which a standard normal variable lies with probability `p`, 0 < p < 1, by bisection on `erfc`.
package func normalQuantile(_ p: Double) -> Double {
    var low = -9.0
    var high = 9.0
    for _ in 0..<80 {
        let middle = (low + high) / 2
        if 0.5 * erfc(-middle / 2.0.squareRoot()) < p { low = middle } else { high = middle }
    }
    return (low + high) / 2
}
