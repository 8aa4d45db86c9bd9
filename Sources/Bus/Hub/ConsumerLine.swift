import Protocols

/// What waits for one named consumer, and what is on its way to it: a plain struct, told what happens, asked what to do.
///
/// Events go out in the order of the spool, at most ``window`` unacknowledged. A consumer that comes back in the same
/// life gets them again. One that died with events in hand gets those one at a time, until the one that killed it is
/// known: only the count of that one climbs, and after ``maxDeliveries`` it becomes a dead letter.
struct ConsumerLine: Sendable {
    static let window = 256
    /// Bytes on their way at most; one event is always allowed.
    static let byteWindow = 8 << 20
    static let maxDeliveries = 5
    /// Nanoseconds that a living consumer may take for an event: doubles with each delivery.
    static let patienceNs: Int64 = 30_000_000_000

    enum Effect: Sendable {
        case send(Received)
        case note(EventID, Int)
        case bury(EventID, reason: String, deliveries: Int)
        case load(after: Int64, limit: Int)
    }

    private struct Flight: Sendable {
        let number: Int64
        let message: Received
        /// How often it was sent.
        var deliveries: Int
        /// nil = waits to be sent (again).
        var sentNs: Int64?
        /// May have killed its consumer.
        var isSuspect: Bool
        /// It ended by silence, not by a death.
        var timedOut = false
    }

    private var flights: [Flight] = []
    private var bytes = 0
    private var unsent = 0
    private var suspects = 0
    /// Highest number in the spool for this consumer.
    private var newest: Int64 = 0
    /// Everything up to here is acknowledged or in `flights`.
    private var cursor: Int64 = 0
    private var isLoading = false
    private(set) var isJoined = false
    private var isVirtual = false
    private var epoch: UInt64?
    private var leftInPeace = false
    /// In virtual time: what has a higher hub sequence it has heard by its subscriptions.
    private var joinedAt: UInt64 = 0
    private var effects: [Effect] = []

    var inFlight: Int { flights.count }

    private var hasRoom: Bool { flights.count < Self.window && bytes < Self.byteWindow }

    // MARK: - The consumer

    /// It has joined, in this life.
    mutating func join(epoch: UInt64, isVirtual: Bool, hubSequence: UInt64) {
        if isVirtual || self.isVirtual {
            // In virtual time events travel inside the barrier; what waits from before is sent once, untracked.
            flights = []
            bytes = 0
            cursor = 0
            isLoading = false
        } else if let before = self.epoch {
            let died = before != epoch && !leftInPeace
            for index in flights.indices {
                if died {
                    if flights[index].sentNs != nil { flights[index].isSuspect = true }
                } else if flights[index].sentNs != nil {
                    flights[index].deliveries -= 1
                }
                flights[index].sentNs = nil
            }
        }
        recount()
        self.isVirtual = isVirtual
        self.epoch = epoch
        leftInPeace = false
        joinedAt = hubSequence
        isJoined = true
    }

    /// Its connection is gone; `inPeace` when it said so.
    mutating func leave(inPeace: Bool) {
        guard isJoined else { return }
        isJoined = false
        leftInPeace = inPeace
    }

    // MARK: - Its events

    /// Something of it is in the spool, up to this number.
    mutating func note(newest number: Int64) { newest = max(newest, number) }

    /// A new event was stored for it.
    mutating func stored(_ event: SpooledEvent) {
        let wasUpToDate = cursor >= newest && !isLoading
        newest = max(newest, event.number)
        guard isJoined, wasUpToDate else { return }
        if isVirtual {
            cursor = event.number
            if event.message.header.hubSequence <= joinedAt { resend(event.message) }
        } else if hasRoom {
            cursor = event.number
            add(event)
        }
    }

    /// A dead letter waits again.
    mutating func restored(_ number: Int64) {
        newest = max(newest, number)
        cursor = min(cursor, number - 1)
    }

    mutating func loaded(_ events: [SpooledEvent], upTo number: Int64) {
        isLoading = false
        cursor = max(cursor, number)
        guard isJoined else {
            cursor = min(cursor, (events.first?.number ?? number + 1) - 1)
            return
        }
        for event in events {
            if isVirtual {
                resend(event.message)
            } else if !flights.contains(where: { $0.number == event.number }) {
                add(event)
            }
        }
    }

    mutating func loadFailed() { isLoading = false }

    /// It was deleted from the spool.
    mutating func forgetAll() {
        flights = []
        bytes = 0
        newest = 0
        cursor = 0
        recount()
    }

    /// - Returns: how often it was delivered, or nil when it was not on its way.
    mutating func settled(_ id: EventID) -> Int? {
        guard let index = index(of: id) else { return nil }
        return remove(at: index).deliveries
    }

    /// The consumer lives and still has it in hand: its silence does not count against the event.
    mutating func isWorking(on id: EventID, now: Moment) {
        guard let index = index(of: id), flights[index].sentNs != nil else { return }
        flights[index].sentNs = now.monotonicNs
        flights[index].deliveries = min(flights[index].deliveries, 1)
        flights[index].timedOut = false
    }

    /// What is to be done now.
    mutating func pull(now: Moment) -> [Effect] {
        if isJoined {
            if unsent > 0 { sendWaiting(now) }
            if !isLoading, cursor < newest, isVirtual || (flights.count <= Self.window / 2 && bytes < Self.byteWindow) {
                isLoading = true
                effects.append(.load(after: cursor, limit: Self.window - flights.count))
            }
        }
        defer { effects.removeAll(keepingCapacity: true) }
        return effects
    }

    /// Looks for what has been on its way for too long; a few times a minute is enough.
    mutating func checkPatience(now: Moment) {
        guard isJoined else { return }
        for index in flights.indices {
            guard let sent = flights[index].sentNs else { continue }
            let patience = Self.patienceNs << Int64(min(max(flights[index].deliveries, 1) - 1, 6))
            guard now.monotonicNs - sent > patience else { continue }
            flights[index].sentNs = nil
            flights[index].timedOut = true
        }
        recount()
    }

    private mutating func sendWaiting(_ now: Moment) {
        for index in flights.indices.reversed()
        where flights[index].sentNs == nil && flights[index].deliveries >= Self.maxDeliveries {
            let flight = remove(at: index)
            let cause =
                flight.timedOut
                ? "unanswered: never acknowledged" : "died: the consumer ended each time before it acknowledged"
            effects.append(.bury(EventID(flight.message), reason: cause, deliveries: flight.deliveries))
        }
        if suspects > 0 {
            // One at a time, so that the culprit is alone when it strikes.
            guard unsent == flights.count, let next = flights.firstIndex(where: \.isSuspect) else { return }
            send(next, now)
        } else {
            for index in flights.indices where flights[index].sentNs == nil { send(index, now) }
        }
    }

    private mutating func send(_ index: Int, _ now: Moment) {
        flights[index].sentNs = now.monotonicNs
        flights[index].deliveries += 1
        unsent -= 1
        let flight = flights[index]
        guard flight.deliveries > 1 else {
            effects.append(.send(flight.message))
            return
        }
        effects.append(.note(EventID(flight.message), flight.deliveries))
        resend(flight.message)
    }

    private mutating func resend(_ message: Received) {
        effects.append(.send(message.with { $0.flags.insert(.redelivered) }))
    }

    private mutating func add(_ event: SpooledEvent) {
        // What was delivered before a restart of the hub, and more than once, stays under suspicion.
        let flight = Flight(
            number: event.number, message: event.message, deliveries: event.deliveries, sentNs: nil,
            isSuspect: event.deliveries > 1)
        let place = flights.lastIndex { $0.number < event.number }.map { $0 + 1 } ?? 0
        flights.insert(flight, at: place)
        bytes += SpooledEvent.size(event.message)
        unsent += 1
        if flight.isSuspect { suspects += 1 }
    }

    private func index(of id: EventID) -> Int? {
        flights.firstIndex {
            $0.message.header.sequence == id.sequence && $0.message.header.epoch == id.epoch
                && $0.message.topic == id.topic
        }
    }

    private mutating func remove(at index: Int) -> Flight {
        let flight = flights.remove(at: index)
        bytes -= SpooledEvent.size(flight.message)
        if flight.sentNs == nil { unsent -= 1 }
        if flight.isSuspect { suspects -= 1 }
        return flight
    }

    private mutating func recount() {
        unsent = flights.count { $0.sentNs == nil }
        suspects = flights.count(where: \.isSuspect)
    }
}
