import Bus
import Foundation
import Protocols

/// What the bus costs while nobody says anything: a hub and as many peers as the house has.
enum Idle {
    static let seconds = 20

    /// - Returns: percent of a core, of the hub and of one peer (mean).
    static func measure() async throws -> (hub: Double, peer: Double) {
        let folder = URL(filePath: "/tmp/rsn-bench-\(UUID().uuidString.prefix(8))", directoryHint: .isDirectory)
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        defer { try? FileManager.default.removeItem(at: folder) }
        let hub = try Stage.start("hub", folder)
        let peers = try BusBenchmark.stepPeers.dropLast().map { try Stage.start("idle-peer", folder, [$0]) }
        defer { for process in peers + [hub] { Stage.end(process) } }
        // Start-up is over by then.
        try await Task.sleep(for: .seconds(3))
        let (hubBefore, peersBefore) = (try cpuSeconds(hub), try peers.map(cpuSeconds).reduce(0, +))
        let begin = ContinuousClock.now
        try await Task.sleep(for: .seconds(seconds))
        let share = 100 / ((ContinuousClock.now - begin) / .seconds(1))
        return (
            share * (try cpuSeconds(hub) - hubBefore),
            share * (try peers.map(cpuSeconds).reduce(0, +) - peersBefore) / Double(peers.count)
        )
    }

    static func peer(_ folder: URL, name: String) async throws {
        let peer = try Roles.peer(folder, ProcessName(rawValue: name))
        try await runPeer(Listener(), on: peer)
    }

    /// Time on a processor of all threads: exact, unlike the ticks of `stat`.
    private static func cpuSeconds(_ process: Process) throws -> Double {
        let tasks = URL(filePath: "/proc/\(process.processIdentifier)/task")
        return try FileManager.default.contentsOfDirectory(atPath: tasks.path()).reduce(0) { sum, task in
            let text = try String(contentsOf: tasks.appending(path: "\(task)/schedstat"), encoding: .utf8)
            return sum + (text.split(separator: " ").first.flatMap { Double($0) } ?? 0) / 1e9
        }
    }
}

/// Hears what a service hears, and does nothing.
private actor Listener: BusService {
    nonisolated let subscriptions = ["bio/", "state/vector"]
    func receive(_ event: BusEvent, bus: any BusPort) async throws {}
}
