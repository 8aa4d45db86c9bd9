import Protocols

/// The rules of the hub and the lines to its peers: what both hubs in memory are made of. Inputs go in with the time at
/// which they count, batches for the peers come out.
struct MemoryExchange: Sendable {
    typealias Sink = @Sendable ([TransportEvent]) -> Void

    enum Input: Sendable {
        case connect(Route, prefixes: [[UInt8]], sink: Sink)
        case subscribe(Route, [UInt8])
        case disconnect(Route)
        case message(Route, Received)
        /// Once a second in a real hub: expiry, beats, table.
        case tick
        /// A new hub with nothing in memory takes the place of this one.
        case restart(epoch: UInt64)
    }

    private struct Line: Sendable {
        var prefixes: [[UInt8]]
        let sink: Sink
    }

    private var core: HubCore
    /// What would be on disk: it outlives the hub.
    private let spool: any SpoolStore
    private var lines: [Route: Line] = [:]
    private var out: [(Route, [TransportEvent])] = []

    init(epoch: UInt64, now: Moment, spool: any SpoolStore = MemorySpool()) {
        core = Self.core(epoch, now)
        self.spool = spool
    }

    private static func core(_ epoch: UInt64, _ now: Moment) -> HubCore {
        HubCore(epoch: epoch, version: "memory", pid: 0, now: now)
    }

    mutating func handle(_ input: Input, now: Moment) {
        switch input {
        case .connect(let route, let prefixes, let sink):
            lines[route] = Line(prefixes: prefixes, sink: sink)
            out.append((route, [.linkUp]))
        case .subscribe(let route, let prefix): lines[route]?.prefixes.append(prefix)
        case .disconnect(let route): lines[route] = nil
        case .message(let route, let message):
            let lines = lines
            core.receive(message, from: route, now: now) { lines[$0] != nil }
        case .tick:
            let lines = lines
            core.tick(now: now) { lines[$0] != nil }
        case .restart(let epoch):
            core = Self.core(epoch, now)
            for route in lines.keys { out.append((route, [.linkDown(reason: "the hub is gone"), .linkUp])) }
        }
        perform(now)
    }

    private mutating func perform(_ now: Moment) {
        var actions = core.takeActions()
        while !actions.isEmpty {
            var jobs: [SpoolJob] = []
            for action in actions {
                switch action {
                case .publish(let message):
                    let bytes = Array(message.topic.utf8) + [0]
                    for (route, line) in lines where line.prefixes.contains(where: { bytes.starts(with: $0) }) {
                        out.append((route, [.published(message)]))
                    }
                case .send(let route, let message):
                    if lines[route] == nil {
                        core.undeliverable(message, to: route, gone: true)
                    } else {
                        out.append((route, [.direct(message)]))
                    }
                case .spool(let job): jobs.append(job)
                case .notice, .reloadKeys: break
                }
            }
            if !jobs.isEmpty { core.spooled(spool.run(jobs), now: now) }
            actions = core.takeActions()
        }
    }

    /// What came out since the last call: one batch per line, lines by their route, each in
    /// the order in which the hub sent.
    mutating func takeBatches() -> [(sink: Sink, events: [TransportEvent])] {
        var byRoute: [Route: [TransportEvent]] = [:]
        for (route, more) in out { byRoute[route, default: []] += more }
        out = []
        return byRoute.sorted { $0.key.lexicographicallyPrecedes($1.key) }.compactMap { route, events in
            (lines[route]?.sink).map { ($0, events) }
        }
    }
}
