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

    @Test func `a frozen process is told from one that has ended, which is known at once`() throws {
        var core = try hub(with: ["brain", "body"])
        func rows(_ seconds: Double) -> [String] {
            core.processTable(now: moment(seconds)).processes.dropFirst().map {
                "\($0.process) \($0.state?.rawValue ?? "") \($0.pid)"
            }
        }
        #expect(rows(2.9) == ["body starting 2", "brain starting 2"])
        #expect(rows(3.1) == ["body silent 2", "brain silent 2"])
        // The body's connection has gone since the last look of each second; the brain asks.
        let question = Received(
            topic: "~request/hub/peers",
            header: Header(
                deliveryClass: .request, schema: SchemaVersion(major: 1, minor: 0), epoch: 100, sequence: 0, wallNs: 0,
                monotonicNs: 0, correlation: 4),
            body: Array("{}".utf8))
        core.receive(question, from: [0], now: moment(3.2)) { $0 != [1] }
        #expect(rows(3.2) == ["body ended 0", "brain starting 2"])
    }

    @Test func `a hub that other machines cannot reach says so to whoever lets one in`() throws {
        for isOpen in [false, true] {
            var core = try hub(with: ["cli-1"])
            core.isOpenToOthers = isOpen
            let question = Received(
                topic: "~request/hub/reload-keys",
                header: Header(
                    deliveryClass: .request, schema: SchemaVersion(major: 1, minor: 0), epoch: 100, sequence: 0,
                    wallNs: 0, monotonicNs: 0, correlation: 4),
                body: Array("{}".utf8))
            core.receive(question, from: [0], now: moment(1)) { _ in true }
            let reply = core.takeActions().compactMap { action -> Done? in
                guard case .send(_, let message) = action, message.header.deliveryClass == .reply else { return nil }
                return try? message.decodeBody(Done.self)
            }
            #expect(reply.map { $0.note?.contains("--listen") } == [isOpen ? nil : true])
        }
    }

    @Test func `one family of topics cannot fill the hub: what is too many is refused, counted and told once`() throws {
        var core = try hub(with: ["brain"])
        func say(_ listener: Int, _ sequence: UInt64, flags: Header.Flags = []) {
            let message = Received(
                topic: "state/vector/l\(listener)", header: state(sequence).with { $0.flags = flags }.header,
                body: flags.contains(.tombstone) ? [] : Array("{}".utf8))
            core.receive(message, from: [0], now: moment(1)) { _ in true }
        }
        for listener in 0..<1003 { say(listener, 1) }
        let actions = core.takeActions()
        // Who may not be kept is not passed on either: whoever joins later would know less.
        #expect(published(actions).count == 1000)
        #expect(core.kept.count == 1000)
        #expect(core.drops == ["kept-full": 3])
        let told = actions.compactMap { if case .notice(_, let metadata) = $0 { metadata } else { nil } }
        #expect(told == [["family": "state/vector", "from": "brain"]])
        // What is kept goes on; what is deleted, or expires, makes room; another family has its own.
        say(5, 2)
        #expect(published(core.takeActions()).count == 1)
        say(5, 3, flags: .tombstone)
        say(1002, 2)
        #expect(core.kept["state/vector/l1002"] != nil && core.kept["state/vector/l5"] == nil)
        core.receive(
            Received(topic: "music/now/me", header: state(1).header, body: Array("{}".utf8)), from: [0],
            now: moment(1)
        ) { _ in true }
        #expect(core.kept["music/now/me"] != nil)
        #expect(core.drops == ["kept-full": 3])
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

    // MARK: - Streams

    private func live(
        _ sequence: UInt64, epoch: UInt64 = 100, topic: String = "bio/heart-rate/me", flags: Header.Flags = []
    ) -> Received {
        Received(
            topic: topic,
            header: Header(
                deliveryClass: .live, schema: SchemaVersion(major: 1, minor: 0), flags: flags, epoch: epoch,
                sequence: sequence, wallNs: 0, monotonicNs: 0),
            body: Array("{}".utf8))
    }

    private func replay(
        _ core: inout HubCore, _ from: UInt64, _ to: UInt64, epoch: UInt64 = 100, topic: String = "bio/heart-rate/me"
    ) throws -> (sequences: [UInt64], end: ReplayEnd?) {
        _ = core.takeActions()
        let body = try MessageCoding.encode(LiveReplay(topic: topic, epoch: epoch, from: from, to: to))
        core.receive(.control("~replay", body: body, epoch: 101, correlation: 5), from: [1], now: moment(50)) { _ in
            true
        }
        let sent = core.takeActions().compactMap { action -> Received? in
            if case .send([1], let message) = action { message } else { nil }
        }
        #expect(sent.last?.topic == "~replay-end" && sent.last?.header.correlation == 5)
        #expect(sent.dropLast().allSatisfy { $0.header.flags.contains(.redelivered) && $0.header.hubSequence > 0 })
        return (sent.dropLast().map(\.header.sequence), try sent.last?.decodeBody(ReplayEnd.self))
    }

    @Test func `the newest live messages of a topic can be had again, as many as it is deep`() throws {
        var core = try hub(with: ["sensor-emitter", "brain"])
        let depth = UInt64(Registry.heartRate.spec.depth)
        for sequence in 1...(depth + 10) { core.receive(live(sequence), from: [0], now: moment(1)) { _ in true } }
        #expect(try replay(&core, 5, 12).sequences == [11, 12])
        #expect(try replay(&core, depth, depth + 5).sequences == Array(depth...(depth + 5)))
        #expect(try replay(&core, 1, 0).sequences.isEmpty)
        #expect(try replay(&core, 1, 9, epoch: 77).end?.base == UInt64(Int64.max))
        #expect(try replay(&core, 1, .max, topic: "bio/heart-rate/you").sequences.isEmpty)
    }

    @Test func `what a publisher had sent before it came here is owed to nobody who comes later`() throws {
        var core = try hub(with: ["brain", "body"])
        let hello = PeerHello(
            process: .sensor, pid: 2, version: "1", virtualTime: false, sent: ["bio/heart-rate/me": 70], ageMs: 30_000)
        func sayHello() throws {
            core.receive(
                .control("~hello", body: try MessageCoding.encode(hello), epoch: 200), from: [9], now: moment(40)
            ) { _ in true }
        }
        try sayHello()
        core.receive(live(72, epoch: 200), from: [9], now: moment(41)) { _ in true }
        let answer = try replay(&core, 1, 71, epoch: 200)
        #expect(answer.sequences.isEmpty)
        #expect(answer.end == ReplayEnd(base: 70, bornMs: 10_000))
        #expect(
            core.positions(TopicFilter(["bio/"]), to: [1]) == [
                StreamPosition(topic: "bio/heart-rate/me", epoch: 200, sequence: 72)
            ])
    }

    @Test func `the hub says for a while up to where a process had come that is gone`() throws {
        var core = try hub(with: ["sensor-emitter", "brain"])
        for sequence in 1...3 as ClosedRange<UInt64> {
            core.receive(live(sequence), from: [0], now: moment(1)) { _ in true }
        }
        func ended(_ seconds: Double) throws -> [StreamPosition]? {
            _ = core.takeActions()
            core.tick(now: moment(seconds)) { $0 != [0] }
            let beats = core.takeActions().compactMap { action -> Received? in
                if case .publish(let message) = action, message.topic == "sys/heartbeat/hub" { message } else { nil }
            }
            return try beats.first?.decodeBody(Heartbeat.self).ended
        }
        let last = StreamPosition(topic: "bio/heart-rate/me", epoch: 100, sequence: 3)
        #expect(try ended(2) == [last])
        #expect(try ended(6) == [last])
        #expect(try ended(8) == nil)
    }

    // MARK: - Health

    private func beat(
        _ sequence: UInt64, _ conditions: [String: Open<TopicCondition>]?, epoch: UInt64 = 100,
        process: ProcessName = .sensor
    ) throws -> Received {
        let beat = Heartbeat(
            process: process, pid: 2, version: "1", epoch: epoch, loopLagMs: 0, queueDepths: [:], drops: [:],
            lastSequence: [:], ready: true, conditions: conditions)
        var message = live(sequence, epoch: epoch, topic: "sys/heartbeat/\(process)")
        message = Received(topic: message.topic, header: message.header, body: try MessageCoding.encode(beat))
        return message
    }

    private func health(_ core: HubCore, _ seconds: Double) -> ProcessTable.TopicHealth? {
        core.processTable(now: moment(seconds)).processes.first { $0.process == .sensor }?
            .topics.first { $0.topic == "bio/heart-rate/me" }
    }

    @Test func `a silent topic is named with its process and the silence`() throws {
        var core = try hub(with: ["sensor-emitter"])
        core.receive(live(1), from: [0], now: moment(1)) { _ in true }
        #expect(health(core, 3.9)?.problem == nil)
        #expect(health(core, 13.2)?.alive == false)
        #expect(health(core, 13.2)?.problem == "bio/heart-rate/me from sensor-emitter: silent 12 s")
        // In the first periods of a process nothing is missed yet.
        let fresh = try hub(with: ["sensor-emitter"])
        #expect(health(fresh, 2.9)?.alive == true)
        #expect(health(fresh, 3.1)?.alive == false)
    }

    @Test func `a topic whose owner calls it idle is not called silent, one that it calls invalid is named`() throws {
        var core = try hub(with: ["sensor-emitter"])
        core.receive(live(1), from: [0], now: moment(1)) { _ in true }
        #expect(health(core, 2)?.valid == nil)
        core.receive(try beat(1, ["bio/heart-rate/me": Open(.idle)]), from: [0], now: moment(2)) { _ in true }
        #expect(health(core, 500)?.alive == nil && health(core, 500)?.idle == true)
        #expect(health(core, 500)?.problem == nil)
        core.receive(try beat(2, ["bio/heart-rate/me": Open(.invalid)]), from: [0], now: moment(3)) { _ in true }
        #expect(health(core, 3)?.valid == false)
        #expect(health(core, 3)?.problem == "bio/heart-rate/me from sensor-emitter: not valid, says sensor-emitter")
        // A word that this version does not know is no fault.
        core.receive(try beat(3, ["bio/heart-rate/me": .unknown("new")]), from: [0], now: moment(3)) { _ in true }
        #expect(health(core, 3)?.valid == true && health(core, 3)?.alive == true)
    }

    @Test(arguments: [
        (every: 1.0, ok: true), (every: 1.15, ok: true), (every: 1.5, ok: false), (every: 0.5, ok: false),
    ])
    func `a rate is judged over ten periods, within a fifth of what was agreed`(every: Double, ok: Bool) throws {
        var core = try hub(with: ["sensor-emitter"])
        var sequence: UInt64 = 0
        var next = 0.0
        for second in 0...25 {
            while next < Double(second) {
                sequence += 1
                core.receive(live(sequence), from: [0], now: moment(next)) { _ in true }
                next += every
            }
            core.tick(now: moment(Double(second))) { _ in true }
            if second == 9 { #expect(health(core, 9)?.rateOk == nil) }
        }
        #expect(health(core, 25)?.rateOk == ok)
        #expect((health(core, 25)?.problem == "bio/heart-rate/me from sensor-emitter: not as often as agreed") == !ok)
    }
}
