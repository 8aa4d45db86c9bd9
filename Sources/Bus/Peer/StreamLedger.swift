import Protocols

/// Which sequences were heard from whom: notices every gap.
struct StreamLedger: Sendable {
    /// Epochs that are remembered; the oldest is forgotten first.
    static let epochLimit = 256

    private var last: [UInt64: [String: UInt64]] = [:]
    private var order: [UInt64] = []

    /// Notes a message.
    ///
    /// - Returns: how many messages before it are missing; 0 for the first of an epoch, which may have begun earlier.
    mutating func note(_ topic: String, epoch: UInt64, sequence: UInt64) -> UInt64 {
        remember(epoch)
        guard let before = last[epoch]?[topic] else {
            last[epoch]?[topic] = sequence
            return 0
        }
        guard sequence > before else { return 0 }
        last[epoch]?[topic] = sequence
        return sequence - before - 1
    }

    /// Notes that a publisher says it has sent up to `sequence`: finds the loss of the last message of a quiet topic.
    ///
    /// - Returns: how many messages are missing.
    mutating func noteSent(_ topic: String, epoch: UInt64, sequence: UInt64) -> UInt64 {
        remember(epoch)
        guard let before = last[epoch]?[topic] else {
            last[epoch]?[topic] = sequence
            return 0
        }
        guard sequence > before else { return 0 }
        last[epoch]?[topic] = sequence
        return sequence - before
    }

    private mutating func remember(_ epoch: UInt64) {
        guard last[epoch] == nil else { return }
        last[epoch] = [:]
        order.append(epoch)
        if order.count > Self.epochLimit { last[order.removeFirst()] = nil }
    }
}
