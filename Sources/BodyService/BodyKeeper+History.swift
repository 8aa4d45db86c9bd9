import Bus
import Foundation
import GRDB
import Physiology
import Protocols
import Store

/// Questions about any time there is.
extension BodyKeeper {
    private static let largestPage = 10_000

    /// - Returns: false when the request is another one.
    func answerHistory(_ request: IncomingRequest, bus: any BusPort) async throws -> Bool {
        if let query = try request.decode(ListDays.self) {
            try await computeIfStale(bus: bus)
            request.reply(try days(query))
        } else if let query = try request.decode(ListWorkouts.self) {
            try await computeIfStale(bus: bus)
            request.reply(try workouts(query))
        } else if let query = try request.decode(ListReadings.self) {
            request.reply(try readings(query))
        } else if let query = try request.decode(ListStress.self) {
            request.reply(try stress(query))
        } else if try request.decode(ListThresholds.self) != nil {
            request.reply(try thresholds())
        } else if let query = try request.decode(SetThreshold.self) {
            request.reply(try setThreshold(query, at: bus.now))
        } else if let query = try request.decode(DeleteBodyRange.self) {
            request.reply(try deleteRange(query))
        } else {
            return false
        }
        return true
    }

    func checkWindow(_ from: Timestamp, _ to: Timestamp, _ limit: Int) throws(Refusal) {
        guard from < to else { throw Refusal(code: "invalid", message: "from must lie before to") }
        guard (1...Self.largestPage).contains(limit) else {
            throw Refusal(code: "invalid", message: "limit must be 1…\(Self.largestPage)")
        }
    }

    private func days(_ query: ListDays) throws -> DayPage {
        try checkWindow(query.from, query.to, query.limit)
        let days = try store.file.read { db in
            try BodyStore.figures(
                .day, as: DaySummary.self, from: clock.day(of: query.from),
                through: clock.day(of: query.to.adding(milliseconds: -1)), limit: query.limit + 1, in: db)
        }
        let fitting = try ReplySize.fitting(days.suffix(query.limit).reversed())
        return DayPage(days: fitting.reversed(), truncated: days.count > fitting.count)
    }

    private func workouts(_ query: ListWorkouts) throws -> WorkoutPage {
        try checkWindow(query.from, query.to, query.limit)
        let found = try store.file.read { db in
            try WorkoutTable.summaries(from: query.from, to: query.to, limit: query.limit + 1, in: db)
        }
        let fitting = try ReplySize.fitting(Array(found.prefix(query.limit)))
        return WorkoutPage(workouts: fitting, truncated: found.count > fitting.count)
    }

    private func readings(_ query: ListReadings) throws -> ReadingPage {
        try checkWindow(query.from, query.to, query.limit)
        let found = try store.file.read { db in
            try BodyStore.variability(
                from: query.from, to: query.to, newestFirst: true, limit: query.limit + 1, in: db)
        }
        let readings = found.prefix(query.limit).map { record in
            ReadingPage.Reading(
                startAt: record.start, endAt: record.end, kind: record.kind.rawValue, sdnnMs: record.sdnnMs,
                rmssdMs: record.rmssdMs, rebuiltSdnnMs: record.rebuiltSdnnMs,
                rebuiltRmssdMs: record.rebuiltRmssdMs, bpm: record.bpm, source: record.source)
        }
        let fitting = try ReplySize.fitting(readings)
        return ReadingPage(readings: fitting, truncated: found.count > fitting.count)
    }

    private func stress(_ query: ListStress) throws -> StressPage {
        try checkWindow(query.from, query.to, query.limit)
        let texts = try store.file.read { db in
            try StressTable.texts(from: query.from, to: query.to, limit: query.limit + 1, in: db)
        }
        let readings = texts.compactMap { try? JSONDecoder().decode(StressReading.self, from: Data($0.utf8)) }
        let fitting = try ReplySize.fitting(Array(readings.prefix(query.limit)))
        return StressPage(
            readings: fitting, truncated: texts.count > query.limit || readings.count > fitting.count)
    }

    // MARK: Thresholds

    private static let thresholdRanges: [String: (range: ClosedRange<Double>, unit: String)] = [
        "thresholdPowerW": (30...700, "W"), "thresholdRunMps": (0.8...8, "m/s"), "thresholdSwimMps": (0.2...2.5, "m/s"),
        "restingBpm": (25...120, "beats per minute"), "maximumBpm": (90...240, "beats per minute"),
        "thresholdBpm": (60...230, "beats per minute"),
    ]

    private func thresholds() throws -> ThresholdList {
        let found = try store.file.read { db in try BodyStore.thresholds(in: db) }
        return ThresholdList(
            rows: found.map { threshold in
                var row = ThresholdList.Row(since: LocalDate(number: threshold.since).description)
                row.thresholdPowerW = threshold.thresholdPowerW
                row.thresholdRunMps = threshold.thresholdRunMps
                row.thresholdSwimMps = threshold.thresholdSwimMps
                row.restingBpm = threshold.restingBpm
                row.maximumBpm = threshold.maximumBpm
                row.thresholdBpm = threshold.thresholdBpm
                return row
            })
    }

    private func setThreshold(_ query: SetThreshold, at now: Timestamp) throws -> ThresholdList {
        guard let (range, unit) = Self.thresholdRanges[query.field] else {
            let names = Self.thresholdRanges.keys.sorted().joined(separator: ", ")
            throw Refusal(
                code: "invalid", message: "there is no threshold “\(query.field.prefix(40))”; there are \(names)")
        }
        if let value = query.value, !range.contains(value) {
            throw Refusal(
                code: "invalid", message: "\(query.field) must be \(range.lowerBound)…\(range.upperBound) \(unit)")
        }
        var day = clock.day(of: now)
        if let since = query.since {
            guard let date = LocalDate(since) else {
                throw Refusal(code: "invalid", message: "“\(since.prefix(40))” is no day; write it as 2026-01-31")
            }
            day = date.number
        }
        let first = day
        try store.file.write { db in
            try BodyStore.setThreshold(query.field, to: query.value, since: first, in: db)
            try ComputationMark.clear(in: db)
        }
        return try thresholds()
    }

    private func deleteRange(_ query: DeleteBodyRange) throws -> DeletedRange {
        guard query.confirmed else {
            throw Refusal(code: "not-allowed", message: "a deletion must be confirmed: there is no way back")
        }
        guard query.from < query.to else { throw Refusal(code: "invalid", message: "from must lie before to") }
        guard !importState.isRunning else {
            throw Refusal(code: "busy", message: "an import is under way: wait for its end before deleting")
        }
        guard let kinds = RangeDeletion.kinds(query.kind) else {
            throw Refusal(
                code: "invalid",
                message: "there is no kind “\(query.kind.prefix(40))”; there are all, "
                    + RangeDeletion.Kind.allCases.map(\.rawValue).joined(separator: ", "))
        }
        let removed = try RangeDeletion.delete(kinds, from: query.from, to: query.to, clock: clock, in: store)
        return DeletedRange(removed: removed)
    }
}
