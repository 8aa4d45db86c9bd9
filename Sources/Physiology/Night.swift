import Foundation
import Protocols

/// One night as far as beats and movement tell; without sleep data a night is the still minutes of the small hours.
package struct Night: Hashable, Codable, Sendable {
    /// Number of the local day on which it ends, see ``LocalClock/night(of:)``.
    package var night: Int
    /// Mean of ln RMSSD (ms) of its good minutes.
    package var lnRmssd: Double?
    /// Median SDNN of its good minutes, ms: one-minute values, to be compared with such alone.
    package var sdnnMs: Double?
    /// Mean heart rate.
    package var bpm: Double

    package init(night: Int, lnRmssd: Double?, sdnnMs: Double?, bpm: Double) {
        self.night = night
        self.lnRmssd = lnRmssd
        self.sdnnMs = sdnnMs
        self.bpm = bpm
    }

    /// Local hours of the night.
    ///
    /// Source: NightSignal takes 0–7 h without steps (Stanford wearable infection study); the last hour is left out, many
    /// are up by then.
    package static let hours = 0..<6
    /// Still minutes that make a night.
    package static let minimumMinutes = 60
    /// Good minutes of beats that make its HRV.
    package static let minimumHrvMinutes = 30
    /// Minutes whose lowest mean is the resting heart rate of a day, and how many of them must be still.
    package static let restingMinutes = 30
    package static let restingMinimumMinutes = 20

    /// Nights in order.
    package static func nights(from minutes: [StillMinute], clock: LocalClock) -> [Night] {
        let small = minutes.filter { hours.contains(clock.hour(of: $0.at)) }
        return Dictionary(grouping: small) { clock.night(of: $0.at) }
            .filter { $0.value.count >= minimumMinutes }
            .map { night, minutes in
                let beats = minutes.compactMap(\.lnRmssd)
                let enough = beats.count >= minimumHrvMinutes
                return Night(
                    night: night, lnRmssd: enough ? mean(of: beats) : nil,
                    sdnnMs: enough ? median(of: minutes.compactMap(\.sdnnMs)) : nil,
                    bpm: mean(of: minutes.map(\.bpm)) ?? 0)
            }
            .sorted { $0.night < $1.night }
    }

    /// Resting heart rate of each local day: the lowest mean of half an hour of still minutes, in the order of days.
    package static func restingByDay(from minutes: [StillMinute], clock: LocalClock) -> [Double] {
        Dictionary(grouping: minutes) { clock.day(of: $0.at) }
            .sorted { $0.key < $1.key }
            .compactMap { resting(of: $0.value) }
    }

    /// Lowest mean over 30 min with at least 20 still minutes; nil when there is no such half hour.
    package static func resting(of minutes: [StillMinute]) -> Double? {
        let sorted = minutes.sorted { $0.at < $1.at }
        var lowest: Double?
        var first = 0
        var sum = 0.0
        for (index, minute) in sorted.enumerated() {
            sum += minute.bpm
            while minute.at.seconds(since: sorted[first].at) >= Double(restingMinutes) * 60 {
                sum -= sorted[first].bpm
                first += 1
            }
            let count = index - first + 1
            if count >= restingMinimumMinutes { lowest = min(lowest ?? .infinity, sum / Double(count)) }
        }
        return lowest
    }
}

/// The week's HRV against the person's own range.
package enum NightlyTrend: String, Codable, Hashable, Sendable {
    case below, within, above, notEnoughData

    /// The mean of ln RMSSD of the last seven nights against mean ± 0.5 SD of the 60 days before tonight.
    ///
    /// - Parameters:
    ///   - nights: in any order.
    ///   - latest: the night that is judged; it is not part of its own baseline.
    /// - Returns: `notEnoughData` below 14 nights of baseline or three nights of the week.
    ///
    /// Source: Plews et al., Int. J. Sports Physiol. Perform. 9:783 (2014): at least three days a week; smallest
    /// worthwhile change 0.5 SD.
    package static func of(_ nights: [Night], latest: Int) -> NightlyTrend {
        let known = nights.compactMap { night in night.lnRmssd.map { (night: night.night, value: $0) } }
        let week = known.filter { (latest - 6...latest).contains($0.night) }.map(\.value)
        let window = known.filter { (latest - BaselineBuilder.windowDays..<latest).contains($0.night) }.map(\.value)
        guard week.count >= 3, window.count >= BaselineBuilder.actingDays, let now = mean(of: week),
            let centre = mean(of: window), let sd = sampleSD(of: window)
        else { return .notEnoughData }
        if now < centre - sd / 2 { return .below }
        return now > centre + sd / 2 ? .above : .within
    }
}
