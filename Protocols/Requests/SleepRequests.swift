/// Nights, newest first.
package struct ListNights: Request {
    package typealias Reply = NightPage
    package static let target = ProcessName.body
    package static let name = "nights"
    /// Of the moment of waking.
    package var from: Timestamp
    package var to: Timestamp
    package var limit: Int

    package init(from: Timestamp, to: Timestamp, limit: Int = 60) {
        self.from = from
        self.to = to
        self.limit = limit
    }
}

/// Nights.
package struct NightPage: Message {
    /// Newest first; the proposal for bedtime stands beside them.
    package var nights: [SleepReport]
    /// For the night to come.
    package var bedtime: SleepReport.Bedtime?
    package var truncated: Bool

    package init(nights: [SleepReport], bedtime: SleepReport.Bedtime?, truncated: Bool) {
        self.nights = nights
        self.bedtime = bedtime
        self.truncated = truncated
    }
}

/// Sleep by days, weeks or months.
package struct GetSleepTrend: Request {
    package typealias Reply = SleepTrendReport
    package static let target = ProcessName.body
    package static let name = "sleep-trend"
    /// `daily` `weekly` `monthly`.
    package var period: String
    package var from: Timestamp
    package var to: Timestamp

    package init(period: String, from: Timestamp, to: Timestamp) {
        self.period = period
        self.from = from
        self.to = to
    }
}

/// Sleep by days, weeks or months; periods without a night are left out.
package struct SleepTrendReport: Message {
    package var period: String
    /// Oldest first; means over the nights of each.
    package var buckets: [Bucket]
    /// The last seven nights beside the four weeks before them, minutes asleep; absent with fewer than three of either.
    package var change: Change?

    package struct Bucket: Codable, Hashable, Sendable {
        package var label: String
        package var nights: Int
        package var nightsMetGoal: Int
        package var asleepMinutes: Double
        package var score: Double?
        /// Share of the time in bed, 0…1.
        package var efficiency: Double?
        package var deepMinutes: Double?
        package var remMinutes: Double?
        package var rmssdMs: Double?
        package var bpm: Double?
        /// Standard deviation of the middle of the night.
        package var middleSpreadMinutes: Double?

        package init(
            label: String, nights: Int, nightsMetGoal: Int, asleepMinutes: Double, score: Double?, efficiency: Double?,
            deepMinutes: Double?, remMinutes: Double?, rmssdMs: Double?, bpm: Double?, middleSpreadMinutes: Double?
        ) {
            self.label = label
            self.nights = nights
            self.nightsMetGoal = nightsMetGoal
            self.asleepMinutes = asleepMinutes
            self.score = score
            self.efficiency = efficiency
            self.deepMinutes = deepMinutes
            self.remMinutes = remMinutes
            self.rmssdMs = rmssdMs
            self.bpm = bpm
            self.middleSpreadMinutes = middleSpreadMinutes
        }
    }

    package struct Change: Codable, Hashable, Sendable {
        /// Minutes, with the ends of its 95 % interval.
        package var difference: Double
        package var low: Double
        package var high: Double
        package var nights: Int
        package var nightsBefore: Int

        package init(difference: Double, low: Double, high: Double, nights: Int, nightsBefore: Int) {
            self.difference = difference
            self.low = low
            self.high = high
            self.nights = nights
            self.nightsBefore = nightsBefore
        }
    }

    package init(period: String, buckets: [Bucket], change: Change?) {
        self.period = period
        self.buckets = buckets
        self.change = change
    }
}
