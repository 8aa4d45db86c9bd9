import Foundation
import GRDB
import Physiology
import Protocols
import Store

/// Minutes of imported heart rates, as far back as baselines look.
///
/// A live minute always counts more than an imported one, whichever comes first.
enum ImportedMinutes {
    private static let minute: Int64 = 60_000
    /// Days before now: those of the baseline, and one for the difference of zones at either end.
    static let days = Int64(BaselineBuilder.windowDays + 2)

    /// Makes the imported minutes of the last weeks anew, a transaction a day.
    static func refresh(until now: Timestamp, scale: HeartScale, in store: BodyStore, job: BodyImportJob) throws {
        let today = ImportBatch.utcDay(now)
        let first = today - days
        let begin = Timestamp(milliseconds: first * SeriesPack.dayMilliseconds)
        let workouts = try store.file.read { db in
            try WorkoutTable.workouts(from: begin, to: now, withSamples: false, in: db)
        }
        var gate = StillnessGate()
        var events = workouts.flatMap { workout in
            [
                Workout(phase: .started, sport: workout.sport.rawValue, at: workout.start),
                Workout(phase: .ended, sport: workout.sport.rawValue, at: workout.end),
            ]
        }.sorted { $0.at < $1.at }[...]
        for day in first...today {
            try job.checkCancelled()
            let dayBegin = day * SeriesPack.dayMilliseconds
            try store.file.write { db in
                let sums = try minutes(of: day, in: db)
                try db.execute(
                    sql: "DELETE FROM minute WHERE imported AND at >= ? AND at < ?",
                    arguments: [dayBegin, dayBegin + SeriesPack.dayMilliseconds])
                let insert = try db.cachedStatement(
                    sql: "INSERT OR IGNORE INTO minute (at, bpm, samples, still, imported) VALUES (?, ?, ?, ?, 1)")
                for (start, sum) in sums {
                    let end = Timestamp(milliseconds: start + minute - 1)
                    while let event = events.first, event.at <= end {
                        gate.add(event)
                        events = events.dropFirst()
                    }
                    let bpm = sum.total / Double(sum.count)
                    let isStill = gate.gate(at: end, reserve: scale.reserve(bpm: bpm)) == .none
                    try insert.execute(arguments: [start, bpm, sum.count, isStill])
                }
            }
        }
    }

    private static func minutes(
        of day: Int64, in db: Database
    ) throws -> [(start: Int64, sum: (total: Double, count: Int))] {
        var sums: [Int64: (total: Double, count: Int)] = [:]
        for data in try Data.fetchAll(db, sql: "SELECT pack FROM heartRateDay WHERE day = ?", arguments: [day]) {
            for sample in try SeriesPack(data, hasDurations: false).samples {
                let at = day * SeriesPack.dayMilliseconds + sample.offset / minute * minute
                let old = sums[at] ?? (0, 0)
                sums[at] = (old.total + Double(sample.scaled) / SeriesPack.heartRateScale, old.count + 1)
            }
        }
        return sums.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }
}
