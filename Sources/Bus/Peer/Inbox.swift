import Protocols
import Synchronization

/// Between the I/O thread and the service: taken in batches, bounded per topic.
///
/// A topic never holds more than the depth of its registry row: the oldest *live* or *state* message gives way and is
/// counted. Events and questions are bounded together by ``eventLimit``: what exceeds it is not acknowledged, so that it
/// comes again, or is refused. In virtual time nothing is bounded: the barrier itself is the bound.
final class Inbox: Sendable {
    static let eventLimit = 20_000

    private struct State {
        /// nil = gave way.
        var items: [InboxItem?] = []
        var lines: [String: Line] = [:]
        /// Number of the batch that is being filled.
        var batch = 1
        var events = 0
        var ticks = 0
        var closed = false
        var waiter: CheckedContinuation<Void, Never>?
    }

    /// What waits of one *live* or *state* topic.
    private struct Line {
        let depth: Int
        /// The batch that `places` is about.
        var batch = 0
        /// Indices in `items`, oldest first; the first `gone` have given way.
        var places: [Int] = []
        var gone = 0

        init(topic: String) { depth = Registry.spec(of: topic)?.depth ?? 64 }

        /// Notes the place of one more message.
        ///
        /// - Returns: the place of the message that gives way, if any.
        mutating func add(_ place: Int, in current: Int) -> Int? {
            if batch != current {
                batch = current
                places.removeAll(keepingCapacity: true)
                gone = 0
            }
            places.append(place)
            guard places.count - gone > depth else { return nil }
            defer { gone += 1 }
            return places[gone]
        }
    }

    /// Topics whose lines are kept for the next batch.
    private static let lineLimit = 4096

    private let state = Mutex(State())
    private let bounded: Bool

    init(bounded: Bool) { self.bounded = bounded }

    /// - Returns: the causes of what was lost by this, each once per message.
    func append(_ items: [InboxItem]) -> [(cause: String, item: InboxItem)] {
        guard !items.isEmpty else { return [] }
        var lost: [(String, InboxItem)] = []
        let waiter = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard !state.closed else {
                lost = items.map { ("closed", $0) }
                return nil
            }
            for item in items { append(item, to: &state, lost: &lost) }
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume()
        return lost
    }

    private func append(_ item: InboxItem, to state: inout State, lost: inout [(String, InboxItem)]) {
        guard bounded else {
            state.items.append(item)
            return
        }
        switch item {
        case .message(let message, _) where message.header.deliveryClass != .event:
            let topic = message.topic
            if let oldest = state.lines[topic, default: Line(topic: topic)].add(state.items.count, in: state.batch) {
                if let old = state.items[oldest] { lost.append(("inbox-full", old)) }
                state.items[oldest] = nil
            }
        case .message, .request:
            guard state.events < Self.eventLimit else {
                lost.append(("inbox-full", item))
                return
            }
            state.events += 1
        case .tick:
            guard state.ticks == 0 else { return }
            state.ticks += 1
        default: break
        }
        state.items.append(item)
    }

    /// Everything that waits, oldest first, with nil for what gave way; waits for the first item; nil once closed.
    func next() async -> [InboxItem?]? {
        while true {
            let (items, closed) = take()
            if !items.isEmpty { return items }
            if closed { return nil }
            await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    let resumeNow = state.withLock { state in
                        if state.closed || !state.items.isEmpty { return true }
                        state.waiter = continuation
                        return false
                    }
                    if resumeNow { continuation.resume() }
                }
            } onCancel: {
                close()
            }
        }
    }

    private func take() -> ([InboxItem?], closed: Bool) {
        state.withLock { state in
            if state.closed { return ([], true) }
            let items = state.items
            state.items = []
            state.batch += 1
            if state.lines.count > Self.lineLimit { state.lines = [:] }
            state.events = 0
            state.ticks = 0
            return (items, false)
        }
    }

    /// What was never taken, once nobody takes any more.
    func takeRest() -> [InboxItem] {
        close()
        return state.withLock { state in
            defer { state.items = [] }
            return state.items.compactMap(\.self)
        }
    }

    func close() {
        let waiter = state.withLock { state in
            state.closed = true
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume()
    }

    var isClosed: Bool { state.withLock { $0.closed } }

    var count: Int { state.withLock { $0.items.count } }
}
