import Foundation
import Protocols

/// One reading of the machine's two clocks. Only the outermost layer of a process takes it.
package struct Moment: Sendable, Hashable {
    /// Unix time in ns.
    package var wallNs: Int64
    /// Time since boot in ns: the same for all processes of a host, never steps, and goes on while the machine sleeps,
    /// so that what was said before the lid was closed is old when it is opened.
    package var monotonicNs: Int64

    package init(wallNs: Int64, monotonicNs: Int64) {
        self.wallNs = wallNs
        self.monotonicNs = monotonicNs
    }

    /// Reads both clocks of the machine.
    package static func read() -> Moment {
        Moment(wallNs: clockNanoseconds(CLOCK_REALTIME), monotonicNs: clockNanoseconds(CLOCK_BOOTTIME))
    }

    /// Reads the time since boot alone, in ns.
    package static func readMonotonic() -> Int64 { clockNanoseconds(CLOCK_BOOTTIME) }

    package var timestamp: Timestamp { Timestamp(milliseconds: wallNs / 1_000_000) }
}

private func clockNanoseconds(_ clock: clockid_t) -> Int64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
}

extension Duration {
    /// Whole nanoseconds; saturates after 292 years.
    package var nanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (high, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        return overflow ? .max : high &+ attoseconds / 1_000_000_000
    }
}
