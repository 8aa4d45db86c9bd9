import Foundation
import GRDB
import Physiology
import Protocols

/// Nights as the still minutes of the small hours tell them, for those in which no sleep was recorded.
///
/// Ten years of minutes are summed up by SQLite, in spans without a change of the clock.
enum SmallHours {
    private static let day: Int64 = 86_400_000

    /// Mean ln RMSSD and heart rate by local day, under the rules of ``Night``.
    static func nights(from: Timestamp, to: Timestamp, clock: LocalClock, in db: Database) throws -> [Night] {
        guard
            let row = try Row.fetchOne(
                db, sql: "SELECT min(at), max(at) FROM minute WHERE at >= ? AND at < ?",
                arguments: [from.milliseconds, to.milliseconds]), let first: Int64 = row[0], let last: Int64 = row[1]
        else { return [] }
        var sums: [Int: Sum] = [:]
        var begin = Timestamp(milliseconds: first)
        let end = Timestamp(milliseconds: last + 1)
        while begin < end {
            let change = clock.timeZone.nextDaylightSavingTimeTransition(after: begin.date).map { Timestamp($0) }
            let until = change.map { min(max($0, begin.adding(milliseconds: 1)), end) } ?? end
            try add(from: begin, to: until, offset: clock.timeZone.secondsFromGMT(for: begin.date), &sums, in: db)
            begin = until
        }
        return sums.compactMap { day, sum in
            guard sum.minutes >= Night.minimumMinutes else { return nil }
            let enough = sum.hrvMinutes >= Night.minimumHrvMinutes
            return Night(
                night: day, lnRmssd: enough ? sum.lnRmssd / Double(sum.hrvMinutes) : nil, sdnnMs: nil,
                bpm: sum.bpm / Double(sum.minutes))
        }.sorted { $0.night < $1.night }
    }

    private struct Sum {
        var minutes = 0
        var bpm = 0.0
        var hrvMinutes = 0
        var lnRmssd = 0.0
    }

    private static func add(
        from: Timestamp, to: Timestamp, offset: Int, _ sums: inout [Int: Sum], in db: Database
    ) throws {
        let shift = Int64(offset) * 1000
        let rows = try Row.fetchCursor(
            db,
            sql: """
                SELECT (at + ?) / \(day), count(*), sum(bpm), count(lnRmssd), total(lnRmssd) FROM minute
                WHERE still AND at >= ? AND at < ? AND (at + ?) % \(day) < \(Night.hours.upperBound) * 3600000
                GROUP BY 1
                """, arguments: [shift, from.milliseconds, to.milliseconds, shift])
        while let row = try rows.next() {
            let day: Int = row[0]
            sums[day, default: Sum()].minutes += row[1] as Int
            sums[day, default: Sum()].bpm += row[2] as Double
            sums[day, default: Sum()].hrvMinutes += row[3] as Int
            sums[day, default: Sum()].lnRmssd += row[4] as Double
        }
    }
}
