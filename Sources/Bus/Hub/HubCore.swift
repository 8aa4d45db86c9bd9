import Protocols

/// The way back to one connected peer: opaque bytes of the transport.
package typealias Route = [UInt8]

/// What the hub wants done.
package enum HubAction: Sendable {
    /// To everybody who subscribed.
    case publish(Received)
    /// To one peer.
    case send(Route, Received)
    /// For the spool, in this order; what becomes of it comes back by ``HubCore/spooled(_:now:)``.
    case spool(SpoolJob)
    /// For the log.
    case notice(String, [String: String])
    /// To read the list of keys of other machines again, at once.
    case reloadKeys
}

/// The rules of the hub, without sockets or clock: messages in, actions out.
///
/// One counter, the hub sequence, numbers everything that the hub passes on, on both ways out. All that one peer sent
/// before something is therefore numbered before it: virtual time and joining rest on this.
package struct HubCore: Sendable {
    struct Peer: Sendable {
        var hello: PeerHello
        var epoch: UInt64
        var route: Route
        var startedNs: Int64
        var heardNs: Int64
        var ready = false
        var connected = true
        /// It has taken its place and can hear.
        var joined = false
        var restarts = 0
        /// Its newest heartbeat.
        var beat: Heartbeat?
        /// Every name that it answers to.
        let names: [ProcessName]

        init(hello: PeerHello, epoch: UInt64, route: Route, startedNs: Int64, heardNs: Int64) {
            self.hello = hello
            self.epoch = epoch
            self.route = route
            self.startedNs = startedNs
            self.heardNs = heardNs
            names = [hello.process] + hello.roles
        }
    }

    struct Kept: Sendable {
        var message: Received
        var receivedNs: Int64
    }

    struct Question: Sendable {
        var asker: Route
        var target: ProcessName
        var name: String
        var correlation: UInt64
    }

    package let epoch: UInt64
    let version: String
    let pid: Int32
    /// What is to be done, in order; the shell takes it.
    package var actions: [HubAction] = []
    /// Messages that were dropped here, by cause.
    package private(set) var drops: [String: UInt64] = [:]
    package private(set) var hubSequence: UInt64 = 0
    var peers: [ProcessName: Peer] = [:]
    var nameOfRoute: [Route: ProcessName] = [:]
    /// Every name and role, to the process that has it.
    var holders: [ProcessName: ProcessName] = [:]
    private(set) var kept: [String: Kept] = [:]
    /// How many values are kept of each family.
    private var keptOfFamily: [String: Int] = [:]
    /// Every topic that was spoken on.
    var lines: [String: TopicLine] = [:]
    /// Where the live streams of processes stood that ended, said for a while: their own heartbeats no longer do.
    var ended: [(untilNs: Int64, positions: [StreamPosition])] = []
    var senders: [UInt64: ProcessName] = [:]
    var questions: [UInt64: Question] = [:]
    var sequences: [String: UInt64] = [:]
    /// The newest figures of each process, as it sent them.
    var metrics: [ProcessName: [UInt8]] = [:]
    /// What the supervisor says; nil without one. The shell reads it anew each second.
    package var supervision: SupervisorReport?
    var received = ClassCounts()
    var sent = ClassCounts()
    var startedNs: Int64
    var desk = EventDesk()
    /// Whether other machines can reach this hub at all.
    package var isOpenToOthers = false
    /// Of peers on other machines: what each key on the list may do, and with which key they came.
    var remoteRights: [String: PeerRights] = [:]
    var keyOfRoute: [Route: String] = [:]
    /// When a repeated notice was given last, in ns since boot.
    var toldNs: [String: Int64] = [:]
    var lastTickNs: Int64
    private var noticed: Set<String> = []
    private var virtualNowMs: Int64?

    package init(epoch: UInt64, version: String, pid: Int32, now: Moment) {
        self.epoch = epoch
        self.version = version
        self.pid = pid
        startedNs = now.monotonicNs
        lastTickNs = now.monotonicNs
        senders[epoch] = .hub
        actions.append(.spool(.open))
    }

    package mutating func takeActions() -> [HubAction] {
        defer { actions.removeAll(keepingCapacity: true) }
        for action in actions {
            switch action {
            case .publish(let message), .send(_, let message): sent.count(message.header.deliveryClass)
            default: break
            }
        }
        return actions
    }

    /// Handles one message of a peer.
    ///
    /// - Parameter isReachable: whether a message to this route would reach a living connection; asked when a second
    ///   process claims a name.
    package mutating func receive(
        _ message: Received, from route: Route, now: Moment, isReachable: (Route) -> Bool
    ) {
        received.count(message.header.deliveryClass)
        if message.topic == ControlTopic.hello {
            hello(message, from: route, now: now, isReachable: isReachable)
            return
        }
        guard let name = nameOfRoute[route], let place = peers.index(forKey: name) else {
            drop("not-joined")
            actions.append(.send(route, .control(ControlTopic.who, hubEpoch: epoch)))
            return
        }
        peers.values[place].heardNs = now.monotonicNs
        // Whoever asks for the processes is told of those that have ended since the last look.
        if message.topic == Self.peersQuestion { checkPeers(isReachable: isReachable) }
        if ControlTopic.isControl(message.topic) {
            control(message, from: name, route: route, now: now)
        } else {
            publish(message, from: name, route: route, now: now)
        }
    }

    private static let peersQuestion = ControlTopic.request(ProcessName.hub.rawValue, HubPeers.name)

    /// A message to this route could not be delivered: the peer is gone.
    package mutating func undeliverable(_ message: Received, to route: Route, gone: Bool) {
        if gone, let name = nameOfRoute[route] { forget(name) }
        if message.header.deliveryClass == .request {
            refuse(
                message.header.correlation,
                Refusal(
                    code: gone ? "unknown-process" : "unavailable",
                    message: gone ? "the process has just gone" : "the process does not read its messages"))
        } else if !gone, message.header.deliveryClass != .event {
            drop("peer-full")
        }
    }

    /// Counts frames that are no message.
    package mutating func garbage(_ reason: String, from route: Route?) {
        drop("garbage")
        noticeOnce("frames that are no message were dropped", ["reason": reason])
    }

    // MARK: - Topics

    private mutating func publish(_ message: Received, from name: ProcessName, route: Route, now: Moment) {
        guard let spec = Registry.spec(of: message.topic) else {
            reject("unknown-topic", message, from: name, route)
            return
        }
        guard message.header.deliveryClass == spec.deliveryClass else {
            reject("wrong-class", message, from: name, route)
            return
        }
        guard mayPublish(name, spec, message.topic) else {
            reject("wrong-publisher", message, from: name, route)
            return
        }
        guard hasRoom(for: message, spec) else {
            drop("kept-full")
            noticeOnce(
                "a value is refused: the hub keeps \(Self.keptLimit) of this family already",
                ["family": spec.family, "from": name.rawValue])
            return
        }
        learn(message.header.epoch, name)
        let line = note(message, from: name, now: now)
        switch spec.family {
        case Registry.heartbeat.spec.family: noteHeartbeat(message, of: name)
        case Registry.metrics.spec.family: noteMetrics(message, of: name)
        case Registry.virtualNow.spec.family:
            // The marker's header has the conductor's own clock; what counts is the time it announces.
            if let marker = try? MessageCoding.decode(VirtualNow.self, from: message.body) {
                expireVirtual(atMs: marker.nowAt.milliseconds)
            }
        default: break
        }
        if spec.deliveryClass == .state, isOld(message, now: now) { return }
        let stamped = stamp(message)
        switch spec.deliveryClass {
        case .state: keep(stamped, now: now)
        case .live: if let line { lines.values[line].ring.append(stamped, depth: spec.depth) }
        default: break
        }
        actions.append(.publish(stamped))
        if spec.deliveryClass == .event { spool(stamped, spec, from: route, now: now) }
        if spec.family == Registry.virtualNow.spec.family { mark(stamped) }
    }

    func mayPublish(_ name: ProcessName, _ spec: TopicSpec, _ topic: String) -> Bool {
        if spec.family == Registry.heartbeat.spec.family || spec.family == Registry.metrics.spec.family {
            return topic == "\(spec.family)/\(name)"
        }
        guard !spec.publishers.isEmpty else { return true }
        return peers[name]?.names.contains { spec.publishers.contains($0) } == true
    }

    /// A state that is kept already: its owner repeats it after a break of the line. Or one whose time is over: its owner
    /// repeats it to a new hub.
    private mutating func isOld(_ message: Received, now: Moment) -> Bool {
        let header = message.header
        if header.ttlMs > 0, header.monotonicNs > 0, !message.isTombstone, !header.flags.contains(.virtualTime),
            now.monotonicNs - header.monotonicNs > Int64(header.ttlMs) * 1_000_000
        {
            drop("expired")
            return true
        }
        guard let kept = kept[message.topic]?.message.header else { return false }
        return kept.epoch == header.epoch && header.sequence <= kept.sequence
    }

    /// Values that are kept of one family of topics: one per listener or process, so more are a fault of their sender.
    package static let keptLimit = 1000

    private func hasRoom(for message: Received, _ spec: TopicSpec) -> Bool {
        guard spec.deliveryClass == .state, keptOfFamily[spec.family, default: 0] >= Self.keptLimit else { return true }
        return kept[message.topic] != nil || message.isTombstone
    }

    mutating func keep(_ message: Received, now: Moment) {
        let old = kept.updateValue(Kept(message: message, receivedNs: now.monotonicNs), forKey: message.topic)
        if old == nil { keptOfFamily[TopicSpec.family(of: message.topic), default: 0] += 1 }
        if message.isTombstone { forget(kept: message.topic) }
    }

    private mutating func forget(kept topic: String) {
        guard kept.removeValue(forKey: topic) != nil else { return }
        keptOfFamily[TopicSpec.family(of: topic), default: 1] -= 1
    }

    private mutating func reject(_ cause: String, _ message: Received, from name: ProcessName, _ route: Route) {
        drop(cause)
        if message.header.deliveryClass == .event { nak(message, cause, final: true, to: route) }
        noticeOnce(
            "message dropped: the registry does not allow it",
            ["cause": cause, "topic": message.topic, "from": name.rawValue])
    }

    /// Passes the marker of a step of virtual time also along the direct line, behind all that went there before.
    private mutating func mark(_ message: Received) {
        for peer in peers.values where peer.hello.virtualTime {
            actions.append(
                .send(
                    peer.route,
                    Received(topic: ControlTopic.marker, header: message.header, body: message.body)))
        }
    }

    /// Remembers who sends under an epoch, and tells the peers on virtual time before they can need it.
    mutating func learn(_ epoch: UInt64, _ name: ProcessName) {
        guard senders[epoch] != name else { return }
        senders[epoch] = name
        let roster = Roster(entries: [.init(epoch: epoch, process: name)])
        for peer in peers.values where peer.hello.virtualTime { sendRoster(roster, to: peer.route) }
    }

    mutating func sendRoster(_ roster: Roster, to route: Route) {
        guard let body = try? MessageCoding.encode(roster) else { return }
        actions.append(.send(route, .control(ControlTopic.roster, body: body, epoch: epoch, hubEpoch: epoch)))
    }

    // MARK: - Expiry

    private mutating func expireVirtual(atMs: Int64) {
        virtualNowMs = atMs
        for topic in kept.keys.sorted() {
            guard let header = kept[topic]?.message.header, header.flags.contains(.virtualTime), header.ttlMs > 0
            else { continue }
            if header.wallNs / 1_000_000 + Int64(header.ttlMs) < atMs { expire(topic, header) }
        }
    }

    mutating func expireSystem(now: Moment) {
        for topic in kept.keys.sorted() {
            guard let kept = kept[topic], !kept.message.header.flags.contains(.virtualTime) else { continue }
            let header = kept.message.header
            if header.ttlMs > 0, now.monotonicNs - kept.receivedNs > Int64(header.ttlMs) * 1_000_000 {
                expire(topic, header)
            }
        }
    }

    private mutating func expire(_ topic: String, _ header: Header) {
        forget(kept: topic)
        var tombstone = header
        tombstone.flags.insert(.tombstone)
        tombstone.epoch = epoch
        tombstone.sequence = nextSequence(topic)
        tombstone.ttlMs = 0
        actions.append(.publish(stamp(Received(topic: topic, header: tombstone, body: []))))
    }

    // MARK: - Common

    mutating func nextSequence(_ topic: String) -> UInt64 {
        sequences[topic, default: 0] += 1
        return sequences[topic] ?? 1
    }

    mutating func stamp(_ message: Received) -> Received {
        hubSequence += 1
        let number = hubSequence
        let epoch = epoch
        return message.with {
            $0.hubEpoch = epoch
            $0.hubSequence = number
        }
    }

    mutating func drop(_ cause: String, _ count: UInt64 = 1) { drops[cause, default: 0] += count }

    mutating func noticeOnce(_ text: String, _ metadata: [String: String]) {
        let key = text + metadata.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined()
        guard noticed.count < 1000, noticed.insert(key).inserted else { return }
        actions.append(.notice(text, metadata))
    }

    private mutating func noteHeartbeat(_ message: Received, of name: ProcessName) {
        guard let beat = try? MessageCoding.decode(Heartbeat.self, from: message.body) else { return }
        if beat.ready { peers[name]?.ready = true }
        peers[name]?.beat = beat
    }
}
