import Bus
import Formats
import Foundation
import GRDB
import Physiology
import Protocols
import Store

/// Files about stress and sleep for people and for other tools.
extension BodyKeeper {
    /// Longest report, days: a page with more is read by nobody.
    private static let longestReport = 3700.0
    /// Readings that are held in memory while a table is written.
    private static let piece = 5000

    func writeReport(_ query: WriteBodyReport, at now: Timestamp) throws -> WrittenReport {
        guard query.path.hasPrefix("/") else {
            throw Refusal(
                code: "invalid", message: "a report needs an absolute path, got “\(query.path.prefix(200))”")
        }
        let seconds = query.to.seconds(since: query.from)
        guard seconds > 0, seconds <= Self.longestReport * 86_400 else {
            throw Refusal(
                code: "invalid", message: "from must lie before to, by \(Int(Self.longestReport)) days at most")
        }
        switch query.format {
        case "html": return try writePage(query, at: now)
        case "csv", "json": return try writeReadings(query)
        default:
            throw Refusal(
                code: "invalid", message: "there is no format “\(query.format.prefix(40))”; there are html, csv, json")
        }
    }

    private func writePage(_ query: WriteBodyReport, at now: Timestamp) throws -> WrittenReport {
        let (from, to) = (clock.day(of: query.from), clock.day(of: query.to.adding(milliseconds: -1)))
        // What days are compared with lies before the span.
        let before = Double(BaselineBuilder.windowDays + 35) * 86_400
        let settings = try settings()
        let (readings, deeds) = try store.file.read { db in
            (
                try StressTable.figures(from: query.from.adding(seconds: -before), to: query.to, in: db),
                try StressTable.deeds(in: db)
            )
        }
        let nights = try nights(
            from: query.from.adding(seconds: -before), to: query.to.adding(seconds: 43_200), settings: settings
        ).filter { $0.day <= to }
        let inside = from...to
        let facts = AchievementFacts(
            daily: StressTrend.buckets(of: readings, .daily, clock: clock),
            sleep: Dictionary(nights.map { ($0.day, $0.asleepMinutes) }) { first, _ in first },
            goalMinutes: Double(settings.sleepGoalMinutes), breathing: deeds.breathing.map(clock.day),
            journal: deeds.journal.map(clock.day), workouts: deeds.workouts.map(clock.day))
        var report = BodyReport(
            from: from, to: to, generatedAt: now, clock: clock, readings: readings, nights: nights, settings: settings,
            facts: facts)
        report.achievements.removeAll { !inside.contains($0.day) }
        let output = try NewFileOutput(path: query.path)
        try output.write(report.html())
        try output.finish()
        return WrittenReport(
            path: query.path, format: query.format, bytes: output.bytes,
            readings: report.days.reduce(0) { $0 + $1.readings }, nights: report.nights.count)
    }

    /// Oldest first, piece by piece.
    private func writeReadings(_ query: WriteBodyReport) throws -> WrittenReport {
        let isTable = query.format == "csv"
        let output = try NewFileOutput(path: query.path)
        let decoder = JSONDecoder()
        var count = 0
        var from = query.from
        try output.write(isTable ? BodyCSV.readings([]) : "[")
        while true {
            let rows = try store.file.read { [from] db in
                try Row.fetchAll(
                    db, sql: "SELECT at, reading FROM stressReading WHERE at >= ? AND at < ? ORDER BY at LIMIT ?",
                    arguments: [from.milliseconds, query.to.milliseconds, Self.piece]
                ).map { (at: $0[0] as Int64, text: $0[1] as String) }
            }
            if isTable {
                let readings = rows.compactMap { try? decoder.decode(StressReading.self, from: Data($0.text.utf8)) }
                let header = BodyCSV.readings([])
                try output.write(String(BodyCSV.readings(readings).dropFirst(header.count)))
            } else {
                for row in rows { try output.write((count > 0 || row.at != rows[0].at ? ",\n" : "\n") + row.text) }
            }
            count += rows.count
            guard rows.count == Self.piece, let last = rows.last else { break }
            from = Timestamp(milliseconds: last.at + 1)
        }
        if !isTable { try output.write("\n]\n") }
        try output.finish()
        return WrittenReport(
            path: query.path, format: query.format, bytes: output.bytes, readings: count, nights: 0)
    }
}
