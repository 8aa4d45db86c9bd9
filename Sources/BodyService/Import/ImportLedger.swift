import Crypto
import Foundation
import GRDB
import Protocols

/// Which files were imported, and how far: a file that was killed over goes on, one that is finished is not read again.
enum ImportLedger {
    struct Entry: Equatable {
        var committed: Int
        var isFinished: Bool
        var version: String
        var added: [String: Int]
        /// Records were left out because they lay in the future: by now they may not any more.
        var leftOutFuture: Bool
    }

    private static let piece = 1 << 20

    /// SHA-256 of the bytes of a file, in hexadecimal.
    ///
    /// - Parameter progress: told the bytes so far; may throw to end it.
    /// - Throws: what the file system complains of, and what `progress` throws.
    static func digest(of file: URL, progress: (Int64) throws -> Void) throws -> String {
        let handle = try FileHandle(forReadingFrom: file)
        defer { try? handle.close() }
        var hash = SHA256()
        var total: Int64 = 0
        while let data = try handle.read(upToCount: piece), !data.isEmpty {
            hash.update(data: data)
            total += Int64(data.count)
            try progress(total)
        }
        return hash.finalize().map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    static func entry(_ digest: String, in db: Database) throws -> Entry? {
        try Row.fetchOne(
            db, sql: "SELECT committed, finishedAt, version, report FROM importFile WHERE digest = ?",
            arguments: [digest]
        ).map { row in
            let report = (row["report"] as String).data(using: .utf8)
                .flatMap { try? JSONDecoder().decode(BodyImportedFile.self, from: $0) }
            return Entry(
                committed: row["committed"], isFinished: (row["finishedAt"] as Int64?) != nil, version: row["version"],
                added: report?.added ?? [:],
                leftOutFuture: (report?.skipped[RecordCheck.future] ?? 0) > 0)
        }
    }

    /// Notes inside the transaction that stores the records how many of them there are.
    static func note(
        _ digest: String, _ file: BodyImportedFile, committed: Int, version: String, at now: Timestamp,
        finished: Bool, in db: Database
    ) throws {
        // The name alone: the directories of a person are nobody's business.
        var file = file
        file.path = URL(filePath: file.path).lastPathComponent
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        let report = String(decoding: try encoder.encode(file), as: UTF8.self)
        try db.execute(
            sql: """
                INSERT INTO importFile (digest, name, bytes, startedAt, finishedAt, committed, version, report)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                ON CONFLICT (digest) DO UPDATE SET finishedAt = excluded.finishedAt, committed = excluded.committed,
                    version = excluded.version, report = excluded.report
                """,
            arguments: [
                digest, file.path, file.bytes, now.milliseconds, finished ? now.milliseconds : nil, committed, version,
                report,
            ])
    }

    /// Deleted data may be imported again from the same files.
    static func forget(in db: Database) throws { try db.execute(sql: "DELETE FROM importFile") }
}
