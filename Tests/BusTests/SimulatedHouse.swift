import Physiology
import Protocols

@testable import Bus

/// The rules of a hub and of peers, on lines that stall, lose and break as a seeded random source wants. It keeps its
/// own books of what was sent, what is owed and what was handled.
struct SimulatedHouse {
    /// A process with its line to the hub.
    struct Member {
        var core: PeerCore
        let subscriptions: [String]
        var route: Route
        var isUp = false
        var isAlive = true
        /// On their way: to the hub, by subscription, to this one alone.
        var out: [Received] = []
        var topics: [Received] = []
        var direct: [Received] = []
        /// What its service has: live sequences by topic, the newest state by topic.
        var handled: [String: [UInt64]] = [:]
        var states: [String: [UInt8]] = [:]
        /// Sequence of each topic after which its messages are owed to this life.
        var owedAfter: [String: UInt64] = [:]
        var snapshots: [UInt64: (known: [String: UInt64], ns: Int64)] = [:]
        var newestSnapshot: (known: [String: UInt64], ns: Int64) = ([:], 0)
        var isAnchored = false
        /// When and with which hub it had joined for the first time.
        var joinedNs: Int64 = 0
        var joinedHub = 0
        var bornNs: Int64 = 0
        var publishedLive = 0
        /// Live messages that got a sequence, by topic.
        var sent: [String: UInt64] = [:]
    }

    private(set) var random: SplitMix64
    private(set) var now = Moment(wallNs: 1_700_000_000_000_000_000, monotonicNs: 1_000_000_000_000)
    private(set) var hub: HubCore
    private(set) var members: [String: Member] = [:]
    private let spool = MemorySpool()
    private var lives = 0
    private var nextTickNs: [String: Int64] = [:]
    /// What the present hub knows of each live topic, by the books of this house.
    private var known: [String: UInt64] = [:]
    private var hubNumber = 0
    /// Where a topic stood when its sender came to a hub, by the number of the hub.
    private var declared: [(hub: Int, epoch: UInt64, sent: [String: UInt64])] = []
    /// What the owners of states have said last, by topic; nil after a deletion.
    private(set) var truth: [String: (owner: String, body: [UInt8]?)] = [:]
    private(set) var log: [String] = []

    init(seed: UInt64) {
        random = SplitMix64(seed: seed)
        hub = HubCore(epoch: 1, version: "1", pid: 1, now: now)
    }

    /// For the message of a failed check.
    func facts(_ name: String) -> String {
        guard let reader = members[name], let sender = members["sensor-emitter"] else { return "" }
        return
            "joined hub \(reader.joinedHub) at \(reader.joinedNs / 1_000_000) (it says \(reader.core.joinedClockMs)), "
            + "sender born \(sender.bornNs / 1_000_000), declared \(declared.filter { $0.epoch == sender.core.identity.epoch })"
    }

    mutating func start(_ name: String, _ subscriptions: [String] = []) {
        lives += 1
        let epoch = UInt64(1000 + lives)
        let identity = PeerIdentity(name: ProcessName(rawValue: name), pid: 1, epoch: epoch)
        members[name] = Member(
            core: PeerCore(identity: identity, subscriptions: subscriptions), subscriptions: subscriptions,
            route: withUnsafeBytes(of: UInt64(lives).bigEndian) { Array($0) })
        members[name]?.bornNs = now.monotonicNs
        connect(name)
    }

    // MARK: - Lines

    mutating func connect(_ name: String) {
        guard members[name]?.isAlive == true, members[name]?.isUp == false else { return }
        lives += 1
        members[name]?.route = withUnsafeBytes(of: UInt64(lives).bigEndian) { Array($0) }
        members[name]?.isUp = true
        members[name]?.core.handle(.linkUp, now: now)
        settle(name)
        // The subscription to its own `~sync/…` arrives at the hub.
        if let epoch = members[name]?.core.identity.epoch { hub.sync(epoch: epoch) }
        perform()
        // Nothing is in front of the hello, so that the age in it is right when it arrives.
        moveToHub(name)
    }

    mutating func disconnect(_ name: String) {
        guard members[name]?.isUp == true else { return }
        log.append("\(name) cut off")
        members[name]?.isUp = false
        members[name]?.out = []
        members[name]?.topics = []
        members[name]?.direct = []
        members[name]?.core.handle(.linkDown(reason: "test"), now: now)
        settle(name)
    }

    mutating func restartHub() {
        log.append("hub restarts")
        for name in members.keys.sorted() { disconnect(name) }
        lives += 1
        hub = HubCore(epoch: UInt64(500_000 + lives), version: "1", pid: 1, now: now)
        known = [:]
        hubNumber += 1
    }

    /// The sequence of a topic after which its messages are owed to a reader: where it stood at the reader's joining. Of
    /// a sender that was there before the reader and came to the reader's hub after it: what it had sent till then.
    func owedAfter(_ topic: String, from sender: String, to reader: String) -> UInt64 {
        guard let reader = members[reader], let sender = members[sender] else { return 0 }
        if let position = reader.owedAfter[topic] { return position }
        guard sender.bornNs < reader.joinedNs else { return 0 }
        let came = declared.first { $0.hub >= reader.joinedHub && $0.epoch == sender.core.identity.epoch }
        return came?.sent[topic] ?? 0
    }

    mutating func kill(_ name: String) {
        log.append("\(name) killed")
        disconnect(name)
        members[name]?.isAlive = false
    }

    /// Everything that waits for the peer's service and for the hub.
    private mutating func settle(_ name: String) {
        guard var member = members[name] else { return }
        for item in member.core.items {
            guard case .message(let message, _) = item else { continue }
            switch message.header.deliveryClass {
            case .live: member.handled[message.topic, default: []].append(message.header.sequence)
            case .state: member.states[message.topic] = message.isTombstone ? nil : message.body
            default: break
            }
        }
        member.core.items = []
        if member.isUp { member.out += member.core.outgoing }
        member.core.outgoing = []
        if member.core.isAnchored, !member.isAnchored {
            member.isAnchored = true
            member.joinedNs = member.newestSnapshot.ns
            member.joinedHub = hubNumber
            member.owedAfter = member.newestSnapshot.known
        }
        members[name] = member
    }

    private mutating func perform() {
        var actions = hub.takeActions()
        while !actions.isEmpty {
            for action in actions { perform(action) }
            actions = hub.takeActions()
        }
    }

    private mutating func perform(_ action: HubAction) {
        switch action {
        case .publish(let message):
            let bytes = Array(message.topic.utf8) + [0]
            for (name, member) in members where member.isUp {
                var prefixes = TopicFilter(member.subscriptions).wirePrefixes
                prefixes.append(Array(ControlTopic.sync(epoch: member.core.identity.epoch).utf8) + [0])
                if !member.subscriptions.isEmpty { prefixes.append(Array("sys/heartbeat/".utf8)) }
                if prefixes.contains(where: { bytes.starts(with: $0) }) { members[name]?.topics.append(message) }
            }
        case .send(let route, let message):
            if let name = members.first(where: { $0.value.isUp && $0.value.route == route })?.key {
                members[name]?.direct.append(message)
            } else {
                hub.undeliverable(message, to: route, gone: true)
            }
        case .spool(let job): hub.spooled(spool.run([job]), now: now)
        case .notice, .reloadKeys: break
        }
    }

    // MARK: - Moves

    /// The hub takes the next message of a peer.
    mutating func moveToHub(_ name: String) {
        guard var member = members[name], member.isUp, !member.out.isEmpty else { return }
        let message = member.out.removeFirst()
        if message.topic == ControlTopic.snapshot {
            member.snapshots[message.header.correlation] = (known, now.monotonicNs)
        }
        members[name] = member
        if message.topic == ControlTopic.hello, let hello = try? message.decodeBody(PeerHello.self) {
            let epoch = message.header.epoch
            if !declared.contains(where: { $0.hub == hubNumber && $0.epoch == epoch }) {
                declared.append((hubNumber, epoch, hello.sent ?? [:]))
            }
            for (topic, sequence) in hello.sent ?? [:] { known[topic] = max(known[topic] ?? 0, sequence) }
        }
        if message.header.deliveryClass == .live, !message.topic.hasPrefix("sys/") {
            known[message.topic] = message.header.sequence
        }
        let routes = Set(members.values.filter(\.isUp).map(\.route))
        hub.receive(message, from: member.route, now: now) { routes.contains($0) }
        perform()
    }

    /// A peer takes its next message.
    mutating func moveToPeer(_ name: String, direct: Bool) {
        guard var member = members[name], member.isUp else { return }
        if direct {
            guard !member.direct.isEmpty else { return }
            let message = member.direct.removeFirst()
            // Not the end of the snapshot of a single state.
            if message.topic == ControlTopic.snapshotEnd,
                case .snapshot(message.header.correlation) = member.core.phase,
                let end = member.snapshots[message.header.correlation]
            {
                member.newestSnapshot = end
            }
            member.core.handle(.direct(message), now: now)
        } else {
            guard !member.topics.isEmpty else { return }
            member.core.handle(.published(member.topics.removeFirst()), now: now)
        }
        members[name] = member
        settle(name)
    }

    /// The hub's queue to a reader is full: some of it is never sent.
    mutating func lose(_ name: String) {
        guard let count = members[name]?.topics.count, count > 0 else { return }
        let first = number(0...(count - 1))
        let end = min(count, first + number(1...12))
        // The answer to `~sync` is asked for again; to lose it only takes time.
        members[name]?.topics.removeSubrange(first..<end)
    }

    /// Time passes; whatever is due is done.
    mutating func pass(_ milliseconds: Int64) {
        now.monotonicNs += milliseconds * 1_000_000
        now.wallNs += milliseconds * 1_000_000
        for name in members.keys.sorted() where members[name]?.isAlive == true && isDue(name, every: 100) {
            members[name]?.core.tick(now: now, loopLagMs: 0, queueDepths: [:])
            settle(name)
        }
        if isDue("the hub", every: 1000) {
            let routes = Set(members.values.filter(\.isUp).map(\.route))
            hub.tick(now: now) { routes.contains($0) }
            perform()
        }
    }

    private mutating func isDue(_ name: String, every milliseconds: Int64) -> Bool {
        guard now.monotonicNs >= nextTickNs[name] ?? 0 else { return false }
        nextTickNs[name] = now.monotonicNs + milliseconds * 1_000_000
        return true
    }

    mutating func publishLive(_ name: String, count: Int) {
        guard var member = members[name], member.isAlive else { return }
        // A topic of its own for each life, so that the books can be kept by topic.
        let topic = "bio/heart-rate/\(member.core.identity.epoch)"
        for _ in 0..<count {
            member.publishedLive += 1
            member.core.send(
                member.core.prepare([], spec: Registry.heartRate.spec, topic: topic, flags: [], now: now))
        }
        member.sent[topic] = member.core.sequences[topic] ?? 0
        members[name] = member
        settle(name)
    }

    mutating func publishState(_ name: String, _ topic: String, isDeleted: Bool = false) {
        guard var member = members[name], member.isAlive, let spec = Registry.spec(of: topic) else { return }
        let body = isDeleted ? nil : Array("\(random.next())".utf8)
        truth[topic] = (name, body)
        member.core.send(
            member.core.prepare(
                body ?? [], spec: spec, topic: topic, flags: isDeleted ? .tombstone : [], now: now))
        members[name] = member
        settle(name)
    }

    mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[Int.random(in: 0..<elements.count, using: &random)]
    }

    mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }

    /// Everybody comes back, nothing is lost any more, everything arrives.
    mutating func calm(seconds: Int) {
        for _ in 0..<(seconds * 20) {
            for name in members.keys.sorted() { connect(name) }
            pass(50)
            var moved = true
            while moved {
                moved = false
                for name in members.keys.sorted() {
                    while members[name]?.out.isEmpty == false { moveToHub(name); moved = true }
                    while members[name]?.direct.isEmpty == false { moveToPeer(name, direct: true); moved = true }
                    while members[name]?.topics.isEmpty == false { moveToPeer(name, direct: false); moved = true }
                }
            }
        }
    }
}
