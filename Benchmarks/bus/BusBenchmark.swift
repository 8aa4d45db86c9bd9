import Bus
import Foundation
import Protocols

/// Measures the bus: Swift to Swift through the hub, each figure beside raw libzmq through `zmq_proxy` in the same run.
///
/// Every role is a process of its own, as in real life: this program starts itself again with the name of the role.
@main
struct BusBenchmark {
    static let latencyMessages = 10_000
    static let throughputMessages = 300_000
    static let steps = 2_000
    static let stepPeers = ["sensor-emitter", "context-agent", "librarian", "body", "brain", "player-stub", "observer"]

    static func main() async throws {
        let arguments = CommandLine.arguments
        if arguments.count >= 3, !parts.contains(arguments[1]) {
            try await play(
                role: arguments[1], directory: URL(filePath: arguments[2], directoryHint: .isDirectory),
                rest: Array(arguments.dropFirst(3)))
            return
        }
        for part in arguments.dropFirst().isEmpty ? Self.parts : Array(arguments.dropFirst()) {
            guard Self.parts.contains(part) else {
                FileHandle.standardError.write(Data("unknown part \(part): \(parts.joined(separator: ", "))\n".utf8))
                exit(2)
            }
            try await measure(part)
        }
    }

    /// What can be measured alone. Each prints one line: its name, then figures; `Benchmarks/bus.py` repeats them.
    static let parts = [
        "latency", "raw-latency", "tcp-latency", "curve-latency", "throughput", "raw-throughput", "tcp-throughput",
        "curve-throughput", "durable", "restart", "steps", "idle",
    ]

    static func measure(_ part: String) async throws {
        switch part {
        case "latency": print(part, describe(try await measureLatency("hub")))
        case "tcp-latency": print(part, describe(try await measureLatency("hub-tcp")))
        case "curve-latency": print(part, describe(try await measureLatency("hub-curve")))
        case "raw-latency":
            let raw = try await withStage("raw-hub") { directory in
                try await RawRoles.measure(directory, count: latencyMessages, publisher: "raw-paced").latencies
            }
            print(part, describe(raw))
        case "throughput": print(part, Int(try await measureThroughput("hub")))
        case "tcp-throughput": print(part, Int(try await measureThroughput("hub-tcp")))
        case "curve-throughput": print(part, Int(try await measureThroughput("hub-curve")))
        case "raw-throughput":
            let raw = try await withStage("raw-hub") { directory in
                try await RawRoles.measure(directory, count: throughputMessages, publisher: "raw-flood").rate
            }
            print(part, Int(raw))
        case "durable": print(part, describe(try await RealHub.measureDurable()))
        case "idle":
            let (hub, peer) = try await Idle.measure()
            print(part, String(format: "%.2f %.2f", hub, peer))
        case "restart": print(part, String(format: "%.1f", try await RealHub.measureRestart()))
        default: print(part, String(format: "%.2f", try await measureSteps()))
        }
    }

    /// One process of a measurement.
    static func play(role: String, directory: URL, rest: [String]) async throws {
        switch role {
        case "hub": try await Roles.hub(directory)
        case "hub-tcp": try await NetworkHub.serve(directory, curve: false)
        case "hub-curve": try await NetworkHub.serve(directory, curve: true)
        case "publish-paced": try await Roles.publishPaced(directory, count: latencyMessages)
        case "publish-flood": try await Roles.publishFlood(directory, count: throughputMessages)
        case "idle-peer": try await Idle.peer(directory, name: rest.first ?? "nobody")
        case "step-peer": try await Roles.stepPeer(directory, name: rest.first ?? "nobody")
        case "raw-hub": try RawRoles.proxy(directory)
        case "raw-paced": try RawRoles.publish(directory, count: latencyMessages, paced: true)
        case "raw-flood": try RawRoles.publish(directory, count: throughputMessages, paced: false)
        default: FileHandle.standardError.write(Data("unknown role \(role)\n".utf8))
        }
    }

    static func measureLatency(_ hub: String) async throws -> [Int64] {
        try await withStage(hub) { directory in
            let sink = LatencySink(expected: latencyMessages)
            let running = try await Roles.listen(directory, sink)
            let publisher = try Stage.start("publish-paced", directory)
            let result = await sink.result()
            publisher.waitUntilExit()
            running.cancel()
            _ = await running.result
            return result
        }
    }

    /// - Returns: messages per second, −1 when one was missing.
    static func measureThroughput(_ hub: String) async throws -> Double {
        try await withStage(hub) { directory in
            let sink = FloodSink(expected: throughputMessages)
            let running = try await Roles.listen(directory, sink)
            let publisher = try Stage.start("publish-flood", directory)
            let rate = await sink.rate()
            publisher.waitUntilExit()
            running.cancel()
            _ = await running.result
            return rate
        }
    }

    /// - Returns: milliseconds per step.
    static func measureSteps() async throws -> Double {
        try await withStage("hub") { directory in
            let peers = try stepPeers.map { try Stage.start("step-peer", directory, [$0]) }
            defer { for peer in peers { Stage.end(peer) } }
            let client = try await BusClient.connect(
                to: BusEndpoints(runtimeDirectory: directory), as: .conductor, timeout: .seconds(10))
            let start = Timestamp(milliseconds: 1_700_000_000_000)
            let conductor = Conductor(
                client: client, processes: stepPeers.map { ProcessName(rawValue: $0) }, start: start)
            try await conductor.waitForProcesses()
            let begin = ContinuousClock.now
            for step in 1...steps { try await conductor.step(to: start.adding(seconds: Double(step * 5))) }
            let took = ContinuousClock.now - begin
            await client.close()
            return took / .milliseconds(1) / Double(steps)
        }
    }

    /// Runs a hub of either kind in a fresh directory for the length of a measurement.
    static func withStage<Value>(
        _ hub: String, _ body: (URL) async throws -> Value
    ) async throws -> Value {
        let directory = URL(filePath: "/tmp/rsn-bench-\(UUID().uuidString.prefix(8))", directoryHint: .isDirectory)
        try FileManager.default.createDirectory(
            at: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        defer { try? FileManager.default.removeItem(at: directory) }
        let process = try Stage.start(hub, directory)
        defer { Stage.end(process) }
        if hub == "hub-tcp" || hub == "hub-curve" { try await NetworkHub.waitForAddress(directory) }
        return try await body(directory)
    }

    /// p50 and p99 in µs.
    static func describe(_ nanoseconds: [Int64]) -> String {
        let sorted = nanoseconds.sorted()
        guard let last = sorted.indices.last else { return "nothing arrived" }
        func at(_ share: Double) -> Double { Double(sorted[Int(Double(last) * share)]) / 1000 }
        return String(format: "%.1f %.1f", at(0.5), at(0.99))
    }
}

/// Starts this program again in another role.
enum Stage {
    static func start(_ role: String, _ directory: URL, _ rest: [String] = []) throws -> Process {
        let process = Process()
        process.executableURL = URL(filePath: CommandLine.arguments[0])
        process.arguments = [role, directory.path(percentEncoded: false)] + rest
        try process.run()
        return process
    }

    /// Not `terminate()`: a child of a dispatch thread inherits its mask, which blocks SIGTERM.
    static func end(_ process: Process) {
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }
}
