import Protocols

/// What the hub itself says each second.
extension HubCore {
    /// Seconds without a word after which a process does not count as running.
    package static var silenceLimit: Double { 3 }
    /// A topic is silent when its newest message is older than this many periods, but never in the first ones.
    static var alivePeriods: Double { 3 }

    /// Once a second: expiry, beats, the hub's heartbeat, the table.
    package mutating func tick(now: Moment, isReachable: (Route) -> Bool) {
        lastTickNs = now.monotonicNs
        checkPeers(isReachable: isReachable)
        ended.removeAll { $0.untilNs < now.monotonicNs }
        expireSystem(now: now)
        judgeLines(now: now)
        tickEvents(now: now)
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
            queueDepths: queueDepths, drops: drops, lastSequence: sequences, ready: true,
            ended: ended.isEmpty ? nil : ended.flatMap(\.positions))
        say(beat, on: topic, now: now)
    }

    mutating func say<Body: Message>(_ body: Body, on topic: Topic<Body>, now: Moment) {
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
        if spec.deliveryClass == .state { keep(message, now: now) }
        actions.append(.publish(message))
    }

    /// The processes as the hub sees them, itself first, then by name.
    package func processTable(now: Moment) -> ProcessTable {
        var own = ProcessTable.Row(
            process: .hub, running: true, ready: true, pid: pid, version: version, restarts: 0, silentSeconds: 0,
            topics: [])
        own.state = Open(.ready)
        var rows = [own]
        for name in peers.keys.sorted(by: { $0.rawValue < $1.rawValue }) {
            guard let peer = peers[name] else { continue }
            let silent = seconds(from: peer.heardNs, to: now)
            let isHeard = silent < Self.silenceLimit
            var row = ProcessTable.Row(
                process: name, running: peer.connected && isHeard, ready: peer.ready,
                pid: peer.hello.pid, version: peer.hello.version, restarts: peer.restarts, silentSeconds: silent,
                topics: health(of: peer, now: now))
            row.state = Open(!peer.connected ? .ended : !isHeard ? .silent : peer.ready ? .ready : .starting)
            rows.append(row)
        }
        var table = ProcessTable(at: now.timestamp, hubEpoch: epoch, processes: rows).merged(with: supervision)
        // The number of a former life may be another process by now.
        for index in table.processes.indices where table.processes[index].state?.value == .ended {
            table.processes[index].pid = 0
        }
        return table
    }

    private func health(of peer: Peer, now: Moment) -> [ProcessTable.TopicHealth] {
        let names = peer.names
        var topics = lines.filter { $0.value.process == peer.hello.process }.keys.sorted()
        for spec in Registry.all
        where spec.period != nil && names.contains(spec.owner)
            && !topics.contains(where: { TopicSpec.family(of: $0) == spec.family })
        {
            topics.append(spec.family + "/me")
        }
        return topics.map { topic in
            var health = health(
                of: topic, heardNs: lines[topic]?.heardNs ?? peer.startedNs,
                condition: peer.beat?.conditions?[topic]?.value, hasSpoken: peer.beat != nil, now: now)
            health.rateOk = health.idle == true ? nil : lines[topic]?.rateOk
            health.problem = Self.problem(health, from: peer.hello.process)
            return health
        }
    }

    private func health(
        of topic: String, heardNs: Int64, condition: TopicCondition?, hasSpoken: Bool, now: Moment
    ) -> ProcessTable.TopicHealth {
        let silent = seconds(from: heardNs, to: now)
        let period = condition == .idle ? nil : Registry.spec(of: topic)?.period
        var health = ProcessTable.TopicHealth(
            topic: topic, alive: period.map { silent < $0 * Self.alivePeriods }, silentSeconds: silent)
        if hasSpoken { health.valid = condition != .invalid }
        if condition == .idle { health.idle = true }
        return health
    }

    /// What is wrong with a topic: it names the topic, the process and the silence.
    static func problem(_ health: ProcessTable.TopicHealth, from process: ProcessName) -> String? {
        let subject = "\(health.topic) from \(process)"
        if health.alive == false { return "\(subject): silent \(Int(health.silentSeconds)) s" }
        if health.valid == false { return "\(subject): not valid, says \(process)" }
        if health.rateOk == false { return "\(subject): not as often as agreed" }
        return nil
    }

    private mutating func judgeLines(now: Moment) {
        for index in lines.indices {
            let topic = lines[index].key
            guard let spec = Registry.spec(of: topic) else { continue }
            // Nobody would be given what is older.
            if let ttl = spec.ttl, Double(now.monotonicNs - lines[index].value.heardNs) / 1e9 > ttl {
                lines.values[index].ring = LiveRing()
            }
            guard spec.isStrict else { continue }
            let isIdle = peers[lines[index].value.process]?.beat?.conditions?[topic]?.value == .idle
            lines.values[index].judgeRate(period: isIdle ? nil : spec.period, nowNs: now.monotonicNs)
        }
    }

    private func seconds(from ns: Int64, to now: Moment) -> Double {
        (Double(now.monotonicNs - ns) / 1e7).rounded() / 100
    }
}
