import Synchronization

/// What the main loop of a peer is doing, readable by a watchdog on another thread.
final class Progress: Sendable {
    /// Monotonic ns at which the present work began; 0 = waits for work; −1 = has not begun.
    private let busySinceNs = Atomic<Int64>(-1)
    private let lastLagNs = Atomic<Int64>(0)

    func begin(nowNs: Int64) { busySinceNs.store(nowNs, ordering: .relaxed) }
    func rest() { busySinceNs.store(0, ordering: .relaxed) }
    func noteLag(_ ns: Int64) { lastLagNs.store(ns, ordering: .relaxed) }

    var lagMs: Double { Double(lastLagNs.load(ordering: .relaxed) / 1000) / 1000 }

    func secondsBusy(nowNs: Int64) -> Double? {
        switch busySinceNs.load(ordering: .relaxed) {
        case -1: nil
        case 0: 0
        case let since: Double(nowNs - since) / 1e9
        }
    }
}
