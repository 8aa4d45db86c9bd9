import Protocols

/// Durable events: into the spool, acknowledged to their senders, delivered to their consumers.
extension HubCore {
    // MARK: - In

    /// Keeps an event; its sender hears of it when it is on disk.
    mutating func spool(_ message: Received, _ spec: TopicSpec, from route: Route, now: Moment) {
        let size = SpooledEvent.size(message)
        guard desk.uncommitted.events < EventDesk.uncommittedEvents,
            desk.uncommitted.bytes + size <= EventDesk.uncommittedBytes
        else {
            nak(message, "spool-busy", to: route)
            return
        }
        desk.uncommitted.events += 1
        desk.uncommitted.bytes += size
        actions.append(
            .spool(.append(message, consumers: desk.consumers(of: message.topic, spec), at: now.timestamp)))
    }

    /// Tells a sender that its event is not taken.
    mutating func nak(_ message: Received, _ reason: String, final: Bool = false, to route: Route) {
        guard let body = try? MessageCoding.encode(EventNak(reason: reason, final: final)) else { return }
        actions.append(
            .send(
                route,
                .control(
                    ControlTopic.nak(message.topic), body: body, epoch: message.header.epoch,
                    sequence: message.header.sequence, hubEpoch: epoch)))
    }

    /// Takes what a consumer says about an event: `~ack`, `~nak`, `~working`.
    mutating func answerEvent(
        _ kind: EventAnswer, _ topic: String, _ message: Received, from name: ProcessName, now: Moment
    ) {
        let id = EventID(epoch: message.header.epoch, topic: topic, sequence: message.header.sequence)
        for consumer in peers[name]?.names ?? [] where desk.isConsumer(consumer) {
            switch kind {
            case .ack:
                _ = desk.lines[consumer]?.settled(id)
                actions.append(.spool(.acknowledge(id, by: consumer)))
            case .nak:
                let nak = try? message.decodeBody(EventNak.self)
                let deliveries = desk.lines[consumer]?.settled(id) ?? 1
                // The words of a stranger are cut: they end in a table and in logs.
                let reason = String((nak?.reason ?? "failed").prefix(200))
                actions.append(
                    .spool(.bury(id, of: consumer, reason: reason, deliveries: deliveries, at: now.timestamp)))
            case .working: desk.lines[consumer]?.isWorking(on: id, now: now)
            }
            pull(consumer, now: now)
        }
    }

    // MARK: - Consumers come and go

    /// A process can hear: what waits for it goes out.
    mutating func joinLines(_ name: ProcessName, now: Moment) {
        guard let peer = peers[name] else { return }
        for consumer in peer.names where desk.isConsumer(consumer) {
            desk.lines[consumer, default: ConsumerLine()].join(
                epoch: peer.epoch, isVirtual: peer.hello.virtualTime, hubSequence: hubSequence)
            pull(consumer, now: now)
        }
    }

    mutating func leaveLines(_ names: [ProcessName], inPeace: Bool) {
        for consumer in names { desk.lines[consumer]?.leave(inPeace: inPeace) }
    }

    /// Tells a registered tool what it is the consumer of.
    mutating func tellConsumption(_ name: ProcessName) {
        guard let peer = peers[name], peer.connected else { return }
        for own in peer.names {
            guard let filter = desk.registered[own],
                let body = try? MessageCoding.encode(Consumption(topics: filter.subscriptions))
            else { continue }
            actions.append(
                .send(peer.route, .control(ControlTopic.consumes, body: body, epoch: epoch, hubEpoch: epoch)))
        }
    }

    /// Does what a consumer's line wants done.
    private mutating func pull(_ consumer: ProcessName, now: Moment) {
        guard now.monotonicNs >= desk.heldUntilNs, let holder = holders[consumer], let peer = peers[holder],
            peer.connected, let effects = desk.lines[consumer]?.pull(now: now)
        else { return }
        for effect in effects {
            switch effect {
            case .send(let message):
                // Whoever may not hear it does not answer: after its tries the event is a dead letter that says so.
                if mayHear(peer.route, message.topic) {
                    actions.append(.send(peer.route, message))
                } else {
                    drop("not-allowed")
                }
            case .note(let id, let count): actions.append(.spool(.noteDeliveries(id, to: consumer, count)))
            case .bury(let id, let reason, let deliveries):
                actions.append(
                    .spool(.bury(id, of: consumer, reason: reason, deliveries: deliveries, at: now.timestamp)))
            case .load(let after, let limit):
                actions.append(
                    .spool(.load(consumer, after: after, limit: limit, bytes: ConsumerLine.byteWindow)))
            }
        }
    }

    // MARK: - What the spool says

    /// Takes what became of jobs, in their order.
    package mutating func spooled(_ batch: SpoolBatch, now: Moment) {
        desk.depth = batch.depth
        var touched: [ProcessName] = []
        for outcome in batch.outcomes {
            switch outcome {
            case .opened(let overview): touched += opened(overview)
            case .stored(let event, let consumers, let isNew):
                committed(SpooledEvent.size(event.message))
                accept(event.message)
                guard isNew else { continue }
                for consumer in consumers {
                    desk.lines[consumer, default: ConsumerLine()].stored(event)
                    touched.append(consumer)
                }
            case .refused(let id, let bytes, let reason, let detail):
                committed(bytes)
                refuse(id, reason, detail)
            case .loaded(let consumer, let events, let number):
                desk.lines[consumer]?.loaded(events, upTo: number)
                touched.append(consumer)
            case .buried(let letter): announce(letter, now: now)
            case .answered(let question, let result): answered(question, result, &touched)
            case .failed(let job, let reason): failed(job, reason)
            }
        }
        for consumer in Set(touched) { pull(consumer, now: now) }
    }

    private mutating func opened(_ overview: SpoolOverview) -> [ProcessName] {
        desk.registered = overview.registered.mapValues(TopicFilter.init)
        for (consumer, number) in overview.newest { desk.lines[consumer, default: ConsumerLine()].note(newest: number) }
        for complaint in overview.complaints {
            drop(complaint.cause)
            actions.append(.notice(complaint.text, ["cause": complaint.cause]))
        }
        for name in peers.keys where peers[name]?.connected == true {
            tellConsumption(name)
            // A tool that joined before its registration was known.
            if let peer = peers[name], peer.joined {
                for own in peer.names where desk.registered[own] != nil {
                    desk.lines[own, default: ConsumerLine()].join(
                        epoch: peer.epoch, isVirtual: peer.hello.virtualTime, hubSequence: hubSequence)
                }
            }
        }
        return Array(desk.lines.keys)
    }

    private mutating func committed(_ bytes: Int) {
        desk.uncommitted.events -= 1
        desk.uncommitted.bytes -= bytes
    }

    private mutating func accept(_ message: Received) {
        if let reason = desk.refusing {
            desk.refusing = nil
            actions.append(.notice("events are accepted again", ["after": reason]))
            // Whoever kept something back need not wait any longer.
            for peer in peers.values where peer.connected {
                actions.append(.send(peer.route, .control(ControlTopic.room, epoch: epoch, hubEpoch: epoch)))
            }
        }
        guard let route = route(ofSender: message.header.epoch) else { return }
        actions.append(
            .send(
                route,
                .control(
                    ControlTopic.ack(message.topic), body: Self.ackBody, epoch: message.header.epoch,
                    sequence: message.header.sequence, hubEpoch: epoch)))
    }

    private static let ackBody = (try? MessageCoding.encode(EventAck(by: [.hub]))) ?? []

    private mutating func refuse(_ id: EventID, _ reason: String, _ detail: String) {
        drop(reason)
        if desk.refusing == nil {
            actions.append(
                .notice("events are refused, their senders keep them: \(detail)", ["reason": reason]))
        }
        desk.refusing = reason
        guard let route = route(ofSender: id.epoch) else { return }
        let header = Header(
            deliveryClass: .event, schema: SchemaVersion(major: 1, minor: 0), epoch: id.epoch, sequence: id.sequence,
            wallNs: 0, monotonicNs: 0)
        nak(Received(topic: id.topic, header: header, body: []), reason, to: route)
    }

    private func route(ofSender epoch: UInt64) -> Route? {
        guard let name = senders[epoch], let peer = peers[name], peer.connected else { return nil }
        return peer.route
    }

    private mutating func announce(_ letter: DeadLetter, now: Moment) {
        drop("dead-letter")
        actions.append(
            .notice(
                "an event became a dead letter: see `resonance dead-letters`",
                [
                    "id": "\(letter.id)", "topic": letter.topic, "consumer": letter.consumer.rawValue,
                    "deliveries": "\(letter.deliveries)",
                ]))
        say(letter, on: Registry.deadLetter(ProcessName.hub.rawValue), now: now)
    }

    private mutating func failed(_ job: SpoolJob, _ reason: String) {
        drop("spool-retry")
        noticeOnce("the spool could not write and tries again", ["reason": reason])
        if case .load(let consumer, _, _, _) = job {
            desk.lines[consumer]?.loadFailed()
        } else if desk.retries.count < EventDesk.retryLimit {
            desk.retries.append(job)
        }
    }

    // MARK: - Time

    /// Once a second: what the disk refused, what takes too long, what may be forgotten.
    mutating func tickEvents(now: Moment) {
        for job in desk.retries { actions.append(.spool(job)) }
        desk.retries = []
        for consumer in desk.lines.keys.sorted(by: { $0.rawValue < $1.rawValue }) {
            desk.lines[consumer]?.checkPatience(now: now)
            pull(consumer, now: now)
        }
        if Double(now.monotonicNs - desk.prunedNs) / 1e9 >= EventDesk.pruneSeconds {
            desk.prunedNs = now.monotonicNs
            actions.append(.spool(.prune(at: now.timestamp)))
        }
    }
}

/// What a consumer says about an event.
enum EventAnswer: Sendable {
    case ack, nak, working
}
