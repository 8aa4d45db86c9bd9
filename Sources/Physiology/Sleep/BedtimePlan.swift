import Foundation
import Protocols

/// When to go to bed so that the night reaches its goal.
package struct BedtimePlan: Hashable, Codable, Sendable {
    /// Local minutes since midnight, 0..<1440.
    package var bedMinute: Int
    package var wakeMinute: Int
    package var reasons: [String]

    /// Nights that the habits are read from, and how many of a kind they take.
    package static let nights = 28
    package static let minimumNights = 3
    /// Without any: what half the world does.
    package static let usualWakeMinute = 7 * 60
    /// Minutes to fall asleep where none is told (Ohayon et al. 2017: up to 30 is fine).
    package static let usualLatency = 15.0
    package static let longestLatency = 60.0
    /// A sleep debt of the last 7 nights from this on is paid back by at most this much a night, min.
    package static let debtFrom = 120.0
    package static let longestExtra = 30.0
    /// The proposal is rounded to this.
    package static let step = 5.0

    /// - Parameters:
    ///   - day: local day on which the night will end.
    ///   - nights: of the past, any order.
    package init(day: Int, nights: [NightFigures], settings: BodySettings) {
        let recent = nights.filter { (day - Self.nights..<day).contains($0.day) }
        let goal = Double(settings.sleepGoalMinutes)
        reasons = []
        let isWeekend = LocalDate.weekday(of: day) >= 6
        let kind = recent.filter { (LocalDate.weekday(of: $0.day) >= 6) == isWeekend }
        let wake: Int
        if let wanted = settings.wakeAt {
            wake = wanted
            reasons.append("You want to get up at \(BodySettings.clockText(wanted)).")
        } else if kind.count >= Self.minimumNights, let usual = median(of: kind.map(\.endMinute)) {
            wake = (Int(usual) + 720) % 1440
            let days = isWeekend ? "weekends" : "weekdays"
            reasons.append(
                "You usually wake at \(BodySettings.clockText(wake)) on \(days) (median of \(kind.count) nights).")
        } else {
            wake = Self.usualWakeMinute
            reasons.append(
                "Too few nights are known for your usual time, so \(BodySettings.clockText(wake)) is assumed.")
        }
        wakeMinute = wake
        reasons.append("Sleep goal: \(Self.hours(goal)).")

        let latencies = recent.compactMap(\.latencyMinutes)
        let latency =
            latencies.count >= Self.minimumNights
            ? min(median(of: latencies) ?? Self.usualLatency, Self.longestLatency) : Self.usualLatency
        reasons.append("Falling asleep takes about \(Int(latency.rounded())) min.")

        let week = recent.filter { (day - 7..<day).contains($0.day) }
        let debt = week.reduce(0) { $0 + max(0, goal - $1.asleepMinutes - $1.napMinutes) }
        var extra = 0.0
        if week.count >= Self.minimumNights, debt >= Self.debtFrom {
            extra = min(Self.longestExtra, debt / 7)
            reasons.append(
                "\(Self.hours(debt)) of sleep are missing from the last \(week.count) nights: \(Int(extra.rounded())) min earlier."
            )
        }
        let bed = Double(wake) - goal - latency - extra
        let rounded = Int((bed / Self.step).rounded(.down) * Self.step)
        bedMinute = ((rounded % 1440) + 1440) % 1440
    }

    /// The moments of this plan for the night that ends on a local day.
    ///
    /// Counted back from waking, so a night of summer time is as long as any other.
    package func bedtime(day: Int, clock: LocalClock) -> SleepReport.Bedtime {
        let wakeAt = clock.moment(day: day, minute: wakeMinute)
        let length = ((wakeMinute - bedMinute) % 1440 + 1440) % 1440
        return .init(at: wakeAt.adding(seconds: -Double(length) * 60), wakeAt: wakeAt, reasons: reasons)
    }

    static func hours(_ minutes: Double) -> String {
        let whole = Int(minutes.rounded())
        return whole % 60 == 0 ? "\(whole / 60) h" : "\(whole / 60) h \(whole % 60) min"
    }
}

extension LocalClock {
    /// The first moment at which the wall clock shows a time of a local day; a time that summer time leaves out is the
    /// moment at which it would have been.
    package func moment(day: Int, minute: Int) -> Timestamp {
        let local = (Int64(day) * 1440 + Int64(minute)) * 60_000
        let guess = Timestamp(milliseconds: local)
        // The offset before and after any change of that day.
        let early = Int64(timeZone.secondsFromGMT(for: guess.adding(seconds: -86_400).date)) * 1000
        let first = Timestamp(milliseconds: local - early)
        if Int64(timeZone.secondsFromGMT(for: first.date)) * 1000 == early { return first }
        let late = Int64(timeZone.secondsFromGMT(for: first.date)) * 1000
        let second = Timestamp(milliseconds: local - late)
        return Int64(timeZone.secondsFromGMT(for: second.date)) * 1000 == late ? second : first
    }
}

extension BedtimePlan {
    /// The proposal for the night that ends next after `now`; nil when nothing is known that it could rest on.
    package static func next(
        after now: Timestamp, nights: [NightFigures], settings: BodySettings, clock: LocalClock
    ) -> SleepReport.Bedtime? {
        guard !nights.isEmpty || settings.wakeAt != nil else { return nil }
        let today = clock.day(of: now)
        // Before the proposed time of this morning the night that ends today is still to come.
        for day in [today, today + 1] {
            let bedtime = BedtimePlan(day: day, nights: nights, settings: settings).bedtime(day: day, clock: clock)
            if bedtime.wakeAt > now { return bedtime }
        }
        return nil
    }
}
