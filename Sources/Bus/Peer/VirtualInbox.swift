import Protocols

/// Holds back what arrives until the step is known to be complete, and puts it into the canonical order.
///
/// A peer has two ways in, topics and the direct line, and the hub sends the marker of a step along both at the same
/// point of its one order. Each way keeps its order. So once the marker of step n + 1 has come by both, all that was
/// sent during step n is here, whatever the network did meanwhile: this is what makes the order provable. Within
/// one sender the hub sequence is the order of sending; between senders the name decides.
struct VirtualInbox: Sendable {
    enum Way: Int, Sendable { case topics, direct }

    struct Entry: Sendable {
        let sender: String
        let hubSequence: UInt64
        let item: InboxItem
    }

    struct Step: Sendable {
        let number: UInt64
        let now: Timestamp
        let items: [InboxItem]
    }

    private struct Sealed {
        let step: UInt64
        let now: Timestamp
        let entries: [Entry]
    }

    private var open: [[Entry]] = [[], []]
    private var sealed: [[Sealed]] = [[], []]
    /// Last step that was handed out.
    private(set) var lastStep: UInt64 = 0

    mutating func add(_ entry: Entry, by way: Way) { open[way.rawValue].append(entry) }

    /// Notes a marker.
    ///
    /// - Returns: the step that is complete with it, if any.
    mutating func mark(_ step: UInt64, now: Timestamp, by way: Way) -> Step? {
        guard step > (sealed[way.rawValue].last?.step ?? lastStep) else { return nil }
        sealed[way.rawValue].append(Sealed(step: step, now: now, entries: open[way.rawValue]))
        open[way.rawValue] = []
        // A peer that joins in the middle may miss a marker on one way; the next one that came by both counts.
        guard
            let complete = sealed[0].last(where: { entry in sealed[1].contains { $0.step == entry.step } })
        else { return nil }
        var entries: [Entry] = []
        for way in 0...1 {
            entries += sealed[way].filter { $0.step <= complete.step }.flatMap(\.entries)
            sealed[way].removeAll { $0.step <= complete.step }
        }
        lastStep = complete.step
        entries.sort { ($0.sender, $0.hubSequence) < ($1.sender, $1.hubSequence) }
        return Step(number: complete.step, now: complete.now, items: entries.map(\.item))
    }
}
