import Bus
import Protocols

/// The household through its hub.
struct BusHousehold: Household {
    let listener: String
    let events: AsyncStream<BusEvent>

    static func join(_ options: BusOptions, subscriptions: [String]) async throws -> BusHousehold {
        throw CommandFailure(.unavailable, "no hub")
    }

    func request<Query: Request>(_ query: Query, deadline: Duration?) async throws(Refusal) -> Query.Reply {
        throw Refusal(code: "unavailable", message: "no hub")
    }

    func request<Query: Message, Reply: Message>(
        _ process: ProcessName, _ name: String, _ query: Query, deadline: Duration?
    ) async throws(Refusal) -> Reply {
        throw Refusal(code: "unavailable", message: "no hub")
    }

    func leave() async {}
}
