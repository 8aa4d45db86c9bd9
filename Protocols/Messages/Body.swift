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

/// How much a reading can be relied on, by what it was made of.
package enum ReadingQuality: String, Codable, Hashable, Sendable, CaseIterable {
    /// `good`: heart rate and beats without holes; `fair`: heart rate, beats with holes or none; `poor`: few samples or a
    /// sensor in doubt; `unknown`: nothing was measured in the minute before.
    case good, fair, poor, unknown
}

/// What made a reading.
package enum ReadingSource: String, Codable, Hashable, Sendable, CaseIterable {
    /// `automatic`: on the rhythm of the body service; `manual`: asked for by the listener; `watch`: the watch's own
    /// reading of HRV.
    case automatic, manual, watch
}

/// What a stress reading speaks of.
package enum StressFactorKind: String, Codable, Hashable, Sendable, CaseIterable {
    /// The first two make the score, the others stand beside it.
    case hrvDeviation, rhrElevation, activityLevel, sleepQuality, timeOfDay
}

/// One stress reading.
package struct StressReading: Message {
    package static let schema = SchemaVersion(major: 1, minor: 1)

    package var at: Timestamp
    /// Absent while gated.
    package var level: Open<StressLevel>?
    /// 0…1 on the scale of `model.md`: 0.40 on an average moment.
    package var score: Double
    /// What the score is made of, and what stands beside it.
    package var factors: [Factor]
    /// Why no level is told, if so: moving, or the 15 min after exercise.
    package var gate: Open<StressGate>
    package var confidence: Double
    /// What `score` is computed from: unit variance for the person, 0 on an average still moment.
    package var z: Double?
    package var quality: Open<ReadingQuality>?
    package var source: Open<ReadingSource>?
    /// True when nothing was measured in the minute before, so that the last still value stands in for it.
    package var isHeld: Bool?
    /// Mean heart rate of the minute.
    package var bpm: Double?
    /// Of the minute's beats, where there were good ones.
    package var rmssdMs: Double?
    package var sdnnMs: Double?
    /// The four z at which the levels change, ascending.
    package var cutPoints: [Double]?
    /// True when the cut points are the person's own, from 14 days on.
    package var isPersonal: Bool?

    /// One factor. `z` is what it adds to the score's z; a factor that does not enter the score has 0 there.
    package struct Factor: Codable, Hashable, Sendable {
        /// A case of `StressFactorKind`.
        package var name: String
        package var z: Double
        /// −1 (speaks for calm) … 1 (speaks for stress).
        package var impact: Double?
        /// True when the factor does not enter the score and is told as context alone.
        package var isContext: Bool?
        package init(name: String, z: Double, impact: Double? = nil, isContext: Bool? = nil) {
            self.name = name
            self.z = z
            self.impact = impact
            self.isContext = isContext
        }
    }

    package init(
        at: Timestamp, level: StressLevel?, score: Double, factors: [Factor], gate: StressGate, confidence: Double,
        z: Double? = nil, quality: ReadingQuality? = nil, source: ReadingSource? = nil, isHeld: Bool? = nil,
        bpm: Double? = nil, rmssdMs: Double? = nil, sdnnMs: Double? = nil, cutPoints: [Double]? = nil,
        isPersonal: Bool? = nil
    ) {
        self.at = at
        self.level = level.map { Open($0) }
        self.score = score
        self.factors = factors
        self.gate = Open(gate)
        self.confidence = confidence
        self.z = z
        self.quality = quality.map { Open($0) }
        self.source = source.map { Open($0) }
        self.isHeld = isHeld
        self.bpm = bpm
        self.rmssdMs = rmssdMs
        self.sdnnMs = sdnnMs
        self.cutPoints = cutPoints
        self.isPersonal = isPersonal
    }
}
