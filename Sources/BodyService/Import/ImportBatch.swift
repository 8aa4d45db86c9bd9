import Foundation
import GRDB
import Physiology
import Protocols

/// Records on their way into the database: collected, then stored in one transaction.
///
/// Storing is idempotent and does not depend on the order of records or batches: keys are natural, and where two records
/// have the same key, each figure is the larger one, and the longer list of samples counts.
struct ImportBatch {
    private struct SeriesKey: Hashable {
        /// nil for heart rates.
        var kind: QuantityRecord.Kind?
        var day: Int64
        var source: String
    }

    /// Records since the last ``store(in:)``.
    private(set) var count = 0
    private var series: [SeriesKey: [SeriesPack.Sample]] = [:]
    /// The series that the last record belonged to: most often the next one does, too.
    private var open: (key: SeriesKey, samples: [SeriesPack.Sample])?
    private var others: [BodyRecord] = []
    /// Records by kind that were not there before, over all calls of ``store(in:)``.
    private(set) var added: [String: Int] = [:]

    mutating func add(_ record: BodyRecord) {
        count += 1
        switch record {
        case .heartRate(let record):
            add(nil, record.at, 0, record.bpm, SeriesPack.heartRateScale, record.source)
        case .quantity(let record):
            let duration = max(0, record.end.milliseconds - record.start.milliseconds)
            add(record.kind, record.start, duration, record.value, SeriesPack.quantityScale, record.source)
        default: others.append(record)
        }
    }

    private mutating func add(
        _ kind: QuantityRecord.Kind?, _ at: Timestamp, _ duration: Int64, _ value: Double, _ scale: Double,
        _ source: String
    ) {
        let day = Self.utcDay(at)
        let sample = SeriesPack.Sample(
            offset: at.milliseconds - day * SeriesPack.dayMilliseconds, duration: duration, value: value, scale: scale)
        if open?.key.day == day, open?.key.kind == kind, open?.key.source == source {
            open?.samples.append(sample)
            return
        }
        closeSeries()
        let key = SeriesKey(kind: kind, day: day, source: source)
        var samples = series.removeValue(forKey: key) ?? []
        samples.append(sample)
        open = (key, samples)
    }

    private mutating func closeSeries() {
        if let open { series[open.key] = open.samples }
        open = nil
    }

    static func utcDay(_ at: Timestamp) -> Int64 {
        let (quotient, remainder) = at.milliseconds.quotientAndRemainder(dividingBy: SeriesPack.dayMilliseconds)
        return remainder < 0 ? quotient - 1 : quotient
    }

    /// Stores what was collected inside the caller's transaction, and starts anew.
    ///
    /// - Throws: what SQLite complains of; the transaction must then be rolled back, and the batch is not used again.
    mutating func store(in db: Database) throws {
        closeSeries()
        // In the order of the index, so that its pages are touched one after the other.
        for (key, samples) in series.sorted(by: { ($0.key.day, $0.key.source) < ($1.key.day, $1.key.source) }) {
            if let kind = key.kind {
                note(kind.rawValue, try Self.merge(samples, of: kind, key.day, key.source, in: db))
            } else {
                note("heartRate", try Self.mergeHeartRates(samples, key.day, key.source, in: db))
            }
        }
        for record in others { if try Self.store(record, in: db) { note(record.kind, 1) } }
        series.removeAll(keepingCapacity: true)
        others.removeAll(keepingCapacity: true)
        count = 0
    }

    private mutating func note(_ kind: String, _ count: Int) {
        if count > 0 { added[kind, default: 0] += count }
    }

    private static func mergeHeartRates(
        _ samples: [SeriesPack.Sample], _ day: Int64, _ source: String, in db: Database
    ) throws -> Int {
        let old = try db.cachedStatement(sql: "SELECT pack FROM heartRateDay WHERE day = ? AND source = ?")
        var pack = SeriesPack(hasDurations: false)
        if let data = try Data.fetchOne(old, arguments: [day, source]) {
            pack = try SeriesPack(data, hasDurations: false)
        }
        let added = pack.merge(samples)
        try db.cachedStatement(
            sql: """
                INSERT INTO heartRateDay (day, source, samples, pack) VALUES (?, ?, ?, ?)
                ON CONFLICT (day, source) DO UPDATE SET samples = excluded.samples, pack = excluded.pack
                """
        ).execute(arguments: [day, source, pack.samples.count, pack.data])
        return added
    }

    private static func merge(
        _ samples: [SeriesPack.Sample], of kind: QuantityRecord.Kind, _ day: Int64, _ source: String, in db: Database
    ) throws -> Int {
        let old = try db.cachedStatement(
            sql: "SELECT pack FROM quantityDay WHERE kind = ? AND day = ? AND source = ?")
        var pack = SeriesPack(hasDurations: true)
        if let data = try Data.fetchOne(old, arguments: [kind.rawValue, day, source]) {
            pack = try SeriesPack(data, hasDurations: true)
        }
        let added = pack.merge(samples)
        let total = pack.samples.reduce(0.0) { $0 + Double($1.scaled) } / SeriesPack.quantityScale
        try db.cachedStatement(
            sql: """
                INSERT INTO quantityDay (kind, day, source, samples, total, pack) VALUES (?, ?, ?, ?, ?, ?)
                ON CONFLICT (kind, day, source) DO UPDATE
                SET samples = excluded.samples, total = excluded.total, pack = excluded.pack
                """
        ).execute(arguments: [kind.rawValue, day, source, pack.samples.count, total, pack.data])
        return added
    }

    /// - Returns: true when its key is new.
    private static func store(_ record: BodyRecord, in db: Database) throws -> Bool {
        switch record {
        case .variability(let record): try store(record, in: db)
        case .restingHeartRate(let record): try store(record, in: db)
        case .sleep(let record): try store(record, in: db)
        case .workout(let record): try WorkoutTable.store(record, in: db)
        case .person(let record): try store(record, in: db)
        case .heartRate, .quantity: false
        }
    }

    private static func store(_ record: VariabilityRecord, in db: Database) throws -> Bool {
        let beats = record.beats.map { WorkoutSample(at: $0.at, bpm: $0.bpm) }
        let arguments: StatementArguments = [
            record.start.milliseconds, record.source, record.kind.rawValue, record.end.milliseconds, record.sdnnMs,
            record.rmssdMs, record.rebuiltSdnnMs, record.rebuiltRmssdMs, record.bpm,
            SamplesPack.pack(beats, since: record.start),
        ]
        return try insertOrMerge(
            into: "variability", keys: ["startAt", "source", "kind"],
            figures: ["endAt", "sdnnMs", "rmssdMs", "rebuiltSdnnMs", "rebuiltRmssdMs", "bpm"], pack: "beats",
            arguments, in: db)
    }

    private static func store(_ record: RestingRecord, in db: Database) throws -> Bool {
        try insertOrMerge(
            into: "restingHeartRate", keys: ["at", "createdAt", "source"], figures: ["bpm"],
            [record.at.milliseconds, record.createdAt.milliseconds, record.source, record.bpm], in: db)
    }

    private static func store(_ record: SleepSegment, in db: Database) throws -> Bool {
        try insertOrMerge(
            into: "sleepSegment", keys: ["startAt", "endAt", "stage", "source"], figures: ["isWatch", "timeZone"],
            [
                record.start.milliseconds, record.end.milliseconds, record.stage.rawValue, record.source,
                record.isWatch, record.timeZone,
            ], in: db)
    }

    private static func store(_ record: PersonRecord, in db: Database) throws -> Bool {
        var isNew = false
        for (name, value) in [("birthDate", record.birthDate), ("sex", record.sex)] {
            guard let value else { continue }
            let added = try insertOrMerge(
                into: "importedPerson", keys: ["name"], figures: ["value"], [name, value], in: db)
            isNew = isNew || added
        }
        return isNew
    }

    /// Inserts a row, or takes the larger of each figure and the longer pack into the one of the same key.
    ///
    /// - Parameter arguments: values of the keys, the figures and the pack, in this order.
    /// - Returns: true when the key is new.
    static func insertOrMerge(
        into table: String, keys: [String], figures: [String], pack: String? = nil, _ arguments: StatementArguments,
        in db: Database
    ) throws -> Bool {
        let columns = keys + figures + (pack.map { [$0] } ?? [])
        let names = columns.joined(separator: ", ")
        let marks = columns.map { _ in "?" }.joined(separator: ", ")
        try db.cachedStatement(sql: "INSERT OR IGNORE INTO \(table) (\(names)) VALUES (\(marks))")
            .execute(arguments: arguments)
        if db.changesCount > 0 { return true }
        var changes = figures.map {
            "\($0) = max(coalesce(\($0), excluded.\($0)), coalesce(excluded.\($0), \($0)))"
        }
        if let pack {
            changes.append(
                "\(pack) = CASE WHEN (length(excluded.\(pack)), excluded.\(pack)) > (length(\(pack)), \(pack)) "
                    + "THEN excluded.\(pack) ELSE \(pack) END")
        }
        try db.cachedStatement(
            sql: """
                INSERT INTO \(table) (\(names)) VALUES (\(marks))
                ON CONFLICT (\(keys.joined(separator: ", "))) DO UPDATE SET \(changes.joined(separator: ", "))
                """
        ).execute(arguments: arguments)
        return false
    }
}
