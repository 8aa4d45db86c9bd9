/// What training is measured against, by the day from which it holds.
package struct ListThresholds: Request {
    package typealias Reply = ThresholdList
    package static let target = ProcessName.body
    package static let name = "thresholds"
    package init() {}
}

/// Says a threshold from a day on; days before it keep what held then.
package struct SetThreshold: Request {
    package typealias Reply = ThresholdList
    package static let target = ProcessName.body
    package static let name = "thresholds-set"
    /// First day, `2026-03-04`; absent = today.
    package var since: String?
    /// `thresholdPowerW` `thresholdRunMps` `thresholdSwimMps` `restingBpm` `maximumBpm` `thresholdBpm`.
    package var field: String
    /// nil = what held before that day holds on.
    package var value: Double?

    package init(since: String? = nil, field: String, value: Double?) {
        self.since = since
        self.field = field
        self.value = value
    }
}

/// Thresholds, oldest first.
package struct ThresholdList: Message {
    package var rows: [Row]

    /// From a day on; what a row does not say holds on from the row before.
    package struct Row: Codable, Hashable, Sendable {
        package var since: String
        package var thresholdPowerW: Double?
        package var thresholdRunMps: Double?
        package var thresholdSwimMps: Double?
        package var restingBpm: Double?
        package var maximumBpm: Double?
        package var thresholdBpm: Double?

        package init(since: String) { self.since = since }
    }

    package init(rows: [Row]) { self.rows = rows }
}

/// Deletes a span of what is kept about the body, on disk, too.
package struct DeleteBodyRange: Request {
    package typealias Reply = DeletedRange
    package static let target = ProcessName.body
    package static let name = "delete-range"
    /// `all`, or one of `heartRate` `variability` `restingHeartRate` `sleep` `workouts` `quantities` `stress` `journal`
    /// `breathing` `alerts` `thresholds` `context`.
    package var kind: String
    package var from: Timestamp
    /// Not part of it any more.
    package var to: Timestamp
    /// Must be true: there is no way back.
    package var confirmed: Bool

    package init(kind: String, from: Timestamp, to: Timestamp, confirmed: Bool) {
        self.kind = kind
        self.from = from
        self.to = to
        self.confirmed = confirmed
    }
}

/// What a deletion removed.
package struct DeletedRange: Message {
    /// Samples or rows by table.
    package var removed: [String: Int]

    package init(removed: [String: Int]) { self.removed = removed }
}
