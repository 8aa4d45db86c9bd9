/// How far the heart drifted away from the effort over a workout, with its error.
///
/// Effort per heartbeat of the first half against the second: 100 · (first − second) / first. Above about 5 % a steady effort
/// was beyond the aerobic base. It means something for a steady effort alone, hence ``isSteady``.
///
/// Source: Friel's "Pw:Hr"; the error is ours: each half is cut into blocks of 5 min, the standard error of their ratios is
/// carried through the formula.
package struct AerobicDecoupling: Hashable, Codable, Sendable {
    /// %; positive when the heart rose or the effort fell.
    package var percent: Double
    /// Standard error, percentage points.
    package var standardError: Double
    /// Five-minute blocks of each half.
    package var blocksPerHalf: Int
    /// The effort of the blocks varies by less than 15 % of its mean.
    package var isSteady: Bool

    package static let smallestBlocksPerHalf = 4
    static let steadyVariation = 0.15

    /// - Returns: nil below 40 min of heart rate with power or speed.
    package init?(_ workout: WorkoutFigures) {
        let half = workout.blocks.count / 2
        guard half >= Self.smallestBlocksPerHalf else { return nil }
        let ratios = workout.blocks.map { $0.effort / $0.bpm }
        let (first, second) = (ratios.prefix(half), ratios.suffix(half))
        guard let early = mean(of: first), let late = mean(of: second), early > 0, let sdEarly = sampleSD(of: first),
            let sdLate = sampleSD(of: second)
        else { return nil }
        let count = Double(half)
        // 1 − late/early: the relative variances of both means add up, scaled by the ratio.
        let ratio = late / early
        let relative = (sdEarly * sdEarly / (early * early) + (late > 0 ? sdLate * sdLate / (late * late) : 0)) / count
        percent = 100 * (1 - ratio)
        standardError = 100 * ratio * relative.squareRoot()
        blocksPerHalf = half
        let efforts = workout.blocks.map(\.effort)
        isSteady =
            (sampleSD(of: efforts) ?? .infinity) < Self.steadyVariation * (mean(of: efforts) ?? 0)
    }
}
