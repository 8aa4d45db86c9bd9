import Protocols
import Testing

@testable import Bus

/// States, by hand: a reader ends equal to what the hub keeps.
struct StateRuleTests {
    private let t0 = Moment(wallNs: 1_000_000_000_000, monotonicNs: 1_000_000_000_000)
    private let topic = "library/revision/me"

    private func after(_ seconds: Double) -> Moment {
        Moment(wallNs: t0.wallNs, monotonicNs: t0.monotonicNs + Int64(seconds * 1e9))
    }

    private func value(
        _ sequence: UInt64, epoch: UInt64 = 50, hub: UInt64, hubEpoch: UInt64 = 9, flags: Header.Flags = []
    ) -> Received {
        Received(
            topic: topic,
            header: Header(
                deliveryClass: .state, schema: SchemaVersion(major: 1, minor: 0), flags: flags, epoch: epoch,
                sequence: sequence, wallNs: t0.wallNs, monotonicNs: t0.monotonicNs, hubEpoch: hubEpoch,
                hubSequence: hub),
            body: [])
    }

    /// Joins (again): the snapshot of hub `epoch` holds `values` and is as of `hub`.
    private func join(_ core: inout PeerCore, epoch: UInt64 = 9, hub: UInt64, _ values: [Received], now: Moment? = nil)
        throws
    {
        let now = now ?? t0
        core.handle(.linkUp, now: now)
        core.handle(.direct(.control("~welcome", epoch: epoch, hubEpoch: epoch)), now: now)
        core.handle(.published(.control("~sync/3", epoch: epoch, hubEpoch: epoch)), now: now)
        guard case .snapshot(let correlation) = core.phase else { throw Refusal(code: "test", message: "no snapshot") }
        for value in values { core.handle(.direct(value.with { $0.flags.insert(.snapshot) }), now: now) }
        core.handle(
            .direct(
                .control("~snapshot-end", epoch: epoch, correlation: correlation, hubEpoch: epoch, hubSequence: hub)),
            now: now)
    }

    private func reader() -> PeerCore {
        PeerCore(identity: PeerIdentity(name: .body, epoch: 3), subscriptions: ["library/"])
    }

    /// Sequences of the values; deletions as 0.
    private func heard(_ core: PeerCore) -> [UInt64] {
        core.items.compactMap {
            if case .message(let message, _) = $0 { message.isTombstone ? 0 : message.header.sequence } else { nil }
        }
    }

    @Test func `a value that the snapshot has overtaken does not come back, whoever sent it`() throws {
        var core = reader()
        // A new life of the owner said 1; what its old life had said is still on its way along the topics.
        try join(&core, hub: 100, [value(1, epoch: 51, hub: 98)])
        core.handle(.published(value(40, epoch: 50, hub: 90)), now: t0)
        core.handle(.published(value(2, epoch: 51, hub: 101)), now: t0)
        #expect(heard(core) == [1, 2])
    }

    @Test func `what a hub that is gone still had on its way is not heard`() throws {
        var core = reader()
        try join(&core, hub: 100, [value(1, hub: 98)])
        core.handle(.linkDown(reason: "killed"), now: t0)
        try join(&core, epoch: 10, hub: 5, [value(1, epoch: 51, hub: 4, hubEpoch: 10)])
        core.handle(.published(value(2, hub: 120, hubEpoch: 9)), now: t0)
        #expect(heard(core) == [1, 1])
        #expect(core.drops["gap"] == nil)
    }

    @Test func `a value that vanished from the same hub meanwhile is deleted at once, and only once`() throws {
        var core = reader()
        try join(&core, hub: 100, [value(1, hub: 98)])
        core.handle(.linkDown(reason: "frozen"), now: t0)
        try join(&core, hub: 120, [])
        #expect(heard(core) == [1, 0])
        core.handle(.linkDown(reason: "frozen"), now: t0)
        try join(&core, hub: 140, [])
        #expect(heard(core) == [1, 0])
    }

    @Test func `a value whose owner does not come back to a new hub is deleted after a while`() throws {
        var core = reader()
        try join(&core, hub: 100, [value(7, hub: 98)])
        core.handle(.linkDown(reason: "killed"), now: t0)
        try join(&core, epoch: 10, hub: 1, [], now: after(1))
        // A short break of the line to the new hub changes nothing.
        core.handle(.linkDown(reason: "again"), now: after(2))
        try join(&core, epoch: 10, hub: 3, [], now: after(2))
        core.hubHeardNs = after(15).monotonicNs
        core.tick(now: after(15.9), loopLagMs: 0, queueDepths: [:])
        #expect(heard(core) == [7])
        core.tick(now: after(16), loopLagMs: 0, queueDepths: [:])
        #expect(heard(core) == [7, 0])
        // The owner was only slow: its value counts again.
        core.handle(.published(value(7, hub: 50, hubEpoch: 10)), now: after(20))
        #expect(heard(core) == [7, 0, 7])
    }

    @Test func `a value that its owner repeats to a new hub is heard once and stays`() throws {
        var core = reader()
        try join(&core, hub: 100, [value(7, hub: 98)])
        core.handle(.linkDown(reason: "killed"), now: t0)
        try join(&core, epoch: 10, hub: 1, [], now: after(1))
        core.handle(.published(value(7, hub: 2, hubEpoch: 10)), now: after(2))
        core.hubHeardNs = after(40).monotonicNs
        core.tick(now: after(40), loopLagMs: 0, queueDepths: [:])
        #expect(heard(core) == [7])
        #expect(core.orphans.isEmpty)
    }

    private func beat(_ sequence: UInt64) throws -> Received {
        let beat = Heartbeat(
            process: .librarian, pid: 1, version: "1", epoch: 50, loopLagMs: 0, queueDepths: [:], drops: [:],
            lastSequence: [topic: sequence], ready: true)
        return Received(
            topic: "sys/heartbeat/librarian", header: value(1, hub: 150).header.with { $0.deliveryClass = .live },
            body: try MessageCoding.encode(beat))
    }

    @Test func `a heartbeat reveals that the newest value was lost, and it is fetched`() throws {
        var core = reader()
        try join(&core, hub: 100, [value(1, hub: 98)])
        core.outgoing = []
        core.handle(.published(try beat(3)), now: t0)
        #expect(core.outgoing.map(\.topic) == ["~snapshot"])
        let correlation = core.outgoing.first?.header.correlation ?? 0
        core.handle(.direct(value(3, hub: 140, flags: .snapshot)), now: t0)
        core.handle(
            .direct(.control("~snapshot-end", epoch: 9, correlation: correlation, hubEpoch: 9, hubSequence: 151)),
            now: t0)
        #expect(heard(core) == [1, 3])
        // Skipped, not lost: the newest value says it all.
        #expect(core.drops["skipped"] == 2)
        #expect(core.lost.isEmpty)
    }

    @Test func `a heartbeat reveals that the deletion was lost`() throws {
        var core = reader()
        try join(&core, hub: 100, [value(1, hub: 98)])
        core.outgoing = []
        core.handle(.published(try beat(2)), now: t0)
        let correlation = core.outgoing.first?.header.correlation ?? 0
        core.handle(
            .direct(.control("~snapshot-end", epoch: 9, correlation: correlation, hubEpoch: 9, hubSequence: 151)),
            now: t0)
        #expect(heard(core) == [1, 0])
    }
}

extension Header {
    func with(_ change: (inout Header) -> Void) -> Header {
        var header = self
        change(&header)
        return header
    }
}
