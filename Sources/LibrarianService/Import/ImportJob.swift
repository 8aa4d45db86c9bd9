import Foundation
import Protocols
import Synchronization

/// One import as others see it: how far it is, and the wish that it ends.
///
/// The thread that imports writes it; the librarian reads it between two messages. Neither waits for the other.
package final class ImportJob: Sendable {
    private struct State {
        var progress: ImportState
        var isCancelled = false
    }
    private let state: Mutex<State>

    package init(fileCount: Int = 0) {
        state = Mutex(State(progress: ImportState(phase: Open(.reading), fileCount: fileCount)))
    }

    package var progress: ImportState { state.withLock { $0.progress } }

    /// Asks the import to end; it does so before its next song.
    package func cancel() { state.withLock { $0.isCancelled = true } }

    /// - Throws: `CancellationError` once ``cancel()`` was called.
    func checkCancelled() throws {
        if state.withLock({ $0.isCancelled }) { throw CancellationError() }
    }

    func beginFile(_ path: String, number: Int, of count: Int) throws {
        let bytes = try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int64
        state.withLock {
            $0.progress.phase = Open(.reading)
            $0.progress.path = path
            $0.progress.fileNumber = number
            $0.progress.fileCount = count
            $0.progress.fileBytes = bytes
            $0.progress.rows = 0
            $0.progress.totalRows = 0
        }
        try checkCancelled()
    }

    func beginStoring(rows: Int) throws {
        state.withLock {
            $0.progress.phase = Open(.storing)
            $0.progress.totalRows = rows
        }
        try checkCancelled()
    }

    /// One more song is stored.
    func step() throws {
        let isCancelled = state.withLock {
            $0.progress.rows += 1
            return $0.isCancelled
        }
        if isCancelled { throw CancellationError() }
    }

    /// Files that are finished stay, whatever comes.
    func note(_ report: ImportReport) { state.withLock { $0.progress.report = report } }

    func end(_ phase: ImportPhase, failure: String? = nil) {
        state.withLock {
            $0.progress.phase = Open(phase)
            $0.progress.path = nil
            $0.progress.failure = failure
        }
    }
}
