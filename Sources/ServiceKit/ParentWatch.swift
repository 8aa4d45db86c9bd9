import CPosix
import Foundation

/// Ends this process by SIGTERM when its parent dies, so that a killed supervisor leaves no orphans.
///
/// Linux keeps this wish with the *thread* that made it, and threads of the pool come and go: a thread of its own makes
/// it and never ends.
enum ParentWatch {
    /// - Returns: false when the parent died before the wish was made.
    static func start() -> Bool {
        let parent = getppid()
        let isSet = DispatchSemaphore(value: 0)
        let thread = Thread {
            _ = resonance_die_with_parent()
            isSet.signal()
            while true { pause() }
        }
        thread.name = "parent-watch"
        thread.stackSize = 64 << 10
        thread.start()
        isSet.wait()
        return getppid() == parent
    }
}
