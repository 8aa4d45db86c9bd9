import Bus
import Foundation
import GRDB
import Physiology
import Protocols
import Store

/// The last night on the bus, and questions about nights.
extension BodyKeeper {
    /// Days of nights that are held for what is usual and for bedtime.
    static let sleepDays = 70.0
    /// Days after which an old night is worth half.
    static let sleepHalfLifeDays = 1.0

    /// Reads the nights again and publishes the newest one when it is not the one that was said.
    func publishSleep(bus: any BusPort) throws {
        let now = bus.now
        let settings = try settings()
        live.nights = try recentNights(at: now, settings: settings)
        guard let last = live.nights.last else {
            if live.saidSleep != nil { bus.withdraw(Registry.sleep(listener)) }
            live.saidSleep = nil
            return
        }
        let report = said(
            last, at: now,
            bedtime: BedtimePlan.next(after: now, nights: live.nights, settings: settings, clock: clock))
        if var said = live.saidSleep {
            said.at = report.at
            if said == report { return }
        }
        live.saidSleep = report
        bus.publish(report, on: Registry.sleep(listener))
    }

    /// Nights of the last weeks; after an import of an old export those of the weeks before its newest one.
    private func recentNights(at now: Timestamp, settings: BodySettings) throws -> [NightFigures] {
        let span = Self.sleepDays * 86_400
        let recent = try nights(
            from: now.adding(seconds: -span), to: now.adding(seconds: LiveBody.longestAhead), settings: settings)
        guard recent.isEmpty, let newest = try newestNightEnd(before: now) else { return recent }
        return try nights(from: newest.adding(seconds: -span), to: newest.adding(seconds: 1), settings: settings)
    }

    /// A night as it is told now: what it says about the listener wears off.
    private func said(_ night: NightFigures, at now: Timestamp, bedtime: SleepReport.Bedtime?) -> SleepReport {
        var report = night.report(at: now, bedtime: bedtime)
        let days = max(0, (now.seconds(since: night.endAt) / 86_400 - 1).rounded(.down))
        report.confidence *= exp2(-days / Self.sleepHalfLifeDays)
        return report
    }

    /// Figures of the nights whose segments end in a span.
    func nights(from: Timestamp, to: Timestamp, settings: BodySettings) throws -> [NightFigures] {
        let segments = try store.file.read { db in try BodyStore.sleepSegments(from: from, to: to, in: db) }
        guard let first = segments.first else { return [] }
        return NightFigures.all(
            SleepNights.nights(from: segments, timeZone: clock.timeZone),
            minutes: try store.stillMinutes(since: first.start), goal: Double(settings.sleepGoalMinutes),
            timeZone: clock.timeZone)
    }

    private func newestNightEnd(before now: Timestamp) throws -> Timestamp? {
        try store.file.read { db in
            try Int64.fetchOne(
                db, sql: "SELECT max(endAt) FROM sleepSegment WHERE endAt <= ?", arguments: [now.milliseconds]
            ).map { Timestamp(milliseconds: $0) }
        }
    }

    // MARK: Questions

    /// Days before a span whose nights say what is usual in it.
    private static let before = 40.0 * 86_400

    func listNights(_ query: ListNights, at now: Timestamp) throws -> NightPage {
        try checkWindow(query.from, query.to, query.limit)
        let settings = try settings()
        let found = try nights(from: query.from.adding(seconds: -Self.before), to: query.to, settings: settings)
            .filter { $0.endAt >= query.from }
        let recent = try recentNights(at: now, settings: settings)
        return NightPage(
            nights: found.suffix(query.limit).reversed().map { $0.report(at: $0.endAt, bedtime: nil) },
            bedtime: BedtimePlan.next(after: now, nights: recent, settings: settings, clock: clock),
            truncated: found.count > query.limit)
    }

    func sleepTrend(_ query: GetSleepTrend) throws -> SleepTrendReport {
        try checkWindow(query.from, query.to, 1)
        let period = try Self.period(query.period, of: [.daily, .weekly, .monthly])
        let settings = try settings()
        let found = try nights(from: query.from.adding(seconds: -Self.before), to: query.to, settings: settings)
        let change = found.last.flatMap { SleepTrend.recentChange(of: found, until: $0.day) }
        return SleepTrendReport(
            period: query.period,
            buckets: SleepTrend.buckets(of: found.filter { $0.endAt >= query.from }, period).map { bucket in
                .init(
                    label: bucket.label, nights: bucket.nights, nightsMetGoal: bucket.nightsMetGoal,
                    asleepMinutes: bucket.asleepMinutes, score: bucket.score, efficiency: bucket.efficiency,
                    deepMinutes: bucket.deepMinutes, remMinutes: bucket.remMinutes, rmssdMs: bucket.rmssdMs,
                    bpm: bucket.bpm, middleSpreadMinutes: bucket.middleSpreadMinutes)
            },
            change: change.map {
                .init(
                    difference: $0.difference, low: $0.low, high: $0.high, nights: $0.firstCount,
                    nightsBefore: $0.secondCount)
            })
    }

    static func period(_ text: String, of allowed: [TrendPeriod]) throws(Refusal) -> TrendPeriod {
        guard let period = TrendPeriod(rawValue: text), allowed.contains(period) else {
            let names = allowed.map(\.rawValue).joined(separator: ", ")
            throw Refusal(code: "invalid", message: "there is no period “\(text.prefix(40))”; there are \(names)")
        }
        return period
    }
}
