import Protocols

/// What the hub itself says each second.
extension HubCore {
    /// Seconds without a word after which a process does not count as running.
    package static var silenceLimit: Double { 3 }
    /// A topic is silent when its newest message is older than this many periods, but never in the first ones.
    static var alivePeriods: Double { 3 }

    /// Once a second: expiry, beats, the hub's heartbeat, the table.
    package mutating func tick(now: Moment, isReachable: (Route) -> Bool) {
        checkPeers(isReachable: isReachable)
        expireSystem(now: now)
        for peer in peers.values where peer.connected {
            actions.append(.send(peer.route, .control(ControlTopic.beat, epoch: epoch, hubEpoch: epoch)))
        }
        sayHeartbeat(now: now)
        say(processTable(now: now), on: Registry.processes(), now: now)
    }

    /// The hub's heartbeat; said at once when somebody comes, so that a new hub is noticed.
    package mutating func sayHeartbeat(now: Moment) {
        let topic = Registry.heartbeat(ProcessName.hub.rawValue)
        let beat = Heartbeat(
            process: .hub, pid: pid, version: version, epoch: epoch, loopLagMs: 0,
            queueDepths: ["kept": kept.count, "peers": nameOfRoute.count, "questions": questions.count],
            drops: drops, lastSequence: sequences, ready: true)
        say(beat, on: topic, now: now)
    }

    private mutating func say<Body: Message>(_ body: Body, on topic: Topic<Body>, now: Moment) {
        guard let bytes = try? MessageCoding.encode(body) else { return }
        let spec = topic.spec
        let message = stamp(
            Received(
                topic: topic.name,
                header: Header(
                    deliveryClass: spec.deliveryClass, schema: spec.schema, ttlMs: UInt32((spec.ttl ?? 0) * 1000),
                    epoch: epoch, sequence: nextSequence(topic.name), wallNs: now.wallNs,
                    monotonicNs: now.monotonicNs),
                body: bytes))
        if spec.deliveryClass == .state { kept[topic.name] = Kept(message: message, receivedNs: now.monotonicNs) }
        actions.append(.publish(message))
    }

    /// The processes as the hub sees them, itself first, then by name.
    package func processTable(now: Moment) -> ProcessTable {
        var rows = [
            ProcessTable.Row(
                process: .hub, running: true, ready: true, pid: pid, version: version, restarts: 0, silentSeconds: 0,
                topics: [])
        ]
        for name in peers.keys.sorted(by: { $0.rawValue < $1.rawValue }) {
            guard let peer = peers[name] else { continue }
            let silent = seconds(from: peer.heardNs, to: now)
            rows.append(
                ProcessTable.Row(
                    process: name, running: peer.connected && silent < Self.silenceLimit, ready: peer.ready,
                    pid: peer.hello.pid, version: peer.hello.version, restarts: peer.restarts, silentSeconds: silent,
                    topics: health(of: peer, now: now)))
        }
        return ProcessTable(at: now.timestamp, hubEpoch: epoch, processes: rows)
    }

    private func health(of peer: Peer, now: Moment) -> [ProcessTable.TopicHealth] {
        let names = peer.names
        var topics = lastHeard.filter { $0.value.process == peer.hello.process }.keys.sorted()
            .map { ($0, lastHeard[$0]?.ns) }
        for spec in Registry.all
        where spec.period != nil && names.contains(spec.owner)
            && !topics.contains(where: { TopicSpec.family(of: $0.0) == spec.family })
        {
            topics.append((spec.family + "/me", nil))
        }
        return topics.map { topic, heardNs in
            let silent = seconds(from: heardNs ?? peer.startedNs, to: now)
            let alive = Registry.spec(of: topic)?.period.map { silent < $0 * Self.alivePeriods }
            return ProcessTable.TopicHealth(topic: topic, alive: alive, silentSeconds: silent)
        }
    }

    private func seconds(from ns: Int64, to now: Moment) -> Double {
        (Double(now.monotonicNs - ns) / 1e7).rounded() / 100
    }
}
