import Bus
import Foundation
import Protocols

/// Figures of the built `hub` with its spool on the disk: the program that lies beside this one.
enum RealHub {
    static let durableMessages = 2000
    private static let pauseMicroseconds: UInt32 = 20

    /// Time from publishing an event until the hub has said that it is on its disk, one at a time, in ns. The outbox of
    /// the sender, which writes as well, is part of it; asking whether it is empty adds up to 0.1 ms.
    static func measureDurable() async throws -> [Int64] {
        try await inFolder { folder in
            let hub = try start(folder)
            defer { Stage.end(hub) }
            let peer = BusPeer(
                identity: PeerIdentity(name: .sensor, version: "benchmark"),
                transport: ZeroMQTransport(try BusEndpoints(runtimeDirectory: folder)),
                outbox: try Outbox(name: .sensor, in: folder.appending(path: "sender", directoryHint: .isDirectory)),
                logger: Roles.logger)
            let loop = Task { try await runPeer(Quiet(), on: peer) }
            while !peer.isJoined { try await Task.sleep(for: .milliseconds(5)) }
            let batch = BioBatch(rr: [Roles.intervals(0)])
            let times = await withCheckedContinuation { continuation in
                Thread.detachNewThread {
                    var times: [Int64] = []
                    for _ in 0..<durableMessages {
                        let begin = Moment.readMonotonic()
                        peer.publish(batch, on: Registry.bioBatch())
                        while peer.unacknowledged > 0, Moment.readMonotonic() - begin < 5_000_000_000 {
                            usleep(pauseMicroseconds)
                        }
                        times.append(Moment.readMonotonic() - begin)
                    }
                    continuation.resume(returning: times)
                }
            }
            loop.cancel()
            _ = await loop.result
            return times
        }
    }

    /// Milliseconds from the start of a new hub, right after kill -9 of the old one, until a message passes again from a
    /// sender to a reader that were there all the time.
    static func measureRestart() async throws -> Double {
        try await inFolder { folder in
            let old = try start(folder)
            let sink = RestartSink()
            let reader = try Roles.peer(folder, .body)
            let sender = try Roles.peer(folder, .sensor)
            let loops = [
                Task { try await runPeer(sink, on: reader) }, Task { try await runPeer(Quiet(), on: sender) },
            ]
            while !reader.isJoined || !sender.isJoined { try await Task.sleep(for: .milliseconds(5)) }
            let talk = Task {
                while !Task.isCancelled {
                    let rate = HeartRate(at: Moment.read().timestamp, bpm: 60, source: "simulation")
                    sender.publish(rate, on: Registry.heartRate())
                    try? await Task.sleep(for: .milliseconds(1))
                }
            }
            let epoch = await sink.nextHub(after: 0).epoch
            Stage.end(old)
            let begin = Moment.readMonotonic()
            let new = try start(folder)
            defer { Stage.end(new) }
            let heardNs = await sink.nextHub(after: epoch).heardNs
            talk.cancel()
            await talk.value
            for loop in loops { loop.cancel() }
            for loop in loops { _ = await loop.result }
            return Double(heardNs - begin) / 1e6
        }
    }

    private static func inFolder<Value>(_ body: (URL) async throws -> Value) async throws -> Value {
        let folder = URL(filePath: "/tmp/rsn-bench-\(UUID().uuidString.prefix(8))", directoryHint: .isDirectory)
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        defer { try? FileManager.default.removeItem(at: folder) }
        return try await body(folder)
    }

    private static func start(_ folder: URL) throws -> Process {
        let process = Process()
        process.executableURL = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().appending(
            path: "hub")
        let path = folder.path(percentEncoded: false)
        process.arguments = ["--runtime-dir", path, "--data-dir", path + "data", "--log-level", "error"]
        try process.run()
        return process
    }
}

/// Notes when the first message of another hub was heard.
private actor RestartSink: BusService {
    nonisolated let subscriptions = ["bio/heart-rate"]
    private var epoch: UInt64 = 0
    private var heardNs: Int64 = 0
    private var waiter: (old: UInt64, continuation: CheckedContinuation<(epoch: UInt64, heardNs: Int64), Never>)?

    func receive(_ event: BusEvent, bus: any BusPort) async throws {
        guard case .message(let message) = event, message.header.hubEpoch != epoch else { return }
        epoch = message.header.hubEpoch
        heardNs = Moment.readMonotonic()
        if let waiter, waiter.old != epoch {
            self.waiter = nil
            waiter.continuation.resume(returning: (epoch, heardNs))
        }
    }

    func nextHub(after old: UInt64) async -> (epoch: UInt64, heardNs: Int64) {
        if epoch != 0, epoch != old { return (epoch, heardNs) }
        return await withCheckedContinuation { waiter = (old, $0) }
    }
}
