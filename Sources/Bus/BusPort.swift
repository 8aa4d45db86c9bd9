import Protocols

/// What a service can do on the bus. Real peers talk to the hub; tests record.
///
/// Nothing here blocks: publishing encodes on the caller's thread and hands the bytes to the I/O thread.
package protocol BusPort: Sendable {
    /// The time of this process: system time, or the virtual time of the step that is being handled.
    var now: Timestamp { get }

    /// Sends a message by the class of its topic.
    ///
    /// *live*: dropped and counted when the hub is away. *state*: the newest is kept here and sent again to a new hub.
    /// *event*: on disk in the outbox before this returns; sent until every consumer has acknowledged.
    func publish<Body: Message>(_ body: Body, on topic: Topic<Body>)

    /// Deletes the kept value of a state topic everywhere.
    func withdraw<Body: Message>(_ topic: Topic<Body>)

    /// Says of an own topic that it is not as usual, or with nil that it is again: whoever watches the house is told with
    /// the next heartbeat. A topic with a period whose owner says nothing of the kind is expected to be spoken on.
    func say<Body: Message>(_ condition: TopicCondition?, of topic: Topic<Body>)

    /// Asks a process and hands its answer to `answer`, later, in the order of the inbox, never inside this call.
    ///
    /// This is the way for services: it works in virtual time, where the answer comes with a later step.
    func ask<Query: Request>(
        _ query: Query, deadline: Duration,
        answer: @escaping @Sendable (Result<Query.Reply, Refusal>) async -> Void)

    /// Asks a process that is named at the call, for questions that every owner of data answers.
    func ask<Query: Message, Reply: Message>(
        _ process: ProcessName, _ name: String, _ query: Query, deadline: Duration,
        answer: @escaping @Sendable (Result<Reply, Refusal>) async -> Void)
}

extension BusPort {
    /// Where nobody watches the house.
    package func say<Body: Message>(_ condition: TopicCondition?, of topic: Topic<Body>) {}

    package func ask<Query: Request>(
        _ query: Query, answer: @escaping @Sendable (Result<Query.Reply, Refusal>) async -> Void
    ) {
        ask(query, deadline: .seconds(5), answer: answer)
    }

    /// Asks and waits: for tools. A service must not await this inside `receive`: in virtual time the answer can
    /// only come after it returned.
    package func request<Query: Request>(
        _ query: Query, deadline: Duration = .seconds(5)
    ) async throws(Refusal) -> Query.Reply {
        let result = await withCheckedContinuation { continuation in
            ask(query, deadline: deadline) { continuation.resume(returning: $0) }
        }
        return try result.get()
    }
}

/// What reaches a service, in order.
package enum BusEvent: Sendable {
    /// A message of a topic it subscribed to. For events: returning acknowledges, throwing means "again later".
    case message(Received)
    /// A question to this process. Must be answered by `reply` or `refuse`, now or later.
    case request(IncomingRequest)
    /// Time moved on; timers may be due. About every `tick` of the service, or each step of virtual time.
    case tick
    /// The hub is there (again) and the kept values of all subscribed state topics have been delivered.
    case joined(hubEpoch: UInt64)
    /// The hub has been silent; what is sent now waits or is counted as lost.
    case lost(reason: String)
}

/// A message as it arrived; decoded when somebody wants it.
package struct Received: Sendable {
    /// Full name, without the NUL of the wire.
    package let topic: String
    package let header: Header
    package let body: [UInt8]

    package init(topic: String, header: Header, body: [UInt8]) {
        self.topic = topic
        self.header = header
        self.body = body
    }

    /// True for the deletion of a kept state value: there is no body.
    package var isTombstone: Bool { header.flags.contains(.tombstone) }

    /// Last part of the topic: the listener or process.
    package var instance: String {
        topic.lastIndex(of: "/").map { String(topic[topic.index(after: $0)...]) } ?? topic
    }
}

/// A process on the bus: an actor whose rules live in plain structs.
package protocol BusService: Actor {
    /// Topic families (`bio/heart-rate`) or prefixes ending in `/` (`bio/`) that it hears.
    nonisolated var subscriptions: [String] { get }
    /// How often it wants a tick in system time.
    nonisolated var tick: Duration { get }
    /// Handles one thing. Throwing is for events that could not be stored: they come again.
    func receive(_ event: BusEvent, bus: any BusPort) async throws
    /// The process ends: store what must not be lost. At most a few hundred milliseconds.
    func finish(bus: any BusPort) async
}

extension BusService {
    package nonisolated var tick: Duration { .seconds(1) }
    package func finish(bus: any BusPort) async {}
}
