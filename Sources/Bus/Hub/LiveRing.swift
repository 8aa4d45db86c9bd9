import Protocols

/// The newest live messages of one topic, for a reader that missed some: bounded in number and in bytes.
struct LiveRing: Sendable {
    /// Bytes of bodies that one topic may hold.
    static let byteLimit = 1 << 20

    /// A circle once it has reached its depth; the oldest is at `start`.
    private var slots: [Received?] = []
    private var start = 0
    private var count = 0
    private(set) var bytes = 0

    /// Takes a message in; the oldest give way.
    ///
    /// - Parameter depth: messages that are kept, at least 1.
    mutating func append(_ message: Received, depth: Int) {
        while count > 0, count >= depth || bytes + message.body.count > Self.byteLimit { removeOldest() }
        guard message.body.count <= Self.byteLimit else { return }
        let place = start + count
        if count == slots.count, slots.count < depth {
            // All in a row from `start` = 0, or a circle that is full: only the first grows.
            if start == 0 { slots.append(message) } else { unroll(adding: message) }
        } else {
            slots[place % slots.count] = message
        }
        count += 1
        bytes += message.body.count
    }

    private mutating func removeOldest() {
        bytes -= slots[start]?.body.count ?? 0
        slots[start] = nil
        start = (start + 1) % slots.count
        count -= 1
        if count == 0 { start = 0 }
    }

    private mutating func unroll(adding message: Received) {
        slots = Array(slots[start...] + slots[..<start]) + [message]
        start = 0
    }

    /// What is left of a stretch of one stream, oldest first.
    func messages(epoch: UInt64, _ range: ClosedRange<UInt64>) -> [Received] {
        (0..<count).compactMap { slots[(start + $0) % slots.count] }
            .filter { $0.header.epoch == epoch && range.contains($0.header.sequence) }
    }
}
