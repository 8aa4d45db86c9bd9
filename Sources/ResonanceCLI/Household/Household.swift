import Bus
import Protocols

/// The running processes, as a command sees them: through the hub, or played by a test.
protocol Household: Sendable {
    /// Whose topics a command means.
    var listener: String { get }
    /// The subscribed messages in order; ends when the household is left.
    var events: AsyncStream<BusEvent> { get }
    /// Asks the process that a request belongs to.
    ///
    /// - Parameter deadline: nil = what the person chose with `--timeout`.
    func request<Query: Request>(_ query: Query, deadline: Duration?) async throws(Refusal) -> Query.Reply
    /// Asks a process that is named at the call.
    func request<Query: Message, Reply: Message>(
        _ process: ProcessName, _ name: String, _ query: Query, deadline: Duration?
    ) async throws(Refusal) -> Reply
    func leave() async
}

extension Household {
    func request<Query: Request>(_ query: Query) async throws(Refusal) -> Query.Reply {
        try await request(query, deadline: nil)
    }

    /// Asks, and takes a refusal for an answer: for commands that show what they can get.
    func attempt<Query: Request>(_ query: Query, deadline: Duration? = nil) async -> Result<Query.Reply, Refusal> {
        do throws(Refusal) {
            return .success(try await request(query, deadline: deadline))
        } catch {
            return .failure(error)
        }
    }
}
