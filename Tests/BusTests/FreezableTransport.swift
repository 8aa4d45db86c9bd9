import Bus
import Foundation
import Protocols
import Synchronization

/// A transport whose peer can be frozen: what comes for it meanwhile waits in the sockets and is lost there when they
/// are full, as for a process that was stopped. It can also lose what it hears by subscription.
final class FreezableTransport: BusTransport {
    private let inner: any BusTransport
    private let gate = Gate()
    private let loses: @Sendable (Received) -> Bool

    init(_ inner: any BusTransport, loses: @escaping @Sendable (Received) -> Bool = { _ in false }) {
        self.inner = inner
        self.loses = loses
    }

    func freeze() { gate.close() }
    func thaw() { gate.open() }

    func start(prefixes: [[UInt8]], sink: @escaping @Sendable ([TransportEvent]) -> Void) throws(BusError) {
        try inner.start(prefixes: prefixes) { [gate, loses] events in
            gate.pass()
            sink(
                events.filter { event in
                    if case .published(let message) = event { !loses(message) } else { true }
                })
        }
    }

    func subscribe(_ prefix: [UInt8]) { inner.subscribe(prefix) }
    func send(_ messages: [Received]) -> [Received] { inner.send(messages) }
    func stop(limit: Duration) async { await inner.stop(limit: limit) }
    var backlog: Int { inner.backlog }
    var endpoint: String { inner.endpoint }
}

/// Blocks the thread of a transport while it is closed.
private final class Gate: @unchecked Sendable {
    // NSCondition is thread-safe; the flag is only touched under its lock.
    private let condition = NSCondition()
    private var isClosed = false

    func close() {
        condition.lock()
        isClosed = true
        condition.unlock()
    }

    func open() {
        condition.lock()
        isClosed = false
        condition.broadcast()
        condition.unlock()
    }

    func pass() {
        condition.lock()
        while isClosed { condition.wait() }
        condition.unlock()
    }
}
