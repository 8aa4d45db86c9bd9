import CZeroMQ
import Foundation
import Protocols
import Synchronization

/// Owns the two sockets of a peer, on a thread of its own.
actor ZeroMQIO {
    static let batchLimit = 256
    private static let sendHighWater: Int32 = 10_000

    nonisolated let loop: IOLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    private let dealer: ZMQSocket
    private let subscriber: ZMQSocket
    private let monitor: SocketMonitor
    private let subscriberMonitor: SocketMonitor
    private let endpoints: BusEndpoints
    private let outbound: Outbound
    private let topics = TopicTable()
    private let sink: @Sendable ([TransportEvent]) -> Void
    private var linkIsUp = false
    /// The connection is new: what was meant for the one before must not arrive, ahead of the hello.
    private var awaitsHello = false
    private var refusals = HandshakeTrouble()
    /// When a connection that libzmq gave up is to be made again, in ns since boot.
    private var reconnectNs: Int64?
    /// Taken from `outbound`, not yet accepted by the socket; the first `sentCount` are done.
    private var sending: [Received] = []
    private var sentCount = 0
    private nonisolated let ended = Ended()

    init(
        endpoints: BusEndpoints, prefixes: [[UInt8]], receiveHighWater: Int32, outbound: Outbound,
        sink: @escaping @Sendable ([TransportEvent]) -> Void
    ) throws(BusError) {
        loop = try IOLoop()
        self.outbound = outbound
        self.sink = sink
        let context = try ZMQContext()
        dealer = try ZMQSocket(context, ZMQ_DEALER)
        subscriber = try ZMQSocket(context, ZMQ_SUB)
        self.endpoints = endpoints
        dealer.setCommonOptions()
        dealer.set(ZMQ_IMMEDIATE, 1)
        dealer.set(ZMQ_SNDHWM, Self.sendHighWater)
        dealer.set(ZMQ_RCVHWM, receiveHighWater)
        subscriber.setCommonOptions()
        // The subscriptions themselves queue here: with the default of 1,000 the rest is lost silently.
        subscriber.set(ZMQ_SNDHWM, 0)
        subscriber.set(ZMQ_RCVHWM, receiveHighWater)
        if let keys = endpoints.keys {
            dealer.setCurveClient(keys.own, server: keys.hub)
            subscriber.setCurveClient(keys.own, server: keys.hub)
        }
        monitor = try SocketMonitor(dealer, context)
        subscriberMonitor = try SocketMonitor(subscriber, context)
        for prefix in prefixes { subscriber.set(ZMQ_SUBSCRIBE, bytes: prefix) }
        try subscriber.connect(endpoints.output)
        try dealer.connect(endpoints.input)
    }

    nonisolated func start() {
        let thread = Thread { [self] in
            loop.adopt()
            loop.run(
                { assumeIsolated { $0.pollItems } }, wanted: { assumeIsolated { $0.wanted() } },
                ready: { assumeIsolated { $0.work() } })
            ended.set()
        }
        thread.name = "bus-io"
        thread.start()
    }

    /// Ends the thread and waits for it, so that whoever drops the last reference closes the sockets alone.
    nonisolated func finish() async {
        loop.stop()
        await ended.wait()
    }

    private var pollItems: [ZMQPollItem] {
        [
            dealer.pollItem(ZMQ_POLLIN), subscriber.pollItem(ZMQ_POLLIN), monitor.pollItem,
            subscriberMonitor.pollItem,
        ]
    }

    private func wanted() -> (events: [Int32], timeoutMs: Int) {
        let wantsToSend = linkIsUp && sentCount < sending.count
        return ([wantsToSend ? ZMQ_POLLIN | ZMQ_POLLOUT : ZMQ_POLLIN], timeoutMs)
    }

    /// Only a refused handshake needs a timer here.
    private var timeoutMs: Int {
        guard let reconnectNs else { return -1 }
        return max(0, Int((reconnectNs - Moment.read().monotonicNs) / 1_000_000) + 1)
    }

    private func work() {
        var events: [TransportEvent] = []
        watchLink(&events)
        reconnectIfDue()
        _ = send(&events)
        var more = true
        while more, !loop.isStopped {
            let direct = drain(dealer, published: false, &events)
            let topics = drain(subscriber, published: true, &events)
            if !events.isEmpty {
                sink(events)
                events.removeAll(keepingCapacity: true)
            }
            // Only a look that found nothing allows the thread to sleep.
            more = send(&events) || direct || topics
        }
        if !events.isEmpty { sink(events) }
    }

    /// - Returns: true when there may be more.
    private func drain(_ socket: borrowing ZMQSocket, published: Bool, _ events: inout [TransportEvent]) -> Bool {
        for _ in 0..<Self.batchLimit {
            var reader = FrameReader(routed: false, topics: topics)
            guard socket.receive({ reader.add($0, $1) }) > 0 else { return false }
            switch reader.finish() {
            case .message(let message, _): events.append(published ? .published(message) : .direct(message))
            case .garbage(let reason, _): events.append(.garbage(reason: reason))
            }
        }
        return true
    }

    private func watchLink(_ events: inout [TransportEvent]) {
        while let (event, _) = monitor.next() {
            switch event {
            case .up:
                linkIsUp = true
                awaitsHello = true
                refusals = HandshakeTrouble()
                events.append(.linkUp)
            case .down: linkIsDown(&events)
            case .refused(let failure):
                linkIsDown(&events)
                refused(failure, &events)
            }
        }
        while let (event, _) = subscriberMonitor.next() {
            if case .refused(let failure) = event { refused(failure, &events) }
        }
    }

    private func linkIsDown(_ events: inout [TransportEvent]) {
        guard linkIsUp else { return }
        linkIsUp = false
        events.append(.linkDown(reason: "the connection to the hub broke"))
    }

    private func refused(_ failure: HandshakeFailure, _ events: inout [TransportEvent]) {
        if refusals.isWorthTelling(failure) {
            events.append(.handshakeRefused(reason: failure.reason(at: endpoints.address)))
        }
        if failure.endsConnection, reconnectNs == nil {
            reconnectNs = Moment.read().monotonicNs + HandshakeTrouble.retryNs
        }
    }

    private func reconnectIfDue() {
        guard let due = reconnectNs, Moment.read().monotonicNs >= due else { return }
        reconnectNs = nil
        do {
            try subscriber.reconnect(endpoints.output)
            try dealer.reconnect(endpoints.input)
        } catch {
            reconnectNs = due + HandshakeTrouble.retryNs
        }
    }

    /// Gives back what was put in line before the hello to the present hub.
    private func leaveBehind(_ events: inout [TransportEvent]) {
        let hello = sending[sentCount...].lastIndex { $0.topic == ControlTopic.hello }
        for message in sending[sentCount..<(hello ?? sending.count)] { events.append(.undelivered(message)) }
        sending.removeSubrange(..<(hello ?? sending.count))
        sentCount = 0
        awaitsHello = hello == nil
    }

    /// - Returns: true when something was waiting in `outbound`.
    private func send(_ events: inout [TransportEvent]) -> Bool {
        if sentCount == sending.count {
            sending.removeAll(keepingCapacity: true)
            sentCount = 0
        }
        let (messages, prefixes) = outbound.take(stillTaken: sending.count - sentCount)
        for prefix in prefixes { subscriber.set(ZMQ_SUBSCRIBE, bytes: prefix) }
        sending += messages
        if awaitsHello { leaveBehind(&events) }
        guard linkIsUp else {
            // Nothing stale is to arrive at the next hub; states and events are repeated by their owner.
            for message in sending[sentCount...] { events.append(.undelivered(message)) }
            sending = []
            sentCount = 0
            outbound.noteTaken(0)
            return !messages.isEmpty
        }
        while sentCount < sending.count {
            guard case .sent = dealer.send(sending[sentCount]) else { break }
            sentCount += 1
        }
        if sentCount > 4096 {
            sending.removeFirst(sentCount)
            sentCount = 0
        }
        outbound.noteTaken(sending.count - sentCount)
        return !messages.isEmpty
    }
}

/// Tells once that something has ended.
final class Ended: Sendable {
    private let state = Mutex<(isSet: Bool, waiters: [CheckedContinuation<Void, Never>])>((false, []))

    func set() {
        let waiters = state.withLock { state in
            defer { state = (true, []) }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    func wait() async {
        await withCheckedContinuation { continuation in
            let isSet = state.withLock { state in
                if !state.isSet { state.waiters.append(continuation) }
                return state.isSet
            }
            if isSet { continuation.resume() }
        }
    }
}
