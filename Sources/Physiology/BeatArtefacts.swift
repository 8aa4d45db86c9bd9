import Foundation

/// Beats that are not normal, by class.
///
/// Indices are those of beats: interval `i` runs from beat `i` to beat `i + 1`, so beat `i` ends interval `i − 1`.
package struct BeatArtefacts: Hashable, Codable, Sendable {
    package var ectopic: [Int]
    package var missed: [Int]
    package var extra: [Int]
    package var longshort: [Int]

    package init(ectopic: [Int] = [], missed: [Int] = [], extra: [Int] = [], longshort: [Int] = []) {
        self.ectopic = ectopic
        self.missed = missed
        self.extra = extra
        self.longshort = longshort
    }

    package var count: Int { ectopic.count + missed.count + extra.count + longshort.count }

    /// One flag per interval: true where the interval ends at an artefact; both halves of an interval that an extra
    /// beat has cut.
    ///
    /// - Parameter intervals: number of intervals of the series.
    package func flags(intervals: Int) -> [Bool] {
        var flags = [Bool](repeating: false, count: intervals)
        for beat in ectopic + missed + extra + longshort where (1...max(intervals, 1)).contains(beat) && intervals > 0 {
            flags[beat - 1] = true
        }
        for beat in extra where flags.indices.contains(beat) { flags[beat] = true }
        return flags
    }

    /// The same beats in a longer series that begins `offset` beats earlier.
    func shifted(by offset: Int) -> BeatArtefacts {
        let shift: ([Int]) -> [Int] = { $0.map { $0 + offset } }
        return BeatArtefacts(
            ectopic: shift(ectopic), missed: shift(missed), extra: shift(extra), longshort: shift(longshort))
    }

    mutating func append(_ other: BeatArtefacts) {
        ectopic += other.ectopic
        missed += other.missed
        extra += other.extra
        longshort += other.longshort
    }
}
