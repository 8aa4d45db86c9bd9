/// What training is measured against, from a day on until the next entry.
package struct TrainingThresholds: Hashable, Codable, Sendable {
    /// First local day of validity, as in ``LocalClock/day(of:)``.
    package var since: Int
    /// Functional threshold power, W.
    package var thresholdPowerW: Double?
    /// Running threshold, m/s.
    package var thresholdRunMps: Double?
    /// Swimming threshold (critical swim speed), m/s.
    package var thresholdSwimMps: Double?
    /// Beats per minute.
    package var restingBpm: Double?
    package var maximumBpm: Double?
    package var thresholdBpm: Double?

    package init(
        since: Int, thresholdPowerW: Double? = nil, thresholdRunMps: Double? = nil, thresholdSwimMps: Double? = nil,
        restingBpm: Double? = nil, maximumBpm: Double? = nil, thresholdBpm: Double? = nil
    ) {
        self.since = since
        self.thresholdPowerW = thresholdPowerW
        self.thresholdRunMps = thresholdRunMps
        self.thresholdSwimMps = thresholdSwimMps
        self.restingBpm = restingBpm
        self.maximumBpm = maximumBpm
        self.thresholdBpm = thresholdBpm
    }
}
