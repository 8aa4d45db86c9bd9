/// What is usual for this body; every figure already blended with its prior.
package struct Baseline: Message {
    package var at: Timestamp
    /// Mean and SD of ln RMSSD over the nights of the window; absent when there is neither data nor a prior.
    package var lnRmssdMean: Double?
    package var lnRmssdSd: Double?
    package var sdnnMs: Double?
    package var restingBpm: Double
    package var maximumBpm: Double
    /// Mean and SD of the heart rate while still.
    package var stillBpmMean: Double
    package var stillBpmSd: Double
    /// Mean still heart rate by local hour, shape `[24]`; null for an hour without data in it and beside it.
    package var stillBpmByHour: [Double?]
    /// Nights with data in the window (acts from 14).
    package var nights: Int
    /// Minutes of still heart rate behind `stillBpmMean`.
    package var stillMinutes: Double
    /// First sample that counts.
    package var since: Timestamp?
    /// 0…1: share of the person's own data in the blend.
    package var confidence: Double
    /// `profile` or `population` for priors, `heartRate`, `hrv` for own data.
    package var sources: [SourceAge]
    /// Mean and SD of ln RMSSD of one-minute windows while awake and still: what a live minute is compared with.
    package var stillLnRmssdMean: Double?
    package var stillLnRmssdSd: Double?

    package init(
        at: Timestamp, lnRmssdMean: Double?, lnRmssdSd: Double?, sdnnMs: Double?, restingBpm: Double,
        maximumBpm: Double, stillBpmMean: Double, stillBpmSd: Double, stillBpmByHour: [Double?], nights: Int,
        stillMinutes: Double, since: Timestamp?, confidence: Double, sources: [SourceAge],
        stillLnRmssdMean: Double? = nil, stillLnRmssdSd: Double? = nil
    ) {
        self.at = at
        self.lnRmssdMean = lnRmssdMean
        self.lnRmssdSd = lnRmssdSd
        self.sdnnMs = sdnnMs
        self.restingBpm = restingBpm
        self.maximumBpm = maximumBpm
        self.stillBpmMean = stillBpmMean
        self.stillBpmSd = stillBpmSd
        self.stillBpmByHour = stillBpmByHour
        self.nights = nights
        self.stillMinutes = stillMinutes
        self.since = since
        self.confidence = confidence
        self.sources = sources
        self.stillLnRmssdMean = stillLnRmssdMean
        self.stillLnRmssdSd = stillLnRmssdSd
    }
}

package enum StressGate: String, Codable, Hashable, Sendable { case none, active, recovering }

package enum StressLevel: String, Codable, Hashable, Sendable, CaseIterable {
    case relaxed, normal, elevated, high, overload
}

/// One stress reading.
package struct StressReading: Message {
    package var at: Timestamp
    /// Absent while gated.
    package var level: Open<StressLevel>?
    /// 0…1 on the scale of `model.md`: 0.40 on an average moment.
    package var score: Double
    /// The parts of the score.
    package var factors: [Factor]
    /// Why no level is told, if so: moving, or the 15 min after exercise.
    package var gate: Open<StressGate>
    package var confidence: Double

    /// One part of the score, in units of the z that it adds.
    package struct Factor: Codable, Hashable, Sendable {
        package var name: String
        package var z: Double
        package init(name: String, z: Double) {
            self.name = name
            self.z = z
        }
    }

    package init(
        at: Timestamp, level: StressLevel?, score: Double, factors: [Factor], gate: StressGate, confidence: Double
    ) {
        self.at = at
        self.level = level.map { Open($0) }
        self.score = score
        self.factors = factors
        self.gate = Open(gate)
        self.confidence = confidence
    }
}
