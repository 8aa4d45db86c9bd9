import Foundation
import GRDB
import Physiology
import Protocols

/// Whole workouts as they are stored.
enum WorkoutTable {
    private static let keys = ["startAt", "source", "sport"]
    private static let figures = [
        "endAt", "movingSeconds", "distanceM", "energyKcal", "meanBpm", "maximumBpm", "meanPowerW", "ascentM",
        "perceivedExertion", "deviceLoad", "title", "samples",
    ]

    /// - Returns: true when there was no workout of this start, source and sport.
    static func store(_ record: WorkoutRecord, in db: Database) throws -> Bool {
        let arguments: StatementArguments = [
            record.start.milliseconds, record.source, record.sport.rawValue, record.end.milliseconds,
            record.movingSeconds, record.distanceM, record.energyKcal, record.meanBpm, record.maximumBpm,
            record.meanPowerW, record.ascentM, record.perceivedExertion, record.deviceLoad, record.title,
            record.samples.count, SamplesPack.pack(record.samples, since: record.start),
        ]
        return try ImportBatch.insertOrMerge(
            into: "workoutRecord", keys: keys, figures: figures, pack: "pack", arguments, in: db)
    }

    /// Those that start in a span of time, oldest first.
    ///
    /// - Parameter withSamples: false leaves the samples out, which is much faster.
    static func workouts(
        from: Timestamp, to: Timestamp, withSamples: Bool, limit: Int = .max, in db: Database
    ) throws -> [WorkoutRecord] {
        let columns = (keys + figures + (withSamples ? ["pack"] : [])).joined(separator: ", ")
        return try Row.fetchAll(
            db,
            sql: """
                SELECT \(columns) FROM workoutRecord WHERE startAt >= ? AND startAt < ?
                ORDER BY startAt, source, sport LIMIT ?
                """, arguments: [from.milliseconds, to.milliseconds, limit]
        ).map { try workout($0) }
    }

    /// One workout with its samples; one without any has the imported heart rates of its time, of the source that tells most.
    static func workout(_ key: EssenceTable.Key, in db: Database) throws -> WorkoutRecord? {
        guard
            let row = try Row.fetchOne(
                db, sql: "SELECT * FROM workoutRecord WHERE startAt = ? AND source = ? AND sport = ?",
                arguments: [key.startAt, key.source, key.sport])
        else { return nil }
        var record = try workout(row)
        if record.samples.isEmpty {
            let rates = try BodyStore.heartRates(from: record.start, to: record.end, in: db)
            let bySource = Dictionary(grouping: rates, by: \.source)
            let most = bySource.max { ($0.value.count, $1.key) < ($1.value.count, $0.key) }?.value ?? []
            if most.count >= leastHeartRates {
                record.samples = most.map { WorkoutSample(at: $0.at, bpm: $0.bpm) }
            }
        }
        return record
    }

    /// Fewer heart rates than this say no more than the mean of the device.
    private static let leastHeartRates = 10

    /// How many samples each workout of a span has.
    static func sampleCounts(from: Timestamp, to: Timestamp, in db: Database) throws -> [EssenceTable.Key: Int] {
        try Row.fetchAll(
            db, sql: "SELECT startAt, source, sport, samples FROM workoutRecord WHERE startAt >= ? AND startAt < ?",
            arguments: [from.milliseconds, to.milliseconds]
        ).reduce(into: [:]) { counts, row in
            counts[EssenceTable.Key(Timestamp(milliseconds: row[0]), row[1], row[2])] = row[3]
        }
    }

    private static func workout(_ row: Row) throws -> WorkoutRecord {
        let start = Timestamp(milliseconds: row["startAt"])
        var samples: [WorkoutSample] = []
        if row.hasColumn("pack"), let data: Data = row["pack"] { samples = try SamplesPack.unpack(data, since: start) }
        return WorkoutRecord(
            start: start, end: Timestamp(milliseconds: row["endAt"]), sport: Sport(rawValue: row["sport"]) ?? .other,
            movingSeconds: row["movingSeconds"], distanceM: row["distanceM"], energyKcal: row["energyKcal"],
            meanBpm: row["meanBpm"], maximumBpm: row["maximumBpm"], meanPowerW: row["meanPowerW"],
            ascentM: row["ascentM"], perceivedExertion: row["perceivedExertion"], deviceLoad: row["deviceLoad"],
            title: row["title"], source: row["source"], samples: samples)
    }

    /// Those that start in a span of time, newest first, with what was computed of them.
    static func summaries(from: Timestamp, to: Timestamp, limit: Int, in db: Database) throws -> [WorkoutSummary] {
        try Row.fetchAll(
            db,
            sql: """
                SELECT record.*, computed.figures AS computed FROM workoutRecord AS record
                LEFT JOIN workoutFigures AS computed USING (startAt, source, sport)
                WHERE startAt >= ? AND startAt < ? ORDER BY startAt DESC, source, sport LIMIT ?
                """, arguments: [from.milliseconds, to.milliseconds, limit]
        ).map { row in
            if let text: String = row["computed"],
                let summary = try? JSONDecoder().decode(WorkoutSummary.self, from: Data(text.utf8))
            {
                return summary
            }
            return summary(of: try workout(row))
        }
    }

    /// What the records of a span say themselves, oldest first; samples are counted, not read.
    static func recorded(from: Timestamp, to: Timestamp, in db: Database) throws -> [WorkoutSummary] {
        try Row.fetchAll(
            db,
            sql: """
                SELECT \((keys + figures).joined(separator: ", ")) FROM workoutRecord
                WHERE startAt >= ? AND startAt < ? ORDER BY startAt, source, sport
                """, arguments: [from.milliseconds, to.milliseconds]
        ).map { row in summary(of: try workout(row), samples: row["samples"]) }
    }

    /// What a record says itself.
    ///
    /// - Parameter samples: how many there are, where the record was read without them.
    static func summary(of workout: WorkoutRecord, samples: Int? = nil) -> WorkoutSummary {
        var summary = WorkoutSummary(
            startAt: workout.start, endAt: workout.end, sport: workout.sport.rawValue, source: workout.source,
            movingSeconds: workout.movingSeconds, samples: samples ?? workout.samples.count)
        summary.title = workout.title
        summary.distanceM = workout.distanceM
        summary.energyKcal = workout.energyKcal
        summary.meanBpm = workout.meanBpm
        summary.maximumBpm = workout.maximumBpm
        summary.meanPowerW = workout.meanPowerW
        summary.ascentM = workout.ascentM
        summary.exertion = workout.perceivedExertion
        summary.deviceLoad = workout.deviceLoad
        return summary
    }

    /// Replaces what was computed of all workouts.
    static func replaceFigures(_ summaries: [WorkoutSummary], in db: Database) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        try db.execute(sql: "DELETE FROM workoutFigures")
        let insert = try db.cachedStatement(
            sql: "INSERT OR REPLACE INTO workoutFigures (startAt, source, sport, figures) VALUES (?, ?, ?, ?)")
        for summary in summaries {
            try insert.execute(arguments: [
                summary.startAt.milliseconds, summary.source, summary.sport,
                String(decoding: try encoder.encode(summary), as: UTF8.self),
            ])
        }
    }
}
