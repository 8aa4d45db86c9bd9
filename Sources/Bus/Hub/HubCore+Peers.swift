import Protocols

/// Coming, going, joining.
extension HubCore {
    mutating func hello(
        _ message: Received, from route: Route, now: Moment, isReachable: (Route) -> Bool
    ) {
        let hello: PeerHello
        do {
            hello = try message.decodeBody(PeerHello.self)
        } catch {
            drop("bad-hello")
            refuseHello(route, Refusal(code: "invalid", message: "hello: \(error)"))
            return
        }
        let epoch = message.header.epoch
        for name in [hello.process] + hello.roles {
            guard let holder = holders[name], let other = peers[holder], other.connected, other.epoch != epoch,
                other.route != route
            else { continue }
            guard !isReachable(other.route) else {
                refuseHello(
                    route,
                    Refusal(
                        code: "name-taken",
                        message: "\(name) is already on the bus (process \(holder), pid \(other.hello.pid)): "
                            + "stop it first"))
                noticeOnce(
                    "a second process with the same name was refused",
                    ["process": name.rawValue, "pid": "\(hello.pid)"])
                return
            }
            forget(holder)
        }
        if hello.process == .hub {
            refuseHello(route, Refusal(code: "name-taken", message: "hub is the hub itself"))
            return
        }
        admit(hello, epoch: epoch, route: route, now: now)
    }

    private mutating func admit(_ hello: PeerHello, epoch: UInt64, route: Route, now: Moment) {
        let name = hello.process
        let known = peers[name]
        if let known {
            nameOfRoute[known.route] = nil
            leaveLines(known.names, inPeace: false)
        }
        var peer = Peer(hello: hello, epoch: epoch, route: route, startedNs: now.monotonicNs, heardNs: now.monotonicNs)
        if let known {
            peer.restarts = known.restarts + (known.epoch == epoch ? 0 : 1)
            peer.ready = known.epoch == epoch && known.ready
            peer.beat = known.epoch == epoch ? known.beat : nil
        }
        peers[name] = peer
        nameOfRoute[route] = name
        for own in peer.names { holders[own] = name }
        learn(epoch, name)
        declare(hello, epoch: epoch, isKnown: known?.epoch == epoch, now: now)
        let body = (try? MessageCoding.encode(HubWelcome(version: version, hear: rights(of: route)?.hear))) ?? []
        actions.append(
            .send(route, .control(ControlTopic.welcome, body: body, epoch: self.epoch, hubEpoch: self.epoch)))
        tellConsumption(name)
        if hello.virtualTime {
            let entries = senders.map { Roster.Entry(epoch: $0.key, process: $0.value) }
            sendRoster(Roster(entries: entries.sorted { $0.epoch < $1.epoch }), to: route)
        }
    }

    mutating func refuseHello(_ route: Route, _ refusal: Refusal) {
        let body = (try? MessageCoding.encode(refusal)) ?? []
        actions.append(
            .send(
                route,
                .control(ControlTopic.refused, body: body, epoch: epoch, flags: .refused, hubEpoch: epoch)))
    }

    /// A peer is gone: its names are free, its open questions are refused. Its row stays in the table.
    mutating func forget(_ name: ProcessName) {
        guard let peer = peers[name] else { return }
        nameOfRoute[peer.route] = nil
        leaveLines(peer.names, inPeace: false)
        keyOfRoute[peer.route] = nil
        noteEnd(of: peer.epoch)
        for own in peer.names where holders[own] == name { holders[own] = nil }
        if name.rawValue.hasPrefix("cli-") {
            // A tool never comes back under this name: nothing of it stays, however many of them there were.
            peers[name] = nil
            lines = lines.filter { $0.value.process != name }
            metrics[name] = nil
            senders = senders.filter { $0.value != name }
        } else {
            peers[name]?.connected = false
            peers[name]?.joined = false
            peers[name]?.ready = false
        }
        let refusal = Refusal(code: "unavailable", message: "\(name) ended before it answered")
        for (id, question) in questions.sorted(by: { $0.key < $1.key }) where question.target == name {
            refuse(id, refusal)
        }
        questions = questions.filter { $0.value.asker != peer.route }
    }

    mutating func control(_ message: Received, from name: ProcessName, route: Route, now: Moment) {
        let topic = message.topic
        switch topic {
        case ControlTopic.bye:
            leaveLines(peers[name]?.names ?? [], inPeace: true)
            forget(name)
        case ControlTopic.beat: tellTime(message, route: route, now: now)
        case ControlTopic.sync: sync(epoch: message.header.epoch)
        case ControlTopic.snapshot: snapshot(message, to: route, now: now)
        case ControlTopic.replay: replay(message, to: route)
        case ControlTopic.joined:
            peers[name]?.joined = true
            joinLines(name, now: now)
        case ControlTopic.step:
            guard let holder = holders[.conductor], let conductor = peers[holder] else {
                drop("no-conductor")
                return
            }
            actions.append(.send(conductor.route, message))
        default:
            if topic.hasPrefix("~request/") {
                request(message, from: name, route: route, now: now)
            } else if topic.hasPrefix("~reply/") {
                reply(message, from: name)
            } else if let acked = ControlTopic.rest(topic, after: "~ack") {
                answerEvent(.ack, acked, message, from: name, now: now)
            } else if let failed = ControlTopic.rest(topic, after: "~nak") {
                answerEvent(.nak, failed, message, from: name, now: now)
            } else if let held = ControlTopic.rest(topic, after: "~working") {
                answerEvent(.working, held, message, from: name, now: now)
            } else {
                drop("unknown-control")
                noticeOnce("unknown control message was dropped", ["topic": topic, "from": name.rawValue])
            }
        }
    }

    /// A peer on another machine asks what time it is here: its own number goes back with our clocks.
    private mutating func tellTime(_ beat: Received, route: Route, now: Moment) {
        guard beat.header.correlation != 0 else { return }
        let answer = Received.control(
            ControlTopic.beat, epoch: epoch, correlation: beat.header.correlation, hubEpoch: epoch)
        actions.append(
            .send(
                route,
                answer.with {
                    $0.wallNs = now.wallNs
                    $0.monotonicNs = now.monotonicNs
                }))
    }

    /// Answers on the way of the topics: who hears it knows that its subscriptions are active.
    package mutating func sync(epoch peer: UInt64) {
        actions.append(.publish(.control(ControlTopic.sync(epoch: peer), epoch: epoch, hubEpoch: epoch)))
    }

    private mutating func snapshot(_ message: Received, to route: Route, now: Moment) {
        let filter: TopicFilter
        do {
            filter = TopicFilter(try message.decodeBody(HubSnapshot.self).prefixes)
        } catch {
            drop("bad-snapshot")
            return
        }
        for topic in kept.keys.sorted() where filter.subscriptions.isEmpty || filter.matches(topic) {
            guard mayHear(route, topic), let value = kept[topic]?.message else { continue }
            actions.append(.send(route, value.with { $0.flags.insert(.snapshot) }))
        }
        let end =
            (try? MessageCoding.encode(
                SnapshotEnd(positions: positions(filter, to: route), clockMs: now.monotonicNs / 1_000_000)))
            ?? []
        actions.append(
            .send(
                route,
                .control(
                    ControlTopic.snapshotEnd, body: end, epoch: epoch, correlation: message.header.correlation,
                    hubEpoch: epoch,
                    hubSequence: hubSequence)))
    }

    /// Marks peers whose connection has gone; called each second.
    mutating func checkPeers(isReachable: (Route) -> Bool) {
        for (name, peer) in peers where peer.connected && !isReachable(peer.route) { forget(name) }
    }
}
