import Protocols
import Synchronization

/// The whole bus inside a test: no sockets, no threads, time only moves when the test says so.
///
/// It runs the same bulk-synchronous steps as virtual time between real processes: what is sent during one step arrives
/// in the next, sorted by the sender's name and then by its order of sending; the services of a step are served in
/// the order of their names. The same inputs therefore give the same outputs, byte for byte.
///
///     let bus = LockStep(start: start)
///     bus.add(Brain(), as: .brain)
///     bus.publish(HeartRate(at: start, bpm: 62, source: "test"), on: Registry.heartRate())
///     await bus.advance(by: .seconds(60), step: .seconds(5))
///     let states = try bus.messages(of: Registry.state)
package final class LockStep: Sendable {
    /// Sender of what the test itself publishes and asks.
    package static let testIdentity: ProcessName = "test"
    /// Failures of one event after which it is given up.
    package static let poisonLimit = 5

    let state: Mutex<LockStepState>

    package init(start: Timestamp) { state = Mutex(LockStepState(now: start)) }

    package var now: Timestamp { state.withLock { $0.now } }

    /// Everything that was published so far, by anybody, in canonical order.
    package var published: [Received] { state.withLock { $0.published } }

    /// Events that a consumer refused ``poisonLimit`` times.
    package var poisoned: [Received] { state.withLock { $0.poisoned } }

    /// What services threw, as `name: error`.
    package var failures: [String] { state.withLock { $0.failures } }

    /// The bodies published on a family, oldest first.
    ///
    /// - Parameter instance: the listener (last part of the topic); nil = all of them.
    /// - Throws: ``ReceivedError``.
    package func messages<Body: Message>(
        of family: TopicFamily<Body>, instance: String? = nil
    ) throws(ReceivedError) -> [Body] {
        var bodies: [Body] = []
        for message in published where instance == nil || message.instance == instance {
            if let body = try message.decode(family) { bodies.append(body) }
        }
        return bodies
    }

    /// Starts a process: with its first step it hears the kept states, then `joined`.
    ///
    /// - Parameter roles: further names that it answers to, such as `player`.
    package func add(_ service: any BusService, as name: ProcessName, roles: [ProcessName] = []) {
        state.withLock { $0.add(service, name: name, roles: roles) }
    }

    /// Ends a process as a kill would: what it had not handled is gone, but for events, which wait for it.
    package func remove(_ name: ProcessName) {
        state.withLock { $0.remove(name) }
    }

    /// Ends a process in an orderly way.
    package func finish(_ name: ProcessName) async {
        let service = state.withLock { $0.members[name]?.service }
        await service?.finish(bus: port(of: name))
        state.withLock { $0.remove(name) }
    }

    /// Publishes as the test; arrives with the next step.
    package func publish<Body: Message>(_ body: Body, on topic: Topic<Body>) {
        port(of: Self.testIdentity).publish(body, on: topic)
    }

    /// What a test, or a process that is no service, can do on this bus.
    package func port(of name: ProcessName) -> any BusPort { LockStepPort(bus: self, name: name) }

    /// Asks as the test, and makes steps (at the present time) until the answer is there.
    package func request<Query: Request>(_ query: Query) async throws(Refusal) -> Query.Reply {
        try await request(Query.target, Query.name, query)
    }

    /// Asks a process that is named at the call.
    package func request<Query: Message, Reply: Message>(
        _ process: ProcessName, _ name: String, _ query: Query
    ) async throws(Refusal) -> Reply {
        let box = AnswerBox<Result<Reply, Refusal>>()
        port(of: Self.testIdentity).ask(process, name, query, deadline: .seconds(60)) {
            (reply: Result<Reply, Refusal>) in
            box.set(reply)
        }
        for _ in 0..<16 {
            await step(to: now)
            if let reply = box.get() { return try reply.get() }
        }
        throw Refusal(code: "deadline", message: "\(process) did not answer \(name) within 16 steps")
    }

    /// Moves time on in steps; the last one is shortened so that it ends at `end`.
    package func advance(to end: Timestamp, step: Duration) async {
        let length = max(1, Int64((step / .milliseconds(1)).rounded()))
        while now < end {
            await self.step(to: min(end, now.adding(milliseconds: length)))
        }
    }

    package func advance(by duration: Duration, step: Duration) async {
        await advance(to: now.adding(milliseconds: Int64((duration / .milliseconds(1)).rounded())), step: step)
    }

    /// Makes exactly one step: everybody hears what was sent since the step before, then a tick.
    package func step(to time: Timestamp) async {
        let names = state.withLock { $0.beginStep(at: time) }
        for name in names {
            guard let (service, items) = state.withLock({ $0.take(name) }) else { continue }
            let port = LockStepPort(bus: self, name: name)
            for item in items { await deliver(item, to: service, named: name, port: port) }
        }
        for answer in state.withLock({ $0.takeTestAnswers() }) { await answer() }
    }

    private func deliver(
        _ item: LockStepItem, to service: any BusService, named name: ProcessName, port: LockStepPort
    ) async {
        switch item {
        case .answer(let answer): await answer()
        case .event(let event, let failures):
            do {
                try await service.receive(event, bus: port)
            } catch {
                if case .request(let request) = event {
                    request.refuse((error as? Refusal) ?? Refusal(code: "internal", message: "\(error)"))
                }
                state.withLock { $0.failed(event, after: failures, name: name, error: error) }
            }
        }
    }
}

/// Holds the one answer of a request.
private final class AnswerBox<Value: Sendable>: Sendable {
    private let value = Mutex<Value?>(nil)
    func set(_ new: Value) { value.withLock { $0 = new } }
    func get() -> Value? { value.withLock { $0 } }
}
