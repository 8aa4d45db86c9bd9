import Bus
import Foundation
import GRDB
import Protocols
import Store
import Synchronization

/// The hub's spool on disk: `spool/hub.sqlite`, a write-ahead log with one sync for each group of events.
///
/// What is stored has been synced before the hub acknowledges it. When the disk is full or fails, events are refused
/// and the rest goes on; the next job tries again. A file that is no sound database is moved aside, never deleted.
package final class SpoolFile: SpoolStore {
    struct Counts {
        var depth = SpoolDepth()
    }

    private struct State {
        var file: DatabaseFile?
        var depth = SpoolDepth()
        var isCounted = false
    }

    let folder: URL
    let limits: SpoolLimits
    private let complaints: [(cause: String, text: String)]
    private let state: Mutex<State>

    private var path: String { folder.appending(path: "hub.sqlite").path(percentEncoded: false) }

    /// Opens or creates the spool of a data directory.
    ///
    /// - Throws: ``StoreError``: `taken`, `newerVersion`. A damaged file is moved aside and named by
    ///   ``SpoolReport/movedAside``; a disk that is full or cannot be written is tried again with each event.
    package init(directory: URL, limits: SpoolLimits = SpoolLimits()) throws(StoreError) {
        folder = directory.appending(path: "spool", directoryHint: .isDirectory)
        self.limits = limits
        let path = folder.appending(path: "hub.sqlite").path(percentEncoded: false)
        var complaints: [(String, String)] = []
        var file: DatabaseFile?
        do throws(StoreError) {
            file = try DatabaseFile(path: path, migrator: SpoolSchema.migrator)
        } catch .damaged(_, let detail) {
            let aside = try Self.moveAside(path)
            complaints.append(
                (
                    "spool-damaged",
                    "the spool was damaged (\(detail)) and is now \(aside); events that waited in it are not delivered"
                ))
            file = try? DatabaseFile(path: path, migrator: SpoolSchema.migrator)
        } catch {
            switch error {
            case .taken, .newerVersion: throw error
            default: complaints.append(("spool-disk", "the spool cannot be opened now: \(error)"))
            }
        }
        self.complaints = complaints
        state = Mutex(State(file: file))
    }

    /// Gives the damaged file and its companions another name.
    private static func moveAside(_ path: String) throws(StoreError) -> String {
        let name = "\(path).damaged-\(Int(Date().timeIntervalSince1970))"
        for suffix in ["", "-wal", "-shm"] where rename(path + suffix, name + suffix) != 0 && errno != ENOENT {
            throw .cannotOpen(path: path + suffix, reason: String(cString: strerror(errno)))
        }
        return name
    }

    /// Files of damaged spools, by path.
    var movedAside: [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path(percentEncoded: false))) ?? []
        return names.filter { $0.hasPrefix("hub.sqlite.damaged-") }.sorted()
            .map { folder.appending(path: $0).path(percentEncoded: false) }
    }

    // MARK: - Work

    package func run(_ jobs: [SpoolJob]) -> SpoolBatch {
        state.withLock { state in
            do {
                let file = try open(&state)
                return try run(jobs, file, &state)
            } catch {
                return SpoolBatch(outcomes: jobs.flatMap { Self.failed($0, error) }, depth: state.depth)
            }
        }
    }

    private func open(_ state: inout State) throws -> DatabaseFile {
        if state.file == nil { state.file = try DatabaseFile(path: path, migrator: SpoolSchema.migrator) }
        guard let file = state.file else { throw StoreError.closed(path: path) }
        if !state.isCounted {
            state.depth = try file.read { db in try SpoolTables.depth(in: db) }
            state.isCounted = true
        }
        return file
    }

    /// All changes in one transaction; what only one job complains of fails alone.
    private func run(_ jobs: [SpoolJob], _ file: DatabaseFile, _ state: inout State) throws -> SpoolBatch {
        var outcomes: [SpoolOutcome] = []
        var from = jobs.startIndex
        while from < jobs.endIndex {
            // What replaces or copies the whole file stands outside of transactions.
            if case .ask(let question, let id, _) = jobs[from], let answer = whole(question, file, &state) {
                outcomes.append(.answered(id, answer))
                from += 1
                continue
            }
            let rest = jobs[from...]
            let to = rest.firstIndex { Self.isWhole($0) } ?? rest.endIndex
            outcomes += try commit(rest[..<to], file, &state)
            from = to
        }
        return SpoolBatch(outcomes: outcomes, depth: state.depth)
    }

    private func commit(
        _ jobs: ArraySlice<SpoolJob>, _ file: DatabaseFile, _ state: inout State
    ) throws -> [SpoolOutcome] {
        let depth = state.depth
        do {
            let (outcomes, after) = try file.write { db in
                var tables = SpoolTables(depth: depth, limits: limits)
                for job in jobs { try tables.run(job, complaints, { movedAside }, in: db) }
                return (tables.outcomes, tables.depth)
            }
            state.depth = after
            return outcomes
        } catch {
            return jobs.flatMap { Self.failed($0, error) }
        }
    }

    private static func isWhole(_ job: SpoolJob) -> Bool {
        guard case .ask(let question, _, _) = job else { return false }
        switch question {
        case .wipe, .export, .copy: return true
        default: return false
        }
    }

    private func whole(
        _ question: SpoolQuestion, _ file: DatabaseFile, _ state: inout State
    ) -> Result<SpoolAnswer, Refusal>? {
        do {
            switch question {
            case .wipe:
                try file.wipe()
                state.depth = SpoolDepth()
                for path in movedAside {
                    for suffix in ["", "-wal", "-shm"] { unlink(path + suffix) }
                }
                return .success(.wiped)
            case .export(let path):
                return .success(.exported(Exported(path: path, rows: try file.exportRows(to: path))))
            case .copy(let path):
                try file.backup(to: path)
                return .success(.copied(BackedUp(path: path)))
            default: return nil
            }
        } catch {
            return .failure(Refusal(code: "internal", message: "\(error)"))
        }
    }

    /// What becomes of a job whose transaction failed.
    private static func failed(_ job: SpoolJob, _ error: any Error) -> [SpoolOutcome] {
        switch job {
        case .append(let message, _, _):
            [
                .refused(
                    EventID(message), bytes: SpooledEvent.size(message), reason: "spool-disk", detail: "\(error)")
            ]
        case .ask(_, let id, _):
            [.answered(id, .failure(Refusal(code: "unavailable", message: "the spool cannot be used now: \(error)")))]
        case .prune: []
        case .open, .acknowledge, .noteDeliveries, .bury, .load: [.failed(job, reason: "\(error)")]
        }
    }
}
