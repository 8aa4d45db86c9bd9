import Formats
import Foundation
import GRDB
import Physiology
import Protocols
import Store

/// Reads a health file: hands over each record in the order of the file, and says how far it is.
///
/// Both callbacks may throw, which ends the reading with that error. What the file has and no record can hold is counted
/// in the tally. The same bytes give the same records in the same order.
///
/// - Parameter timeZone: the person's, for files whose times name no zone.
package typealias HealthReader =
    @Sendable (
        _ file: URL, _ timeZone: TimeZone, _ progress: (HealthProgress) throws -> Void,
        _ take: (BodyRecord) throws -> Void
    ) throws -> HealthTally

/// Reads every format of ``HealthFile``.
///
/// It leaves the future in: what is too late is decided here, so that a file which is read again another day still gives
/// the same records in the same order.
let healthReader: HealthReader = { file, timeZone, progress, take in
    let endOfTime = Timestamp(milliseconds: 253_402_300_799_000)
    return try HealthFile.read(file, now: endOfTime, timeZone: timeZone, progress: progress, take: take)
}

/// Takes health files into `body.sqlite`.
///
/// Records are stored in batches of a transaction each, together with how many of the file are stored: after kill -9 the
/// same file goes on there. Whatever is read twice is stored once (``ImportBatch``), so neither the order of files nor an
/// overlap matters. Runs on a thread of its own; live events are stored between two batches.
struct BodyImport {
    /// Records of a batch: large enough for speed, small enough that a live event waits only for some ten milliseconds.
    static let batchRecords = 20_000
    /// A record that begins later than this is from a clock that was wrong, s.
    static let futureTolerance = 3600.0

    let store: BodyStore
    let reader: HealthReader
    let job: BodyImportJob
    /// When the import began.
    let now: Timestamp
    let timeZone: TimeZone
    /// Of this program and zone: how far another version came says nothing about what this one reads.
    let version: String
    var batchRecords = BodyImport.batchRecords

    /// Imports the files one after the other; what cannot be read is said in the report and does not stop the others.
    ///
    /// - Parameter again: reads files that were finished before, too.
    /// - Throws: `CancellationError` after a cancellation, ``StoreError`` when the database cannot be written. What was
    ///   stored until then stays.
    func run(_ paths: [String], again: Bool) throws {
        for (index, path) in paths.enumerated() {
            let url = URL(filePath: path)
            let size = (try? FileManager.default.attributesOfItem(atPath: path)[.size] as? NSNumber)?.int64Value ?? 0
            try job.beginFile(path, number: index + 1, bytes: size)
            let digest: String
            do {
                digest = try ImportLedger.digest(of: url) { _ in try job.checkCancelled() }
            } catch is CancellationError {
                throw CancellationError()
            } catch {
                job.note(BodyImportedFile(path: path, bytes: size, error: "\(path): cannot be read"))
                continue
            }
            job.note(try importFile(url, path, size, digest, again: again))
        }
    }

    private func importFile(
        _ url: URL, _ path: String, _ size: Int64, _ digest: String, again: Bool
    ) throws -> BodyImportedFile {
        let known = try store.file.read { db in try ImportLedger.entry(digest, in: db) }
        // Where the clock was wrong, what it kept out is looked at again.
        let isSame = known?.version == version && known?.leftOutFuture != true
        if let known, known.isFinished, isSame, !again {
            return BodyImportedFile(path: path, bytes: size, unchanged: true)
        }
        try job.beginReading()
        var intake = Intake(
            file: BodyImportedFile(path: path, bytes: size), skip: isSame && !again ? known?.committed ?? 0 : 0)
        if intake.skip > 0 { intake.file.added = known?.added ?? [:] }
        intake.file.resumedAt = intake.skip
        do {
            let tally = try reader(
                url, timeZone,
                { progress in
                    try job.read(
                        bytes: Int64(progress.bytes), of: Int64(progress.totalBytes), records: intake.seen)
                },
                { record in
                    if intake.take(record, now: now, limit: batchRecords) {
                        try job.checkCancelled()
                        try commit(&intake, digest, finished: false)
                    }
                })
            for (reason, count) in tally.skipped { intake.file.skipped[reason, default: 0] += count }
            intake.file.problems = tally.problems
        } catch let error as FormatError {
            // What was read before the damage is kept, and the file is not taken for finished.
            intake.file.error = "\(error)"
        }
        if intake.seen > 0 { try commit(&intake, digest, finished: intake.file.error == nil) }
        return intake.file
    }

    private func commit(_ intake: inout Intake, _ digest: String, finished: Bool) throws {
        let file = try store.file.write { db in
            var batch = intake.batch
            try batch.store(in: db)
            var file = intake.file
            file.added.merge(batch.added) { $0 + $1 }
            try ImportLedger.note(
                digest, file, committed: max(intake.seen, intake.skip), version: version, at: now, finished: finished,
                in: db)
            if !batch.added.isEmpty { try ComputationMark.clear(in: db) }
            return file
        }
        intake.batch = ImportBatch()
        intake.file = file
    }
}

/// What comes from one file until it is stored.
private struct Intake {
    var file: BodyImportedFile
    /// Records of the file that an earlier import had stored.
    let skip: Int
    var batch = ImportBatch()
    var seen = 0

    init(file: BodyImportedFile, skip: Int) {
        self.file = file
        self.skip = skip
    }

    /// - Returns: true when it is time to store.
    mutating func take(_ record: BodyRecord, now: Timestamp, limit: Int) -> Bool {
        seen += 1
        if let reason = RecordCheck.refusal(of: record, now: now) {
            file.skipped[reason, default: 0] += 1
            return false
        }
        file.taken[record.kind, default: 0] += 1
        guard seen > skip else { return false }
        batch.add(record)
        return batch.count >= limit
    }
}

/// Whether a record can be true at all.
enum RecordCheck {
    static let future = "in the future"

    /// - Returns: why a record is left out, nil for one that is taken.
    static func refusal(of record: BodyRecord, now: Timestamp) -> String? {
        let (start, end): (Timestamp, Timestamp)
        switch record {
        case .heartRate(let record):
            guard (20...300).contains(record.bpm) else { return "heart rate outside 20…300 beats per minute" }
            (start, end) = (record.at, record.at)
        case .variability(let record):
            let figures = [record.sdnnMs, record.rmssdMs, record.rebuiltSdnnMs, record.rebuiltRmssdMs]
            guard figures.allSatisfy({ $0.map { (0...1000).contains($0) } ?? true }) else {
                return "variability outside 0…1000 ms"
            }
            (start, end) = (record.start, record.end)
        case .restingHeartRate(let record):
            guard (20...200).contains(record.bpm) else { return "resting heart rate outside 20…200 beats per minute" }
            (start, end) = (record.at, record.at)
        case .sleep(let record): (start, end) = (record.start, record.end)
        case .workout(let record):
            guard record.movingSeconds >= 0, record.movingSeconds.isFinite else { return "workout without a duration" }
            (start, end) = (record.start, record.end)
        case .quantity(let record):
            guard record.value.isFinite, abs(record.value) < 1e9 else { return "amount that is no number" }
            (start, end) = (record.start, record.end)
        case .person: return nil
        }
        if end < start { return "end before start" }
        if end.seconds(since: start) > 7 * 86_400 { return "longer than a week" }
        if start.milliseconds < 0 { return "before 1970" }
        if start.seconds(since: now) > BodyImport.futureTolerance { return future }
        return nil
    }
}
