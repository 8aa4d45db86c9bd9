import Protocols

/// Durable events of a peer: what it owes to the hub, and what the hub delivers.
extension PeerCore {
    /// Nanoseconds before the first new try after a refusal; doubles up to 64 s.
    private static let holdNs: Int64 = 1_000_000_000

    // MARK: - As a sender

    /// True while the hub refuses events.
    func isHolding(_ now: Moment) -> Bool { now.monotonicNs < holdUntilNs }

    /// The hub says what became of an own event.
    mutating func hubSaid(_ kind: EventAnswer, _ topic: String, _ message: Received, now: Moment) {
        let id = EventID(epoch: message.header.epoch, topic: topic, sequence: message.header.sequence)
        switch kind {
        case .ack:
            refusals = 0
            settled.append(id)
        case .nak: refused(id, by: message, now: now)
        case .working: drop("unknown-control")
        }
    }

    private mutating func refused(_ id: EventID, by message: Received, now: Moment) {
        guard let nak = try? MessageCoding.decode(EventNak.self, from: message.body) else {
            drop("bad-ack")
            return
        }
        if nak.final {
            drop("event-refused")
            noticeOnce(
                "the hub will never take this event; it is given up", ["topic": id.topic, "reason": nak.reason])
            settled.append(id)
            return
        }
        noticeOnce("the hub cannot store events now; they are kept here", ["reason": nak.reason])
        guard !isHolding(now) else { return }
        holdUntilNs = now.monotonicNs + Self.holdNs << Int64(min(refusals, 6))
        refusals += 1
    }

    /// Sends what was held back, once it is time.
    mutating func releaseHold(_ now: Moment) {
        guard holdUntilNs > 0, !isHolding(now), isWelcome else { return }
        holdUntilNs = 0
        wantsOutbox = true
    }

    // MARK: - As a consumer

    func isConsumer(of message: Received) -> Bool {
        guard message.header.deliveryClass == .event else { return false }
        if let consumes, consumes.subscriptions.isEmpty || consumes.matches(message.topic) { return true }
        guard let spec = Registry.spec(of: message.topic), !spec.consumers.isEmpty else { return false }
        return identity.names.contains { spec.consumers.contains($0) }
    }

    /// The hub delivers an event to this peer as its named consumer.
    mutating func deliverDurable(_ message: Received, now: Moment) {
        // Not ready: the hub delivers again when this peer has joined.
        guard phase == .joined else { return }
        guard filter.matches(message.topic) else {
            drop("not-subscribed")
            sayNak(message, "not-subscribed")
            return
        }
        if let spec = Registry.spec(of: message.topic), message.header.schema.major > spec.schema.major {
            drop("version")
            sayNak(message, "version")
            return
        }
        switch seen.arrive(EventID(message)) {
        case .new: hand(.message(message, needsAck: true), like: message.header, by: .direct)
        case .waiting:
            drop("duplicate")
            outgoing.append(
                .control(
                    ControlTopic.working(message.topic), epoch: message.header.epoch,
                    sequence: message.header.sequence))
        case .handled:
            drop("duplicate")
            sendAck(message)
        }
    }

    /// The service has handled an event.
    mutating func acknowledge(_ message: Received) {
        seen.finish(EventID(message))
        sendAck(message)
    }

    /// The service could not handle an event, often enough: the hub puts it aside.
    mutating func giveUp(_ message: Received, _ reason: String) {
        // When an operator replays it, it is handled anew.
        seen.forget(EventID(message))
        sayNak(message, reason)
    }

    mutating func sendAck(_ message: Received) {
        guard isWelcome else { return }
        outgoing.append(
            .control(
                ControlTopic.ack(message.topic), epoch: message.header.epoch, sequence: message.header.sequence))
    }

    private mutating func sayNak(_ message: Received, _ reason: String) {
        guard isWelcome, let body = try? MessageCoding.encode(EventNak(reason: reason)) else { return }
        outgoing.append(
            .control(
                ControlTopic.nak(message.topic), body: body, epoch: message.header.epoch,
                sequence: message.header.sequence))
    }
}
