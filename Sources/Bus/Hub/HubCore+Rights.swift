import Protocols

/// Peers on other machines: they may do what the rights of their key say, and nothing else.
extension HubCore {
    /// Refusals of one kind are told this often.
    static var refusalNoticeNs: Int64 { 10_000_000_000 }
    static var refusalKinds: Int { 256 }

    /// Handles one message of a peer on another machine.
    ///
    /// - Parameter key: the name that its key has on the list; libzmq vouches for it with every message.
    package mutating func receive(
        _ message: Received, from route: Route, key: String, now: Moment, isReachable: (Route) -> Bool
    ) {
        guard let rights = remoteRights[key] else {
            drop("not-allowed")
            return
        }
        if message.topic == ControlTopic.hello {
            guard mayGreet(message, rights, key: key, route: route) else { return }
            keyOfRoute[route] = key
        } else if let name = nameOfRoute[route], keyOfRoute[route] == key {
            guard isAllowed(message, rights, name: name, route: route) else {
                deny(message, key: key, route: route, now: now)
                return
            }
        }
        receive(message, from: route, now: now, isReachable: isReachable)
    }

    /// Whether a route may be told of a topic; the hub's own machine is told everything.
    func mayHear(_ route: Route, _ topic: String) -> Bool {
        guard route.isRemote else { return true }
        return rights(of: route)?.mayHear(topic) ?? false
    }

    func rights(of route: Route) -> PeerRights? { keyOfRoute[route].flatMap { remoteRights[$0] } }

    /// The list of keys was read, anew.
    package mutating func setRemoteRights(_ rights: [String: PeerRights]) { remoteRights = rights }

    /// All connections to other machines were ended: those who may come back say hello again.
    package mutating func closeRemote() {
        for (name, peer) in peers where peer.connected && peer.route.isRemote { forget(name) }
        keyOfRoute = [:]
    }

    /// Somebody was sent away before a word was said.
    ///
    /// - Parameters:
    ///   - reason: for the log; one line in 10 s per reason, key and address.
    ///   - fingerprint: of the key, where one was shown.
    package mutating func handshakeRefused(
        _ reason: String, fingerprint: String?, address: String, now: Moment
    ) {
        drop("handshake-refused")
        var metadata = ["from": address]
        if let fingerprint { metadata["key"] = fingerprint }
        noticeSometimes("handshake refused: \(reason)", metadata, now: now)
    }

    /// Further refusals, too many to tell apart.
    package mutating func handshakeRefusedMore(_ count: UInt64) { drop("handshake-refused", count) }

    // MARK: - What is allowed

    private mutating func mayGreet(_ message: Received, _ rights: PeerRights, key: String, route: Route) -> Bool {
        guard let hello = try? message.decodeBody(PeerHello.self) else { return true }
        let problem: String
        if let other = ([hello.process] + hello.roles).first(where: { !rights.mayBe($0) }) {
            problem = "the key \(key) may not be \(other): see `resonance pair --list` at the hub"
        } else if let sender = senders[message.header.epoch], sender != hello.process {
            problem = "the epoch belongs to another process"
        } else {
            return true
        }
        drop("not-allowed")
        refuseHello(route, Refusal(code: "not-allowed", message: problem))
        return false
    }

    private func isAllowed(_ message: Received, _ rights: PeerRights, name: ProcessName, route: Route) -> Bool {
        let topic = message.topic
        guard ControlTopic.isControl(topic) else {
            // An epoch belongs to whom it came from first: nobody speaks, or is acknowledged, in another's place.
            if let sender = senders[message.header.epoch], sender != name { return false }
            let own = [Registry.heartbeat(name.rawValue).name, Registry.metrics(name.rawValue).name]
            return rights.mayPublish(topic) || own.contains(topic)
        }
        switch topic {
        case ControlTopic.bye, ControlTopic.beat, ControlTopic.sync, ControlTopic.snapshot, ControlTopic.joined,
            ControlTopic.step, ControlTopic.replay:
            return true
        default: break
        }
        if topic.hasPrefix("~request/"), let (process, question) = ControlTopic.parts(topic) {
            let open = questions[message.header.correlation]
            return rights.mayAsk(process, question) && (open == nil || open?.asker == route)
        }
        if topic.hasPrefix("~reply/") { return questions[message.header.correlation]?.target == name }
        for kind in ["~ack", "~nak", "~working"] {
            if let event = ControlTopic.rest(topic, after: kind) { return rights.mayHear(event) }
        }
        return false
    }

    private mutating func deny(_ message: Received, key: String, route: Route, now: Moment) {
        drop("not-allowed")
        noticeSometimes(
            "message dropped: the rights of its key do not allow it", ["key": key, "topic": message.topic], now: now)
        if message.header.deliveryClass == .event {
            // For good: kept back by its sender, it would hold up what is allowed.
            nak(message, "not-allowed", final: true, to: route)
        }
        guard message.topic.hasPrefix("~request/"), let (process, question) = ControlTopic.parts(message.topic)
        else { return }
        let refusal = Refusal(code: "not-allowed", message: "the key \(key) may not ask \(process) for \(question)")
        let reply = Received.control(
            ControlTopic.reply(process, question), body: (try? MessageCoding.encode(refusal)) ?? [], epoch: epoch,
            correlation: message.header.correlation, flags: .refused, hubEpoch: epoch
        ).with { $0.deliveryClass = .reply }
        actions.append(.send(route, reply))
    }

    private mutating func noticeSometimes(_ text: String, _ metadata: [String: String], now: Moment) {
        let kind = text + metadata.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined()
        if let last = toldNs[kind], now.monotonicNs - last < Self.refusalNoticeNs { return }
        if toldNs.count >= Self.refusalKinds {
            toldNs = toldNs.filter { now.monotonicNs - $0.value < Self.refusalNoticeNs }
            guard toldNs.count < Self.refusalKinds else { return }
        }
        toldNs[kind] = now.monotonicNs
        actions.append(.notice(text, metadata))
    }
}
