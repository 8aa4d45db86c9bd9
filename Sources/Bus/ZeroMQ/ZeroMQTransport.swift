import CZeroMQ
import Foundation
import Protocols
import Synchronization

/// Carries messages by two ZeroMQ sockets: a DEALER to the hub's ROUTER, a SUB from the hub's XPUB.
///
/// One thread owns both. Outbound messages wait in an array behind a lock; inbound ones leave in batches of at most
/// ``ZeroMQIO/batchLimit``.
package final class ZeroMQTransport: BusTransport {
    /// Messages that may wait for the hub; further *live* ones are lost at a quarter of it. In virtual time the barrier
    /// keeps far below.
    package static let outboundLimit = 262_144

    /// Messages that may wait on each way in; 0 = any number.
    ///
    /// With a limit *and* its own heartbeats (see ``ZMQSocket``) libzmq ends the whole process when a reader is slow: the full queue keeps it
    /// from seeing the beats, it connects anew, and trips over the queue of the old connection ("Assertion failed:
    /// _input_stopped", libzmq#3937). What is bounded is the inbox behind it, which the I/O thread always empties into.
    package static let receiveHighWater: Int32 = 0

    private let endpoints: BusEndpoints
    private let receiveHighWater: Int32
    private let outbound: Outbound
    private let running = Mutex<ZeroMQIO?>(nil)

    package init(
        _ endpoints: BusEndpoints, receiveHighWater: Int32 = ZeroMQTransport.receiveHighWater,
        outboundLimit: Int = ZeroMQTransport.outboundLimit
    ) {
        self.endpoints = endpoints
        self.receiveHighWater = receiveHighWater
        outbound = Outbound(limit: outboundLimit)
    }

    package var endpoint: String { endpoints.input }

    package var isRemote: Bool { endpoints.isRemote }

    package var backlog: Int { outbound.count }

    package func start(
        prefixes: [[UInt8]], sink: @escaping @Sendable ([TransportEvent]) -> Void
    ) throws(BusError) {
        let io = try ZeroMQIO(
            endpoints: endpoints, prefixes: prefixes, receiveHighWater: receiveHighWater, outbound: outbound, sink: sink
        )
        running.withLock { $0 = io }
        io.start()
        io.loop.wake()
    }

    package func subscribe(_ prefix: [UInt8]) {
        guard let io = running.withLock({ $0 }) else { return }
        outbound.subscribe(prefix)
        io.loop.wake()
    }

    package func send(_ messages: [Received]) -> [Received] {
        let (mustWake, refused) = outbound.append(messages)
        if mustWake, let io = running.withLock({ $0 }) { io.loop.wake() }
        return refused
    }

    package func stop(limit: Duration) async {
        guard let io = running.withLock({ $0 }) else { return }
        let end = ContinuousClock.now + limit
        while outbound.count > 0, ContinuousClock.now < end {
            try? await Task.sleep(for: .milliseconds(2))
        }
        await io.finish()
        running.withLock { $0 = nil }
    }
}

/// What waits to be sent, shared between callers and the I/O thread.
final class Outbound: Sendable {
    private struct State {
        var messages: [Received] = []
        var prefixes: [[UInt8]] = []
        /// Taken by the I/O thread, not sent yet.
        var taken = 0
        /// The I/O thread will look here before it sleeps.
        var isAwake = false
    }

    private let state = Mutex(State())
    private let limit: Int

    init(limit: Int) { self.limit = limit }

    /// - Returns: whether the I/O thread must be woken, and what there was no room for.
    func append(_ messages: [Received]) -> (mustWake: Bool, refused: [Received]) {
        state.withLock { state in
            var refused: [Received] = []
            for message in messages {
                let depth = state.messages.count + state.taken
                let room = message.header.deliveryClass == .live ? limit / 4 : limit
                if depth < room || message.header.flags.contains(.virtualTime) {
                    state.messages.append(message)
                } else {
                    refused.append(message)
                }
            }
            defer { state.isAwake = true }
            return (!state.isAwake, refused)
        }
    }

    func subscribe(_ prefix: [UInt8]) { state.withLock { $0.prefixes.append(prefix) } }

    func take(stillTaken: Int) -> (messages: [Received], prefixes: [[UInt8]]) {
        state.withLock { state in
            let all = (state.messages, state.prefixes)
            state.isAwake = !state.messages.isEmpty
            state.taken = stillTaken + state.messages.count
            state.messages = []
            state.prefixes = []
            return all
        }
    }

    func noteTaken(_ count: Int) { state.withLock { $0.taken = count } }

    var count: Int { state.withLock { $0.messages.count + $0.taken } }
}
