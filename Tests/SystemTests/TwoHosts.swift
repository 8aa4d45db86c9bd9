import Foundation
import Synchronization
import Testing

/// Two machines that are one: network namespaces with a cable (veth) between them, which can be pulled.
final class TwoHosts: Sendable {
    static let hubAddress = "10.231.7.1"
    static let sensorAddress = "10.231.7.2"
    /// The clock of the sensor's machine is off by this.
    static let clockOffset = -300

    /// nil where namespaces can be made; else why not.
    static let obstacle: String? = {
        guard geteuid() == 0 else { return "network namespaces can only be made by root" }
        guard wrongClock != nil else { return "no C compiler makes the wrong clock" }
        let probe = "rsn-probe-\(getpid())"
        guard ip("netns", "add", probe) else { return "this machine does not let `ip netns` make namespaces" }
        _ = ip("netns", "del", probe)
        return nil
    }()

    /// Makes the wall clock of whoever has it preloaded wrong; nil = there is no C compiler.
    private static let wrongClock: URL? = {
        let library = URL(filePath: "/tmp/rsn-clock-\(getpid()).so")
        let source = Binaries.repository.appending(path: "Tests/Tools/clock_offset.c")
        let arguments =
            ["-shared", "-fPIC", "-o"] + [library, source].map { $0.path(percentEncoded: false) }
        return ["clang", "cc"].contains { run([$0] + arguments) } ? library : nil
    }()

    private let tag = String(UInt16.random(in: 1...UInt16.max), radix: 16)
    let hub: RunningSystem
    let sensor: RunningSystem

    init() throws {
        let (hubSpace, sensorSpace) = ("rsnh\(tag)", "rsns\(tag)")
        hub = try RunningSystem(prefix: ["/usr/bin/env", "ip", "netns", "exec", hubSpace])
        sensor = try RunningSystem(
            prefix: [
                "/usr/bin/env", "ip", "netns", "exec", sensorSpace, "env",
                "LD_PRELOAD=\(Self.wrongClock?.path(percentEncoded: false) ?? "")", "CLOCK_OFFSET=\(Self.clockOffset)",
            ])
        let commands = [
            "netns add \(hubSpace)", "netns add \(sensorSpace)",
            "link add h\(tag) netns \(hubSpace) type veth peer name s\(tag) netns \(sensorSpace)",
            "-n \(hubSpace) addr add \(Self.hubAddress)/24 dev h\(tag)",
            "-n \(sensorSpace) addr add \(Self.sensorAddress)/24 dev s\(tag)",
            "-n \(hubSpace) link set lo up", "-n \(hubSpace) link set h\(tag) up",
            "-n \(sensorSpace) link set lo up", "-n \(sensorSpace) link set s\(tag) up",
        ]
        for command in commands where !Self.ip(command.split(separator: " ").map(String.init)) {
            throw SystemTestError.failed("ip \(command) failed")
        }
    }

    deinit {
        for space in ["rsnh\(tag)", "rsns\(tag)"] { _ = Self.ip(["netns", "del", space]) }
    }

    /// Pulls the cable, or puts it back.
    func setCable(_ isIn: Bool) throws {
        guard Self.ip(["-n", "rsnh\(tag)", "link", "set", "h\(tag)", isIn ? "up" : "down"]) else {
            throw SystemTestError.failed("the link does not change")
        }
    }

    /// Tells the relay how bad the network is.
    func setNetwork(_ text: String) throws {
        try Data(text.utf8).write(to: control, options: .atomic)
    }

    var control: URL { hub.root.appending(path: "relay") }

    private static func ip(_ arguments: String...) -> Bool { ip(arguments) }

    private static func ip(_ arguments: [String]) -> Bool { run(["ip"] + arguments) }

    private static func run(_ command: [String]) -> Bool {
        let status = Mutex<Int32>(-1)
        let done = DispatchSemaphore(value: 0)
        let started = try? Spawner.shared.start(["/usr/bin/env"] + command) { _, code in
            status.withLock { $0 = code }
            done.signal()
        }
        guard started != nil else { return false }
        done.wait()
        return status.withLock { $0 } == 0
    }
}
