import Protocols

/// Identifies one event whatever its way and however often it comes.
package struct EventID: Hashable, Sendable {
    package let epoch: UInt64
    package let topic: String
    package let sequence: UInt64

    package init(epoch: UInt64, topic: String, sequence: UInt64) {
        self.epoch = epoch
        self.topic = topic
        self.sequence = sequence
    }

    package init(_ message: Received) {
        epoch = message.header.epoch
        topic = message.topic
        sequence = message.header.sequence
    }
}

/// A question that is being answered here.
struct ServeKey: Hashable, Sendable {
    let asker: String
    let epoch: UInt64
    let correlation: UInt64
}

/// What waits for the service, in order.
enum InboxItem: Sendable {
    case message(Received, needsAck: Bool)
    case request(ServeKey, name: String, Received)
    case answer(@Sendable () async -> Void)
    case joined(hubEpoch: UInt64)
    case lost(reason: String)
    case tick(queuedNs: Int64)
    case stepBegin(Timestamp)
    case stepEnd(UInt64)
    /// The peer cannot go on.
    case failed(BusError)
}
