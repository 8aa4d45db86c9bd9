import Protocols

/// Hello, subscriptions, snapshot: how a peer gets to know all that is so, without a hole and without a repeat.
extension PeerCore {
    mutating func linkUp(now: Moment) {
        linkIsUp = true
        handshakeProblem = nil
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
        stateRepairs = [:]
        finishRepairs()
    }

    mutating func sayHello(_ now: Moment) {
        lastSentNs = now.monotonicNs
        let bornNs = bornNs ?? now.monotonicNs
        self.bornNs = bornNs
        let hello = PeerHello(
            process: identity.name, roles: identity.roles, pid: identity.pid, version: identity.version,
            virtualTime: identity.virtualTime, sent: everWelcome ? sentLive : [:],
            ageMs: (now.monotonicNs - bornNs) / 1_000_000)
        guard let body = try? MessageCoding.encode(hello) else { return }
        outgoing.append(.control(ControlTopic.hello, body: body, epoch: identity.epoch))
    }

    /// Last sequence of each live topic. Before the first welcome nothing has been sent: all of it still waits.
    private var sentLive: [String: UInt64] {
        sequences.filter { $0.value > 0 && Registry.spec(of: $0.key)?.deliveryClass == .live }
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
        noteRights(message)
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
        holdUntilNs = 0
        refusals = 0
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
        if let repair = stateRepairs.removeValue(forKey: message.header.correlation) {
            finish(repair, upTo: message.header.hubSequence, now: now)
            return
        }
        guard case .snapshot(let correlation) = phase, correlation == message.header.correlation else { return }
        let end = try? MessageCoding.decode(SnapshotEnd.self, from: message.body)
        anchor = Anchor(
            hubEpoch: hubEpoch, hubSequence: message.header.hubSequence, positions: end?.positions ?? [],
            clockMs: end?.clockMs ?? 0)
        join(upTo: message.header.hubSequence, now: now)
    }

    private mutating func join(upTo hubSequence: UInt64, now: Moment) {
        phase = .joined
        let values = snapshotValues
        let buffered = joinBuffer
        snapshotValues = []
        joinBuffer = []
        let present = Set(values.map(\.topic))
        joinedHubSequence = 0
        for value in values { deliver(value, now: now) }
        judgeAbsent(present, now: now)
        joinedHubEpoch = hubEpoch
        joinedHubSequence = hubSequence
        if identity.virtualTime {
            if !everJoined { virtualJoin = true }
        } else {
            items.append(.joined(hubEpoch: hubEpoch))
        }
        everJoined = true
        outgoing.append(.control(ControlTopic.joined, epoch: identity.epoch))
        for message in buffered {
            if anchor != nil { anchorStreams(before: message, now: now) }
            deliver(message, now: now)
        }
        if identity.virtualTime { sayHeartbeat(now, loopLagMs: 0, queueDepths: [:]) }
    }
}
