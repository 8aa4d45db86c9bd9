/// Thresholds through time: each entry holds from its day on, until one that says the same thing anew.
package struct ThresholdHistory: Hashable, Codable, Sendable {
    /// Ascending by ``TrainingThresholds/since``.
    package private(set) var entries: [TrainingThresholds]
    /// What stands in for figures that no entry tells, guessed from age or observed.
    package var assumed: TrainingThresholds?
    private let isGuess: Bool

    /// - Parameters:
    ///   - entries: in any order; of two for the same day the later one in the list wins where it says something.
    ///   - assumed: fills in what no valid entry tells.
    ///   - isGuess: false when the listener told these, too, without a day.
    package init(_ entries: [TrainingThresholds], assumed: TrainingThresholds? = nil, isGuess: Bool = true) {
        self.assumed = assumed
        self.isGuess = isGuess
        self.entries = entries.enumerated().sorted { ($0.element.since, $0.offset) < ($1.element.since, $1.offset) }
            .map(\.element)
    }

    /// What held on a day, each figure from the newest entry that tells it.
    ///
    /// - Parameter day: local day. Before the first entry the first entry's figures are taken: a threshold that was never
    ///   measured then is likelier near the first known one than nowhere, and its loads are marked with less confidence.
    /// - Returns: figures, whether the day lies before all entries, and whether resting or maximal heart rate is assumed.
    package func on(_ day: Int) -> (thresholds: TrainingThresholds, isBefore: Bool, isAssumed: Bool) {
        var (merged, isBefore) = said(on: day)
        let isAssumed = merged.restingBpm == nil || merged.maximumBpm == nil
        merged.restingBpm = merged.restingBpm ?? assumed?.restingBpm
        merged.maximumBpm = merged.maximumBpm ?? assumed?.maximumBpm
        return (merged, isBefore, isAssumed && isGuess && assumed != nil)
    }

    private func said(on day: Int) -> (TrainingThresholds, Bool) {
        guard let first = entries.first else { return (TrainingThresholds(since: day), true) }
        let isBefore = day < first.since
        let valid = isBefore ? entries.prefix { $0.since == first.since } : entries.prefix { $0.since <= day }
        var merged = TrainingThresholds(since: first.since)
        for entry in valid {
            merged.since = entry.since
            merged.thresholdPowerW = entry.thresholdPowerW ?? merged.thresholdPowerW
            merged.thresholdRunMps = entry.thresholdRunMps ?? merged.thresholdRunMps
            merged.thresholdSwimMps = entry.thresholdSwimMps ?? merged.thresholdSwimMps
            merged.restingBpm = entry.restingBpm ?? merged.restingBpm
            merged.maximumBpm = entry.maximumBpm ?? merged.maximumBpm
            merged.thresholdBpm = entry.thresholdBpm ?? merged.thresholdBpm
        }
        return (merged, isBefore)
    }
}
