import Dispatch
import Synchronization

/// Takes the hub's disk work off its I/O thread: whatever has arrived goes into one commit, results come back by a wake.
final class SpoolWriter: Sendable {
    /// Jobs in one commit at most.
    static let batchLimit = 2048

    private struct State {
        var jobs: [SpoolJob] = []
        var batches: [SpoolBatch] = []
        var isScheduled = false
        var isStopped = false
    }

    private let store: any SpoolStore
    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "resonance.hub-spool", qos: .userInitiated)
    private let wake: @Sendable () -> Void

    /// - Parameter wake: called from the writer's thread when there is something to ``take()``.
    init(_ store: any SpoolStore, wake: @escaping @Sendable () -> Void) {
        self.store = store
        self.wake = wake
    }

    func submit(_ jobs: [SpoolJob]) {
        let mustStart = state.withLock { state in
            guard !state.isStopped else { return false }
            state.jobs += jobs
            defer { state.isScheduled = true }
            return !state.isScheduled
        }
        if mustStart { queue.async { [self] in work() } }
    }

    /// What was done since the last call.
    func take() -> [SpoolBatch] {
        state.withLock { state in
            defer { state.batches = [] }
            return state.batches
        }
    }

    private func work() {
        while true {
            let jobs = state.withLock { state -> [SpoolJob] in
                guard !state.isStopped, !state.jobs.isEmpty else {
                    state.isScheduled = false
                    return []
                }
                let count = min(state.jobs.count, Self.batchLimit)
                defer { state.jobs.removeFirst(count) }
                return Array(state.jobs.prefix(count))
            }
            guard !jobs.isEmpty else { return }
            let batch = store.run(jobs)
            state.withLock { $0.batches.append(batch) }
            wake()
        }
    }

    /// Ends the work; a commit that is on its way has `limit` to finish. What was not committed was not acknowledged,
    /// so its senders keep it.
    func stop(limit: DispatchTimeInterval) {
        state.withLock { $0.isStopped = true }
        let done = DispatchSemaphore(value: 0)
        queue.async { done.signal() }
        _ = done.wait(timeout: .now() + limit)
    }
}
