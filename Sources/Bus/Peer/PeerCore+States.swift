import Protocols

/// States: what a reader has ends equal to what the hub keeps, whoever was away meanwhile.
extension PeerCore {
    /// The newest value of a topic that went to the service.
    struct DeliveredState: Sendable {
        var epoch: UInt64
        var sequence: UInt64
        var hubEpoch: UInt64
        var hubSequence: UInt64
        var isDeleted: Bool
    }

    /// A single state that was asked for because its newest message was lost.
    struct StateRepair: Sendable {
        let topic: String
        var hasValue = false
    }

    /// How long the owners of states have to come back to a new hub. A living one needs less than a second, one that
    /// its supervisor starts again up to 5 s and its own start-up.
    static let orphanPatience: Int64 = 15_000_000_000

    /// Judges a state message.
    ///
    /// - Returns: true when it is newer than what the service has.
    mutating func accept(_ message: Received) -> Bool {
        let header = message.header
        let isSnapshot = header.flags.contains(.snapshot)
        note(message, isSnapshot: isSnapshot)
        if !isSnapshot {
            // From a hub that is gone, or overtaken by the snapshot.
            guard header.hubEpoch == hubEpoch else { return false }
            if header.hubEpoch == joinedHubEpoch, header.hubSequence <= joinedHubSequence { return false }
        }
        orphans[message.topic] = nil
        if let last = delivered[message.topic] {
            if last.epoch == header.epoch, header.sequence <= last.sequence { return false }
            if last.hubEpoch == header.hubEpoch, header.hubSequence <= last.hubSequence { return false }
        }
        delivered[message.topic] = DeliveredState(
            epoch: header.epoch, sequence: header.sequence, hubEpoch: header.hubEpoch,
            hubSequence: header.hubSequence, isDeleted: message.isTombstone)
        return true
    }

    /// A state that was skipped is no loss: the newer one says all there is to say.
    private mutating func note(_ message: Received, isSnapshot: Bool) {
        let header = message.header
        if isSnapshot {
            for id in stateRepairs.keys where stateRepairs[id]?.topic == message.topic {
                stateRepairs[id]?.hasValue = true
            }
            _ = streams.noteSent(message.topic, epoch: header.epoch, sequence: header.sequence)
        } else if case .missing(let range) = streams.note(
            message.topic, epoch: header.epoch, sequence: header.sequence)
        {
            drop("skipped", range.upperBound - range.lowerBound + 1)
        }
    }

    /// The owner of a state says up to where it has sent: asks for the kept value when that is news.
    mutating func followState(_ topic: String, epoch: UInt64, sequence: UInt64) {
        switch streams.noteSent(topic, epoch: epoch, sequence: sequence) {
        case .missing(let range): drop("skipped", range.upperBound - range.lowerBound + 1)
        case .first where isAnchored: break
        case .first, .next, .old: return
        }
        guard phase == .joined, let body = try? MessageCoding.encode(HubSnapshot(prefixes: [topic])) else { return }
        correlation &+= 1
        stateRepairs[correlation] = StateRepair(topic: topic)
        outgoing.append(
            .control(ControlTopic.snapshot, body: body, epoch: identity.epoch, correlation: correlation))
    }

    /// The hub keeps no value: then it was the deletion that was lost.
    mutating func finish(_ repair: StateRepair, upTo hubSequence: UInt64, now: Moment) {
        guard !repair.hasValue, orphans[repair.topic] == nil, let last = delivered[repair.topic],
            last.hubEpoch != hubEpoch || last.hubSequence <= hubSequence
        else { return }
        deliverDeletion(repair.topic, now: now)
    }

    /// Values that were there before the connection broke and are not in the new snapshot. The same hub has deleted
    /// them. A new one may not have heard their owner yet: they count as deleted if it does not come in time.
    mutating func judgeAbsent(_ present: Set<String>, now: Moment) {
        guard everJoined else { return }
        for topic in delivered.keys.sorted() {
            if present.contains(topic) {
                orphans[topic] = nil
            } else if joinedHubEpoch != hubEpoch {
                if !identity.virtualTime { orphans[topic] = now.monotonicNs + Self.orphanPatience }
            } else if orphans[topic] == nil {
                deliverDeletion(topic, now: now)
            }
        }
    }

    mutating func tickStates(now: Moment) {
        guard !orphans.isEmpty, phase == .joined else { return }
        for (topic, dueNs) in orphans.sorted(by: { $0.key < $1.key }) where dueNs <= now.monotonicNs {
            orphans[topic] = nil
            deliverDeletion(topic, now: now)
        }
    }

    private mutating func deliverDeletion(_ topic: String, now: Moment) {
        guard let last = delivered[topic], !last.isDeleted, let spec = Registry.spec(of: topic), !virtualOnly(topic)
        else { return }
        let header = Header(
            deliveryClass: .state, schema: spec.schema, flags: [.tombstone, .snapshot], epoch: last.epoch,
            sequence: last.sequence, wallNs: now.wallNs, monotonicNs: now.monotonicNs, hubEpoch: hubEpoch)
        delivered[topic] = nil
        hand(.message(Received(topic: topic, header: header, body: []), needsAck: false), like: header, by: .topics)
    }
}
