import Dispatch
import Protocols
import Synchronization

/// The hub and its sockets in memory: the same rules, one queue instead of a network.
package final class MemoryHub: Sendable {
    private let inputs = Mutex<(queue: [MemoryExchange.Input], isScheduled: Bool)>(([], false))
    private let exchange: Mutex<MemoryExchange>
    private let queue = DispatchQueue(label: "resonance.memory-hub")
    private let routes = Atomic<UInt64>(0)

    /// - Parameter spool: what this hub would have on disk; a new hub in its place has it too.
    package init(epoch: UInt64 = .random(in: 1...UInt64.max), spool: any SpoolStore = MemorySpool()) {
        exchange = Mutex(MemoryExchange(epoch: epoch, now: Moment.read(), spool: spool))
    }

    /// A line to this hub for one peer.
    package func transport() -> MemoryTransport {
        let number = routes.add(1, ordering: .relaxed).newValue
        return MemoryTransport(hub: self, route: withUnsafeBytes(of: number) { Array($0) })
    }

    /// Once a second in a real hub: expiry, beats, table.
    package func tick() { enqueue([.tick]) }

    /// A new hub with nothing in memory takes the place of this one.
    package func restart(epoch: UInt64 = .random(in: 1...UInt64.max)) { enqueue([.restart(epoch: epoch)]) }

    var backlog: Int { inputs.withLock { $0.queue.count } }

    func enqueue(_ more: [MemoryExchange.Input]) {
        inputs.withLock { $0.queue += more }
        schedule()
    }

    private func schedule() {
        let mustStart = inputs.withLock { inputs in
            defer { inputs.isScheduled = true }
            return !inputs.isScheduled
        }
        guard mustStart else { return }
        queue.async { [self] in
            while drain() {}
            let again = inputs.withLock { inputs in
                inputs.isScheduled = false
                return !inputs.queue.isEmpty
            }
            if again { schedule() }
        }
    }

    /// - Returns: false when there was nothing to do.
    private func drain() -> Bool {
        let batch = inputs.withLock { inputs in
            defer { inputs.queue = [] }
            return inputs.queue
        }
        guard !batch.isEmpty else { return false }
        let batches = exchange.withLock { exchange in
            for input in batch { exchange.handle(input, now: Moment.read()) }
            return exchange.takeBatches()
        }
        for (sink, events) in batches { sink(events) }
        return true
    }
}
