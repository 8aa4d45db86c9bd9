/// What the listener told about their body.
package struct GetProfile: Request {
    package typealias Reply = Profile
    package static let target = ProcessName.body
    package static let name = "profile"
    package init() {}
}

/// Tells one thing about the body.
package struct SetProfile: Request {
    package typealias Reply = Profile
    package static let target = ProcessName.body
    package static let name = "profile-set"
    /// `age` `sex` `restingBpm` `maximumBpm` `usualRmssdMs` `usualSdnnMs`.
    package var name: String
    /// nil = forget it.
    package var value: String?

    package init(name: String, value: String? = nil) {
        self.name = name
        self.value = value
    }
}

/// All of it optional.
package struct Profile: Message {
    package var age: Int?
    /// `female` or `male`.
    package var sex: String?
    package var restingBpm: Double?
    package var maximumBpm: Double?
    package var usualRmssdMs: Double?
    package var usualSdnnMs: Double?

    package init(
        age: Int? = nil, sex: String? = nil, restingBpm: Double? = nil, maximumBpm: Double? = nil,
        usualRmssdMs: Double? = nil, usualSdnnMs: Double? = nil
    ) {
        self.age = age
        self.sex = sex
        self.restingBpm = restingBpm
        self.maximumBpm = maximumBpm
        self.usualRmssdMs = usualRmssdMs
        self.usualSdnnMs = usualSdnnMs
    }
}

/// The baseline now.
package struct GetBaseline: Request {
    package typealias Reply = Baseline
    package static let target = ProcessName.body
    package static let name = "baseline"
    package init() {}
}

/// HRV figures of the stored beats of a window.
package struct GetHRV: Request {
    package typealias Reply = HRVReport
    package static let target = ProcessName.body
    package static let name = "hrv"
    package var from: Timestamp
    package var to: Timestamp

    package init(from: Timestamp, to: Timestamp) {
        self.from = from
        self.to = to
    }
}

/// HRV of a window.
package struct HRVReport: Message {
    package var n: Int
    package var meanNnMs: Double?
    package var sdnnMs: Double?
    package var rmssdMs: Double?
    package var pnn50Percent: Double?
    package var correctedRmssdMs: Double?
    package var correctedShare: Double?
    /// False above 5 % corrected beats.
    package var usable: Bool
    package var gaps: Int

    package init(
        n: Int, meanNnMs: Double?, sdnnMs: Double?, rmssdMs: Double?, pnn50Percent: Double?, correctedRmssdMs: Double?,
        correctedShare: Double?, usable: Bool, gaps: Int
    ) {
        self.n = n
        self.meanNnMs = meanNnMs
        self.sdnnMs = sdnnMs
        self.rmssdMs = rmssdMs
        self.pnn50Percent = pnn50Percent
        self.correctedRmssdMs = correctedRmssdMs
        self.correctedShare = correctedShare
        self.usable = usable
        self.gaps = gaps
    }
}

/// Stored samples, oldest first.
package struct GetSeries: Request {
    package typealias Reply = Series
    package static let target = ProcessName.body
    package static let name = "series"
    /// `heartRate` `rr` `motion`.
    package var kind: String
    package var from: Timestamp
    package var to: Timestamp
    package var limit: Int

    package init(kind: String, from: Timestamp, to: Timestamp, limit: Int = 5000) {
        self.kind = kind
        self.from = from
        self.to = to
        self.limit = limit
    }
}

/// One sample.
package struct SeriesPoint: Codable, Hashable, Sendable {
    package var at: Timestamp
    package var value: Double

    package init(at: Timestamp, value: Double) {
        self.at = at
        self.value = value
    }
}

/// Samples.
package struct Series: Message {
    package var kind: String
    package var points: [SeriesPoint]
    package var truncated: Bool

    package init(kind: String, points: [SeriesPoint], truncated: Bool) {
        self.kind = kind
        self.points = points
        self.truncated = truncated
    }
}
