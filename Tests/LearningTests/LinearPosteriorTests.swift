import Foundation
import Testing

@testable import Learning

struct LinearPosteriorTests {
    @Test func `one coefficient agrees with precision weighting done by hand`() {
        // Prior N(1, 2²); observations 3 at x = 1 and 5 at x = 2 with noise variance 4:
        // precision 1/4 + 1/4 + 4/4 = 1.5; information 1/4 + 3/4 + 10/4 = 3.5; mean 7/3, variance 2/3.
        var posterior = LinearPosterior(mean: [1], sd: [2])
        posterior.add([1], y: 3, weight: 0.25)
        posterior.add([2], y: 5, weight: 0.25)
        let solution = posterior.solve()
        #expect(abs(solution.mean[0] - 7.0 / 3) < 1e-12)
        #expect(abs(solution.variance(of: [1]) - 2.0 / 3) < 1e-12)
        #expect(abs(solution.variance(of: [3]) - 6) < 1e-12)
    }

    @Test func `two coefficients agree with numpy`() {
        // numpy: A = diag(1, 1/4) + Σ x xᵀ / 0.25, b = [.5, 0] + Σ x y / 0.25 for the three observations below;
        // numpy.linalg.solve(A, b) and diag(inv(A)).
        var posterior = LinearPosterior(mean: [0.5, 0], sd: [1, 2])
        for (x, y) in [([1.0, 0.2], 1.1), ([0.4, -1.0], -0.3), ([-0.5, 0.7], 0.2)] {
            posterior.add(x, y: y, weight: 4)
        }
        let solution = posterior.solve()
        #expect(abs(solution.mean[0] - 0.8387101941436533) < 1e-9)
        #expect(abs(solution.mean[1] - 0.7041071314153905) < 1e-9)
        #expect(abs(solution.variance(of: [1, 0]) - 0.17006257875739517) < 1e-9)
        #expect(abs(solution.variance(of: [0, 1]) - 0.17727088272356423) < 1e-9)
    }

    /// scipy.stats.norm.ppf.
    @Test(arguments: [
        (0.5, 0.0), (0.975, 1.959963984540054), (0.9995, 3.2905267314919255), (0.025, -1.959963984540054),
    ])
    func `quantiles of the normal distribution agree with scipy`(p: Double, expected: Double) {
        #expect(abs(normalQuantile(p) - expected) < 1e-9)
    }
}
