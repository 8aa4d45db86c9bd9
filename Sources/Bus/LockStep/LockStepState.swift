import Protocols
import Synchronization

/// What one process of a ``LockStep`` is given during a step.
enum LockStepItem: Sendable {
    case event(BusEvent, failures: Int)
    case answer(@Sendable () async -> Void)
}

/// The rules of a ``LockStep``: who hears what, in which order.
struct LockStepState: Sendable {
    struct Member: Sendable {
        let service: any BusService
        let roles: Set<ProcessName>
        let filter: TopicFilter
        /// What it hears with the next step, in order.
        var inbox: [LockStepItem] = []
        var hasJoined = false
    }

    /// Something sent during the present step, not yet in anybody's inbox.
    private struct Sending: Sendable {
        let from: ProcessName
        let order: Int
        let content: Content
        enum Content: Sendable {
            case published(Received)
            case direct(to: ProcessName, LockStepItem)
        }
    }

    private struct Question: Sendable {
        let from: ProcessName
        let process: ProcessName
        let name: String
        let dueAt: Timestamp
        let dueStep: Int
        let answer: @Sendable (Result<[UInt8], Refusal>) async -> Void
    }

    private struct Retry: Sendable {
        let step: Int
        let name: ProcessName
        let event: BusEvent
        let failures: Int
    }

    var now: Timestamp
    var members: [ProcessName: Member] = [:]
    var published: [Received] = []
    var poisoned: [Received] = []
    var failures: [String] = []
    private var step = 0
    private var order = 0
    private var sending: [Sending] = []
    private var retained: [String: Received] = [:]
    private var waiting: [ProcessName: [Received]] = [:]
    private var sequences: [String: UInt64] = [:]
    private var starts: [ProcessName: Int] = [:]
    private var questions: [UInt64: Question] = [:]
    private var nextQuestion: UInt64 = 1
    private var retries: [Retry] = []
    private var testAnswers: [@Sendable () async -> Void] = []

    init(now: Timestamp) { self.now = now }

    mutating func add(_ service: any BusService, name: ProcessName, roles: [ProcessName]) {
        starts[name, default: 0] += 1
        members[name] = Member(
            service: service, roles: Set(roles + [name]), filter: TopicFilter(service.subscriptions))
    }

    mutating func remove(_ name: ProcessName) {
        members[name] = nil
        questions = questions.filter { $0.value.from != name }
        retries.removeAll { retry in
            guard retry.name == name else { return false }
            if case .message(let received) = retry.event { waiting[name, default: []].append(received) }
            return true
        }
    }

    /// - Returns: the processes in the order in which they are served.
    mutating func beginStep(at time: Timestamp) -> [ProcessName] {
        step += 1
        now = time
        deliverSent()
        for (id, question) in questions.sorted(by: { $0.key < $1.key })
        where question.dueAt <= now && question.dueStep <= step {
            questions[id] = nil
            let refusal = Refusal(
                code: "deadline", message: "\(question.process) did not answer \(question.name) in time")
            deliver(.answer({ await question.answer(.failure(refusal)) }), to: question.from)
        }
        for retry in retries where retry.step <= step {
            members[retry.name]?.inbox.append(.event(retry.event, failures: retry.failures))
        }
        retries.removeAll { $0.step <= step }
        return members.keys.sorted { $0.rawValue < $1.rawValue }
    }

    /// Takes what a process hears in this step.
    mutating func take(_ name: ProcessName) -> (any BusService, [LockStepItem])? {
        guard var member = members[name] else { return nil }
        var items: [LockStepItem] = []
        if !member.hasJoined {
            member.hasJoined = true
            for topic in retained.keys.sorted() where member.filter.matches(topic) {
                if let value = retained[topic], !member.inbox.contains(where: { $0.isMessage(like: value) }) {
                    items.append(.event(.message(value), failures: 0))
                }
            }
            items.append(.event(.joined(hubEpoch: 1), failures: 0))
            for role in member.roles.sorted(by: { $0.rawValue < $1.rawValue }) {
                for event in waiting.removeValue(forKey: role) ?? [] {
                    items.append(.event(.message(event), failures: 0))
                }
            }
        }
        items += member.inbox
        items.append(.event(.tick, failures: 0))
        member.inbox = []
        members[name] = member
        return (member.service, items)
    }

    mutating func takeTestAnswers() -> [@Sendable () async -> Void] {
        defer { testAnswers = [] }
        return testAnswers
    }

    /// Moves what was sent into the inboxes, in canonical order.
    private mutating func deliverSent() {
        let sent = sending.sorted {
            $0.from == $1.from ? $0.order < $1.order : $0.from.rawValue < $1.from.rawValue
        }
        sending = []
        for item in sent {
            switch item.content {
            case .published(let message): deliver(message)
            case .direct(let name, let item): deliver(item, to: name)
            }
        }
    }

    private mutating func deliver(_ message: Received) {
        if message.header.deliveryClass == .state {
            retained[message.topic] = message.isTombstone ? nil : message
        }
        published.append(message)
        for name in members.keys where members[name]?.filter.matches(message.topic) == true {
            members[name]?.inbox.append(.event(.message(message), failures: 0))
        }
        guard message.header.deliveryClass == .event, let spec = Registry.spec(of: message.topic) else { return }
        for consumer in spec.consumers where !members.values.contains(where: { $0.roles.contains(consumer) }) {
            waiting[consumer, default: []].append(message)
        }
    }

    private mutating func deliver(_ item: LockStepItem, to name: ProcessName) {
        if members[name] != nil {
            members[name]?.inbox.append(item)
        } else if case .answer(let answer) = item {
            testAnswers.append(answer)
        }
    }

    mutating func send(_ item: LockStepItem, to name: ProcessName, from sender: ProcessName) {
        order += 1
        sending.append(Sending(from: sender, order: order, content: .direct(to: name, item)))
    }

    mutating func publish(
        _ body: [UInt8], spec: TopicSpec, topic: String, from sender: ProcessName, flags: Header.Flags
    ) {
        let start = starts[sender] ?? 0
        let key = "\(sender) \(start) \(topic)"
        sequences[key, default: 0] += 1
        order += 1
        let header = Header(
            deliveryClass: spec.deliveryClass, schema: spec.schema, flags: flags.union(.virtualTime),
            ttlMs: UInt32((spec.ttl ?? 0) * 1000), epoch: stableHash("\(sender) \(start)".utf8),
            sequence: sequences[key] ?? 1, wallNs: now.milliseconds * 1_000_000,
            monotonicNs: now.milliseconds * 1_000_000, hubEpoch: 1, hubSequence: UInt64(order))
        sending.append(
            Sending(
                from: sender, order: order,
                content: .published(Received(topic: topic, header: header, body: body))))
    }

    mutating func ask(
        _ process: ProcessName, _ name: String, _ body: [UInt8], from asker: ProcessName, deadline: Duration,
        bus: LockStep, answer: @escaping @Sendable (Result<[UInt8], Refusal>) async -> Void
    ) {
        let target = members.first { $0.value.roles.contains(process) }?.key
        guard let target else {
            let refusal = Refusal(
                code: "unknown-process", message: "no process answers to \(process): is it running?")
            send(.answer({ await answer(.failure(refusal)) }), to: asker, from: .hub)
            return
        }
        let id = nextQuestion
        nextQuestion += 1
        questions[id] = Question(
            from: asker, process: process, name: name,
            dueAt: now.adding(milliseconds: Int64((deadline / .milliseconds(1)).rounded())),
            dueStep: step + VirtualTime.minimumDeadlineSteps, answer: answer)
        let request = IncomingRequest(name: name, from: asker.rawValue, idempotencyKey: "\(id)", body: body) {
            result in
            bus.state.withLock { $0.answer(id, result, from: target) }
        }
        send(.event(.request(request), failures: 0), to: target, from: asker)
    }

    private mutating func answer(_ id: UInt64, _ result: Result<[UInt8], Refusal>, from process: ProcessName) {
        guard let question = questions.removeValue(forKey: id) else { return }
        send(.answer({ await question.answer(result) }), to: question.from, from: process)
    }

    mutating func failed(_ event: BusEvent, after failures: Int, name: ProcessName, error: any Error) {
        self.failures.append("\(name): \(error)")
        switch event {
        case .message(let received) where received.header.deliveryClass == .event:
            let isPassing = (error as? any PassingTrouble)?.isPassing == true
            if !isPassing, failures + 1 >= LockStep.poisonLimit {
                poisoned.append(received)
            } else {
                retries.append(
                    Retry(
                        step: step + (1 << failures), name: name, event: event,
                        failures: min(failures + 1, LockStep.poisonLimit - 1)))
            }
        default: break
        }
    }
}

extension LockStepItem {
    /// True for a message of the same topic: the newer value is in the inbox already.
    func isMessage(like other: Received) -> Bool {
        if case .event(.message(let received), _) = self { received.topic == other.topic } else { false }
    }
}
