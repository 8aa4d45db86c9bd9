import Protocols

/// Running speed on the flat that would cost as much as the speed on the slope that was run.
///
/// Each second's speed is multiplied by C(i)/C(0), C being the metabolic cost of running at gradient i (Minetti). Altitude
/// is noisy, so the gradient is the change of altitude over the 30 s around the second; speed is smoothed by the 30 s windows
/// of the weighting that follows. The maker of the best known "graded pace" has not published its formula; this is ours.
///
/// Source: Minetti et al., J. Appl. Physiol. 93:1039 (2002), the polynomial of their figure 1, valid for −0.45…0.45.
package enum GradedSpeed {
    /// Largest gradient, up or down, that the polynomial was measured at.
    package static let steepest = 0.45
    /// Seconds before and after that a gradient is taken over.
    static let reach = 15
    /// Below this many metres there is no telling the gradient.
    static let shortest = 10.0

    /// Cost of running at a gradient (rise over run), J/(kg·m).
    package static func cost(_ gradient: Double) -> Double {
        let i = min(max(gradient, -steepest), steepest)
        return ((((155.4 * i - 30.4) * i - 43.3) * i + 46.3) * i + 19.5) * i + 3.6
    }

    /// Speeds on the flat, m/s.
    ///
    /// - Parameters:
    ///   - speeds: m/s, second by second.
    ///   - altitudes: m, the same seconds and stretches; where they do not match, the ground is taken as flat.
    package static func series(speeds: SecondSeries, altitudes: SecondSeries) -> SecondSeries {
        let matches = speeds.stretches.map(\.count) == altitudes.stretches.map(\.count)
        guard matches else { return speeds }
        return SecondSeries(
            stretches: zip(speeds.stretches, altitudes.stretches).map { speeds, altitudes in
                let distances = speeds.reduce(into: [0.0]) { $0.append($0[$0.count - 1] + $1) }
                return speeds.indices.map { second in
                    let from = max(second - reach, 0)
                    let to = min(second + reach, speeds.count - 1)
                    let run = distances[to] - distances[from]
                    let gradient = run >= shortest ? (altitudes[to] - altitudes[from]) / run : 0
                    return speeds[second] * cost(gradient) / cost(0)
                }
            }, starts: speeds.starts)
    }
}
