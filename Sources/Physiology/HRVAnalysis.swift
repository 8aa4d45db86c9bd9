import Foundation

/// What a series of beats says, raw and cleaned.
package struct HRVAnalysis: Hashable, Codable, Sendable {
    /// Figures of all beats, as they are.
    package var raw: TimeDomain
    /// Figures without the flagged beats and without the differences that touch them.
    package var clean: TimeDomain
    package var artefacts: BeatArtefacts
    /// One flag per interval: true where ``clean`` leaves it out.
    package var flagged: [Bool]
    /// Flagged beats over beats, 0…1.
    package var correctedShare: Double
    /// Beats of the interpolated series: milliseconds from the first beat, one list per segment.
    package var correctedBeatsMs: [[Int]]
    /// Holes in the series.
    package var gaps: Int

    /// Above this share of flagged beats the record is refused (general practice; Lipponen and Tarvainen show < 2 %
    /// error for up to 5 %).
    package static let maximumCorrectedShare = 0.05
    /// Fewer differences than this make no RMSSD.
    package static let minimumPairs = 20

    package var n: Int { raw.n }
    package var meanNnMs: Double? { raw.meanNnMs }
    package var sdnnMs: Double? { raw.sdnnMs }
    package var rmssdMs: Double? { raw.rmssdMs }
    package var pnn50Percent: Double? { raw.pnn50Percent }
    package var correctedRmssdMs: Double? { clean.rmssdMs }
    /// Few enough artefacts and enough beats to be used.
    package var isUsable: Bool { correctedShare <= Self.maximumCorrectedShare && clean.pairs >= Self.minimumPairs }

    /// Analyses a recording.
    ///
    /// - Parameter series: detection runs on each stretch without a hole on its own.
    package static func report(_ series: BeatSeries) -> HRVAnalysis {
        var artefacts = BeatArtefacts()
        var flags: [Bool] = []
        flags.reserveCapacity(series.rrMs.count)
        var corrected: [[Int]] = []
        let segments = series.segments
        for segment in segments {
            let beats = LipponenTarvainen.beats(ofIntervals: series.rrMs[segment])
            let found = LipponenTarvainen.artefacts(beatsMs: beats)
            flags += found.flags(intervals: segment.count)
            corrected.append(BeatCorrection.corrected(beatsMs: beats, artefacts: found))
            artefacts.append(found.shifted(by: segment.lowerBound))
        }
        let raw = TimeDomain(of: series)
        return HRVAnalysis(
            raw: raw, clean: TimeDomain(of: series, excluding: flags), artefacts: artefacts, flagged: flags,
            correctedShare: raw.n == 0 ? 0 : Double(artefacts.count) / Double(raw.n), correctedBeatsMs: corrected,
            gaps: series.gapsBefore.count)
    }

    /// Analyses intervals without holes, in milliseconds, oldest first.
    package static func report(rr rrMs: [Double]) -> HRVAnalysis { report(BeatSeries(rrMs: rrMs)) }
}
