import Formats
import Foundation
import Protocols
import Store

extension Catalog {
    /// Imports files, each in a transaction of its own: a bad one is reported and leaves nothing, the others are taken.
    ///
    /// - Parameter paths: absolute paths; a directory stands for what can be imported in it.
    /// - Throws: ``Refusal`` with `invalid` for a path that is not absolute. `StoreError` when the disk fails.
    package func importFiles(_ paths: [String]) throws -> ImportReport {
        guard !paths.isEmpty else { throw Refusal(code: "invalid", message: "name the files to import") }
        if let relative = paths.first(where: { !$0.hasPrefix("/") }) {
            throw Refusal(code: "invalid", message: "\(relative): give absolute paths, this process has its own folder")
        }
        var report = ImportReport(
            files: [], added: 0, updated: 0, unchanged: 0, playlists: 0, leftOut: [:], revision: 0)
        for path in paths.flatMap(ImportSource.files) {
            do {
                let outcome = try importFile(path)
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
        }
        report.revision = try revision().revision
        return report
    }

    /// Imports one file completely or not at all.
    ///
    /// - Throws: ``FormatError`` when it cannot be read, `StoreError` when it cannot be stored.
    package func importFile(_ path: String) throws -> ImportOutcome {
        let source = try ImportSource.read(path: path)
        let pictures = ArtFinder()
        return try file.write { db in
            var work = try LibraryImport(db, source: path, hasArt: pictures.hasArt)
            let outcome = try work.take(source)
            if outcome.changed { try Self.raiseRevision(db) }
            return outcome
        }
    }
}
