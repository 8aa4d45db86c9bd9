/// Events that came already: a repeated one is acknowledged again, not handled again.
struct SeenEvents: Sendable {
    /// The oldest are forgotten first; consumers are idempotent on disk beyond that.
    static let limit = 16_384

    private var handled: [EventID: Bool] = [:]
    private var order: [EventID] = []
    private var head = 0

    enum Verdict { case new, waiting, handled }

    /// Notes the arrival of an event.
    mutating func arrive(_ id: EventID) -> Verdict {
        if let done = handled[id] { return done ? .handled : .waiting }
        handled[id] = false
        order.append(id)
        if order.count - head > Self.limit {
            handled[order[head]] = nil
            head += 1
            if head > Self.limit {
                order.removeFirst(head)
                head = 0
            }
        }
        return .new
    }

    mutating func finish(_ id: EventID) {
        if handled[id] != nil { handled[id] = true }
    }

    /// It was not taken: the next copy counts as new.
    mutating func forget(_ id: EventID) { handled[id] = nil }
}
