import Protocols
import Testing

@testable import Bus

/// The hub's rules for durable events, fed by hand; the spool is in memory.
struct EventRuleTests {
    /// A hub whose spool answers at once, or when the test lets it.
    struct House {
        var core: HubCore
        let spool: MemorySpool
        var seconds = 0.0
        var waiting: [SpoolJob] = []
        var diskIsSlow = false
        private var routes: [ProcessName: Route] = [:]
        private var lives: UInt8 = 0
        private(set) var heard: [ProcessName: [Received]] = [:]
        private(set) var published: [Received] = []
        private(set) var notices: [String] = []

        init(spool: MemorySpool = MemorySpool(), epoch: UInt64 = 9) {
            self.spool = spool
            core = HubCore(epoch: epoch, version: "1", pid: 1, now: Moment(wallNs: 0, monotonicNs: 0))
            settle()
        }

        var now: Moment { Moment(wallNs: Int64(seconds * 1e9), monotonicNs: Int64(seconds * 1e9)) }

        mutating func settle() {
            var actions = core.takeActions()
            while !actions.isEmpty {
                var jobs: [SpoolJob] = []
                for action in actions {
                    switch action {
                    case .send(let route, let message):
                        guard let name = routes.first(where: { $0.value == route })?.key else { continue }
                        heard[name, default: []].append(message)
                    case .publish(let message): published.append(message)
                    case .spool(let job): jobs.append(job)
                    case .notice(let text, _): notices.append(text)
                    default: continue
                    }
                }
                if diskIsSlow { waiting += jobs } else if !jobs.isEmpty { core.spooled(spool.run(jobs), now: now) }
                actions = core.takeActions()
            }
        }

        /// The disk does what it was asked meanwhile.
        mutating func finishDisk() {
            diskIsSlow = false
            let jobs = waiting
            waiting = []
            core.spooled(spool.run(jobs), now: now)
            settle()
        }

        /// A new life of a process, or the same one over a new connection.
        mutating func join(_ name: ProcessName, epoch: UInt64, virtual: Bool = false) throws {
            lives += 1
            let route: Route = [lives]
            routes[name] = route
            let hello = PeerHello(process: name, pid: 2, version: "1", virtualTime: virtual)
            let body = try MessageCoding.encode(hello)
            core.receive(.control("~hello", body: body, epoch: epoch), from: route, now: now) { _ in false }
            core.receive(.control("~joined", epoch: epoch), from: route, now: now) { _ in true }
            settle()
        }

        mutating func say(_ message: Received, as name: ProcessName) {
            core.receive(message, from: routes[name] ?? [], now: now) { _ in true }
            settle()
        }

        /// Takes a connection away, as a death does.
        mutating func lose(_ name: ProcessName) {
            let dead = routes[name]
            core.tick(now: now) { $0 != dead }
            settle()
        }

        mutating func tick(after seconds: Double) {
            self.seconds += seconds
            core.tick(now: now) { _ in true }
            settle()
        }

        mutating func takeEvents(_ name: ProcessName) -> [Received] {
            defer { heard[name] = [] }
            return (heard[name] ?? []).filter { $0.header.deliveryClass == .event }
        }

        mutating func takeControl(_ name: ProcessName, _ prefix: String) -> [Received] {
            (heard[name] ?? []).filter { $0.topic.hasPrefix(prefix) }
        }
    }

    private func event(_ sequence: UInt64, epoch: UInt64 = 100, topic: String = "bio/batch/me") -> Received {
        Received(
            topic: topic,
            header: Header(
                deliveryClass: .event, schema: SchemaVersion(major: 1, minor: 0), epoch: epoch, sequence: sequence,
                wallNs: 0, monotonicNs: 0),
            body: Array("{}".utf8))
    }

    private func answer(_ kind: String, _ event: Received, _ body: String = "") -> Received {
        .control(
            "~\(kind)/\(event.topic)", body: Array(body.utf8), epoch: event.header.epoch,
            sequence: event.header.sequence)
    }

    private func letters(_ spool: MemorySpool) -> [DeadLetter] {
        let batch = spool.run([.ask(.deadLetters(limit: 10), id: 1, at: Timestamp(milliseconds: 0))])
        guard case .answered(_, .success(.deadLetters(let list)))? = batch.outcomes.first else { return [] }
        return list.deadLetters
    }

    @Test func `the sender is acknowledged and the consumer served only when the disk has the event, others at once`()
        throws
    {
        var house = House()
        try house.join(.sensor, epoch: 100)
        try house.join(.body, epoch: 200)
        house.diskIsSlow = true
        house.say(event(1), as: .sensor)
        #expect(house.published.map(\.topic) == ["bio/batch/me"])
        #expect(house.takeControl(.sensor, "~ack/").isEmpty)
        #expect(house.takeEvents(.body).isEmpty)
        house.finishDisk()
        #expect(house.takeControl(.sensor, "~ack/").map(\.header.sequence) == [1])
        #expect(house.takeEvents(.body).map(\.header.sequence) == [1])
    }

    @Test func `a copy of an event is acknowledged again and delivered once`() throws {
        var house = House()
        try house.join(.sensor, epoch: 100)
        try house.join(.body, epoch: 200)
        for _ in 1...3 { house.say(event(1), as: .sensor) }
        #expect(house.takeControl(.sensor, "~ack/").count == 3)
        #expect(house.takeEvents(.body).count == 1)
    }

    @Test func `a consumer that comes late gets everything in order, a window at a time`() throws {
        var house = House()
        try house.join(.sensor, epoch: 100)
        for sequence in 1...1000 { house.say(event(UInt64(sequence)), as: .sensor) }
        try house.join(.body, epoch: 200)
        var got: [UInt64] = []
        while true {
            let batch = house.takeEvents(.body)
            #expect(batch.count <= ConsumerLine.window)
            guard !batch.isEmpty else { break }
            got += batch.map(\.header.sequence)
            for message in batch { house.say(answer("ack", message), as: .body) }
        }
        #expect(got == Array(1...1000))
        #expect(house.core.desk.depth.pending == 0)
    }

    @Test func `a new hub delivers what was not acknowledged, and nothing else`() throws {
        let spool = MemorySpool()
        var house = House(spool: spool)
        try house.join(.sensor, epoch: 100)
        try house.join(.body, epoch: 200)
        for sequence in 1...5 { house.say(event(UInt64(sequence)), as: .sensor) }
        for message in house.takeEvents(.body).prefix(2) { house.say(answer("ack", message), as: .body) }
        var later = House(spool: spool, epoch: 10)
        try later.join(.body, epoch: 200)
        #expect(later.takeEvents(.body).map(\.header.sequence) == [3, 4, 5])
    }

    @Test func `only the event that kills its consumer becomes a dead letter, all others are handled`() throws {
        var house = House()
        try house.join(.sensor, epoch: 100)
        var life: UInt64 = 200
        try house.join(.body, epoch: life)
        for sequence in 1...20 { house.say(event(UInt64(sequence)), as: .sensor) }
        var handled: [UInt64] = []
        var deaths = 0
        // Number 7 kills. Acknowledgements of a batch are lost with the process that died in it.
        while house.core.desk.depth.pending > 0, deaths < 50 {
            let batch = house.takeEvents(.body)
            let died = batch.contains { $0.header.sequence == 7 }
            for message in batch where !died {
                handled.append(message.header.sequence)
                house.say(answer("ack", message), as: .body)
            }
            guard died else { continue }
            deaths += 1
            house.lose(.body)
            life += 1
            try house.join(.body, epoch: life)
        }
        #expect(deaths == ConsumerLine.maxDeliveries)
        #expect(handled == (1...20).filter { $0 != 7 })
        #expect(letters(house.spool).map(\.sequence) == [7])
        #expect(letters(house.spool).first?.deliveries == 5)
        #expect(house.published.contains { $0.topic == "sys/dead-letter/hub" })
        #expect(!house.published.contains { $0.topic == "sys/dead-letter/hub" && $0.header.ttlMs != 0 })
    }

    @Test func `a connection that breaks, and a farewell, count against no event`() throws {
        var house = House()
        try house.join(.sensor, epoch: 100)
        try house.join(.body, epoch: 200)
        for sequence in 1...3 { house.say(event(UInt64(sequence)), as: .sensor) }
        for _ in 1...20 {
            #expect(house.takeEvents(.body).map(\.header.sequence) == [1, 2, 3])
            house.lose(.body)
            try house.join(.body, epoch: 200)
        }
        for life in 1...20 {
            #expect(house.takeEvents(.body).map(\.header.sequence) == [1, 2, 3])
            house.say(.control("~bye"), as: .body)
            try house.join(.body, epoch: 300 + UInt64(life))
        }
        #expect(letters(house.spool).isEmpty)
    }

    @Test func `a consumer that never answers gets an event five times, one that says it is working any number`() throws
    {
        var house = House()
        try house.join(.sensor, epoch: 100)
        try house.join(.body, epoch: 200)
        house.say(event(1), as: .sensor)
        for _ in 1...30 {
            house.tick(after: 31)
            for message in house.takeEvents(.body) { house.say(answer("working", message), as: .body) }
        }
        #expect(letters(house.spool).isEmpty)
        var deliveries = 0
        for _ in 1...200 {
            house.tick(after: 31)
            deliveries += house.takeEvents(.body).count
        }
        #expect(deliveries == ConsumerLine.maxDeliveries - 1)
        #expect(letters(house.spool).map(\.reason) == ["unanswered: never acknowledged"])
    }

    @Test func `a refused event is a dead letter at once, and comes again when it is replayed`() throws {
        var house = House()
        try house.join(.sensor, epoch: 100)
        try house.join(.body, epoch: 200)
        house.say(event(1), as: .sensor)
        house.say(event(2), as: .sensor)
        let first = try #require(house.takeEvents(.body).first)
        house.say(answer("nak", first, #"{"reason":"failed: DecodingError","final":false}"#), as: .body)
        #expect(letters(house.spool).map(\.reason) == ["failed: DecodingError"])
        let query = try MessageCoding.encode(ReplayDeadLetter(id: 1))
        let request = Received(
            topic: ControlTopic.request("hub", ReplayDeadLetter.name),
            header: Header(
                deliveryClass: .request, schema: SchemaVersion(major: 1, minor: 0), epoch: 100, sequence: 0, wallNs: 0,
                monotonicNs: 0, correlation: 5), body: query)
        house.say(request, as: .sensor)
        // Number 2 is still on its way: it does not come twice.
        #expect(house.takeEvents(.body).map(\.header.sequence) == [1])
        #expect(letters(house.spool).isEmpty)
    }

    @Test func `a full spool says so, the sender may try again as soon as there is room`() throws {
        var limits = SpoolLimits()
        limits.maxEvents = 1
        var house = House(spool: MemorySpool(limits: limits))
        try house.join(.sensor, epoch: 100)
        try house.join(.body, epoch: 200)
        house.say(event(1), as: .sensor)
        house.say(event(2), as: .sensor)
        let nak = try #require(house.takeControl(.sensor, "~nak/").first)
        #expect(nak.header.sequence == 2)
        #expect(try nak.decodeBody(EventNak.self) == EventNak(reason: "spool-full", final: false))
        #expect(house.core.drops["spool-full"] == 1)
        #expect(house.takeControl(.sensor, "~room").isEmpty)
        house.say(answer("ack", event(1)), as: .body)
        house.say(event(2), as: .sensor)
        #expect(house.takeControl(.sensor, "~room").count == 1)
        #expect(house.takeControl(.sensor, "~ack/").map(\.header.sequence) == [1, 2])
    }

    @Test func `an event that nobody may send is refused for good`() throws {
        var house = House()
        try house.join(.body, epoch: 200)
        house.say(event(1, epoch: 200), as: .body)
        let nak = try #require(house.takeControl(.body, "~nak/").first)
        #expect(try nak.decodeBody(EventNak.self) == EventNak(reason: "wrong-publisher", final: true))
    }

    @Test func `a tool that registered gets what came while it was away, and only its topics`() throws {
        var house = House()
        try house.join(.sensor, epoch: 100)
        try house.join("scrobbler", epoch: 300)
        let query = try MessageCoding.encode(AddConsumer(name: "scrobbler", topics: ["bio/workout"]))
        let request = Received(
            topic: ControlTopic.request("hub", AddConsumer.name),
            header: Header(
                deliveryClass: .request, schema: SchemaVersion(major: 1, minor: 0), epoch: 300, sequence: 0, wallNs: 0,
                monotonicNs: 0, correlation: 5), body: query)
        house.say(request, as: "scrobbler")
        #expect(house.takeControl("scrobbler", "~consumes").count == 1)
        house.say(.control("~bye"), as: "scrobbler")
        house.say(event(1), as: .sensor)
        house.say(event(1, topic: "bio/workout/me"), as: .sensor)
        // Also a new hub knows it.
        var later = House(spool: house.spool, epoch: 10)
        try later.join("scrobbler", epoch: 301)
        #expect(later.takeControl("scrobbler", "~consumes").count == 1)
        #expect(later.takeEvents("scrobbler").map(\.topic) == ["bio/workout/me"])
    }

    @Test func `in virtual time an event reaches its consumer by the topics alone, inside the step`() throws {
        var house = House()
        try house.join(.sensor, epoch: 100, virtual: true)
        house.say(event(1), as: .sensor)
        try house.join(.body, epoch: 200, virtual: true)
        // What waited from before comes by the direct line, once.
        #expect(house.takeEvents(.body).map(\.header.sequence) == [1])
        house.say(event(2), as: .sensor)
        #expect(house.takeEvents(.body).isEmpty)
        #expect(house.published.map(\.header.sequence) == [1, 2])
        house.say(answer("ack", event(2)), as: .body)
        #expect(house.core.desk.depth.pending == 1)
        house.tick(after: 1000)
        #expect(house.takeEvents(.body).isEmpty)
    }

    @Test func `while deliveries rest, events are stored and acknowledged but reach nobody`() throws {
        var house = House()
        try house.join(.sensor, epoch: 100)
        try house.join(.body, epoch: 200)
        house.core.desk.heldUntilNs = house.now.monotonicNs + 5_000_000_000
        house.say(event(1), as: .sensor)
        #expect(house.takeControl(.sensor, "~ack/").count == 1)
        #expect(house.takeEvents(.body).isEmpty)
        house.tick(after: 6)
        #expect(house.takeEvents(.body).map(\.header.sequence) == [1])
    }
}
