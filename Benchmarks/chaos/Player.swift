import Bus
import Foundation
import Logging
import Protocols

/// One process of the run: connects, and does what its role does until it is told to stop.
struct Player {
    let role: Role
    let life: Int
    let rate: Double
    let directory: URL

    /// The file that tells everybody to publish nothing more, and the one that asks for the final books.
    static func quiet(_ directory: URL) -> URL { directory.appending(path: "quiet") }
    static func finish(_ directory: URL) -> URL { directory.appending(path: "finish") }

    func play() async throws {
        let peer = BusPeer(
            identity: PeerIdentity(name: role.name, version: "chaos"),
            transport: ZeroMQTransport(try BusEndpoints(runtimeDirectory: directory)),
            outbox: try outbox(),
            logger: Logger(label: "chaos.\(role.rawValue)", factory: { _ in SwiftLogNoOpLogHandler() }))
        let actor = try ChaosActor(role: role, life: life, rate: rate, directory: directory, peer: peer)
        let loop = Task { try await runPeer(actor, on: peer) }
        let finish = Self.finish(directory).path(percentEncoded: false)
        while !FileManager.default.fileExists(atPath: finish) {
            try await Task.sleep(for: .milliseconds(200))
            guard await !actor.isBroken else { throw Refusal(code: "internal", message: "books cannot be written") }
        }
        try await actor.close()
        loop.cancel()
        _ = await loop.result
    }

    private func outbox() throws -> Outbox {
        var tries = 0
        while true {
            do {
                return try Outbox(name: role.name, in: directory)
            } catch {
                // The life before has just been killed.
                tries += 1
                guard tries < 20 else { throw error }
                Thread.sleep(forTimeInterval: 0.1)
            }
        }
    }
}
