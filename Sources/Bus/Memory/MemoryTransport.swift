import Protocols

/// A line to a ``MemoryHub``.
package struct MemoryTransport: BusTransport {
    private let hub: MemoryHub
    private let route: Route

    init(hub: MemoryHub, route: Route) {
        self.hub = hub
        self.route = route
    }

    package var endpoint: String { "memory" }
    package var backlog: Int { hub.backlog }

    package func start(
        prefixes: [[UInt8]], sink: @escaping @Sendable ([TransportEvent]) -> Void
    ) throws(BusError) {
        hub.enqueue([.connect(route, prefixes: prefixes, sink: sink)])
    }

    package func subscribe(_ prefix: [UInt8]) { hub.enqueue([.subscribe(route, prefix)]) }
    package func send(_ messages: [Received]) -> [Received] {
        hub.enqueue(messages.map { .message(route, $0) })
        return []
    }

    package func stop(limit: Duration) async { hub.enqueue([.disconnect(route)]) }
}
