import Foundation
import Protocols
import Synchronization

/// One import as others see it: how far it is, and the wish that it ends.
///
/// The thread that imports writes it; the body reads it between two messages. Neither waits for the other.
package final class BodyImportJob: Sendable {
    private struct State {
        var progress: BodyImportState
        var isCancelled = false
        var begun: Double
        var fileBegun: Double
    }
    /// Seconds of the file before a rate is told: shorter ones say nothing.
    private static let leastSeconds = 0.5

    private let state: Mutex<State>
    /// Seconds that only go forward: a clock that is set must not change rates.
    private let seconds: @Sendable () -> Double

    package init(fileCount: Int = 0, seconds: @escaping @Sendable () -> Double = BodyImportJob.uptime) {
        self.seconds = seconds
        let now = seconds()
        state = Mutex(
            State(
                progress: BodyImportState(
                    phase: Open(.checking), fileCount: fileCount, report: BodyImportReport()),
                begun: now, fileBegun: now))
    }

    package static let uptime: @Sendable () -> Double = { ProcessInfo.processInfo.systemUptime }

    package var progress: BodyImportState { state.withLock { $0.progress } }

    /// Asks the import to end; it does so before its next record.
    package func cancel() { state.withLock { $0.isCancelled = true } }

    /// - Throws: `CancellationError` once ``cancel()`` was called.
    func checkCancelled() throws {
        if state.withLock({ $0.isCancelled }) { throw CancellationError() }
    }

    func beginFile(_ path: String, number: Int, bytes: Int64) throws {
        let now = seconds()
        state.withLock {
            $0.fileBegun = now
            $0.progress.phase = Open(.checking)
            $0.progress.path = path
            $0.progress.fileNumber = number
            $0.progress.bytes = 0
            $0.progress.totalBytes = bytes
            $0.progress.records = 0
            $0.progress.recordsPerSecond = nil
            $0.progress.secondsLeft = nil
        }
        try checkCancelled()
    }

    func beginReading() throws {
        let now = seconds()
        state.withLock {
            $0.fileBegun = now
            $0.progress.phase = Open(.reading)
        }
        try checkCancelled()
    }

    func read(bytes: Int64, of total: Int64, records: Int) throws {
        let now = seconds()
        state.withLock {
            $0.progress.bytes = bytes
            if total > 0 { $0.progress.totalBytes = total }
            $0.progress.records = records
            let elapsed = now - $0.fileBegun
            guard elapsed >= Self.leastSeconds else { return }
            $0.progress.recordsPerSecond = Double(records) / elapsed
            if bytes > 0, $0.progress.totalBytes >= bytes {
                $0.progress.secondsLeft = Double($0.progress.totalBytes - bytes) * elapsed / Double(bytes)
            }
        }
        try checkCancelled()
    }

    func beginComputing() throws {
        state.withLock {
            $0.progress.phase = Open(.computing)
            $0.progress.path = nil
            $0.progress.secondsLeft = nil
        }
        try checkCancelled()
    }

    /// Files that are finished stay, whatever comes.
    func note(_ file: BodyImportedFile) { state.withLock { $0.progress.report?.files.append(file) } }

    func note(days: Int) { state.withLock { $0.progress.report?.days = days } }

    package func end(_ phase: BodyImportPhase, failure: String? = nil) {
        let now = seconds()
        state.withLock {
            $0.progress.phase = Open(phase)
            $0.progress.path = nil
            $0.progress.secondsLeft = nil
            $0.progress.failure = failure
            $0.progress.report?.seconds = now - $0.begun
        }
    }
}
