import Bus
import Protocols
import Synchronization

/// A transport without a peer behind it: a test sends what it wants, under any name and time, and sees what comes.
final class RawLine: Sendable {
    static let epoch: UInt64 = 0xABCD
    private let heard = Messages()
    private let transport: any BusTransport
    private let linkUp = Mailbox<Bool>()

    init(_ transport: any BusTransport, subscriptions: [String] = []) throws {
        self.transport = transport
        try transport.start(prefixes: subscriptions.map { Array($0.utf8) }) { [heard, linkUp] events in
            for event in events {
                switch event {
                case .linkUp: linkUp.put(true)
                case .published(let message): heard.append(message)
                case .linkDown, .handshakeRefused, .direct, .undelivered, .garbage: break
                }
            }
        }
    }

    /// What was heard by subscription, in order.
    var messages: [Received] { heard.all }

    func waitForLink() async { _ = await linkUp.next() }

    func hello(as name: ProcessName, epoch: UInt64 = RawLine.epoch) throws {
        let hello = PeerHello(process: name, pid: 1, version: "test", virtualTime: false)
        _ = transport.send([.control(ControlTopic.hello, body: try MessageCoding.encode(hello), epoch: epoch)])
    }

    func send<Body: Message>(
        _ body: Body, on topic: Topic<Body>, sequence: UInt64, at moment: Moment, flags: Header.Flags = [],
        ttl: Double? = nil, epoch: UInt64 = RawLine.epoch
    ) throws {
        _ = transport.send([
            Received(
                topic: topic.name,
                header: Header(
                    deliveryClass: topic.spec.deliveryClass, schema: topic.spec.schema, flags: flags,
                    ttlMs: UInt32((ttl ?? topic.spec.ttl ?? 0) * 1000), epoch: epoch, sequence: sequence,
                    wallNs: moment.wallNs, monotonicNs: moment.monotonicNs),
                body: try MessageCoding.encode(body))
        ])
    }

    func stop() async { await transport.stop(limit: .milliseconds(100)) }
}

private final class Messages: Sendable {
    private let messages = Mutex<[Received]>([])
    var all: [Received] { messages.withLock { $0 } }
    func append(_ message: Received) { messages.withLock { $0.append(message) } }
}

extension Moment {
    func adding(seconds: Double) -> Moment {
        Moment(wallNs: wallNs + Int64(seconds * 1e9), monotonicNs: monotonicNs + Int64(seconds * 1e9))
    }
}
