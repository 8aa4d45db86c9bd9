/// Stress by hours, days, weeks or months.
package struct GetStressTrend: Request {
    package typealias Reply = StressTrendReport
    package static let target = ProcessName.body
    package static let name = "stress-trend"
    /// `hourly` `daily` `weekly` `monthly`.
    package var period: String
    package var from: Timestamp
    /// Not part of it any more.
    package var to: Timestamp
    /// The newest so many.
    package var limit: Int

    package init(period: String, from: Timestamp, to: Timestamp, limit: Int = 400) {
        self.period = period
        self.from = from
        self.to = to
        self.limit = limit
    }
}

/// Stress by hours, days, weeks or months; periods without a reading are left out.
package struct StressTrendReport: Message {
    package var period: String
    /// Oldest first.
    package var buckets: [Bucket]
    package var truncated: Bool

    package struct Bucket: Codable, Hashable, Sendable {
        /// `2026-03-04`, with the hour `2026-03-04 14:00`, of a month `2026-03`.
        package var label: String
        /// Readings of still moments, and those that movement kept without a level.
        package var readings: Int
        package var gated: Int
        /// Local days with a reading.
        package var days: Int
        /// Means that weigh each reading by its confidence: 0…1, and what it is computed from.
        package var score: Double?
        package var z: Double?
        /// Of the mean, by the common cut points.
        package var level: Open<StressLevel>?
        /// Readings by level.
        package var levels: [String: Int]
        package var rmssdMs: Double?
        package var bpm: Double?
        package var confidence: Double

        package init(
            label: String, readings: Int, gated: Int, days: Int, score: Double?, z: Double?, level: StressLevel?,
            levels: [String: Int], rmssdMs: Double?, bpm: Double?, confidence: Double
        ) {
            self.label = label
            self.readings = readings
            self.gated = gated
            self.days = days
            self.score = score
            self.z = z
            self.level = level.map { Open($0) }
            self.levels = levels
            self.rmssdMs = rmssdMs
            self.bpm = bpm
            self.confidence = confidence
        }
    }

    package init(period: String, buckets: [Bucket], truncated: Bool) {
        self.period = period
        self.buckets = buckets
        self.truncated = truncated
    }
}

/// A level for each local day.
package struct GetStressCalendar: Request {
    package typealias Reply = StressCalendarReport
    package static let target = ProcessName.body
    package static let name = "stress-calendar"
    package var from: Timestamp
    package var to: Timestamp

    package init(from: Timestamp, to: Timestamp) {
        self.from = from
        self.to = to
    }
}

/// A level for each local day.
package struct StressCalendarReport: Message {
    /// Every day of the span, oldest first.
    package var days: [Day]

    package struct Day: Codable, Hashable, Sendable {
        /// `2026-03-04`.
        package var date: String
        /// The day among the person's days before it; absent with fewer than ten readings.
        package var level: Open<StressLevel>?
        /// `green` `blue` `yellow` `orange` `red`, `gray` without a level.
        package var colour: String
        /// True until 14 days are there to compare with.
        package var isProvisional: Bool
        package var readings: Int
        package var score: Double?
        /// Highest level that was read at least three times.
        package var highest: Open<StressLevel>?

        package init(
            date: String, level: StressLevel?, colour: String, isProvisional: Bool, readings: Int, score: Double?,
            highest: StressLevel?
        ) {
            self.date = date
            self.level = level.map { Open($0) }
            self.colour = colour
            self.isProvisional = isProvisional
            self.readings = readings
            self.score = score
            self.highest = highest.map { Open($0) }
        }
    }

    package init(days: [Day]) { self.days = days }
}

/// What was told, newest first.
package struct ListAlerts: Request {
    package typealias Reply = AlertPage
    package static let target = ProcessName.body
    package static let name = "alerts"
    package var from: Timestamp
    package var to: Timestamp
    package var limit: Int

    package init(from: Timestamp, to: Timestamp, limit: Int = 200) {
        self.from = from
        self.to = to
        self.limit = limit
    }
}

/// What was told.
package struct AlertPage: Message {
    package var alerts: [BodyAlert]
    package var truncated: Bool

    package init(alerts: [BodyAlert], truncated: Bool) {
        self.alerts = alerts
        self.truncated = truncated
    }
}

/// Writes what is known of stress and sleep into a new file, 0600.
package struct WriteBodyReport: Request {
    package typealias Reply = WrittenReport
    package static let target = ProcessName.body
    package static let name = "report"
    /// Absolute, and not there yet.
    package var path: String
    /// `html`: a page that needs nothing else; `csv`, `json`: one row for each stress reading.
    package var format: String
    package var from: Timestamp
    package var to: Timestamp

    package init(path: String, format: String, from: Timestamp, to: Timestamp) {
        self.path = path
        self.format = format
        self.from = from
        self.to = to
    }
}

/// A file that was written.
package struct WrittenReport: Message {
    package var path: String
    package var format: String
    package var bytes: Int
    /// Stress readings and nights in it.
    package var readings: Int
    package var nights: Int

    package init(path: String, format: String, bytes: Int, readings: Int, nights: Int) {
        self.path = path
        self.format = format
        self.bytes = bytes
        self.readings = readings
        self.nights = nights
    }
}
