import Protocols
import Testing

@testable import Bus

/// Gaps in live streams, by hand: asked for again, put in order, or counted, each once.
struct GapRuleTests {
    private let t0 = Moment(wallNs: 1_000_000_000_000, monotonicNs: 1_000_000_000_000)
    private let topic = "bio/heart-rate/me"

    /// A peer that has joined hub 9 at its sequence 100, where the stream of epoch 50 stood at `position`.
    private func joined(at position: UInt64? = nil, as virtual: Bool = false) throws -> PeerCore {
        var core = PeerCore(
            identity: PeerIdentity(name: .body, virtualTime: virtual, epoch: 3), subscriptions: ["bio/"])
        core.handle(.linkUp, now: t0)
        core.handle(.direct(.control("~welcome", epoch: 9, hubEpoch: 9)), now: t0)
        core.handle(.published(.control("~sync/3", epoch: 9, hubEpoch: 9)), now: t0)
        try endSnapshot(&core, position: position, now: t0)
        core.items = []
        core.outgoing = []
        return core
    }

    private func endSnapshot(_ core: inout PeerCore, position: UInt64?, hub: UInt64 = 100, now: Moment) throws {
        guard case .snapshot(let correlation) = core.phase else { throw Refusal(code: "test", message: "no snapshot") }
        let end = SnapshotEnd(
            positions: position.map { [StreamPosition(topic: topic, epoch: 50, sequence: $0)] } ?? [],
            clockMs: 1_000_000)
        core.handle(
            .direct(
                .control(
                    "~snapshot-end", body: try MessageCoding.encode(end), epoch: core.hubEpoch,
                    correlation: correlation, hubEpoch: core.hubEpoch, hubSequence: hub)), now: now)
    }

    private func beat(_ sequence: UInt64, epoch: UInt64 = 50, hub: UInt64 = 1000) throws -> Received {
        let beat = Heartbeat(
            process: .sensor, pid: 1, version: "1", epoch: epoch, loopLagMs: 0, queueDepths: [:], drops: [:],
            lastSequence: [topic: sequence], ready: true)
        return Received(
            topic: "sys/heartbeat/sensor-emitter", header: message(1, epoch: epoch, hub: hub).header,
            body: try MessageCoding.encode(beat))
    }

    private func message(_ sequence: UInt64, epoch: UInt64 = 50, hub: UInt64? = nil) -> Received {
        Received(
            topic: topic,
            header: Header(
                deliveryClass: .live, schema: SchemaVersion(major: 1, minor: 0), epoch: epoch, sequence: sequence,
                wallNs: t0.wallNs, monotonicNs: t0.monotonicNs, hubEpoch: 9, hubSequence: hub ?? 100 + sequence),
            body: [])
    }

    private func heard(_ core: PeerCore) -> [UInt64] {
        core.items.compactMap { if case .message(let message, _) = $0 { message.header.sequence } else { nil } }
    }

    /// What was asked of the hub, as `from...to`, with the correlation of the last question.
    private func asked(_ core: PeerCore) throws -> (ranges: [[UInt64]], correlation: UInt64) {
        let questions = core.outgoing.filter { $0.topic == "~replay" }
        let bodies = try questions.map { try $0.decodeBody(LiveReplay.self) }
        return (bodies.map { [$0.from, $0.to] }, questions.last?.header.correlation ?? 0)
    }

    private func end(_ correlation: UInt64, base: UInt64 = 0, bornMs: Int64? = nil) throws -> TransportEvent {
        .direct(
            .control(
                "~replay-end", body: try MessageCoding.encode(ReplayEnd(base: base, bornMs: bornMs)), epoch: 9,
                correlation: correlation, hubEpoch: 9))
    }

    @Test func `a gap is asked for, filled in order and is then no loss`() throws {
        var core = try joined(at: 4)
        for sequence in [5, 8, 9] as [UInt64] { core.handle(.published(message(sequence)), now: t0) }
        #expect(heard(core) == [5])
        let (ranges, correlation) = try asked(core)
        #expect(ranges == [[6, 7]])
        // The answers may come in any order, and more than once.
        for sequence in [7, 6, 7] as [UInt64] {
            core.handle(.direct(message(sequence).with { $0.flags.insert(.redelivered) }), now: t0)
        }
        core.handle(.published(message(10)), now: t0)
        #expect(heard(core) == [5])
        core.handle(try end(correlation), now: t0)
        core.handle(.published(message(11)), now: t0)
        #expect(heard(core) == [5, 6, 7, 8, 9, 10, 11])
        #expect(core.lost.isEmpty)
        #expect(core.drops == ["duplicate": 1])
    }

    @Test func `what the hub no longer has is counted exactly, by topic, once the answer is there`() throws {
        var core = try joined(at: 4)
        for sequence in [5, 9, 20] as [UInt64] { core.handle(.published(message(sequence)), now: t0) }
        #expect(core.lost.isEmpty)
        let (ranges, correlation) = try asked(core)
        #expect(ranges == [[6, 8], [10, 19]])
        core.handle(.direct(message(19).with { $0.flags.insert(.redelivered) }), now: t0)
        core.handle(try end(correlation), now: t0)
        // Two questions, one answer: the other may still bring something.
        #expect(core.lost.isEmpty)
        core.handle(try end(correlation), now: t0)
        #expect(core.lost == [topic: ["gap": 3 + 9]])
        #expect(heard(core) == [5, 9, 19, 20])
        // Too late: it is counted as lost, and stays so.
        core.handle(.direct(message(18).with { $0.flags.insert(.redelivered) }), now: t0)
        #expect(heard(core) == [5, 9, 19, 20])
        #expect(core.lost == [topic: ["gap": 12]])
    }

    @Test func `a hub that does not answer is not waited for, nothing is lost by the waiting`() throws {
        var core = try joined(at: 4)
        for sequence in [5, 7] as [UInt64] { core.handle(.published(message(sequence)), now: t0) }
        core.tick(
            now: Moment(wallNs: t0.wallNs, monotonicNs: t0.monotonicNs + 900_000_000), loopLagMs: 0, queueDepths: [:])
        #expect(heard(core) == [5])
        core.tick(
            now: Moment(wallNs: t0.wallNs, monotonicNs: t0.monotonicNs + 1_000_000_000), loopLagMs: 0, queueDepths: [:])
        #expect(heard(core) == [5, 7])
        #expect(core.lost == [topic: ["gap": 1]])
    }

    @Test func `a broken connection ends the waiting`() throws {
        var core = try joined(at: 4)
        for sequence in [5, 7] as [UInt64] { core.handle(.published(message(sequence)), now: t0) }
        core.handle(.linkDown(reason: "test"), now: t0)
        #expect(heard(core) == [5, 7])
        #expect(core.lost == [topic: ["gap": 1]])
    }

    @Test func `how much of a beginning is owed is asked until the hub says it`() throws {
        var core = try joined()
        core.handle(.published(message(4, epoch: 51)), now: t0)
        core.handle(.linkDown(reason: "test"), now: t0)
        #expect(heard(core) == [4])
        #expect(core.lost.isEmpty)
        core.handle(.linkUp, now: t0)
        core.handle(.direct(.control("~welcome", epoch: 9, hubEpoch: 9)), now: t0)
        core.handle(.published(.control("~sync/3", epoch: 9, hubEpoch: 9)), now: t0)
        try endSnapshot(&core, position: nil, hub: 300, now: t0)
        core.handle(.published(try beat(4, epoch: 51)), now: t0)
        core.outgoing = []
        core.tick(now: t0, loopLagMs: 0, queueDepths: [:])
        let (ranges, correlation) = try asked(core)
        #expect(ranges == [[1, 0]])
        core.handle(try end(correlation, base: 1), now: t0)
        #expect(core.lost == [topic: ["gap": 2]])
        #expect(core.unsettled.isEmpty)
    }

    @Test func `a flood does not wait longer than the topic is deep, and is counted without questions for a while`()
        throws
    {
        var core = try joined(at: 1)
        let depth = UInt64(Registry.heartRate.spec.depth)
        for sequence in 4...(4 + depth) { core.handle(.published(message(sequence)), now: t0) }
        #expect(core.lost == [topic: ["gap": 2]])
        #expect(heard(core) == Array(4...(4 + depth)))
        core.handle(.published(message(depth + 11)), now: t0)
        #expect(core.lost == [topic: ["gap": 2 + 6]])
        #expect(try asked(core).ranges.count == 1)
    }

    @Test func `a late joiner has lost nothing`() throws {
        var core = try joined(at: 5000)
        core.handle(.published(message(5001)), now: t0)
        // It missed the start of this stream, which nobody had told it of.
        core.handle(.published(try beat(5001)), now: t0)
        #expect(heard(core) == [5001])
        #expect(core.outgoing.isEmpty)
        #expect(core.lost.isEmpty)
    }

    @Test func `the beginning of a new life is owed, also when nothing but its heartbeat came`() throws {
        var core = try joined()
        core.handle(.published(message(4, epoch: 51)), now: t0)
        core.handle(.published(try beat(2, epoch: 52)), now: t0)
        var (ranges, correlation) = try asked(core)
        #expect(ranges == [[1, 3], [1, 2]])
        core.handle(try end(correlation), now: t0)
        #expect(core.lost == [topic: ["gap": 2]])
        correlation -= 1
        core.handle(try end(correlation), now: t0)
        #expect(core.lost == [topic: ["gap": 5]])
        #expect(heard(core) == [4])
    }

    @Test(arguments: [(bornMs: 999_999, lost: 70), (bornMs: 1_000_001, lost: 170)] as [(bornMs: Int64, lost: UInt64)])
    func `of a stream that a new hub does not know from its start, only a younger one than the reader is owed`(
        bornMs: Int64, lost: UInt64
    ) throws {
        var core = try joined()
        core.handle(.published(message(71, hub: 101)), now: t0)
        let later = Moment(wallNs: t0.wallNs, monotonicNs: t0.monotonicNs + 30_000_000_000)
        core.handle(.published(message(171, epoch: 60, hub: 900)), now: later)
        let (ranges, correlation) = try asked(core)
        #expect(ranges == [[1, 70], [1, 170]])
        core.handle(try end(correlation, base: 100, bornMs: bornMs), now: later)
        #expect(core.lost[topic]?["gap"] == lost)
    }

    @Test func `what followed the first snapshot is owed, also when the hub died before the first of it came`() throws {
        var core = try joined(at: 4)
        core.handle(.linkDown(reason: "the hub died"), now: t0)
        core.handle(.linkUp, now: t0)
        core.handle(.direct(.control("~welcome", epoch: 9, hubEpoch: 9)), now: t0)
        core.handle(.published(.control("~sync/3", epoch: 9, hubEpoch: 9)), now: t0)
        core.outgoing = []
        try endSnapshot(&core, position: 204, hub: 130, now: t0)
        core.handle(.published(message(205, hub: 131)), now: t0)
        let (ranges, correlation) = try asked(core)
        #expect(ranges == [[5, 204]])
        core.handle(try end(correlation), now: t0)
        #expect(heard(core) == [205])
        #expect(core.lost == [topic: ["gap": 200]])
    }

    @Test func `what is lost while a reader was away is found by the snapshot, once the topics have come as far`()
        throws
    {
        var core = try joined(at: 4)
        core.handle(.published(message(5)), now: t0)
        core.handle(.linkDown(reason: "frozen"), now: t0)
        core.handle(.linkUp, now: t0)
        core.handle(.direct(.control("~welcome", epoch: 9, hubEpoch: 9)), now: t0)
        core.handle(.published(.control("~sync/3", epoch: 9, hubEpoch: 9)), now: t0)
        core.outgoing = []
        try endSnapshot(&core, position: 30, hub: 130, now: t0)
        // 29 and 30 are still on their way along the topics.
        core.handle(.published(message(29)), now: t0)
        #expect(try asked(core).ranges == [[6, 28]])
        core.handle(.published(message(30)), now: t0)
        core.handle(.published(message(31)), now: t0)
        #expect(try asked(core).ranges == [[6, 28]])
        core.handle(try end(try asked(core).correlation), now: t0)
        #expect(heard(core) == [5, 29, 30, 31])
        #expect(core.lost == [topic: ["gap": 23]])
    }

    @Test func `in virtual time a gap is counted at once, for no answer could keep the order`() throws {
        var core = try joined(at: nil, as: true)
        for sequence in [5, 6, 9] as [UInt64] { core.handle(.published(message(sequence)), now: t0) }
        #expect(core.lost[topic]?["gap"] == 2)
        #expect(try asked(core).ranges.isEmpty)
    }

    @Test func `a version that cannot be read is counted once`() throws {
        var core = try joined(at: 0)
        for sequence in [1, 2] as [UInt64] {
            core.handle(.published(message(sequence).with { $0.schema.major = 2 }), now: t0)
        }
        core.handle(.published(message(3)), now: t0)
        core.handle(.published(try beat(3)), now: t0)
        #expect(heard(core) == [3])
        #expect(core.lost == [topic: ["version": 2]])
    }

    @Test func `what a sender cannot send has no sequence and is counted by the sender`() throws {
        var core = try joined()
        func publish() {
            let spec = Registry.heartRate.spec
            core.send(core.prepare([], spec: spec, topic: topic, flags: [], now: t0))
        }
        publish()
        core.handle(.linkDown(reason: "test"), now: t0)
        publish()
        publish()
        #expect(core.lost == [topic: ["live-away": 2]])
        #expect(core.sequences[topic] == 1)
        // Queue full: the transport gives the last ones back, newest first.
        core.handle(.linkUp, now: t0)
        core.handle(.direct(.control("~welcome", epoch: 9, hubEpoch: 9)), now: t0)
        core.outgoing = []
        for _ in 1...3 { publish() }
        let sent = core.outgoing.filter { $0.topic == topic }
        for message in sent.suffix(2).reversed() { core.undelivered(message, atOnce: true) }
        #expect(core.lost == [topic: ["live-away": 2, "live-full": 2]])
        #expect(core.sequences[topic] == 2)
    }

    @Test func `a set of sequences loses single ones and a beginning`() {
        var set = SequenceSet(5...9)
        set.append(20...1_000_019)
        #expect(set.count == 5 + 1_000_000)
        #expect(set.remove(7) && !set.remove(7) && !set.remove(10) && set.remove(20) && set.remove(1_000_019))
        #expect(set.ranges == [5...6, 8...9, 21...1_000_018])
        set.remove(through: 8)
        #expect(set.ranges == [9...9, 21...1_000_018])
        set.remove(through: 2_000_000)
        #expect(set.count == 0)
    }

    @Test func `the ring keeps the newest of a topic, bounded in number and bytes`() {
        var ring = LiveRing()
        for sequence in 1...10 as ClosedRange<UInt64> { ring.append(message(sequence), depth: 4) }
        #expect(ring.messages(epoch: 50, 1...10).map(\.header.sequence) == [7, 8, 9, 10])
        #expect(ring.messages(epoch: 50, 8...9).map(\.header.sequence) == [8, 9])
        #expect(ring.messages(epoch: 51, 1...10).isEmpty)
        let big = [UInt8](repeating: 1, count: 400_000)
        for sequence in 11...14 as ClosedRange<UInt64> {
            ring.append(Received(topic: topic, header: message(sequence).header, body: big), depth: 4)
        }
        #expect(ring.messages(epoch: 50, 1...99).map(\.header.sequence) == [13, 14])
        #expect(ring.bytes == 800_000)
        for sequence in 15...19 as ClosedRange<UInt64> { ring.append(message(sequence), depth: 8) }
        #expect(ring.messages(epoch: 50, 1...99).map(\.header.sequence) == Array(13...19))
        #expect(ring.bytes == 800_000)
    }
}
