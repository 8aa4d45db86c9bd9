import Protocols

/// What carries messages between one peer and the hub. It knows nothing of topics, classes or time.
///
/// What it promises: each of the two ways in (`published`, `direct`) keeps the order in which the hub sent; the way out
/// keeps the order of the calls; a message is whole or absent. What it does not promise: that a message arrives.
package protocol BusTransport: Sendable {
    /// Connects, and subscribes to byte prefixes of the first frame. Calls `sink` with batches from one thread of its
    /// own (lock-step: of whoever makes the step), never inside a call of this protocol, and never two calls at a time.
    func start(prefixes: [[UInt8]], sink: @escaping @Sendable ([TransportEvent]) -> Void) throws(BusError)
    /// Adds a subscription.
    func subscribe(_ prefix: [UInt8])
    /// Sends to the hub; never blocks. What cannot be sent later comes back as `.undelivered`.
    ///
    /// - Returns: what is not sent at all because too much waits already: of each class the last ones of the call.
    func send(_ messages: [Received]) -> [Received]
    /// Messages that wait to be sent.
    var backlog: Int { get }
    /// Waits at most `limit` until what was sent has left, then lets go of sockets and thread.
    func stop(limit: Duration) async
    /// For messages to people.
    var endpoint: String { get }
    /// True when the hub may be on another machine, whose clocks are not those of this one.
    var isRemote: Bool { get }
}

extension BusTransport {
    package var isRemote: Bool { false }
}

/// What a transport reports.
package enum TransportEvent: Sendable {
    case linkUp
    case linkDown(reason: String)
    /// The hub does not let this peer in; it goes on trying.
    case handshakeRefused(reason: String)
    /// Heard by subscription.
    case published(Received)
    /// Sent by the hub to this peer alone.
    case direct(Received)
    /// Could not be handed to the hub, and will not be.
    case undelivered(Received)
    /// Frames that are no message; already dropped.
    case garbage(reason: String)
}
