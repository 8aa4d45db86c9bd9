import CPosix
import Foundation

/// Aborts the process when its main loop has stopped: a supervisor can restart a dead process, not a hung one.
///
/// It has a thread of its own, so it works when every other thread is stuck.
package struct Watchdog: Sendable {
    /// The longest time without a beat, in seconds.
    package var limit: Double
    /// Seconds since the last beat of the main loop; nil while it has not beaten for the first time.
    package var silence: @Sendable () -> Double?
    /// What happens then; given the silence in seconds.
    package var bite: @Sendable (Double) -> Void

    package init(
        limit: Double, silence: @escaping @Sendable () -> Double?, bite: @escaping @Sendable (Double) -> Void
    ) {
        self.limit = limit
        self.silence = silence
        self.bite = bite
    }

    package func start() {
        let thread = Thread {
            while true {
                Thread.sleep(forTimeInterval: min(1, limit / 4))
                if let silent = silence(), silent > limit {
                    bite(silent)
                    return
                }
            }
        }
        thread.name = "watchdog"
        thread.start()
    }
}
