import Physiology

/// What a training file is measured against, where the file does not say.
package struct TrainingOptions: Hashable, Sendable {
    /// Functional threshold power, W; nil = what the device thought.
    package var thresholdPowerW: Double?
    /// Beats per minute.
    package var restingBpm: Double?
    package var maximumBpm: Double?
    package var thresholdBpm: Double?
    /// m/s.
    package var thresholdRunMps: Double?
    package var thresholdSwimMps: Double?
    package var massKg: Double?
    /// `female` or `male`.
    package var sex: String?
    package var convention: FitnessConvention

    package init(
        thresholdPowerW: Double? = nil, restingBpm: Double? = nil, maximumBpm: Double? = nil,
        thresholdBpm: Double? = nil, thresholdRunMps: Double? = nil, thresholdSwimMps: Double? = nil,
        massKg: Double? = nil, sex: String? = nil, convention: FitnessConvention = .exponential
    ) {
        self.thresholdPowerW = thresholdPowerW
        self.restingBpm = restingBpm
        self.maximumBpm = maximumBpm
        self.thresholdBpm = thresholdBpm
        self.thresholdRunMps = thresholdRunMps
        self.thresholdSwimMps = thresholdSwimMps
        self.massKg = massKg
        self.sex = sex
        self.convention = convention
    }

    var thresholds: TrainingThresholds {
        TrainingThresholds(
            since: 0, thresholdPowerW: thresholdPowerW, thresholdRunMps: thresholdRunMps,
            thresholdSwimMps: thresholdSwimMps, restingBpm: restingBpm, maximumBpm: maximumBpm,
            thresholdBpm: thresholdBpm)
    }
}
