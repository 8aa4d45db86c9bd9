import Foundation

/// One signal of the nights or mornings, day by day, with what is usual for it.
///
/// A window never holds the day that is judged by it. Values are ln RMSSD or beats per minute; days without one are nil.
package struct SignalSeries: Hashable, Sendable {
    /// Number of the local day of the first value.
    package let firstDay: Int
    /// Shape `[days]`.
    package let values: [Double?]
    /// Smallest MAD: 0.05 for ln units, 1 for beats per minute.
    package let floor: Double

    package static let variabilityFloor = 0.05
    package static let restingFloor = 1.0
    /// Days of the window that decisions look at, and how many of them need a value.
    package static let windowDays = 60
    package static let smallestCount = 14
    /// Days of the rolling mean, and how many of them need a value (Plews 2014).
    package static let weekDays = 7
    package static let smallestWeek = 3

    package init(firstDay: Int, values: [Double?], floor: Double) {
        self.firstDay = firstDay
        self.values = values
        self.floor = floor
    }

    package subscript(day: Int) -> Double? {
        values.indices.contains(day - firstDay) ? values[day - firstDay] : nil
    }

    /// Values of the days before a day.
    package func before(_ day: Int, days: Int) -> [Double] {
        let end = min(max(day - firstDay, 0), values.count)
        return values[max(end - days, 0)..<end].compactMap { $0 }
    }

    /// Mean and ranges of the days before.
    ///
    /// - Returns: nil with fewer values than needed.
    package func baseline(
        before day: Int, days: Int = windowDays, needed: Int = smallestCount
    ) -> SignalBaseline? {
        let window = before(day, days: days)
        guard window.count >= max(needed, 2), let mean = mean(of: window), let sd = sampleSD(of: window) else {
            return nil
        }
        return SignalBaseline(count: window.count, mean: mean, sd: sd)
    }

    /// Where a day's value lies among the days before.
    ///
    /// - Returns: nil without a value, or with fewer values before it than needed.
    package func score(
        _ day: Int, days: Int = windowDays, needed: Int = smallestCount
    ) -> SignalScore? {
        guard let value = self[day] else { return nil }
        let window = before(day, days: days)
        guard window.count >= needed, let median = median(of: window),
            // Sorted twice, not five times as by asking for MAD and z: ten years ask this ten thousand times.
            let mad = Physiology.median(of: window.map { abs($0 - median) })
        else { return nil }
        let excess = value - median
        return SignalScore(
            count: window.count, median: median, mad: mad, unflooredZ: mad > 0 ? Self.normal * excess / mad : nil,
            z: Self.normal * excess / max(mad, floor), excess: excess)
    }

    /// Turns a MAD into the SD of a normal distribution.
    static let normal = 0.6744897501960817

    /// Mean of the last seven days, this one among them; nil below three values.
    package func weekMean(_ day: Int) -> Double? {
        let week = week(day)
        return week.count >= Self.smallestWeek ? mean(of: week) : nil
    }

    /// Coefficient of variation of the last seven days, %: how steady the signal is.
    package func weekVariationPercent(_ day: Int) -> Double? {
        let week = week(day)
        guard week.count >= Self.smallestWeek, let mean = mean(of: week), mean != 0, let sd = sampleSD(of: week) else {
            return nil
        }
        return 100 * sd / mean
    }

    private func week(_ day: Int) -> [Double] { before(day + 1, days: Self.weekDays) }

    /// The week's mean against the usual range, mean ± 0.5 SD of the window.
    package func trend(_ day: Int) -> NightlyTrend {
        guard let week = weekMean(day), let usual = baseline(before: day) else { return .notEnoughData }
        if week < usual.usualLow { return .below }
        return week > usual.usualHigh ? .above : .within
    }
}

/// What is usual: of ln values in ln units.
package struct SignalBaseline: Hashable, Codable, Sendable {
    package var count: Int
    package var mean: Double
    /// n − 1.
    package var sd: Double

    /// Smallest worthwhile change: 0.5 SD around the mean. Decisions use it on the week's mean.
    package var usualLow: Double { mean - sd / 2 }
    package var usualHigh: Double { mean + sd / 2 }
    /// One SD: a single day outside is worth a word.
    package var normalLow: Double { mean - sd }
    package var normalHigh: Double { mean + sd }

    package init(count: Int, mean: Double, sd: Double) {
        self.count = count
        self.mean = mean
        self.sd = sd
    }
}

/// One day against the days before it.
package struct SignalScore: Hashable, Codable, Sendable {
    package var count: Int
    package var median: Double
    /// Not floored.
    package var mad: Double
    /// Without the floor of the MAD; nil for a MAD of 0.
    package var unflooredZ: Double?
    /// 0.6745 · (value − median) / max(MAD, floor): what decisions use.
    package var z: Double
    /// Value − median, in the unit of the signal.
    package var excess: Double

    package init(count: Int, median: Double, mad: Double, unflooredZ: Double?, z: Double, excess: Double) {
        self.count = count
        self.median = median
        self.mad = mad
        self.unflooredZ = unflooredZ
        self.z = z
        self.excess = excess
    }
}
