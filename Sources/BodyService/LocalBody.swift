import Bus
import Foundation
import Logging
import Physiology
import Protocols
import Synchronization

/// The body without any other process: answers the same questions from a database of its own.
///
/// Nothing is published; while it is open no other process can open the database.
package final class LocalBody: Sendable {
    private let keeper: BodyKeeper
    private let port: SilentPort

    /// - Parameters:
    ///   - database: path of the SQLite file; made when it is missing.
    ///   - clock: the present moment.
    /// - Throws: ``StoreError`` with cause and cure: `taken` names the process that has it open.
    package init(
        database: URL, timeZone: TimeZone, logger: Logger,
        clock: @escaping @Sendable () -> Timestamp = { Timestamp(.now) }
    ) throws {
        keeper = try BodyKeeper(
            store: BodyStore(path: database.path(percentEncoded: false)), clock: LocalClock(timeZone: timeZone),
            listener: "me", logger: logger, reader: healthReader)
        port = SilentPort(clock: clock)
    }

    /// Answers as the process would.
    package func request<Query: Message, Reply: Message>(
        _ name: String, _ query: Query, as reply: Reply.Type
    ) async throws(Refusal) -> Reply {
        let body: [UInt8]
        do {
            body = Array(try JSONEncoder().encode(query))
        } catch {
            throw Refusal(code: "internal", message: "\(name) could not be encoded: \(error)")
        }
        let answer: Result<[UInt8], Refusal> = await withCheckedContinuation { continuation in
            // A continuation may be resumed once; a service might answer twice.
            let isAnswered = Mutex(false)
            let request = IncomingRequest(name: name, from: "local", idempotencyKey: "", body: body) { answer in
                let first = isAnswered.withLock { old in
                    defer { old = true }
                    return !old
                }
                if first { continuation.resume(returning: answer) }
            }
            Task { [keeper, port] in try await keeper.receive(.request(request), bus: port) }
        }
        let bytes = try answer.get()
        do {
            return try JSONDecoder().decode(Reply.self, from: Data(bytes))
        } catch {
            throw Refusal(code: "internal", message: "the answer to \(name) cannot be read: \(error)")
        }
    }

    /// Ends an import that is under way, and closes the database.
    package func close() async { await keeper.finish(bus: port) }
}

/// A bus on which nobody else is.
private struct SilentPort: BusPort {
    let clock: @Sendable () -> Timestamp

    var now: Timestamp { clock() }

    func publish<Body: Message>(_ body: Body, on topic: Topic<Body>) {}
    func withdraw<Body: Message>(_ topic: Topic<Body>) {}

    func ask<Query: Request>(
        _ query: Query, deadline: Duration,
        answer: @escaping @Sendable (Result<Query.Reply, Refusal>) async -> Void
    ) {
        Task { await answer(.failure(Self.nobody(Query.target))) }
    }

    func ask<Query: Message, Reply: Message>(
        _ process: ProcessName, _ name: String, _ query: Query, deadline: Duration,
        answer: @escaping @Sendable (Result<Reply, Refusal>) async -> Void
    ) {
        Task { await answer(.failure(Self.nobody(process))) }
    }

    private static func nobody(_ process: ProcessName) -> Refusal {
        Refusal(code: "unknown-process", message: "\(process) is not there: this is a database without processes")
    }
}
