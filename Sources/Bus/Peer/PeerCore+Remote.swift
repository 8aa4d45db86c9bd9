import Protocols

/// What only a peer on another machine does: learns the hub's time, and hears that it may not come in.
extension PeerCore {
    static let refusalNoticeInterval: Int64 = 10_000_000_000

    /// The hub's time at a moment of this machine; the same for a peer on the hub's machine.
    mutating func hubTime(_ local: Moment) -> Moment { measuresHubClock ? hubClock.translate(local) : local }

    /// Whether a topic is for this service: wanted, and within the rights of its key.
    func wants(_ topic: String) -> Bool { filter.matches(topic) && reach?.matches(topic) != false }

    /// What the hub lets this peer hear; the rest is not counted as lost.
    mutating func noteRights(_ welcome: Received) {
        let hear = (try? MessageCoding.decode(HubWelcome.self, from: welcome.body))?.hear
        reach = hear.map { TopicFilter($0.map { $0 == "*" ? "" : $0 }) }
    }

    /// Asks the hub for its time, now and then; `correlation` carries ours there and back.
    mutating func askHubTime(_ now: Moment) {
        guard measuresHubClock, isWelcome, hubClock.shouldAsk(nowNs: now.monotonicNs) else { return }
        outgoing.append(
            .control(
                ControlTopic.beat, epoch: identity.epoch, correlation: UInt64(bitPattern: now.monotonicNs)))
    }

    /// The first answers are wanted soon: a service does not tick before.
    var isLearningHubTime: Bool { measuresHubClock && isWelcome && hubClock.isLearning }

    mutating func noteHubTime(_ beat: Received, now: Moment) {
        guard measuresHubClock, beat.header.correlation != 0 else { return }
        hubClock.note(
            sentNs: Int64(bitPattern: beat.header.correlation), receivedNs: now.monotonicNs,
            hub: Moment(wallNs: beat.header.wallNs, monotonicNs: beat.header.monotonicNs))
    }

    mutating func handshakeRefused(_ reason: String, now: Moment) {
        drop("handshake-refused")
        handshakeProblem = reason
        if let last = refusalNoticedNs, now.monotonicNs - last < Self.refusalNoticeInterval { return }
        refusalNoticedNs = now.monotonicNs
        notices.append((reason, [:]))
    }
}
