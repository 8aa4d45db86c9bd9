import Protocols

/// Hello, subscriptions, snapshot: how a peer gets to know all that is so, without a hole and without a repeat.
extension PeerCore {
    mutating func linkUp(now: Moment) {
        linkIsUp = true
        hubHeardNs = now.monotonicNs
        if isWelcome { lose("the connection was renewed") }
        phase = .greeting
        sayHello(now)
    }

    mutating func linkDown(_ reason: String) {
        linkIsUp = false
        lose(reason)
        phase = .away
    }

    /// Takes leave: what the hub says from now on is not heard, so that nothing makes this peer say hello again.
    mutating func leave() {
        if isWelcome { outgoing.append(.control(ControlTopic.bye, epoch: identity.epoch)) }
        hasLeft = true
        phase = .away
    }

    mutating func lose(_ reason: String) {
        if phase == .joined, !identity.virtualTime { items.append(.lost(reason: reason)) }
        joinBuffer = []
        snapshotValues = []
    }

    mutating func sayHello(_ now: Moment) {
        lastSentNs = now.monotonicNs
        let hello = PeerHello(
            process: identity.name, roles: identity.roles, pid: identity.pid, version: identity.version,
            virtualTime: identity.virtualTime)
        guard let body = try? MessageCoding.encode(hello) else { return }
        outgoing.append(.control(ControlTopic.hello, body: body, epoch: identity.epoch))
    }

    mutating func saySync(_ now: Moment) {
        lastSentNs = now.monotonicNs
        outgoing.append(.control(ControlTopic.sync, epoch: identity.epoch))
    }

    mutating func askSnapshot(_ now: Moment) {
        lastSentNs = now.monotonicNs
        correlation &+= 1
        phase = .snapshot(correlation: correlation)
        snapshotValues = []
        guard !filter.subscriptions.isEmpty,
            let body = try? MessageCoding.encode(HubSnapshot(prefixes: filter.subscriptions))
        else {
            join(upTo: 0, now: now)
            return
        }
        outgoing.append(
            .control(ControlTopic.snapshot, body: body, epoch: identity.epoch, correlation: correlation))
    }

    mutating func welcome(_ message: Received, now: Moment) {
        guard phase == .greeting else { return }
        phase = .syncing
        hubEpoch = message.header.epoch
        firstRefusalNs = nil
        everWelcome = true
        roster[hubEpoch] = ProcessName.hub.rawValue
        outgoing += pending
        pending = []
        // The hub may be a new one: it gets the newest value of each own state; it ignores what it has.
        for topic in ownStates.keys.sorted() {
            if let state = ownStates[topic] { outgoing.append(state) }
        }
        wantsOutbox = true
        lastHeartbeatNs = 0
        saySync(now)
    }

    mutating func refused(_ message: Received, now: Moment) {
        guard phase == .greeting else { return }
        let refusal =
            (try? MessageCoding.decode(Refusal.self, from: message.body))
            ?? Refusal(code: "refused", message: "the hub refused the hello")
        let first = firstRefusalNs ?? now.monotonicNs
        firstRefusalNs = first
        if refusal.code != "name-taken" || now.monotonicNs - first >= Self.refusalPatience {
            items.append(.failed(.refused(code: refusal.code, message: refusal.message)))
        }
    }

    mutating func synced(_ message: Received, now: Moment) {
        guard phase == .syncing, message.header.hubEpoch == hubEpoch else { return }
        askSnapshot(now)
    }

    mutating func snapshotEnd(_ message: Received, now: Moment) {
        guard case .snapshot(let correlation) = phase, correlation == message.header.correlation else { return }
        join(upTo: message.header.hubSequence, now: now)
    }

    private mutating func join(upTo hubSequence: UInt64, now: Moment) {
        phase = .joined
        let values = snapshotValues
        let buffered = joinBuffer
        snapshotValues = []
        joinBuffer = []
        let present = Set(values.map(\.topic))
        for value in values { deliver(value, now: now) }
        if everJoined, joinedHubEpoch == hubEpoch {
            for topic in delivered.keys.sorted() where !present.contains(topic) { deliverDeletion(topic, now: now) }
        }
        joinedHubEpoch = hubEpoch
        if identity.virtualTime {
            if !everJoined { virtualJoin = true }
        } else {
            items.append(.joined(hubEpoch: hubEpoch))
        }
        everJoined = true
        outgoing.append(.control(ControlTopic.joined, epoch: identity.epoch))
        for message in buffered {
            if message.header.deliveryClass == .state, message.header.hubEpoch == hubEpoch,
                message.header.hubSequence <= hubSequence
            {
                continue
            }
            deliver(message, now: now)
        }
        if identity.virtualTime { sayHeartbeat(now, loopLagMs: 0, queueDepths: [:]) }
    }

    /// A value that was there before the connection broke is no longer kept by the same hub.
    private mutating func deliverDeletion(_ topic: String, now: Moment) {
        guard let last = delivered[topic], let spec = Registry.spec(of: topic), !virtualOnly(topic) else { return }
        let header = Header(
            deliveryClass: .state, schema: spec.schema, flags: [.tombstone, .snapshot], epoch: last.epoch,
            sequence: last.sequence, wallNs: now.wallNs, monotonicNs: now.monotonicNs, hubEpoch: hubEpoch)
        delivered[topic] = nil
        hand(.message(Received(topic: topic, header: header, body: []), needsAck: false), like: header, by: .topics)
    }
}
