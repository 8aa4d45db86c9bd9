import Foundation
import GRDB
import Physiology
import Protocols
import Store

/// The figures of a workout in few bytes: JSON, with the seconds by heart rate, watt and speed as packed numbers.
struct WorkoutEssence: Codable {
    /// Changes when figures are made in another way; older ones are made anew.
    static let version = 1
    /// Seconds are kept in thousandths.
    private static let scale = 1000.0
    private static let largestBins = 1 << 16

    private var figures: WorkoutFigures
    private var bpm: Data?
    private var watts: Data?
    private var speeds: Data?

    init(_ figures: WorkoutFigures) {
        self.figures = figures
        bpm = figures.heart.map { Self.pack($0.secondsByBpm) }
        watts = figures.power.map { Self.pack($0.secondsByWatt) }
        speeds = figures.speed.map { Self.pack($0.secondsByBin) }
        self.figures.heart?.secondsByBpm = []
        self.figures.power?.secondsByWatt = []
        self.figures.speed?.secondsByBin = []
    }

    /// - Throws: ``SeriesPackError`` for bytes that no pack has.
    func unpacked() throws(SeriesPackError) -> WorkoutFigures {
        var whole = figures
        if let bpm { whole.heart?.secondsByBpm = try Self.unpack(bpm) }
        if let watts { whole.power?.secondsByWatt = try Self.unpack(watts) }
        if let speeds { whole.speed?.secondsByBin = try Self.unpack(speeds) }
        return whole
    }

    private static func pack(_ seconds: [Double]) -> Data {
        var writer = PackWriter()
        for value in seconds { writer.signed(Int64((value * scale).rounded())) }
        return Data(writer.bytes)
    }

    private static func unpack(_ data: Data) throws(SeriesPackError) -> [Double] {
        var reader = PackReader(data)
        var seconds: [Double] = []
        while !reader.isAtEnd {
            guard seconds.count < largestBins, let value = reader.signed() else { throw .truncated }
            seconds.append(Double(value) / scale)
        }
        return seconds
    }
}

/// A stored workout: what its device said of the whole, what its samples come down to, and how many there are.
struct StoredWorkout {
    var summary: WorkoutSummary
    var figures: WorkoutFigures
}

/// The essences as they are stored.
enum EssenceTable {
    /// Every workout that starts in a span, oldest first; essences that are missing are made and kept.
    ///
    /// - Throws: what SQLite complains of.
    static func workouts(from: Timestamp, to: Timestamp, in store: BodyStore) throws -> [StoredWorkout] {
        let (records, essences, counts) = try store.file.read { db in
            (
                try WorkoutTable.workouts(from: from, to: to, withSamples: false, in: db),
                try kept(from: from, to: to, in: db), try WorkoutTable.sampleCounts(from: from, to: to, in: db)
            )
        }
        var found: [StoredWorkout] = []
        var made: [WorkoutFigures] = []
        for record in records {
            let key = Key(record.start, record.source, record.sport.rawValue)
            var summary = WorkoutTable.summary(of: record)
            summary.samples = counts[key] ?? 0
            if let figures = essences[key] {
                found.append(StoredWorkout(summary: summary, figures: figures))
            } else if let whole = try store.file.read({ db in try WorkoutTable.workout(key, in: db) }) {
                // One at a time: a year of samples need not be in memory at once.
                let figures = WorkoutFigures(whole)
                made.append(figures)
                found.append(StoredWorkout(summary: summary, figures: figures))
            }
        }
        if !made.isEmpty {
            let fresh = made
            try store.file.write { db in try keep(fresh, in: db) }
        }
        return found
    }

    /// What names a workout.
    struct Key: Hashable {
        var startAt: Int64
        var source: String
        var sport: String

        init(_ start: Timestamp, _ source: String, _ sport: String) {
            (startAt, self.source, self.sport) = (start.milliseconds, source, sport)
        }
    }

    private static func kept(from: Timestamp, to: Timestamp, in db: Database) throws -> [Key: WorkoutFigures] {
        let rows = try Row.fetchCursor(
            db,
            sql: """
                SELECT startAt, source, sport, essence FROM workoutEssence
                WHERE version = ? AND startAt >= ? AND startAt < ?
                """, arguments: [WorkoutEssence.version, from.milliseconds, to.milliseconds])
        let decoder = JSONDecoder()
        var essences: [Key: WorkoutFigures] = [:]
        while let row = try rows.next() {
            // One that cannot be read is made anew.
            guard let essence = try? decoder.decode(WorkoutEssence.self, from: row[3] as Data),
                let figures = try? essence.unpacked()
            else { continue }
            essences[Key(Timestamp(milliseconds: row[0]), row[1], row[2])] = figures
        }
        return essences
    }

    private static func keep(_ figures: [WorkoutFigures], in db: Database) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        // Only beside a workout that is still there.
        let insert = try db.cachedStatement(
            sql: """
                INSERT OR REPLACE INTO workoutEssence (startAt, source, sport, version, essence)
                SELECT startAt, source, sport, ?, ? FROM workoutRecord WHERE startAt = ? AND source = ? AND sport = ?
                """)
        for one in figures {
            try insert.execute(arguments: [
                WorkoutEssence.version, try encoder.encode(WorkoutEssence(one)), one.start.milliseconds, one.source,
                one.sport.rawValue,
            ])
        }
    }
}
