import Foundation
import Protocols
import Synchronization
import Testing

@testable import Bus

/// A network that stalls and cuts, between a hub and a peer on another machine.
@Suite(.timeLimit(.minutes(1)), .serialized, .enabled(if: Relay.python != nil, "python3 is missing"))
struct BadNetworkTests {
    @Test func `a half-open line is noticed, and heals by itself`() async throws {
        let hub = try RemoteHub()
        let relay = try Relay(to: hub.port)
        let pairing = try hub.pair("kitchen", through: relay.port)
        await hub.start()
        let probe = Probe(["music/"])
        let peer = Running(probe, as: "kitchen", over: ZeroMQTransport(try BusEndpoints(pairing)))
        await probe.wait { !$0.joins.isEmpty }
        // TCP itself sees nothing wrong: the connections stay, nothing goes through them.
        try relay.set("stall")
        await probe.wait { $0.lost > 0 }
        #expect(!peer.peer.isJoined)
        try relay.set("cut")
        await probe.wait { $0.joins.count > 1 }
        await peer.stop()
        await hub.stop()
    }

    @Test func `events of a peer behind a line that is cut again and again arrive once and in order`() async throws {
        let hub = try RemoteHub()
        let relay = try Relay(to: hub.port)
        let pairing = try hub.pair("kitchen", .watch, through: relay.port)
        await hub.start()
        let probe = Probe(["bio/batch"])
        let body = Running(probe, as: .body, over: ZeroMQTransport(try hub.local))
        await probe.wait { !$0.joins.isEmpty }
        let data = try TemporaryDirectory()
        let sensor = Running(
            Probe([]), as: .sensor, over: ZeroMQTransport(try BusEndpoints(pairing)),
            outbox: try Outbox(name: .sensor, in: data.url))
        for round in 1...5 {
            for _ in 1...20 { sensor.peer.publish(BioBatch(), on: Registry.bioBatch()) }
            try relay.set(round % 2 == 0 ? "delay 0.05" : "cut \(round)")
            await probe.wait { $0.messages.count >= round * 10 }
        }
        await probe.wait { $0.messages.count >= 100 }
        try await eventually { sensor.peer.unacknowledged == 0 }
        #expect(await probe.messages.map(\.header.sequence) == Array(1...100))
        await sensor.stop()
        await body.stop()
        await hub.stop()
    }

    @Test func `a process ends at once although its hub on another machine never was`() async throws {
        let secret = try CurveKey.newPair()
        let pairing = Pairing(
            name: "kitchen", address: "127.0.0.1:9", hubKey: try CurveKey.newPair().publicKey,
            secretKey: secret.secretKey)
        let peer = Running(Probe([]), as: "kitchen", over: ZeroMQTransport(try BusEndpoints(pairing)))
        for _ in 1...100 { peer.peer.publish(HeartRate(at: noon, bpm: 1, source: "t"), on: Registry.heartRate()) }
        // Would hang for ever with the LINGER of libzmq; the time limit of the suite is the assertion.
        await peer.stop()
    }

    @Test func `a socket that is touched from another thread ends the process, and not its memory`() async {
        await #expect(processExitsWith: .failure) {
            // Every socket belongs to an actor whose executor is such a loop: this is what each access to it asks.
            try IOLoop().checkIsolated()
        }
    }
}

/// `Tests/Tools/relay.py` in front of a hub's two ports.
final class Relay: Sendable {
    static let python = ["/usr/bin/python3", "/usr/local/bin/python3"]
        .first { FileManager.default.isExecutableFile(atPath: $0) }

    let port: UInt16
    private let folder: TemporaryDirectory
    private let pid: Int32

    init(to target: UInt16) throws {
        folder = try TemporaryDirectory()
        port = UInt16.random(in: 5_000...9_000) & ~1
        let script = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Tools/relay.py")
        let control = folder.url.appending(path: "control")
        try Data("pass".utf8).write(to: control)
        let process = Process()
        process.executableURL = URL(filePath: Self.python ?? "/usr/bin/python3")
        process.arguments = [
            script.path(percentEncoded: false), control.path(percentEncoded: false), "127.0.0.1:\(port)",
            "127.0.0.1:\(target)", "127.0.0.1:\(port + 1)", "127.0.0.1:\(target + 1)",
        ]
        try process.run()
        pid = process.processIdentifier
    }

    deinit { kill(pid, SIGKILL) }

    func set(_ text: String) throws {
        try Data(text.utf8).write(to: folder.url.appending(path: "control"), options: .atomic)
    }
}
