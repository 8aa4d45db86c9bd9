import Protocols

/// Live messages that did not come: asked for again, or counted.
///
/// A loss is counted by exactly one process, once it is certain. What a sender cannot send gets no sequence and is
/// counted there; whatever has a sequence is owed to every reader that had joined, and each of them counts what did not
/// reach its service. While the hub is asked, newer messages of the same stream wait, so that the order stays.
extension PeerCore {
    /// A gap that may still be filled.
    struct Repair: Sendable {
        let correlation: UInt64
        let dueNs: Int64
        /// Up to here the stream was not heard before: of that, what was sent before its hub knew it is not owed.
        var beginning: UInt64
        var missing: SequenceSet
        /// False when newer messages have gone to the service already.
        var takesMessages = true
        /// How often its beginning was asked for before.
        var tries = 0
        /// Questions to the hub that have no answer yet.
        var asked = 0
        /// Newer messages, and those that were sent again.
        var held: [Received] = []
    }

    /// A beginning of which the hub has not said how much is owed, and how often it was asked.
    struct Unsettled: Sendable {
        var missing: SequenceSet
        var tries = 0
    }

    /// Streams whose positions came with the snapshot: they count once the topics have come as far.
    struct Anchor: Sendable {
        let hubEpoch: UInt64
        let hubSequence: UInt64
        let positions: [StreamPosition]
        let clockMs: Int64
    }

    /// How long the hub may take to answer; it does at once or never.
    static let repairPatience: Int64 = 1_000_000_000
    /// How long gaps of a stream are only counted after a repair that was overrun by newer messages.
    static let repairPause: Int64 = 1_000_000_000
    /// How often a beginning is asked for, about once a second: a publisher is back at a new hub long before.
    static let settleTries = 30
    /// Topics in the table of losses; those of further topics are counted together under the family.
    static let lostTopicLimit = 1000

    /// Counts live messages that the service will not hear, and nobody else counts.
    mutating func lose(_ cause: String, _ topic: String, _ count: UInt64 = 1) {
        drop(cause, count)
        let known = lost[topic] != nil || lost.count < Self.lostTopicLimit
        lost[known ? topic : TopicSpec.family(of: topic), default: [:]][cause, default: 0] += count
    }

    /// A live message that is not sent at all: its sequence is free again.
    mutating func unsend(_ message: Received, _ cause: String) {
        if sequences[message.topic] == message.header.sequence {
            sequences[message.topic] = message.header.sequence - 1
        }
        lose(cause, message.topic)
    }

    /// Notes a live message.
    ///
    /// - Returns: true when it is the next one and goes to the service now.
    mutating func follow(_ message: Received, now: Moment) -> Bool {
        let header = message.header
        // A stranger that does not number its messages is believed.
        guard header.sequence > 0 else { return true }
        switch streams.note(message.topic, epoch: header.epoch, sequence: header.sequence) {
        case .next:
            if repairs.isEmpty { return true }
            return !hold(message)
        case .first:
            guard isAnchored, header.sequence > 1 else { return true }
            return !miss(1...(header.sequence - 1), of: message.topic, header.epoch, isBeginning: true, now, message)
        case .missing(let range):
            // What was sent before the joining is not owed.
            guard isAnchored else { return true }
            return !miss(range, of: message.topic, header.epoch, isBeginning: false, now, message)
        case .old:
            let key = StreamKey(topic: message.topic, epoch: header.epoch)
            if repairs[key]?.missing.remove(header.sequence) == true {
                repairs[key]?.held.append(message)
            } else {
                drop("duplicate")
            }
            return false
        }
    }

    /// A publisher says up to where it has sent.
    mutating func followSent(_ topic: String, epoch: UInt64, sequence: UInt64, now: Moment) {
        guard sequence > 0 else { return }
        switch streams.noteSent(topic, epoch: epoch, sequence: sequence) {
        case .missing(let range) where isAnchored: _ = miss(range, of: topic, epoch, isBeginning: false, now, nil)
        case .first where isAnchored: _ = miss(1...sequence, of: topic, epoch, isBeginning: true, now, nil)
        case .missing, .first, .next, .old: break
        }
    }

    /// - Returns: true when `message` waits for the repair.
    private mutating func miss(
        _ range: ClosedRange<UInt64>, of topic: String, _ epoch: UInt64, isBeginning: Bool, _ now: Moment,
        _ message: Received?
    ) -> Bool {
        let key = StreamKey(topic: topic, epoch: epoch)
        guard phase == .joined, !identity.virtualTime, now.monotonicNs >= unrepaired[key] ?? 0 else {
            settle(key, SequenceSet(range), beginning: isBeginning ? range.upperBound : 0)
            return false
        }
        if repairs[key] == nil {
            open(key, SequenceSet(range), beginning: isBeginning ? range.upperBound : 0, now)
        } else {
            repairs[key]?.missing.append(range)
            ask(key, range)
        }
        return message.map { hold($0) } ?? false
    }

    /// - Parameter ranges: what is asked for; nil = all that is missing, empty = no message, only the answer.
    private mutating func open(
        _ key: StreamKey, _ missing: SequenceSet, beginning: UInt64, _ now: Moment,
        asking ranges: [ClosedRange<UInt64>]? = nil
    ) {
        correlation &+= 1
        repairs[key] = Repair(
            correlation: correlation, dueNs: now.monotonicNs + Self.repairPatience, beginning: beginning,
            missing: missing)
        repairs[key]?.takesMessages = ranges?.isEmpty != true
        let ranges = ranges ?? missing.ranges
        for range in ranges { ask(key, range) }
        if ranges.isEmpty { ask(key, nil) }
    }

    private mutating func ask(_ key: StreamKey, _ range: ClosedRange<UInt64>?) {
        let question = LiveReplay(
            topic: key.topic, epoch: key.epoch, from: range?.lowerBound ?? 1, to: range?.upperBound ?? 0)
        guard let repair = repairs[key], let body = try? MessageCoding.encode(question) else { return }
        repairs[key]?.asked += 1
        outgoing.append(
            .control(ControlTopic.replay, body: body, epoch: identity.epoch, correlation: repair.correlation))
    }

    /// Counts what will not come. How much of a beginning is owed only the hub can say: it is asked again.
    private mutating func settle(_ key: StreamKey, _ missing: SequenceSet, beginning: UInt64, tries: Int = 0) {
        var owed = missing
        owed.remove(through: beginning)
        if owed.count > 0 { lose("gap", key.topic, owed.count) }
        guard beginning > 0, !identity.virtualTime, unsettled.count < Self.lostTopicLimit else { return }
        var open = missing
        open.remove(from: beginning + 1)
        if open.count > 0 { unsettled[key] = Unsettled(missing: open, tries: tries) }
    }

    /// - Returns: false when the stream of the message waits for nothing, or for too long.
    private mutating func hold(_ message: Received) -> Bool {
        let key = StreamKey(topic: message.topic, epoch: message.header.epoch)
        guard let waiting = repairs[key]?.held.count else { return false }
        guard waiting < Registry.spec(of: message.topic)?.depth ?? 1 else {
            unrepaired[key] = (repairs[key]?.dueNs ?? 0) + Self.repairPause
            finish(key, isAnswered: false)
            return false
        }
        repairs[key]?.held.append(message)
        return true
    }

    /// A message that the hub sends once more.
    mutating func replayed(_ message: Received) {
        let key = StreamKey(topic: message.topic, epoch: message.header.epoch)
        guard repairs[key]?.takesMessages == true, repairs[key]?.missing.remove(message.header.sequence) == true else {
            drop("duplicate")
            return
        }
        repairs[key]?.held.append(message)
        // The stream was unknown at the joining: what passed the hub after this one is owed.
        let before = message.header.sequence - 1
        if let beginning = repairs[key]?.beginning, before < beginning { repairs[key]?.beginning = before }
    }

    mutating func replayEnd(_ message: Received) {
        guard let (key, repair) = repairs.first(where: { $0.value.correlation == message.header.correlation }) else {
            return
        }
        if repair.beginning > 0, let end = try? MessageCoding.decode(ReplayEnd.self, from: message.body) {
            // A new hub that does not know the publisher yet.
            if end.base == ReplayEnd.unknown, repair.tries > 0, repair.tries < Self.settleTries {
                finish(key, isAnswered: false)
                return
            }
            // All that a publisher has sent is owed to whoever had joined before it began.
            if (end.bornMs ?? .min) <= joinedClockMs {
                repairs[key]?.missing.remove(through: min(end.base, repair.beginning))
            }
        }
        repairs[key]?.asked -= 1
        if repairs[key]?.asked == 0 { finish(key, isAnswered: true) }
    }

    /// What has not come by now is lost; what waited goes to the service, in order.
    private mutating func finish(_ key: StreamKey, isAnswered: Bool) {
        guard let repair = repairs.removeValue(forKey: key) else { return }
        settle(key, repair.missing, beginning: isAnswered ? 0 : repair.beginning, tries: repair.tries)
        for message in repair.held.sorted(by: { $0.header.sequence < $1.header.sequence }) {
            hand(.message(message, needsAck: false), like: message.header, by: .topics)
        }
    }

    /// The connection is gone, and with it every answer.
    mutating func finishRepairs() {
        for key in repairs.keys.sorted(by: { ($0.topic, $0.epoch) < ($1.topic, $1.epoch) }) {
            finish(key, isAnswered: false)
        }
        if !isAnchored, let anchor {
            // What followed the first snapshot is owed, also when the hub ended before the first of it came.
            for position in anchor.positions {
                _ = streams.noteSent(position.topic, epoch: position.epoch, sequence: position.sequence)
            }
            begin(anchor)
        }
        anchor = nil
    }

    private mutating func begin(_ anchor: Anchor) {
        isAnchored = true
        joinedClockMs = anchor.clockMs
    }

    /// Gives up on the hub's answers, and forgets what is over.
    mutating func tickRepairs(now: Moment) {
        for (key, repair) in repairs where repair.dueNs <= now.monotonicNs { finish(key, isAnswered: false) }
        if !unrepaired.isEmpty { unrepaired = unrepaired.filter { $0.value > now.monotonicNs } }
        guard !unsettled.isEmpty, phase == .joined, anchor == nil else { return }
        for (key, open) in unsettled where repairs[key] == nil && unrepaired[key] == nil {
            unsettled[key] = nil
            let end = open.missing.ranges.last?.upperBound ?? 0
            // Only for how much is owed: a message would come too late to keep the order.
            self.open(key, open.missing, beginning: end, now, asking: [])
            repairs[key]?.tries = open.tries + 1
        }
    }

    /// The topics have come as far as the snapshot: from here on every message is owed.
    mutating func anchorStreams(before message: Received, now: Moment) {
        guard let anchor, anchor.hubEpoch == message.header.hubEpoch, message.header.hubSequence > anchor.hubSequence
        else { return }
        self.anchor = nil
        for position in anchor.positions {
            switch Registry.spec(of: position.topic)?.deliveryClass {
            case .live:
                followSent(position.topic, epoch: position.epoch, sequence: position.sequence, now: now)
            case .state: _ = streams.noteSent(position.topic, epoch: position.epoch, sequence: position.sequence)
            default: break
            }
        }
        if !isAnchored { begin(anchor) }
    }
}
