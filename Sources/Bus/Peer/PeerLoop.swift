import Foundation
import Logging
import Protocols

/// Connects a service to the bus and feeds it until the task is cancelled.
///
/// Everything reaches the service one at a time and in order. On cancellation the service finishes, what it sent leaves
/// (at most 200 ms), and the peer takes its leave.
///
/// - Throws: ``BusError`` when the hub refuses the name or a socket cannot be had; an absent hub is waited for.
package func runPeer(_ service: any BusService, on peer: BusPeer) async throws {
    try await PeerLoop(service: service, peer: peer).run()
}

/// Feeds one service from one peer.
struct PeerLoop: Sendable {
    /// Failures of one event after which it is given up.
    static let poisonLimit = 5
    private static let hurriedMaintenance = Duration.milliseconds(100)
    private static let maintenance = Duration.seconds(1)

    let service: any BusService
    let peer: BusPeer
    private let retries = RetryList()

    init(service: any BusService, peer: BusPeer) {
        self.service = service
        self.peer = peer
    }

    func run() async throws {
        try peer.start(subscriptions: service.subscriptions)
        peer.logger.debug("bus peer started", metadata: ["endpoint": "\(peer.transport.endpoint)"])
        let result = await withTaskGroup(of: Void.self, returning: Result<Void, any Error>.self) { group in
            group.addTask { await keepTime() }
            group.addTask { await keepTicking() }
            let result: Result<Void, any Error>
            do {
                result = .success(try await feed())
            } catch {
                result = .failure(error)
            }
            group.cancelAll()
            return result
        }
        let stop = Task {
            // Not cancelled with the loop: the service may still store and say its last.
            await service.finish(bus: peer)
            peer.act { $0.leave() }
            await peer.closeInbox()
            await peer.transport.stop(limit: .milliseconds(200))
        }
        await stop.value
        try result.get()
    }

    private func keepTime() async {
        while !Task.isCancelled {
            if peer.maintain() {
                try? await Task.sleep(for: Self.hurriedMaintenance)
            } else {
                await peer.alarm.sleep(
                    for: .untilNextMultiple(of: Self.maintenance, nowNs: Moment.readMonotonic()))
            }
        }
    }

    private func keepTicking() async {
        guard !peer.identity.virtualTime else { return }
        while !Task.isCancelled {
            try? await Task.sleep(for: .untilNextMultiple(of: service.tick, nowNs: Moment.readMonotonic()))
            guard peer.isTimeKnown else { continue }
            let now = Moment.read().monotonicNs
            peer.act { $0.items.append(.tick(queuedNs: now)) }
        }
    }

    private func feed() async throws {
        while let items = await peer.inbox.next() {
            for case let item? in items {
                if Task.isCancelled, !peer.identity.virtualTime { return }
                peer.progress.begin(nowNs: Moment.readMonotonic())
                try await deliver(item)
            }
            peer.progress.rest()
        }
    }

    private func deliver(_ item: InboxItem) async throws {
        switch item {
        case .message(let message, let needsAck):
            guard isFresh(message.header) else {
                peer.count("ttl", message)
                return
            }
            await deliver(message, needsAck: needsAck, failures: 0)
        case .request(let key, let name, let message): await serve(key, name, message)
        case .answer(let answer): await answer()
        case .joined(let hubEpoch):
            await tell(.joined(hubEpoch: hubEpoch))
            peer.act { $0.serviceReady = true }
        case .lost(let reason):
            peer.logger.notice("bus lost", metadata: ["reason": "\(reason)"])
            await tell(.lost(reason: reason))
        case .tick(let queuedNs):
            if queuedNs > 0 { peer.progress.noteLag(Moment.read().monotonicNs - queuedNs) }
            await retry()
            await tell(.tick)
        case .stepBegin(let now): peer.act { $0.virtualNow = now }
        case .stepEnd(let step): peer.act { $0.finish(step: step) }
        case .failed(let error): throw error
        }
    }

    /// Late is dropped: by the time since boot of the hub's host; a sender without such a time is believed.
    private func isFresh(_ header: Header) -> Bool {
        guard !peer.identity.virtualTime, header.ttlMs > 0, header.monotonicNs > 0,
            header.deliveryClass != .event, !header.flags.contains(.virtualTime), !header.flags.contains(.tombstone),
            peer.isTimeKnown
        else { return true }
        return peer.hubNow.monotonicNs - header.monotonicNs <= Int64(header.ttlMs) * 1_000_000
    }

    private func tell(_ event: BusEvent) async {
        do {
            try await service.receive(event, bus: peer)
        } catch {
            peer.count("handler")
            peer.logger.error("the service failed on an event", metadata: ["error": "\(type(of: error))"])
        }
    }

    private func deliver(_ message: Received, needsAck: Bool, failures: Int) async {
        do {
            try await service.receive(.message(message), bus: peer)
            if needsAck { peer.act { $0.acknowledge(message) } }
        } catch {
            guard needsAck else {
                peer.count("handler", message)
                peer.logger.error("a message could not be handled", metadata: ["topic": "\(message.topic)"])
                return
            }
            let isPassing = (error as? any PassingTrouble)?.isPassing == true
            guard isPassing || failures + 1 < Self.poisonLimit else {
                peer.count("poison")
                peer.logger.error(
                    "event given up: it could not be handled \(Self.poisonLimit) times, and is a dead letter now",
                    metadata: [
                        "topic": "\(message.topic)", "epoch": "\(message.header.epoch)",
                        "sequence": "\(message.header.sequence)", "error": "\(type(of: error))",
                    ])
                peer.act { $0.giveUp(message, "failed: \(type(of: error))") }
                return
            }
            peer.count("retry")
            await retries.add(message, failures: min(failures + 1, Self.poisonLimit - 1))
        }
    }

    private func retry() async {
        for entry in await retries.takeDue() {
            await deliver(entry.message, needsAck: true, failures: entry.failures)
        }
    }

    private func serve(_ key: ServeKey, _ name: String, _ message: Received) async {
        guard isFresh(message.header) else {
            peer.count("late-request")
            return
        }
        let request = IncomingRequest(
            name: name, from: key.asker, idempotencyKey: "\(String(key.epoch, radix: 16))-\(key.correlation)",
            body: message.body
        ) { [peer] result in
            var result = result
            // Whoever deletes its data has nothing left to tell either.
            if name == DeleteData.name, case .success = result, let refusal = peer.forgetOutbox() {
                result = .failure(refusal)
            }
            peer.act { $0.reply(key, name: name, result) }
        }
        do {
            try await service.receive(.request(request), bus: peer)
        } catch {
            request.refuse((error as? Refusal) ?? Refusal(code: "internal", message: "\(error)"))
        }
    }
}

/// Events that wait for another try: 1, 2, 4 and 8 ticks later.
private actor RetryList {
    struct Entry {
        let message: Received
        let failures: Int
        var ticks: Int
    }

    private var entries: [Entry] = []

    func add(_ message: Received, failures: Int) {
        entries.append(Entry(message: message, failures: failures, ticks: 1 << (failures - 1)))
    }

    func takeDue() -> [Entry] {
        for index in entries.indices { entries[index].ticks -= 1 }
        defer { entries.removeAll { $0.ticks <= 0 } }
        return entries.filter { $0.ticks <= 0 }
    }
}
