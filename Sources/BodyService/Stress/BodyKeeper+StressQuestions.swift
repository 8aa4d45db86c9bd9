import Bus
import Foundation
import Physiology
import Protocols
import Store

/// Questions about stress, sleep and what was told.
extension BodyKeeper {
    /// Longest calendar, days.
    private static let longestCalendar = 3700

    /// - Returns: false when the request is another one.
    func answerStress(_ request: IncomingRequest, bus: any BusPort) throws -> Bool {
        if try request.decode(MeasureStress.self) != nil {
            measure(request, bus: bus)
        } else if let query = try request.decode(GetStressTrend.self) {
            request.reply(try stressTrend(query))
        } else if let query = try request.decode(GetStressCalendar.self) {
            request.reply(try stressCalendar(query))
        } else if let query = try request.decode(ListNights.self) {
            request.reply(try listNights(query, at: bus.now))
        } else if let query = try request.decode(GetSleepTrend.self) {
            request.reply(try sleepTrend(query))
        } else if let query = try request.decode(ListAlerts.self) {
            try checkWindow(query.from, query.to, query.limit)
            let found = try store.file.read { db in
                try StressTable.alerts(from: query.from, to: query.to, limit: query.limit + 1, in: db)
            }
            request.reply(AlertPage(alerts: Array(found.prefix(query.limit)), truncated: found.count > query.limit))
        } else if let query = try request.decode(WriteBodyReport.self) {
            request.reply(try writeReport(query, at: bus.now))
        } else {
            return false
        }
        return true
    }

    private func stressTrend(_ query: GetStressTrend) throws -> StressTrendReport {
        try checkWindow(query.from, query.to, query.limit)
        let period = try Self.period(query.period, of: TrendPeriod.allCases)
        let readings = try store.file.read { db in
            try StressTable.figures(from: query.from, to: query.to, in: db)
        }
        let buckets = StressTrend.buckets(of: readings, period, clock: clock)
        return StressTrendReport(
            period: query.period,
            buckets: buckets.suffix(query.limit).map { bucket in
                .init(
                    label: bucket.label, readings: bucket.readings, gated: bucket.gated, days: bucket.days,
                    score: bucket.score, z: bucket.z, level: bucket.level, levels: bucket.levels,
                    rmssdMs: bucket.rmssdMs, bpm: bucket.bpm, confidence: bucket.confidence)
            }, truncated: buckets.count > query.limit)
    }

    private func stressCalendar(_ query: GetStressCalendar) throws -> StressCalendarReport {
        try checkWindow(query.from, query.to, 1)
        let (first, last) = (clock.day(of: query.from), clock.day(of: query.to.adding(milliseconds: -1)))
        guard last - first < Self.longestCalendar else {
            throw Refusal(code: "invalid", message: "a calendar has at most \(Self.longestCalendar) days")
        }
        let before = Double(BaselineBuilder.windowDays + 2) * 86_400
        let readings = try store.file.read { db in
            try StressTable.figures(from: query.from.adding(seconds: -before), to: query.to, in: db)
        }
        let days = StressCalendar.days(
            first...last, daily: StressTrend.buckets(of: readings, .daily, clock: clock))
        return StressCalendarReport(
            days: days.map { day in
                .init(
                    date: day.date, level: day.level, colour: day.colour, isProvisional: day.isProvisional,
                    readings: day.readings, score: day.score, highest: day.highest)
            })
    }
}
