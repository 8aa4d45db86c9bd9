import Protocols
import Synchronization

/// What the hub knows of every process at one moment, for operators.
package struct HubFigures: Sendable {
    package var table: ProcessTable
    /// Bodies of the newest `sys/metrics` by process, as they came.
    package var metrics: [ProcessName: [UInt8]]
    /// The hub's own figures.
    package var own: PeerFigures
    /// Time since boot at which this was noted, nanoseconds.
    package var atNs: Int64
}

/// The newest figures of a hub, readable from any thread.
package final class HubBoard: Sendable {
    private let figures = Mutex<HubFigures?>(nil)

    package init() {}

    /// Nil before the hub's first second.
    package var newest: HubFigures? { figures.withLock { $0 } }

    package func post(_ figures: HubFigures) { self.figures.withLock { $0 = figures } }
}

extension HubCore {
    /// Remembers what a process says of itself, unread.
    mutating func noteMetrics(_ message: Received, of name: ProcessName) { metrics[name] = message.body }

    package func figures(now: Moment) -> HubFigures {
        HubFigures(
            table: processTable(now: now), metrics: metrics.filter { peers[$0.key]?.connected == true },
            own: PeerFigures(
                sent: sent, received: received, drops: drops, queueDepths: queueDepths, loopLagMs: 0),
            atNs: now.monotonicNs)
    }

    /// What the hub holds, by kind.
    var queueDepths: [String: Int] {
        [
            "kept": kept.count, "peers": nameOfRoute.count, "questions": questions.count,
            "spool": desk.depth.pending, "dead-letters": desk.depth.deadLetters,
            "uncommitted": desk.uncommitted.events,
        ]
    }
}
