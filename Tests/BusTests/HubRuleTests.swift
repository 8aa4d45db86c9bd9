import Protocols
import Testing

@testable import Bus

/// The rules of the hub alone, fed by hand.
struct HubRuleTests {
    private let route: Route = [1]
    private func moment(_ seconds: Double) -> Moment {
        Moment(wallNs: Int64(seconds * 1e9), monotonicNs: Int64(seconds * 1e9))
    }

    private func hub(with names: [String]) throws -> HubCore {
        var core = HubCore(epoch: 9, version: "1", pid: 1, now: moment(0))
        for (index, name) in names.enumerated() {
            let hello = PeerHello(process: ProcessName(rawValue: name), pid: 2, version: "1", virtualTime: false)
            core.receive(
                .control("~hello", body: try MessageCoding.encode(hello), epoch: UInt64(100 + index)),
                from: [UInt8(index)], now: moment(0)
            ) { _ in true }
        }
        _ = core.takeActions()
        return core
    }

    private func state(_ sequence: UInt64, ttlMs: UInt32 = 0, epoch: UInt64 = 100) -> Received {
        Received(
            topic: "state/vector/me",
            header: Header(
                deliveryClass: .state, schema: SchemaVersion(major: 1, minor: 0), ttlMs: ttlMs, epoch: epoch,
                sequence: sequence, wallNs: 0, monotonicNs: 0),
            body: Array("{}".utf8))
    }

    private func published(_ actions: [HubAction]) -> [Received] {
        actions.compactMap { if case .publish(let message) = $0 { message } else { nil } }
            .filter { !$0.topic.hasPrefix("sys/") }
    }

    @Test func `tools that come and go leave nothing behind, a process leaves its row`() throws {
        var core = try hub(with: ["brain"])
        let before = (core.senders.count, core.lines.count)
        for number in 1...100 {
            let route: Route = [7, UInt8(number)]
            let epoch = UInt64(1000 + number)
            let name = ProcessName(rawValue: "cli-\(number)")
            let hello = PeerHello(process: name, pid: 2, version: "1", virtualTime: false)
            core.receive(
                .control(ControlTopic.hello, body: try MessageCoding.encode(hello), epoch: epoch), from: route,
                now: moment(1)
            ) { _ in true }
            let beat = Received(
                topic: "sys/heartbeat/\(name)",
                header: Header(
                    deliveryClass: .live, schema: SchemaVersion(major: 1, minor: 0), epoch: epoch, sequence: 1,
                    wallNs: 0, monotonicNs: 0),
                body: Array("{}".utf8))
            core.receive(beat, from: route, now: moment(1)) { _ in true }
            #expect(core.lines.count == before.1 + 1)
            core.receive(.control(ControlTopic.bye, epoch: epoch), from: route, now: moment(1)) { _ in true }
        }
        #expect(core.senders.count == before.0)
        #expect(core.lines.count == before.1)
        #expect(core.processTable(now: moment(2)).processes.map(\.process) == [.hub, .brain])
        core.receive(.control(ControlTopic.bye, epoch: 100), from: [0], now: moment(2)) { _ in true }
        #expect(core.processTable(now: moment(2)).processes.map(\.process) == [.hub, .brain])
    }

    @Test func `a state expires by its time to live and everybody is told`() throws {
        var core = try hub(with: ["brain"])
        core.receive(state(1, ttlMs: 2000), from: [0], now: moment(10)) { _ in true }
        #expect(published(core.takeActions()).count == 1)
        core.tick(now: moment(11.9)) { _ in true }
        #expect(published(core.takeActions()).isEmpty)
        core.tick(now: moment(12.1)) { _ in true }
        let told = published(core.takeActions())
        #expect(told.count == 1)
        #expect(told.first?.isTombstone == true)
        #expect(told.first?.topic == "state/vector/me")
    }

    @Test func `what an owner repeats is not passed on again, a new life is`() throws {
        var core = try hub(with: ["brain"])
        core.receive(state(3), from: [0], now: moment(1)) { _ in true }
        core.receive(state(3), from: [0], now: moment(2)) { _ in true }
        core.receive(state(2), from: [0], now: moment(2)) { _ in true }
        core.receive(state(1, epoch: 777), from: [0], now: moment(3)) { _ in true }
        let sequences = published(core.takeActions()).map {
            [$0.header.epoch, $0.header.sequence, $0.header.hubSequence]
        }
        #expect(sequences == [[100, 3, 1], [777, 1, 2]])
    }

    @Test func `a topic is silent after three periods, not before`() throws {
        var core = try hub(with: ["brain"])
        core.receive(state(1), from: [0], now: moment(0)) { _ in true }
        func alive(_ seconds: Double) -> Bool? {
            core.processTable(now: moment(seconds)).processes.first { $0.process == .brain }?
                .topics.first { $0.topic == "state/vector/me" }?.alive
        }
        #expect(alive(89) == true)
        #expect(alive(91) == false)
    }

    @Test func `a topic or a class that nobody agreed on is dropped and counted`() throws {
        var core = try hub(with: ["brain"])
        let stranger = Received(topic: "no/such/me", header: state(1).header, body: [])
        core.receive(stranger, from: [0], now: moment(1)) { _ in true }
        core.receive(state(1).with { $0.deliveryClass = .live }, from: [0], now: moment(1)) { _ in true }
        #expect(published(core.takeActions()).isEmpty)
        #expect(core.drops == ["unknown-topic": 1, "wrong-class": 1])
    }

    @Test func `a restart is counted, a reconnection is not`() throws {
        var core = try hub(with: ["brain"])
        func hello(_ epoch: UInt64, _ route: UInt8) throws {
            let hello = PeerHello(process: .brain, pid: 2, version: "1", virtualTime: false)
            core.receive(
                .control("~hello", body: try MessageCoding.encode(hello), epoch: epoch), from: [route],
                now: moment(1)
            ) { _ in false }
        }
        func restarts() -> Int? {
            core.processTable(now: moment(1)).processes.first { $0.process == .brain }?.restarts
        }
        try hello(100, 5)
        #expect(restarts() == 0)
        try hello(200, 6)
        #expect(restarts() == 1)
    }
}
