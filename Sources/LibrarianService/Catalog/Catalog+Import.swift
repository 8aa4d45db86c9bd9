import Formats
import Foundation
import GRDB
import Glibc
import Protocols
import Store

extension Catalog {
    /// Imports files, each in a transaction of its own: a bad one is reported and leaves nothing, the others are taken.
    ///
    /// - Parameters:
    ///   - paths: absolute paths; a directory stands for what can be imported in it.
    ///   - onlyChanged: leave out files that have not changed since they were last imported.
    ///   - job: is told how far it is, and can end it.
    /// - Throws: ``Refusal`` with `invalid` for a path that is not absolute. `StoreError` when the disk fails.
    ///   `CancellationError` when the job was cancelled; the file it was at left nothing.
    package func importFiles(
        _ paths: [String], onlyChanged: Bool = false, job: ImportJob = ImportJob()
    ) throws -> ImportReport {
        try Self.check(paths)
        var report = ImportReport(
            files: [], added: 0, updated: 0, unchanged: 0, playlists: 0, leftOut: [:], revision: 0)
        let files = paths.flatMap(ImportSource.files)
        for (index, path) in files.enumerated() {
            if onlyChanged, try isImported(path) { continue }
            do {
                try job.beginFile(path, number: index + 1, of: files.count)
                let outcome = try importFile(path, job: job)
                report.files.append(.init(path: path, kind: ImportSource.kind(of: path), taken: outcome.taken))
                report.added += outcome.added
                report.updated += outcome.updated
                report.unchanged += outcome.unchanged
                report.playlists += outcome.playlists
                report.leftOut.merge(outcome.leftOut, uniquingKeysWith: +)
            } catch let error as FormatError {
                report.files.append(
                    .init(path: path, kind: ImportSource.kind(of: path), taken: 0, error: "\(error)"))
            }
            report.revision = try revision().revision
            job.note(report)
        }
        report.revision = try revision().revision
        return report
    }

    /// - Throws: ``Refusal`` with `invalid` when there is no path, or one that is not absolute.
    static func check(_ paths: [String]) throws(Refusal) {
        guard !paths.isEmpty else { throw Refusal(code: "invalid", message: "name the files to import") }
        if let relative = paths.first(where: { !$0.hasPrefix("/") }) {
            throw Refusal(code: "invalid", message: "\(relative): give absolute paths, this process has its own folder")
        }
    }

    /// Imports one file completely or not at all.
    ///
    /// - Throws: ``FormatError`` when it cannot be read, `StoreError` when it cannot be stored, `CancellationError`.
    package func importFile(_ path: String, job: ImportJob = ImportJob()) throws -> ImportOutcome {
        let stamp = FileStamp(path: path)
        let source = try ImportSource.read(path: path)
        let pictures = ArtFinder()
        try job.beginStoring(rows: source.rows)
        return try file.write { db in
            try job.checkCancelled()
            var work = try LibraryImport(db, source: path, hasArt: pictures.hasArt, job: job)
            let outcome = try work.take(source)
            if outcome.changed { try Self.raiseRevision(db) }
            try db.execute(
                sql: "INSERT OR REPLACE INTO importedFile (path, stamp) VALUES (?, ?)",
                arguments: [path, stamp?.text ?? ""])
            return outcome
        }
    }

    /// Whether a file is as it was when it was last imported.
    private func isImported(_ path: String) throws -> Bool {
        guard let stamp = FileStamp(path: path) else { return false }
        return try file.read { db in
            try String.fetchOne(db, sql: "SELECT stamp FROM importedFile WHERE path = ?", arguments: [path])
        } == stamp.text
    }
}

/// Size and time of the last change of a file: a new one means that it may hold something else.
private struct FileStamp {
    let text: String

    /// nil when there is no such file.
    init?(path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        text = "\(status.st_size) \(status.st_mtim.tv_sec).\(status.st_mtim.tv_nsec)"
    }
}
