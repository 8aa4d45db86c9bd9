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
    /// - Parameter day: local day. Before the first entry that tells a figure that entry's is taken: a threshold that was
    ///   never measured then is likelier near the first known one than nowhere, and its loads are marked with less
    ///   confidence.
    /// - Returns: figures, the methods that rest on a figure of a later day, and whether resting or maximal heart rate is
    ///   assumed.
    package func on(_ day: Int) -> (thresholds: TrainingThresholds, later: Set<LoadMethod>, isAssumed: Bool) {
        var merged = TrainingThresholds(since: min(day, entries.first?.since ?? day))
        var later: Set<LoadMethod> = []
        for figure in Self.figures {
            guard let entry = entry(telling: figure.path, on: day) else { continue }
            merged[keyPath: figure.path] = entry[keyPath: figure.path]
            if entry.since > day { later.insert(figure.method) } else { merged.since = max(merged.since, entry.since) }
        }
        let isAssumed = merged.restingBpm == nil || merged.maximumBpm == nil
        merged.restingBpm = merged.restingBpm ?? assumed?.restingBpm
        merged.maximumBpm = merged.maximumBpm ?? assumed?.maximumBpm
        return (merged, later, isAssumed && isGuess && assumed != nil)
    }

    private static var figures: [(path: WritableKeyPath<TrainingThresholds, Double?>, method: LoadMethod)] {
        [
            (\.thresholdPowerW, .power), (\.thresholdRunMps, .pace), (\.thresholdSwimMps, .swimPace),
            (\.restingBpm, .heartRate), (\.maximumBpm, .heartRate), (\.thresholdBpm, .heartRate),
        ]
    }

    /// The newest that tells it by then, else the first ever; of one day the last in the list.
    private func entry(
        telling figure: WritableKeyPath<TrainingThresholds, Double?>, on day: Int
    ) -> TrainingThresholds? {
        if let valid = entries.last(where: { $0.since <= day && $0[keyPath: figure] != nil }) { return valid }
        guard let first = entries.first(where: { $0[keyPath: figure] != nil }) else { return nil }
        return entries.last { $0.since == first.since && $0[keyPath: figure] != nil }
    }
}
