import Bus
import Logging
import Protocols
import ServiceLifecycle

/// One service on the bus, as a member of the process's service group.
struct BusProcess: Service {
    var service: any BusService
    var peer: PeerHandle

    func run() async throws { try await peer.run(service) }
}

struct PeerHandle: Sendable {
    var secondsSinceProgress: Double?
    var run: @Sendable (any BusService) async throws -> Void
}

func makePeer(
    _ name: ProcessName, roles: [ProcessName], resolved: ResolvedOptions, logger: Logger
) throws -> PeerHandle {
    PeerHandle(secondsSinceProgress: nil) { _ in
        throw Refusal(code: "unavailable", message: "no transport yet")
    }
}
