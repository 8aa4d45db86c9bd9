import Protocols
import Testing

@testable import Bus

/// The rules of a peer alone, fed by hand.
struct PeerRuleTests {
    private let t0 = Moment(wallNs: 1_000_000_000_000, monotonicNs: 1_000_000_000_000)

    /// A peer that has joined hub 9 and listens to `subscriptions`.
    private func joined(_ subscriptions: [String], as name: ProcessName = .body) throws -> PeerCore {
        var core = PeerCore(identity: PeerIdentity(name: name, epoch: 3), subscriptions: subscriptions)
        core.handle(.linkUp, now: t0)
        core.handle(.direct(.control("~welcome", epoch: 9, hubEpoch: 9)), now: t0)
        core.handle(.published(.control("~sync/3", epoch: 9, hubEpoch: 9)), now: t0)
        guard case .snapshot(let correlation) = core.phase else { throw Refusal(code: "test", message: "no snapshot") }
        core.handle(
            .direct(.control("~snapshot-end", epoch: 9, correlation: correlation, hubEpoch: 9, hubSequence: 100)),
            now: t0)
        core.items = []
        core.outgoing = []
        return core
    }

    private func message(
        _ topic: String, _ sequence: UInt64, epoch: UInt64 = 50, hub: UInt64 = 200, major: UInt16 = 1,
        flags: Header.Flags = []
    ) -> Received {
        let spec = Registry.spec(of: topic)
        return Received(
            topic: topic,
            header: Header(
                deliveryClass: spec?.deliveryClass ?? .live, schema: SchemaVersion(major: major, minor: 7),
                flags: flags, epoch: epoch, sequence: sequence, wallNs: t0.wallNs, monotonicNs: t0.monotonicNs,
                hubEpoch: 9, hubSequence: hub),
            body: [])
    }

    private func heard(_ core: PeerCore) -> [UInt64] {
        core.items.compactMap { if case .message(let message, _) = $0 { message.header.sequence } else { nil } }
    }

    @Test func `a newer major is refused by name and counted, a newer minor is read`() throws {
        var core = try joined(["bio/"])
        core.handle(.published(message("bio/heart-rate/me", 1, major: 2)), now: t0)
        core.handle(.published(message("bio/heart-rate/me", 2, major: 2)), now: t0)
        core.handle(.published(message("bio/heart-rate/me", 3, major: 1)), now: t0)
        #expect(core.drops["version"] == 2)
        #expect(heard(core) == [3])
        #expect(core.notices.first?.1["topic"] == "bio/heart-rate/me")
        #expect(core.notices.first?.1["version"] == "2.7")
    }

    @Test func `what the snapshot already holds is discarded, what came after it is not`() throws {
        var core = PeerCore(identity: PeerIdentity(name: .brain, epoch: 3), subscriptions: ["library/"])
        core.handle(.linkUp, now: t0)
        core.handle(.direct(.control("~welcome", epoch: 9, hubEpoch: 9)), now: t0)
        core.handle(.published(message("library/revision/me", 4, hub: 90)), now: t0)
        core.handle(.published(.control("~sync/3", epoch: 9, hubEpoch: 9)), now: t0)
        core.handle(.published(message("library/revision/me", 5, hub: 95)), now: t0)
        core.handle(.published(message("library/revision/me", 7, hub: 105)), now: t0)
        guard case .snapshot(let correlation) = core.phase else {
            Issue.record("no snapshot asked")
            return
        }
        core.handle(.direct(message("library/revision/me", 6, hub: 98, flags: .snapshot)), now: t0)
        core.handle(
            .direct(.control("~snapshot-end", epoch: 9, correlation: correlation, hubEpoch: 9, hubSequence: 100)),
            now: t0)
        #expect(heard(core) == [6, 7])
        #expect(core.phase == .joined)
        #expect(core.drops["gap"] == nil)
    }

    @Test func `an event that comes twice is handled once and acknowledged twice`() throws {
        var core = try joined(["bio/batch"])
        let event = message("bio/batch/me", 1)
        // The copy that everybody hears is not for its named consumer.
        core.handle(.published(event), now: t0)
        #expect(heard(core).isEmpty)
        core.handle(.direct(event), now: t0)
        core.handle(.direct(event.with { $0.flags.insert(.redelivered) }), now: t0)
        #expect(heard(core) == [1])
        #expect(core.outgoing.map(\.topic) == ["~working/bio/batch/me"])
        core.acknowledge(event)
        core.handle(.direct(event.with { $0.flags.insert(.redelivered) }), now: t0)
        #expect(heard(core) == [1])
        #expect(core.outgoing.dropFirst().map(\.topic) == ["~ack/bio/batch/me", "~ack/bio/batch/me"])
        #expect(core.outgoing.allSatisfy { $0.header.epoch == 50 && $0.header.sequence == 1 })
    }

    @Test func `a full inbox gives up the oldest live message of the topic`() async {
        let inbox = Inbox(bounded: true)
        let depth = Registry.progress.spec.depth
        let items = (1...10).map { InboxItem.message(message("music/progress/me", UInt64($0)), needsAck: false) }
        let lost = inbox.append(items)
        #expect(lost.count == 10 - depth)
        let kept = (await inbox.next() ?? []).compactMap(\.self)
        #expect(kept.count == depth)
        guard case .message(let first, _) = kept.first else {
            Issue.record("no message")
            return
        }
        #expect(first.header.sequence == UInt64(10 - depth + 1))
    }

    @Test func `a topic that gives way does not cost another one, and the next batch begins with empty lines`() async {
        let inbox = Inbox(bounded: true)
        let depth = Registry.progress.spec.depth
        func lose(_ topic: String, _ count: Int) -> [UInt64] {
            let items = (1...count).map { InboxItem.message(message(topic, UInt64($0)), needsAck: false) }
            return inbox.append(items).compactMap {
                if case .message(let message, _) = $0.item { message.header.sequence } else { nil }
            }
        }
        #expect(lose("music/progress/me", depth) == [])
        #expect(lose("bio/heart-rate/me", 10) == [])
        #expect(lose("music/progress/me", 2) == [1, 2])
        #expect(lose("music/progress/you", depth) == [])
        _ = await inbox.next()
        #expect(lose("music/progress/me", depth) == [])
        #expect(lose("music/progress/me", 1) == [1])
    }

    @Test func `a silent hub is noticed after three seconds`() throws {
        var core = try joined(["bio/"])
        let later = Moment(wallNs: t0.wallNs, monotonicNs: t0.monotonicNs + 2_900_000_000)
        core.tick(now: later, loopLagMs: 0, queueDepths: [:])
        #expect(core.phase == .joined)
        let tooLate = Moment(wallNs: t0.wallNs, monotonicNs: t0.monotonicNs + 3_100_000_000)
        core.tick(now: tooLate, loopLagMs: 0, queueDepths: [:])
        #expect(core.phase == .greeting)
    }
}
