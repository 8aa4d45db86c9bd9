import Protocols

/// What the hub sends, sorted into the service's inbox.
extension PeerCore {
    mutating func handle(_ event: TransportEvent, now: Moment) {
        guard !hasLeft else { return }
        switch event {
        case .linkUp: linkUp(now: now)
        case .linkDown(let reason): linkDown(reason)
        case .handshakeRefused(let reason): handshakeRefused(reason, now: now)
        case .published(let message):
            hubHeardNs = now.monotonicNs
            received.count(message.header.deliveryClass)
            if anchor != nil { anchorStreams(before: message, now: now) }
            published(message, now: now)
        case .direct(let message):
            hubHeardNs = now.monotonicNs
            received.count(message.header.deliveryClass)
            direct(message, now: now)
        case .undelivered(let message): undelivered(message)
        case .garbage(let reason):
            drop("garbage")
            noticeOnce("frames that are no message were dropped", ["reason": reason])
        }
    }

    private mutating func published(_ message: Received, now: Moment) {
        if ControlTopic.isControl(message.topic) {
            synced(message, now: now)
        } else if phase == .joined {
            deliver(message, now: now)
        } else if isWelcome {
            if joinBuffer.count < Self.joinBufferLimit { joinBuffer.append(message) } else { drop("join-full") }
        }
    }

    private mutating func direct(_ message: Received, now: Moment) {
        guard ControlTopic.isControl(message.topic) else {
            if message.header.flags.contains(.snapshot) {
                if phase == .joined { deliver(message, now: now) } else { snapshotValues.append(message) }
            } else if message.header.deliveryClass == .live, message.header.flags.contains(.redelivered) {
                replayed(message)
            } else if message.header.deliveryClass == .event {
                deliverDurable(message, now: now)
            } else {
                drop("unknown-control")
            }
            return
        }
        switch message.topic {
        case ControlTopic.welcome: welcome(message, now: now)
        case ControlTopic.refused: refused(message, now: now)
        case ControlTopic.beat: noteHubTime(message, now: now)
        case ControlTopic.room:
            holdUntilNs = 0
            refusals = 0
            wantsOutbox = true
        case ControlTopic.consumes:
            consumes = (try? MessageCoding.decode(Consumption.self, from: message.body)).map { TopicFilter($0.topics) }
        case ControlTopic.who:
            if phase != .away, phase != .greeting {
                lose("the hub has started anew")
                phase = .greeting
                sayHello(now)
            }
        case ControlTopic.snapshotEnd: snapshotEnd(message, now: now)
        case ControlTopic.replayEnd: replayEnd(message)
        case ControlTopic.roster: note(message)
        case ControlTopic.marker: mark(message, by: .direct)
        case ControlTopic.step:
            if let step = try? MessageCoding.decode(ClockStep.self, from: message.body) { steps.append(step) }
        default: directByKind(message, now: now)
        }
    }

    private mutating func directByKind(_ message: Received, now: Moment) {
        let topic = message.topic
        if topic.hasPrefix("~request/"), let (asker, name) = ControlTopic.parts(topic) {
            serve(message, asker: asker, name: name)
        } else if topic.hasPrefix("~reply/") {
            receiveReply(message)
        } else if let acked = ControlTopic.rest(topic, after: "~ack") {
            hubSaid(.ack, acked, message, now: now)
        } else if let refused = ControlTopic.rest(topic, after: "~nak") {
            hubSaid(.nak, refused, message, now: now)
        } else {
            drop("unknown-control")
        }
    }

    private mutating func receiveReply(_ message: Received) {
        guard let ask = asks.removeValue(forKey: message.header.correlation) else {
            drop("late-reply")
            return
        }
        let result: Result<[UInt8], Refusal>
        if message.header.flags.contains(.refused) {
            result = .failure(
                (try? MessageCoding.decode(Refusal.self, from: message.body))
                    ?? Refusal(code: "internal", message: "\(ask.process) refused \(ask.name) without a reason"))
        } else {
            result = .success(message.body)
        }
        hand(.answer({ await ask.answer(result) }), like: message.header, by: .direct)
    }

    private mutating func serve(_ message: Received, asker: String, name: String) {
        let key = ServeKey(asker: asker, epoch: message.header.epoch, correlation: message.header.correlation)
        switch served[key] {
        case .answered(let reply):
            send(reply)
            return
        case .open: return
        case nil: break
        }
        served[key] = .open
        servedOrder.append(key)
        if servedOrder.count > Self.serveLimit { served[servedOrder.removeFirst()] = nil }
        if identity.virtualTime, !message.header.flags.contains(.virtualTime) {
            // A tool on the system's clock asks: it is answered between two steps, also while time stands still.
            items.append(.request(key, name: name, message))
        } else {
            hand(.request(key, name: name, message), like: message.header, by: .direct)
        }
    }

    private mutating func note(_ roster: Received) {
        guard let roster = try? MessageCoding.decode(Roster.self, from: roster.body) else {
            drop("bad-roster")
            return
        }
        for entry in roster.entries { self.roster[entry.epoch] = entry.process.rawValue }
    }

    // MARK: - Topics

    mutating func deliver(_ message: Received, now: Moment) {
        let header = message.header
        let spec = Registry.spec(of: message.topic)
        if spec?.family == Registry.virtualNow.spec.family, identity.virtualTime {
            mark(message, by: .topics)
            return
        }
        if spec?.family == Registry.heartbeat.spec.family { compareSent(message, now: now) }
        // The hub delivers to a named consumer itself. In virtual time only what comes by the topics is in its step.
        if header.deliveryClass == .event, !identity.virtualTime, isConsumer(of: message) { return }
        guard wants(message.topic), !virtualOnly(message.topic) else { return }
        if let spec, header.schema.major > spec.schema.major {
            if header.deliveryClass == .live, follow(message, now: now) {
                lose("version", message.topic)
            } else {
                drop("version")
            }
            noticeOnce(
                "message of a newer major version refused: update this process",
                ["topic": message.topic, "version": "\(header.schema)", "readable": "\(spec.schema)"])
            return
        }
        switch header.deliveryClass {
        case .live: guard follow(message, now: now) else { return }
        case .state: guard accept(message) else { return }
        case .event:
            switch seen.arrive(EventID(message)) {
            case .new: overhear(message)
            case .waiting:
                drop("duplicate")
                return
            case .handled:
                drop("duplicate")
                if isConsumer(of: message) { sendAck(message) }
                return
            }
        default: break
        }
        hand(.message(message, needsAck: isConsumer(of: message)), like: header, by: .topics)
    }

    /// An event that comes to a listener without a right to it: nobody sends it again, so what is missing is lost here.
    private mutating func overhear(_ message: Received) {
        let header = message.header
        guard !isConsumer(of: message),
            case .missing(let range) = streams.note(message.topic, epoch: header.epoch, sequence: header.sequence)
        else { return }
        lose("gap", message.topic, range.upperBound - range.lowerBound + 1)
    }

    /// What virtual time keeps from a service, because it comes at the pace of the machine.
    func virtualOnly(_ topic: String) -> Bool { identity.virtualTime && topic.hasPrefix("sys/") }

    /// A heartbeat says what was sent: finds a lost last message.
    private mutating func compareSent(_ message: Received, now: Moment) {
        guard message.header.epoch != identity.epoch,
            let beat = try? MessageCoding.decode(Heartbeat.self, from: message.body)
        else { return }
        for (topic, sequence) in beat.lastSequence where wants(topic) && !virtualOnly(topic) {
            switch Registry.spec(of: topic)?.deliveryClass {
            case .live: followSent(topic, epoch: beat.epoch, sequence: sequence, now: now)
            case .state: followState(topic, epoch: beat.epoch, sequence: sequence)
            default: break
            }
        }
        for end in beat.ended ?? [] where wants(end.topic) && !virtualOnly(end.topic) {
            followSent(end.topic, epoch: end.epoch, sequence: end.sequence, now: now)
        }
    }

    /// Puts an item in line: at once in system time, into the step in virtual time.
    mutating func hand(_ item: InboxItem, like header: Header, by way: VirtualInbox.Way) {
        guard identity.virtualTime else {
            items.append(item)
            return
        }
        let sender = roster[header.epoch] ?? "?\(header.epoch)"
        virtual.add(.init(sender: sender, hubSequence: header.hubSequence, item: item), by: way)
    }

    private mutating func mark(_ message: Received, by way: VirtualInbox.Way) {
        guard let now = try? MessageCoding.decode(VirtualNow.self, from: message.body) else {
            drop("bad-marker")
            return
        }
        if now.step <= virtual.lastStep {
            if way == .direct, finishedStep >= now.step { finish(step: now.step) }
            return
        }
        guard let step = virtual.mark(now.step, now: now.nowAt, by: way) else { return }
        items.append(.stepBegin(step.now))
        var arrived = step.items
        if virtualJoin {
            virtualJoin = false
            arrived = kept(first: arrived)
        }
        items += arrived
        for (id, ask) in asks.sorted(by: { $0.key < $1.key })
        where ask.dueAt <= step.now && ask.dueStep <= step.number {
            asks[id] = nil
            let refusal = Self.late(ask)
            items.append(.answer({ await ask.answer(.failure(refusal)) }))
        }
        items.append(.tick(queuedNs: 0))
        items.append(.stepEnd(step.number))
    }

    /// In the first step of a process: the kept values by topic, then `joined`, then the rest.
    private func kept(first items: [InboxItem]) -> [InboxItem] {
        var values: [(topic: String, item: InboxItem)] = []
        var rest: [InboxItem] = []
        for item in items {
            if case .message(let message, _) = item, message.header.flags.contains(.snapshot) {
                values.append((message.topic, item))
            } else {
                rest.append(item)
            }
        }
        values.sort { $0.topic < $1.topic }
        return values.map(\.item) + [.joined(hubEpoch: hubEpoch)] + rest
    }
}
