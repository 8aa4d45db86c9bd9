import Dispatch
import Protocols
import Synchronization

/// The hub and its sockets in memory: the same rules, one queue instead of a network.
///
/// With `manual: true` nothing moves until ``pump()``: for tests that decide what happens when.
package final class MemoryHub: Sendable {
    struct Line {
        var prefixes: [[UInt8]]
        let sink: @Sendable ([TransportEvent]) -> Void
    }

    private enum Input: Sendable {
        case connect(Route, prefixes: [[UInt8]], sink: @Sendable ([TransportEvent]) -> Void)
        case subscribe(Route, [UInt8])
        case disconnect(Route)
        case message(Route, Received)
        case tick(Moment)
        case restart(epoch: UInt64)
    }

    private struct State {
        var core: HubCore
        var lines: [Route: Line] = [:]
    }

    private let inputs = Mutex<(queue: [Input], isScheduled: Bool)>(([], false))
    private let state: Mutex<State>
    private let queue = DispatchQueue(label: "resonance.memory-hub")
    private let manual: Bool
    private let routes = Atomic<UInt64>(0)

    package init(epoch: UInt64 = .random(in: 1...UInt64.max), manual: Bool = false) {
        self.manual = manual
        state = Mutex(State(core: Self.core(epoch)))
    }

    private static func core(_ epoch: UInt64) -> HubCore {
        HubCore(epoch: epoch, version: "memory", pid: 0, now: Moment.read())
    }

    /// A line to this hub for one peer.
    package func transport() -> MemoryTransport {
        let number = routes.add(1, ordering: .relaxed).newValue
        return MemoryTransport(hub: self, route: withUnsafeBytes(of: number) { Array($0) })
    }

    /// Once a second in a real hub: expiry, beats, table.
    package func tick(at now: Moment = .read()) { enqueue(.tick(now)) }

    /// A new hub with nothing in memory takes the place of this one.
    package func restart(epoch: UInt64 = .random(in: 1...UInt64.max)) { enqueue(.restart(epoch: epoch)) }

    /// Handles everything that waits, and everything that follows from it, on the caller's thread.
    package func pump() {
        while drain() {}
    }

    func connect(_ route: Route, prefixes: [[UInt8]], sink: @escaping @Sendable ([TransportEvent]) -> Void) {
        enqueue(.connect(route, prefixes: prefixes, sink: sink))
    }

    func subscribe(_ route: Route, _ prefix: [UInt8]) { enqueue(.subscribe(route, prefix)) }
    func disconnect(_ route: Route) { enqueue(.disconnect(route)) }

    func send(_ route: Route, _ messages: [Received]) {
        inputs.withLock { $0.queue += messages.map { .message(route, $0) } }
        schedule()
    }

    var backlog: Int { inputs.withLock { $0.queue.count } }

    private func enqueue(_ input: Input) {
        inputs.withLock { $0.queue.append(input) }
        schedule()
    }

    private func schedule() {
        guard !manual else { return }
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
        var out: [(Route, [TransportEvent])] = []
        let sinks = state.withLock { state in
            for input in batch { handle(input, &state, &out) }
            return state.lines.mapValues(\.sink)
        }
        for (route, events) in merge(out) { sinks[route]?(events) }
        return true
    }

    /// One batch per line, lines in the order of their first event.
    private func merge(_ events: [(Route, [TransportEvent])]) -> [(Route, [TransportEvent])] {
        var order: [Route] = []
        var byRoute: [Route: [TransportEvent]] = [:]
        for (route, more) in events {
            if byRoute[route] == nil { order.append(route) }
            byRoute[route, default: []] += more
        }
        return order.map { ($0, byRoute[$0] ?? []) }
    }

    private func handle(_ input: Input, _ state: inout State, _ out: inout [(Route, [TransportEvent])]) {
        let now = Moment.read()
        switch input {
        case .connect(let route, let prefixes, let sink):
            state.lines[route] = Line(prefixes: prefixes, sink: sink)
            out.append((route, [.linkUp]))
        case .subscribe(let route, let prefix): state.lines[route]?.prefixes.append(prefix)
        case .disconnect(let route): state.lines[route] = nil
        case .message(let route, let message):
            let lines = state.lines
            state.core.receive(message, from: route, now: now) { lines[$0] != nil }
        case .tick(let now):
            let lines = state.lines
            state.core.tick(now: now) { lines[$0] != nil }
        case .restart(let epoch):
            state.core = Self.core(epoch)
            for route in state.lines.keys { out.append((route, [.linkDown(reason: "the hub is gone"), .linkUp])) }
        }
        perform(&state, &out)
    }

    private func perform(_ state: inout State, _ out: inout [(Route, [TransportEvent])]) {
        var actions = state.core.takeActions()
        while !actions.isEmpty {
            for action in actions {
                switch action {
                case .publish(let message):
                    let bytes = Array(message.topic.utf8) + [0]
                    for (route, line) in state.lines where line.prefixes.contains(where: { bytes.starts(with: $0) }) {
                        out.append((route, [.published(message)]))
                    }
                case .send(let route, let message):
                    if state.lines[route] == nil {
                        state.core.undeliverable(message, to: route, gone: true)
                    } else {
                        out.append((route, [.direct(message)]))
                    }
                case .notice: break
                }
            }
            actions = state.core.takeActions()
        }
    }
}
