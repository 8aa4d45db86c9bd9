/// One life of a publisher on one topic.
struct StreamKey: Hashable, Sendable {
    let topic: String
    let epoch: UInt64
}

/// Which sequences were heard on each stream: notices every gap. One look-up by topic per message.
struct StreamLedger: Sendable {
    /// Lives of publishers that are remembered per topic; the one heard longest ago is forgotten first.
    static let streamLimit = 32
    /// Topics that are remembered; the one heard longest ago is forgotten first.
    static let topicLimit = 8192

    enum Verdict: Equatable {
        /// The one after the last.
        case next
        /// The first of its stream here.
        case first
        /// These did not come.
        case missing(ClosedRange<UInt64>)
        /// Not after the last.
        case old
    }

    private struct Stream: Sendable {
        let epoch: UInt64
        var last: UInt64
    }

    private struct Line: Sendable {
        /// Heard last comes last.
        var streams: [Stream]
        var heard: UInt64

        /// Place of a stream, which is then the last one.
        mutating func select(_ epoch: UInt64) -> Int? {
            let end = streams.count - 1
            if streams[end].epoch == epoch { return end }
            guard let index = streams.firstIndex(where: { $0.epoch == epoch }) else { return nil }
            streams.swapAt(index, end)
            return end
        }

        mutating func note(_ epoch: UInt64, _ sequence: UInt64, includesItself: Bool) -> Verdict {
            guard let index = select(epoch) else {
                if streams.count >= StreamLedger.streamLimit { streams.removeFirst() }
                streams.append(Stream(epoch: epoch, last: sequence))
                return .first
            }
            let last = streams[index].last
            guard sequence > last else { return .old }
            streams[index].last = sequence
            let end = includesItself ? sequence : sequence - 1
            return end > last ? .missing((last + 1)...end) : .next
        }
    }

    private var lines: [String: Line] = [:]
    private var clock: UInt64 = 0

    /// Notes a message that came.
    mutating func note(_ topic: String, epoch: UInt64, sequence: UInt64) -> Verdict {
        note(topic, epoch, sequence, includesItself: false)
    }

    /// Notes that a publisher has sent up to `sequence`, which finds the loss of the last message of a quiet topic:
    /// `.missing` then ends with `sequence` itself.
    mutating func noteSent(_ topic: String, epoch: UInt64, sequence: UInt64) -> Verdict {
        note(topic, epoch, sequence, includesItself: true)
    }

    private mutating func note(
        _ topic: String, _ epoch: UInt64, _ sequence: UInt64, includesItself: Bool
    ) -> Verdict {
        clock += 1
        if let index = lines.index(forKey: topic) {
            lines.values[index].heard = clock
            return lines.values[index].note(epoch, sequence, includesItself: includesItself)
        }
        if lines.count >= Self.topicLimit, let oldest = lines.min(by: { $0.value.heard < $1.value.heard }) {
            lines[oldest.key] = nil
        }
        lines[topic] = Line(streams: [Stream(epoch: epoch, last: sequence)], heard: clock)
        return .first
    }
}
