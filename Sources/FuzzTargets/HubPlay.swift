import Bus
import Foundation
import Protocols

/// Peers that do anything to a hub: arbitrary bytes as a play of many acts.
struct HubPlay {
    private var source: ByteSource
    private var core = HubCore(
        epoch: 1, version: "0", pid: 1, now: Moment(wallNs: 1_000_000_000, monotonicNs: 1_000_000_000))
    private var clockNs: Int64 = 1_000_000_000
    private var acts = 0

    /// The widest answer to one act: all that is kept, to all who are there.
    private static let mostActions = 100_000

    init(_ bytes: [UInt8]) { source = ByteSource(bytes) }

    mutating func run() throws(BrokenPromise) {
        while !source.isEmpty, acts < 4096 {
            acts += 1
            act()
            var rounds = 0
            while case let actions = core.takeActions(), !actions.isEmpty {
                rounds += 1
                guard actions.count <= Self.mostActions, rounds < 64 else {
                    throw BrokenPromise("one act of a peer gives the hub endless work")
                }
                lose(some: actions)
            }
        }
    }

    private mutating func act() {
        clockNs += Int64(source.byte()) * 10_000_000
        let now = Moment(wallNs: clockNs, monotonicNs: clockNs)
        switch source.number(below: 16) {
        case 0: core.tick(now: now) { $0.first != 3 }
        case 1: core.sync(epoch: UInt64(source.byte()))
        case 2: core.garbage("fuzz", from: route())
        default:
            let route = route()
            core.receive(message(), from: route, now: now) { $0.first != 3 }
        }
    }

    private mutating func route() -> Route { [UInt8(source.number(below: 8))] }

    /// Some of what the hub sends never arrives.
    private mutating func lose(some actions: [HubAction]) {
        for case .send(let route, let message) in actions where source.byte() == 255 {
            core.undeliverable(message, to: route, gone: source.byte() & 1 == 1)
        }
    }

    private static let names = [
        "brain", "body", "librarian", "sensor-emitter", "player", "hub", "context-agent", "cli-1", "conductor", "",
    ]
    private static let plain = [
        ControlTopic.hello, ControlTopic.bye, ControlTopic.snapshot, ControlTopic.beat, ControlTopic.sync,
        ControlTopic.step, ControlTopic.roster, ControlTopic.marker, ControlTopic.welcome, "~", "~ack/", "~req/",
    ]
    private static let families = Registry.all.map(\.family)

    private mutating func topic() -> String {
        let name = Self.names[source.number(below: Self.names.count)]
        let family = Self.families[source.number(below: Self.families.count)]
        let request = ["snapshot", "peers", "replay", "dead-letters", "topics", "x"][source.number(below: 6)]
        return switch source.number(below: 12) {
        case 0, 1, 2: ControlTopic.hello
        case 3: Self.plain[source.number(below: Self.plain.count)]
        case 4: ControlTopic.request(name, request)
        case 5: ControlTopic.reply(name, request)
        case 6: "~ack/\(family)/me"
        case 7: "~nak/\(family)/me"
        case 8: String(decoding: source.take(source.number(below: 24)), as: UTF8.self)
        case 9: "\(family)/\(name)"
        default: "\(family)/me"
        }
    }

    private mutating func message() -> Received {
        let topic = topic()
        let choice = source.byte()
        let expected = Registry.spec(of: topic)?.deliveryClass ?? .control
        let header = Header(
            deliveryClass: choice < 200 ? expected : DeliveryClass(rawValue: choice % 6 + 1) ?? .live,
            schema: SchemaVersion(major: choice == 255 ? 2 : 1, minor: 0),
            flags: Header.Flags(rawValue: UInt16(source.byte())), ttlMs: UInt32(source.byte()) * 100,
            epoch: UInt64(source.number(below: 6)), sequence: UInt64(source.byte()), wallNs: clockNs,
            monotonicNs: clockNs, hubEpoch: UInt64(source.number(below: 3)), hubSequence: UInt64(source.byte()),
            correlation: choice == 254 ? source.word() : UInt64(source.number(below: 12)))
        return Received(topic: topic, header: header, body: body(topic))
    }

    private mutating func body(_ topic: String) -> [UInt8] {
        let name = Self.names[source.number(below: Self.names.count)]
        let other = Self.names[source.number(below: Self.names.count)]
        let isVirtual = source.byte() & 1 == 1
        let text: String? =
            switch source.number(below: 8) {
            case 0, 1:
                """
                {"process":"\(name)","roles":["\(other)"],"pid":1,"version":"0","virtualTime":\(isVirtual)}
                """
            case 2: "{\"prefixes\":[\"\(name)\"]}"
            case 3: "{\"by\":[\"\(name)\",\"\(other)\"]}"
            case 4: "{}"
            case 5: "{\"nowAt\":\(Int64(bitPattern: source.word())),\"rate\":1}"
            default: nil
            }
        return text.map { Array($0.utf8) } ?? source.take(source.number(below: 512))
    }
}
