import Protocols
import Synchronization

/// A bus for the unit test of one service: remembers what was sent, answers what it was told to answer.
package final class RecordingPort: BusPort {
    /// A message that the service published.
    package struct Published: Sendable {
        package let topic: String
        package let body: [UInt8]
        /// True for a withdrawal.
        package let withdrawn: Bool
    }

    /// A question that the service asked.
    package struct Asked: Sendable {
        package let process: ProcessName
        package let name: String
        package let body: [UInt8]
        package let deadline: Duration
    }

    private typealias Answer = @Sendable (Result<[UInt8], Refusal>) async -> Void

    private struct State {
        var now: Timestamp
        var published: [Published] = []
        var asked: [Asked] = []
        var open: [(asked: Asked, answer: Answer)] = []
        var answers: [String: Result<[UInt8], Refusal>] = [:]
    }

    private let state: Mutex<State>

    package init(now: Timestamp) { state = Mutex(State(now: now)) }

    package var now: Timestamp {
        get { state.withLock { $0.now } }
        set { state.withLock { $0.now = newValue } }
    }

    package var published: [Published] { state.withLock { $0.published } }
    package var asked: [Asked] { state.withLock { $0.asked } }

    /// The bodies that were published on a family, oldest first.
    package func messages<Body: Message>(of family: TopicFamily<Body>) throws -> [Body] {
        try published.filter { !$0.withdrawn && TopicSpec.family(of: $0.topic) == family.spec.family }
            .map { try MessageCoding.decode(Body.self, from: $0.body) }
    }

    /// Sets the answer to every later question of this kind.
    package func answer<Query: Request>(_ type: Query.Type, with reply: Query.Reply) throws {
        let bytes = try MessageCoding.encode(reply)
        state.withLock { $0.answers["\(Query.target)/\(Query.name)"] = .success(bytes) }
    }

    package func refuse<Query: Request>(_ type: Query.Type, with refusal: Refusal) {
        state.withLock { $0.answers["\(Query.target)/\(Query.name)"] = .failure(refusal) }
    }

    /// Hands over the answers to the questions so far, in their order; questions without an answer stay open.
    package func deliverAnswers() async {
        let due = state.withLock { state in
            let answers = state.answers
            let due = state.open.compactMap { open in
                answers["\(open.asked.process)/\(open.asked.name)"].map { (open.answer, $0) }
            }
            state.open.removeAll { answers["\($0.asked.process)/\($0.asked.name)"] != nil }
            return due
        }
        for (answer, result) in due { await answer(result) }
    }

    package func clear() {
        state.withLock {
            $0.published = []
            $0.asked = []
        }
    }

    package func publish<Body: Message>(_ body: Body, on topic: Topic<Body>) {
        guard let bytes = try? MessageCoding.encode(body) else { return }
        state.withLock { $0.published.append(Published(topic: topic.name, body: bytes, withdrawn: false)) }
    }

    package func withdraw<Body: Message>(_ topic: Topic<Body>) {
        state.withLock { $0.published.append(Published(topic: topic.name, body: [], withdrawn: true)) }
    }

    package func ask<Query: Request>(
        _ query: Query, deadline: Duration,
        answer: @escaping @Sendable (Result<Query.Reply, Refusal>) async -> Void
    ) {
        ask(Query.target, Query.name, query, deadline: deadline, answer: answer)
    }

    package func ask<Query: Message, Reply: Message>(
        _ process: ProcessName, _ name: String, _ query: Query, deadline: Duration,
        answer: @escaping @Sendable (Result<Reply, Refusal>) async -> Void
    ) {
        let asked = Asked(
            process: process, name: name, body: (try? MessageCoding.encode(query)) ?? [], deadline: deadline)
        state.withLock {
            $0.asked.append(asked)
            $0.open.append((asked, { await answer(MessageCoding.outcome(of: $0, as: Reply.self)) }))
        }
    }
}
