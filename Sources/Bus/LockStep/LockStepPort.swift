import Protocols
import Synchronization

/// One process's side of a ``LockStep``.
struct LockStepPort: BusPort {
    let bus: LockStep
    let name: ProcessName

    var now: Timestamp { bus.now }

    func publish<Body: Message>(_ body: Body, on topic: Topic<Body>) {
        do {
            let bytes = try MessageCoding.encode(body)
            bus.state.withLock { $0.publish(bytes, spec: topic.spec, topic: topic.name, from: name, flags: []) }
        } catch {
            bus.state.withLock { $0.failures.append("\(name): \(topic.name) cannot be encoded: \(error)") }
        }
    }

    func withdraw<Body: Message>(_ topic: Topic<Body>) {
        bus.state.withLock { $0.publish([], spec: topic.spec, topic: topic.name, from: name, flags: .tombstone) }
    }

    func ask<Query: Request>(
        _ query: Query, deadline: Duration,
        answer: @escaping @Sendable (Result<Query.Reply, Refusal>) async -> Void
    ) {
        ask(Query.target, Query.name, query, deadline: deadline, answer: answer)
    }

    func ask<Query: Message, Reply: Message>(
        _ process: ProcessName, _ name: String, _ query: Query, deadline: Duration,
        answer: @escaping @Sendable (Result<Reply, Refusal>) async -> Void
    ) {
        let finish: @Sendable (Result<[UInt8], Refusal>) async -> Void = { result in
            await answer(MessageCoding.outcome(of: result, as: Reply.self))
        }
        do {
            let bytes = try MessageCoding.encode(query)
            bus.state.withLock {
                $0.ask(process, name, bytes, from: self.name, deadline: deadline, bus: bus, answer: finish)
            }
        } catch {
            let refusal = Refusal(code: "invalid", message: "request \(name) cannot be encoded: \(error)")
            bus.state.withLock { $0.send(.answer({ await finish(.failure(refusal)) }), to: self.name, from: process) }
        }
    }
}
