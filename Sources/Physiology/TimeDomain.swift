import Foundation

/// Time-domain figures of heart-rate variability, by definition and without any correction.
///
/// Source: Task Force of ESC and NASPE, "Heart rate variability", Circulation 93:1043 (1996); SD1 and SD2 after
/// Brennan et al., IEEE Trans. Biomed. Eng. 48:1342 (2001).
package struct TimeDomain: Hashable, Codable, Sendable {
    /// Intervals that count.
    package var n: Int
    /// Differences of adjacent intervals that count.
    package var pairs: Int
    /// Milliseconds.
    package var meanNnMs: Double?
    /// Sample standard deviation (n − 1), ms. Depends on the length of the record.
    package var sdnnMs: Double?
    /// Root mean square of successive differences, ms.
    package var rmssdMs: Double?
    /// Sample standard deviation of the signed differences, ms.
    package var sdsdMs: Double?
    /// Differences above 50 ms.
    package var nn50: Int
    /// 100 · NN50 / pairs; without gaps that is n − 1.
    package var pnn50Percent: Double?
    /// Short and long axis of the Poincaré plot, ms.
    package var sd1Ms: Double?
    package var sd2Ms: Double?

    package var lnRmssd: Double? { rmssdMs.flatMap { $0 > 0 ? log($0) : nil } }

    /// - Parameters:
    ///   - series: gaps are respected.
    ///   - excluded: one flag per interval; flagged ones and the differences that touch them do not count.
    package init(of series: BeatSeries, excluding excluded: [Bool]? = nil) {
        let counts: (Int) -> Bool = { index in excluded.map { !$0[index] } ?? true }
        var kept: [Double] = []
        var differences: [Double] = []
        kept.reserveCapacity(series.rrMs.count)
        differences.reserveCapacity(series.rrMs.count)
        for segment in series.segments {
            for index in segment where counts(index) {
                kept.append(series.rrMs[index])
                if index > segment.lowerBound, counts(index - 1) {
                    differences.append(series.rrMs[index] - series.rrMs[index - 1])
                }
            }
        }
        n = kept.count
        pairs = differences.count
        meanNnMs = mean(of: kept)
        sdnnMs = sampleSD(of: kept)
        sdsdMs = sampleSD(of: differences)
        nn50 = differences.count(where: { abs($0) > 50 })
        guard pairs > 0 else { return }
        rmssdMs = (differences.reduce(0) { $0 + $1 * $1 } / Double(pairs)).squareRoot()
        pnn50Percent = 100 * Double(nn50) / Double(pairs)
        if let sdnnMs, let sdsdMs {
            sd1Ms = sdsdMs / 2.0.squareRoot()
            sd2Ms = max(2 * sdnnMs * sdnnMs - sdsdMs * sdsdMs / 2, 0).squareRoot()
        }
    }
}
