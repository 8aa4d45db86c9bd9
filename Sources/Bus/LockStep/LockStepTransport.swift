import Protocols

/// A line to a ``LockStepHub``: what it hears comes on the thread of whoever makes the step.
package struct LockStepTransport: BusTransport {
    private let hub: LockStepHub
    private let line: UInt64

    init(hub: LockStepHub, line: UInt64) {
        self.hub = hub
        self.line = line
    }

    private var route: Route { withUnsafeBytes(of: line.bigEndian) { Array($0) } }

    package var endpoint: String { "lock-step" }
    package var backlog: Int { hub.backlog }

    package func start(
        prefixes: [[UInt8]], sink: @escaping @Sendable ([TransportEvent]) -> Void
    ) throws(BusError) {
        hub.enqueue([.connect(route, prefixes: prefixes, sink: sink)], line: line)
    }

    package func subscribe(_ prefix: [UInt8]) { hub.enqueue([.subscribe(route, prefix)], line: line) }
    package func send(_ messages: [Received]) -> [Received] {
        hub.enqueue(messages.map { .message(route, $0) }, line: line)
        return []
    }

    package func stop(limit: Duration) async { hub.enqueue([.disconnect(route)], line: line) }
}
