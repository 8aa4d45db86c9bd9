import Protocols
import Synchronization

/// A hub in memory that moves only when it is told to: for tests that put real peers, with their hello, snapshot,
/// outbox and acknowledgements, under a clock and an order of their own.
///
/// What peers send waits until the next ``step(to:)``. It takes what was sent before it began, the peers in the order in
/// which their transports were made and each in its order of sending; what follows from it waits for a later step. So
/// the hub numbers the same messages alike, whichever thread was faster. Time is that of the steps: what the hub keeps
/// expires by it, and once in each second of it the hub says its heartbeat and its table.
///
/// ``LockStep`` is the smaller fake for services alone, without peers.
package final class LockStepHub: Sendable {
    private static let tickNs: Int64 = 1_000_000_000

    private struct Waiting: Sendable {
        /// Number of the transport; 0 = the hub itself.
        let line: UInt64
        let input: MemoryExchange.Input
    }

    private struct Clockwork: Sendable {
        var exchange: MemoryExchange
        var now: Moment
        var tickedNs: Int64
    }

    private let waiting = Mutex<[Waiting]>([])
    /// Held for a whole step: a peer never hears two batches at a time.
    private let clockwork: Mutex<Clockwork>
    private let lines = Atomic<UInt64>(0)

    /// - Parameters:
    ///   - start: time before the first step.
    ///   - spool: what this hub would have on disk; a new hub in its place has it too.
    package init(
        start: Moment = .read(), epoch: UInt64 = .random(in: 1...UInt64.max), spool: any SpoolStore = MemorySpool()
    ) {
        let exchange = MemoryExchange(epoch: epoch, now: start, spool: spool)
        clockwork = Mutex(Clockwork(exchange: exchange, now: start, tickedNs: start.monotonicNs))
    }

    /// A line to this hub for one peer.
    package func transport() -> LockStepTransport {
        LockStepTransport(hub: self, line: lines.add(1, ordering: .relaxed).newValue)
    }

    /// A new hub with nothing in memory takes the place of this one, first thing in the next step.
    package func restart(epoch: UInt64 = .random(in: 1...UInt64.max)) {
        enqueue([.restart(epoch: epoch)], line: 0)
    }

    /// Messages that the next step will take.
    package var backlog: Int { waiting.withLock { $0.count } }

    /// Makes one step, on the caller's thread.
    ///
    /// - Parameter now: its time; an earlier one than that of the step before counts as the same.
    /// - Returns: how many inputs it took; 0 = nobody had sent anything.
    @discardableResult
    package func step(to now: Moment) -> Int {
        clockwork.withLock { clockwork in
            if now.monotonicNs > clockwork.now.monotonicNs { clockwork.now = now }
            let now = clockwork.now
            let taken = waiting.withLock { waiting in
                defer { waiting = [] }
                return waiting
            }
            let inOrder = taken.enumerated().sorted {
                ($0.element.line, $0.offset) < ($1.element.line, $1.offset)
            }
            for (_, entry) in inOrder { clockwork.exchange.handle(entry.input, now: now) }
            if now.monotonicNs - clockwork.tickedNs >= Self.tickNs {
                clockwork.tickedNs = now.monotonicNs
                clockwork.exchange.handle(.tick, now: now)
            }
            for (sink, events) in clockwork.exchange.takeBatches() { sink(events) }
            return taken.count
        }
    }

    func enqueue(_ inputs: [MemoryExchange.Input], line: UInt64) {
        waiting.withLock { $0 += inputs.map { Waiting(line: line, input: $0) } }
    }
}
