import Protocols
import Synchronization

/// A spool in memory: for tests and for hubs without a disk. What outlives it is only what its owner keeps of it.
package final class MemorySpool: SpoolStore {
    private struct Row {
        let message: Received
        let storedAt: Timestamp
    }

    private struct Letter {
        let number: Int64
        let consumer: ProcessName
        let reason: String
        let deliveries: Int
        let at: Timestamp
    }

    private struct State {
        var events: [Int64: Row] = [:]
        var numbers: [EventID: Int64] = [:]
        var pending: [ProcessName: [Int64: Int]] = [:]
        var letters: [Int64: Letter] = [:]
        var registered: [ProcessName: [String]] = [:]
        var last: Int64 = 0
        var lastLetter: Int64 = 0
        var bytes: Int64 = 0
    }

    private let state = Mutex(State())
    private let limits: SpoolLimits

    package init(limits: SpoolLimits = SpoolLimits()) { self.limits = limits }

    package func run(_ jobs: [SpoolJob]) -> SpoolBatch {
        state.withLock { state in
            var outcomes: [SpoolOutcome] = []
            for job in jobs { run(job, &state, &outcomes) }
            var depth = SpoolDepth()
            depth.events = state.events.count
            depth.bytes = state.bytes
            depth.pending = state.pending.values.reduce(0) { $0 + $1.count }
            depth.deadLetters = state.letters.count
            return SpoolBatch(outcomes: outcomes, depth: depth)
        }
    }

    private func run(_ job: SpoolJob, _ state: inout State, _ outcomes: inout [SpoolOutcome]) {
        switch job {
        case .open:
            var overview = SpoolOverview()
            overview.registered = state.registered
            overview.newest = state.pending.compactMapValues { $0.keys.max() }
            outcomes.append(.opened(overview))
        case .append(let message, let consumers, let at):
            outcomes.append(append(message, consumers, at, &state))
        case .acknowledge(let id, let consumer):
            if let number = state.numbers[id] { state.pending[consumer]?[number] = nil }
        case .noteDeliveries(let id, let consumer, let count):
            if let number = state.numbers[id], state.pending[consumer]?[number] != nil {
                state.pending[consumer]?[number] = count
            }
        case .bury(let id, let consumer, let reason, let deliveries, let at):
            guard let number = state.numbers[id], state.pending[consumer]?.removeValue(forKey: number) != nil else {
                return
            }
            state.lastLetter += 1
            let letter = Letter(number: number, consumer: consumer, reason: reason, deliveries: deliveries, at: at)
            state.letters[state.lastLetter] = letter
            if let row = deadLetter(state.lastLetter, letter, state) { outcomes.append(.buried(row)) }
        case .load(let consumer, let after, let limit, let bytes):
            let numbers = (state.pending[consumer] ?? [:]).keys.filter { $0 > after }.sorted()
            var events: [SpooledEvent] = []
            var size = 0
            for number in numbers where events.count < limit && size < bytes {
                guard let row = state.events[number] else { continue }
                size += SpooledEvent.size(row.message)
                let deliveries = state.pending[consumer]?[number] ?? 0
                events.append(SpooledEvent(number: number, message: row.message, deliveries: deliveries))
            }
            let isAll = events.count == numbers.count
            outcomes.append(.loaded(consumer, events, upTo: isAll ? state.last : events.last?.number ?? after))
        case .ask(let question, let id, let at):
            let result = Result { () throws(Refusal) in try answer(question, at, &state) }
            outcomes.append(.answered(id, result))
        case .prune(let at): prune(at, &state)
        }
    }

    private func append(
        _ message: Received, _ consumers: [ProcessName], _ at: Timestamp, _ state: inout State
    ) -> SpoolOutcome {
        let id = EventID(message)
        if let number = state.numbers[id] {
            return .stored(SpooledEvent(number: number, message: message), consumers: consumers, isNew: false)
        }
        let size = SpooledEvent.size(message)
        if state.events.count >= limits.maxEvents || state.bytes + Int64(size) > limits.maxBytes {
            prune(at, &state, room: Int64(size))
        }
        guard state.events.count < limits.maxEvents, state.bytes + Int64(size) <= limits.maxBytes else {
            return .refused(
                id, bytes: size, reason: "spool-full", detail: "the spool holds \(state.events.count) events")
        }
        state.last += 1
        state.events[state.last] = Row(message: message, storedAt: at)
        state.numbers[id] = state.last
        state.bytes += Int64(size)
        for consumer in consumers { state.pending[consumer, default: [:]][state.last] = 0 }
        return .stored(SpooledEvent(number: state.last, message: message), consumers: consumers, isNew: true)
    }

    private func prune(_ at: Timestamp, _ state: inout State, room: Int64 = 0) {
        var busy = Set(state.letters.values.map(\.number))
        for numbers in state.pending.values { busy.formUnion(numbers.keys) }
        for number in state.events.keys.sorted() where !busy.contains(number) {
            guard let row = state.events[number] else { continue }
            let isOld = at.seconds(since: row.storedAt) > limits.keepSeconds || state.bytes > limits.keepBytes
            let isNeeded =
                room > 0 && (state.events.count >= limits.maxEvents || state.bytes + room > limits.maxBytes)
            guard isOld || isNeeded else { continue }
            state.events[number] = nil
            state.numbers[EventID(row.message)] = nil
            state.bytes -= Int64(SpooledEvent.size(row.message))
        }
    }

    private func deadLetter(_ id: Int64, _ letter: Letter, _ state: State) -> DeadLetter? {
        guard let message = state.events[letter.number]?.message else { return nil }
        return DeadLetter(
            id: id, topic: message.topic, epoch: message.header.epoch, sequence: message.header.sequence,
            consumer: letter.consumer, reason: letter.reason, deliveries: letter.deliveries, at: letter.at,
            bytes: message.body.count)
    }

    private func answer(
        _ question: SpoolQuestion, _ at: Timestamp, _ state: inout State
    ) throws(Refusal) -> SpoolAnswer {
        switch question {
        case .consumers:
            let names = Set(state.registered.keys).union(state.pending.keys)
            return .consumers(
                names.map { name in
                    let numbers = state.pending[name] ?? [:]
                    let oldest = numbers.keys.min()
                    let age = oldest.flatMap { state.events[$0] }.map { at.seconds(since: $0.storedAt) }
                    return DurableConsumer(
                        name: name, topics: state.registered[name] ?? [], builtIn: false, pending: numbers.count,
                        cursor: oldest, oldestAgeSeconds: age)
                })
        case .add(let query):
            state.registered[query.name] = query.topics
            let filter = TopicFilter(query.topics)
            if let from = query.from {
                for (number, row) in state.events
                where number >= from && (query.topics.isEmpty || filter.matches(row.message.topic)) {
                    state.pending[query.name, default: [:]][number] = 0
                }
            }
            return .added(query.name, topics: query.topics, newest: state.pending[query.name]?.keys.max())
        case .remove(let name):
            let known = state.registered.removeValue(forKey: name) != nil
            let pending = state.pending.removeValue(forKey: name)
            guard known || pending != nil else { throw Self.unknown("consumer \(name)") }
            return .removed(name, pending: pending?.count ?? 0)
        case .deadLetters(let limit):
            let rows = state.letters.sorted { $0.key > $1.key }.prefix(limit)
            let letters = rows.compactMap { deadLetter($0.key, $0.value, state) }
            return .deadLetters(DeadLetterList(total: state.letters.count, deadLetters: letters))
        case .deadLetter(let id):
            guard let letter = state.letters[id], let row = deadLetter(id, letter, state),
                let message = state.events[letter.number]?.message
            else { throw Self.unknown("dead letter \(id)") }
            return .deadLetter(
                DeadLetterContent(
                    letter: row, schema: message.header.schema, sentAt: message.sentAt,
                    json: String(decoding: message.body, as: UTF8.self)))
        case .replay(let id):
            guard let letter = state.letters.removeValue(forKey: id) else { throw Self.unknown("dead letter \(id)") }
            state.pending[letter.consumer, default: [:]][letter.number] = 0
            return .replayed(letter.consumer, number: letter.number)
        case .drop(let id):
            guard state.letters.removeValue(forKey: id) != nil else { throw Self.unknown("dead letter \(id)") }
            return .dropped
        case .events(let query): return .events(page(query, state))
        case .status:
            return .status(
                SpoolReport(
                    events: state.events.count, bytes: state.bytes,
                    pending: state.pending.values.reduce(0) { $0 + $1.count }, deadLetters: state.letters.count,
                    maxEvents: limits.maxEvents, maxBytes: limits.maxBytes, durable: false))
        case .export, .copy: throw Refusal(code: "unknown-request", message: "this hub keeps nothing that lasts")
        case .wipe:
            state = State()
            return .wiped
        }
    }

    private func page(_ query: ListEvents, _ state: State) -> EventPage {
        let filter = TopicFilter(query.topic.isEmpty ? [""] : [query.topic])
        var events: [StoredEvent] = []
        for (number, row) in state.events.sorted(by: { $0.key < $1.key })
        where number >= query.from ?? 0 && filter.matches(row.message.topic) {
            if let since = query.since, row.storedAt < since { continue }
            if events.count == query.limit { return EventPage(events: events, next: number) }
            events.append(StoredEvent(number: number, message: row.message, storedAt: row.storedAt))
        }
        return EventPage(events: events, next: nil)
    }

    static func unknown(_ what: String) -> Refusal {
        Refusal(code: "not-found", message: "there is no \(what)")
    }
}

extension StoredEvent {
    package init(number: Int64, message: Received, storedAt: Timestamp) {
        self.init(
            number: number, topic: message.topic, epoch: message.header.epoch, sequence: message.header.sequence,
            schema: message.header.schema, sentAt: message.sentAt, storedAt: storedAt,
            json: String(decoding: message.body, as: UTF8.self))
    }
}
