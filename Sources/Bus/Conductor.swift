import Foundation
import Protocols
import Synchronization

/// Moves virtual time for processes that were started with `--clock bus`: a step at a time, the next one only when
/// everybody has done all the work of the one before.
///
/// What the conductor itself sends between two steps arrives with the next one, in the order of sending.
package final class Conductor: Sendable {
    /// Real seconds after which the marker of a step is sent again, for a process that missed it or was restarted.
    package static let repeatAfter = Duration.seconds(1)

    /// What a long wait is waiting for.
    package struct Waiting: Sendable, Equatable {
        package let step: UInt64
        package let processes: [ProcessName]
        package let seconds: Double
    }

    package let client: BusClient
    private let expected: [ProcessName]
    private let state: Mutex<State>

    private struct State {
        var now: Timestamp
        var step: UInt64
        var missing: Set<ProcessName> = []
        var waiter: CheckedContinuation<Void, Never>?
    }

    /// - Parameters:
    ///   - client: connected as ``ProcessName/conductor``.
    ///   - processes: whose step is waited for, by the names they say hello with.
    ///   - start: virtual time before the first step.
    ///   - firstStep: number of the first step. A process that has lived through step n takes any step up to n as done,
    ///     so a later conductor of the same processes must begin above; milliseconds since 1970 will do.
    package init(client: BusClient, processes: [ProcessName], start: Timestamp, firstStep: UInt64 = 1) {
        self.client = client
        expected = processes
        state = Mutex(State(now: start, step: max(1, firstStep) - 1))
        client.peer.stepHandler.withLock { handler in
            handler = StepHandler { [weak self] step in self?.note(step) }
        }
    }

    package var now: Timestamp { state.withLock { $0.now } }
    package var step: UInt64 { state.withLock { $0.step } }

    private func note(_ done: ClockStep) {
        let waiter = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard done.step == state.step, state.missing.remove(done.process) != nil, state.missing.isEmpty else {
                return nil
            }
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume()
    }

    /// Waits until every expected process is on the bus.
    ///
    /// - Throws: ``BusError/stepsMissing(processes:step:seconds:)`` when some are not within `limit`; `Refusal` when the
    ///   hub is gone.
    package func waitForProcesses(
        limit: Duration = .seconds(60), progress: @Sendable (Waiting) -> Void = { _ in }
    ) async throws {
        let begin = ContinuousClock.now
        while true {
            let table = try await client.request(HubPeers())
            let ready = Set(table.processes.filter { $0.running && $0.ready }.map(\.process))
            let missing = expected.filter { !ready.contains($0) }
            if missing.isEmpty { return }
            let waited = (ContinuousClock.now - begin) / .seconds(1)
            progress(Waiting(step: 0, processes: missing, seconds: waited))
            guard ContinuousClock.now - begin < limit else {
                throw BusError.stepsMissing(processes: missing.map(\.rawValue), step: 0, seconds: waited)
            }
            try await Task.sleep(for: .milliseconds(50))
        }
    }

    /// Makes one step to `time` and waits until all have done it.
    ///
    /// - Parameters:
    ///   - rate: virtual seconds per real second, for those who show it; 0 = as fast as possible.
    ///   - limit: after this it gives up; a process that is restarted meanwhile takes part again.
    ///   - stuck: told each second that somebody is waited for.
    /// - Throws: ``BusError/stepsMissing(processes:step:seconds:)``.
    package func step(
        to time: Timestamp, rate: Double = 0, limit: Duration = .seconds(120),
        stuck: @Sendable (Waiting) -> Void = { _ in }
    ) async throws {
        let number = state.withLock { state in
            state.step += 1
            state.now = time
            state.missing = Set(expected)
            return state.step
        }
        let begin = ContinuousClock.now
        let marker = VirtualNow(nowAt: time, step: number, rate: rate)
        while true {
            client.publish(marker, on: Registry.virtualNow())
            if await isDone(within: Self.repeatAfter) { return }
            try Task.checkCancellation()
            let waited = ContinuousClock.now - begin
            let missing = state.withLock { $0.missing }.sorted { $0.rawValue < $1.rawValue }
            let seconds = waited / .seconds(1)
            stuck(Waiting(step: number, processes: missing, seconds: seconds))
            guard waited < limit else {
                throw BusError.stepsMissing(processes: missing.map(\.rawValue), step: number, seconds: seconds)
            }
        }
    }

    private func isDone(within limit: Duration) async -> Bool {
        let alarm = Task {
            try await Task.sleep(for: limit)
            wakeWaiter()
        }
        defer { alarm.cancel() }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isDone = state.withLock { state in
                    if !state.missing.isEmpty { state.waiter = continuation }
                    return state.missing.isEmpty
                }
                if isDone { continuation.resume() }
            }
        } onCancel: {
            wakeWaiter()
        }
        return state.withLock { $0.missing.isEmpty }
    }

    private func wakeWaiter() {
        let waiter = state.withLock { state in
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume()
    }

    /// Asks a process on virtual time, making steps at the present time until the answer is here.
    package func request<Query: Message, Reply: Message>(
        _ process: ProcessName, _ name: String, _ query: Query
    ) async throws -> Reply {
        let box = AnswerSlot<Result<Reply, Refusal>>()
        client.peer.ask(process, name, query, deadline: .seconds(600)) { (result: Result<Reply, Refusal>) in
            box.set(result)
        }
        for _ in 0..<32 {
            try await step(to: now)
            // The answer left its process before the report of the step and came by the same way, so it is in the inbox.
            await client.peer.drainInbox()
            if let result = box.get() { return try result.get() }
        }
        throw Refusal(code: "deadline", message: "\(process) did not answer \(name) within 32 steps")
    }

    package func request<Query: Request>(_ query: Query) async throws -> Query.Reply {
        try await request(Query.target, Query.name, query)
    }
}

/// Holds the one answer of a request.
private final class AnswerSlot<Value: Sendable>: Sendable {
    private let value = Mutex<Value?>(nil)
    func set(_ new: Value) { value.withLock { $0 = new } }
    func get() -> Value? { value.withLock { $0 } }
}
