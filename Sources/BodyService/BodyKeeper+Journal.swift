import Bus
import Foundation
import GRDB
import Physiology
import Protocols
import Store

/// The journal: what the listener says about themselves.
extension BodyKeeper {
    /// Caffeine below which a night is hardly disturbed by it: half an espresso after a half-life, mg.
    private static let littleCaffeineMg = 25.0
    private static let correlationDays = 14...3660
    /// Before and after a breathing session, s.
    private static let breathingWindow = 120.0

    /// - Returns: false when the request is another one.
    func answerJournal(_ request: IncomingRequest, bus: any BusPort) async throws -> Bool {
        if let query = try request.decode(AddJournal.self) {
            let entry = try JournalRules.checked(query.entry, now: bus.now)
            let now = bus.now
            try store.file.write { db in
                try JournalTable.add(entry, addedAt: now, in: db)
                try ComputationMark.clear(in: db)
            }
            request.reply(entry)
        } else if let query = try request.decode(UndoJournal.self) {
            let removed = try store.file.write { db in
                try ComputationMark.clear(in: db)
                return try JournalTable.removeLast(kind: query.kind, in: db)
            }
            guard let entry = removed else {
                throw Refusal(code: "not-found", message: "there is no entry to take back")
            }
            request.reply(entry)
        } else if let query = try request.decode(ListJournal.self) {
            request.reply(try journal(query, at: bus.now))
        } else if let query = try request.decode(GetCorrelations.self) {
            try await computeIfStale(bus: bus)
            request.reply(try correlations(query, at: bus.now))
        } else if let query = try request.decode(KeepBreathing.self) {
            request.reply(try keepBreathing(query, at: bus.now))
        } else if let query = try request.decode(ListBreathing.self) {
            request.reply(try breathing(query))
        } else {
            return false
        }
        return true
    }

    private func journal(_ query: ListJournal, at now: Timestamp) throws -> JournalPage {
        try checkWindow(query.from, query.to, query.limit)
        let (entries, recent) = try store.file.read { db in
            (
                try JournalTable.entries(
                    from: query.from, to: query.to, kind: query.kind, limit: query.limit + 1, in: db),
                // Ten half-lives: a thousandth of what was drunk.
                try JournalTable.entries(
                    from: now.adding(seconds: -Caffeine.halfLifeHours * 36_000), to: now.adding(milliseconds: 1),
                    in: db)
            )
        }
        let doses = recent.compactMap { entry in entry.caffeineMg.map { (at: entry.at, mg: $0) } }
        let left = Caffeine.remaining(at: now, of: doses)
        let today = clock.day(of: now)
        let drunk = recent.filter { clock.day(of: $0.at) == today }.compactMap(\.amountMl).reduce(0, +)
        let fitting = try ReplySize.fitting(Array(entries.prefix(query.limit)))
        return JournalPage(
            entries: fitting, truncated: entries.count > fitting.count,
            caffeineNowMg: left < Caffeine.negligibleMg ? 0 : left,
            caffeineClearsAt: Caffeine.clears(to: Self.littleCaffeineMg, remaining: left, at: now),
            hydrationTodayMl: drunk)
    }

    private func correlations(_ query: GetCorrelations, at now: Timestamp) throws -> CorrelationReport {
        guard Self.correlationDays.contains(query.days) else {
            throw Refusal(code: "invalid", message: "days must be 14…3660")
        }
        let today = clock.day(of: now)
        let first = today - query.days
        let (entries, days) = try store.file.read { db in
            (
                try JournalTable.entries(from: clock.start(ofDay: first), to: now.adding(milliseconds: 1), in: db),
                try BodyStore.figures(.day, as: DaySummary.self, from: first, through: today, in: db)
            )
        }
        let numbered = days.compactMap { day in LocalDate(day.date).map { (number: $0.number, day: day) } }
        // One kind of figure alone: lengths and definitions must not be mixed.
        let hasRmssd = numbered.count { $0.day.rmssdMs != nil } >= numbered.count { $0.day.sdnnMs != nil }
        let hrv = numbered.compactMap { row in
            (hasRmssd ? row.day.rmssdMs : row.day.sdnnMs).flatMap { $0 > 0 ? (row.number, log($0)) : nil }
        }
        let stress = numbered.compactMap { row in row.day.stress.map { (row.number, $0) } }
        let rows = JournalCorrelations.rows(
            entries: entries, hrvByDay: Dictionary(hrv) { first, _ in first },
            stressByDay: Dictionary(stress) { first, _ in first }, clock: clock)
        return CorrelationReport(
            days: query.days,
            rows: rows.map { row in
                CorrelationReport.Row(
                    factor: row.factor.rawValue, outcome: row.outcome.rawValue, n: row.correlation.n,
                    effectiveN: row.correlation.effectiveN, coefficient: row.correlation.coefficient,
                    low: row.correlation.low, high: row.correlation.high, verdict: row.correlation.verdict.rawValue,
                    text: row.text)
            }, notes: JournalCorrelations.notes(of: rows))
    }

    // MARK: Breathing

    private func keepBreathing(_ query: KeepBreathing, at now: Timestamp) throws -> BreathingSession {
        let seconds = query.endAt.seconds(since: query.startAt)
        guard seconds > 0, seconds <= 3600, query.endAt.seconds(since: now) <= JournalRules.futureTolerance,
            query.pattern.wholeMatch(of: /\d+(\.\d+)?(-\d+(\.\d+)?){1,3}/) != nil, (1...2000).contains(query.breaths)
        else { throw Refusal(code: "invalid", message: "a breathing session has 1 s…1 h, a pattern and breaths") }
        var session = BreathingSession(
            startAt: query.startAt, endAt: query.endAt, pattern: query.pattern, breaths: query.breaths)
        let before = try heart(from: query.startAt.adding(seconds: -Self.breathingWindow), to: query.startAt)
        // The last two minutes of it: afterwards people get up.
        let after = try heart(
            from: max(query.startAt, query.endAt.adding(seconds: -Self.breathingWindow)), to: query.endAt)
        (session.bpmBefore, session.rmssdBeforeMs) = before
        (session.bpmAfter, session.rmssdAfterMs) = after
        let kept = session
        try store.file.write { db in
            try db.execute(
                sql: """
                    INSERT OR REPLACE INTO breathingSession (startAt, endAt, pattern, breaths, bpmBefore, bpmAfter,
                        rmssdBeforeMs, rmssdAfterMs) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                    """,
                arguments: [
                    kept.startAt.milliseconds, kept.endAt.milliseconds, kept.pattern, kept.breaths, kept.bpmBefore,
                    kept.bpmAfter, kept.rmssdBeforeMs, kept.rmssdAfterMs,
                ])
        }
        return kept
    }

    /// Mean heart rate and corrected RMSSD of a span, as far as they were measured live.
    private func heart(from: Timestamp, to: Timestamp) throws -> (bpm: Double?, rmssdMs: Double?) {
        let points = try store.series(.heartRate, from: from, to: to, limit: 10_000)
        let beats = try store.beats(from: from, to: to, limit: 10_000) ?? []
        let report = HRVAnalysis.report(BeatSeries(messages: beats))
        return (mean(of: points.map(\.value)), report.isUsable ? report.correctedRmssdMs : nil)
    }

    private func breathing(_ query: ListBreathing) throws -> BreathingPage {
        try checkWindow(query.from, query.to, query.limit)
        let sessions = try store.file.read { db in
            try Row.fetchAll(
                db,
                sql: "SELECT * FROM breathingSession WHERE startAt >= ? AND startAt < ? ORDER BY startAt DESC LIMIT ?",
                arguments: [query.from.milliseconds, query.to.milliseconds, query.limit + 1]
            ).map { row in
                BreathingSession(
                    startAt: Timestamp(milliseconds: row["startAt"]), endAt: Timestamp(milliseconds: row["endAt"]),
                    pattern: row["pattern"], breaths: row["breaths"], bpmBefore: row["bpmBefore"],
                    bpmAfter: row["bpmAfter"], rmssdBeforeMs: row["rmssdBeforeMs"], rmssdAfterMs: row["rmssdAfterMs"])
            }
        }
        return BreathingPage(
            sessions: Array(sessions.prefix(query.limit)), truncated: sessions.count > query.limit)
    }
}
