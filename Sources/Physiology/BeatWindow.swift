import Foundation
import Protocols

/// The beats of the last minutes, put together from messages.
package struct BeatWindow: Hashable, Codable, Sendable {
    /// One interval with the moment it ended.
    private struct Beat: Hashable, Codable, Sendable {
        var endAt: Timestamp
        var rrMs: Double
        var gapBefore: Bool
    }

    /// Seconds of beats that are kept: enough for the thresholds of the artefact detection.
    package static let kept = 180.0
    /// Seconds that one reading looks at, as in the baseline: windows of unequal length are not compared.
    package static let readingSeconds = 60.0
    /// Intervals outside are no beats.
    package static let plausibleMs = 250.0...3000.0

    private static let seamMs = Int64(BeatSeries.seamToleranceMs)
    private var beats: [Beat] = []

    package init() {}

    package var newestAt: Timestamp? { beats.last?.endAt }

    package mutating func add(_ message: RRIntervals) {
        guard message.quality > 0 else { return }
        var gap = message.gapBefore
        if let newestAt {
            // A message that comes again overlaps with what is there.
            if message.startAt.milliseconds < newestAt.milliseconds - Self.seamMs { return }
            gap = gap || message.startAt.milliseconds > newestAt.milliseconds + Self.seamMs
        }
        var elapsed = 0.0
        for interval in message.rrMs {
            guard Self.plausibleMs.contains(interval) else {
                gap = true
                if interval.isFinite, interval > 0 { elapsed += min(interval, BeatSeries.longestMs) }
                continue
            }
            elapsed += interval
            let endAt = message.startAt.adding(milliseconds: Int64(elapsed.rounded()))
            beats.append(Beat(endAt: endAt, rrMs: interval, gapBefore: gap))
            gap = false
        }
        if let newestAt { beats.removeAll { newestAt.seconds(since: $0.endAt) > Self.kept } }
    }

    /// RMSSD of the minute that ends with the newest beat before `now`, when it is good enough to be used.
    ///
    /// Artefacts are found over all kept beats, figures taken from the last minute.
    package func reading(at now: Timestamp) -> BeatReading? {
        let past = beats.filter { $0.endAt <= now }
        guard let newest = past.last else { return nil }
        let series = BeatSeries(
            rrMs: past.map(\.rrMs), gapsBefore: past.indices.filter { past[$0].gapBefore })
        let analysis = HRVAnalysis.report(series)
        var excluded = analysis.flagged
        let flaggedNow = zip(past, excluded).filter { newest.endAt.seconds(since: $0.0.endAt) < Self.readingSeconds }
        let share = Double(flaggedNow.count(where: \.1)) / Double(max(flaggedNow.count, 1))
        for (index, beat) in past.enumerated() where newest.endAt.seconds(since: beat.endAt) >= Self.readingSeconds {
            excluded[index] = true
        }
        let figures = TimeDomain(of: series, excluding: excluded)
        guard figures.pairs >= HRVAnalysis.minimumPairs, share <= HRVAnalysis.maximumCorrectedShare,
            let lnRmssd = figures.lnRmssd
        else { return nil }
        let covered = flaggedNow.reduce(0) { $0 + $1.0.rrMs } / (Self.readingSeconds * 1000)
        return BeatReading(
            at: newest.endAt, lnRmssd: lnRmssd, sdnnMs: figures.sdnnMs, pairs: figures.pairs,
            coverage: min(covered, 1), artefactShare: share)
    }
}

/// HRV of one minute.
package struct BeatReading: Hashable, Codable, Sendable {
    /// End of the newest beat.
    package var at: Timestamp
    /// ln of RMSSD in ms.
    package var lnRmssd: Double
    package var sdnnMs: Double?
    /// Differences behind it.
    package var pairs: Int
    /// Share of the minute that is covered by beats, 0…1.
    package var coverage: Double
    /// Share of flagged beats in the minute, 0…1.
    package var artefactShare: Double

    package init(
        at: Timestamp, lnRmssd: Double, sdnnMs: Double?, pairs: Int, coverage: Double, artefactShare: Double
    ) {
        self.at = at
        self.lnRmssd = lnRmssd
        self.sdnnMs = sdnnMs
        self.pairs = pairs
        self.coverage = coverage
        self.artefactShare = artefactShare
    }
}
