import Formats
import Foundation
import GRDB
import Physiology
import Protocols
import Store
import Synchronization

@testable import BodyService

/// A format for tests: a record as JSON on each line.
enum LineReader {
    static let read: HealthReader = { file, _, progress, take in
        let data = try Data(contentsOf: file)
        var tally = HealthTally()
        var bytes = 0
        for line in data.split(separator: 0x0A) {
            guard let record = try? JSONDecoder().decode(BodyRecord.self, from: Data(line)) else {
                throw FormatError(file: file.lastPathComponent, cause: "is no record", cure: "write one")
            }
            bytes += line.count + 1
            try take(record)
            tally.take(record)
            try progress(HealthProgress(bytes: bytes, totalBytes: data.count, records: 1))
        }
        return tally
    }
}

/// A directory with files of records and databases to import them into.
final class ImportWorkshop {
    /// Tuesday 2026-03-03, 09:00 UTC.
    static let now = Timestamp(milliseconds: 1_772_528_400_000)

    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: "body-import-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    func write(_ name: String, _ records: [BodyRecord]) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        var data = Data()
        for record in records { data += try encoder.encode(record) + Data([0x0A]) }
        let file = url.appending(path: name)
        try data.write(to: file)
        return file.path(percentEncoded: false)
    }

    func store(_ name: String = "body") throws -> BodyStore {
        try BodyStore(path: url.appending(path: "\(name).sqlite").path(percentEncoded: false))
    }

    /// Runs one import as the body does.
    @discardableResult
    static func take(
        _ paths: [String], into store: BodyStore, reader: @escaping HealthReader = LineReader.read,
        batchRecords: Int = 50, again: Bool = false, version: String = "1", now: Timestamp = now
    ) throws -> [BodyImportedFile] {
        let job = BodyImportJob(fileCount: paths.count)
        var work = BodyImport(store: store, reader: reader, job: job, now: now, timeZone: .gmt, version: version)
        work.batchRecords = batchRecords
        try work.run(paths, again: again)
        return job.progress.report?.files ?? []
    }

    /// Everything that was imported, to compare two databases; the ledger tells of the way, not of the data.
    static func content(_ store: BodyStore) throws -> [String: [String]] {
        let tables = [
            "heartRateDay", "quantityDay", "variability", "restingHeartRate", "sleepSegment", "workoutRecord",
            "importedPerson",
        ]
        return try store.file.read { db in
            try tables.reduce(into: [:]) { content, table in
                content[table] = try Row.fetchAll(db, sql: "SELECT * FROM \(table)").map { row in
                    row.map { "\($0.0)=\($0.1.storage)" }.joined(separator: " ")
                }.sorted()
            }
        }
    }

    /// Two days of a watch and a phone: every kind of record.
    static func records(days: Int = 2, seed: UInt64 = 1) -> [BodyRecord] {
        var generator = SplitMix64(seed: seed)
        let begin = now.adding(seconds: -Double(days) * 86_400)
        var records: [BodyRecord] = [.person(PersonRecord(birthDate: "1985-04-12", sex: "female"))]
        for minute in stride(from: 0, to: days * 1440, by: 5) {
            let at = begin.adding(seconds: Double(minute) * 60)
            records.append(
                .heartRate(HeartRateRecord(at: at, bpm: 55 + 40 * generator.uniform(), source: "Watch")))
            let steps = (generator.uniform() * 90).rounded()
            for source in ["Watch", "Phone"] where minute % 60 == 0 {
                records.append(
                    .quantity(
                        QuantityRecord(
                            kind: .steps, start: at, end: at.adding(seconds: 600), value: steps, source: source)))
            }
        }
        for day in 0..<days {
            let morning = begin.adding(seconds: Double(day) * 86_400)
            records.append(
                .restingHeartRate(
                    RestingRecord(at: morning, createdAt: morning.adding(seconds: 60), bpm: 52, source: "Watch")))
            records.append(
                .sleep(
                    SleepSegment(
                        start: morning.adding(seconds: -28_800), end: morning.adding(seconds: -7200), stage: .core,
                        source: "Watch", isWatch: true)))
            records.append(
                .variability(
                    VariabilityRecord(
                        start: morning, end: morning.adding(seconds: 60), sdnnMs: 41.5,
                        beats: (0..<60).map {
                            VariabilityRecord.Beat(
                                at: morning.adding(seconds: Double($0)), bpm: 58 + Double($0 % 5))
                        }, source: "Watch")))
            records.append(
                .workout(
                    WorkoutRecord(
                        start: morning.adding(seconds: 3600), end: morning.adding(seconds: 7200), sport: .running,
                        movingSeconds: 3500, distanceM: 10_000, source: "Watch",
                        samples: (0..<60).map {
                            WorkoutSample(
                                at: morning.adding(seconds: 3600 + Double($0) * 60), bpm: 140,
                                speedMps: 2.857, altitudeM: -1.5)
                        })))
        }
        return records
    }
}
