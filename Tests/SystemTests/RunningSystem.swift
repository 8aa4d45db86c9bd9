import Foundation
import Synchronization

/// The built executables: from `RESONANCE_BINARIES`, else beside the test bundle.
enum Binaries {
    static let directory: URL? = {
        var candidates: [URL] = []
        if let path = ProcessInfo.processInfo.environment["RESONANCE_BINARIES"] {
            candidates.append(URL(filePath: path, directoryHint: .isDirectory))
        }
        candidates.append(repository.appending(path: ".build/release", directoryHint: .isDirectory))
        candidates.append(repository.appending(path: ".build/debug", directoryHint: .isDirectory))
        return candidates.first {
            FileManager.default.isExecutableFile(atPath: $0.appending(path: "hub").path(percentEncoded: false))
                && FileManager.default.isExecutableFile(atPath: $0.appending(path: "brain").path(percentEncoded: false))
        }
    }()

    static let repository = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// The recordings of other people that tests may use, where they are.
    static let sharedData: URL? = {
        if let path = ProcessInfo.processInfo.environment["RESONANCE_SHARED_DATA"] {
            return URL(filePath: path, directoryHint: .isDirectory)
        }
        var folder = repository
        for _ in 0..<4 {
            let candidate = folder.appending(path: "shared/data", directoryHint: .isDirectory)
            if FileManager.default.fileExists(atPath: candidate.path(percentEncoded: false)) { return candidate }
            folder.deleteLastPathComponent()
        }
        return nil
    }()
}

struct Outcome: Sendable {
    var status: Int32
    var output: String
    var errors: String
}

enum SystemTestError: Error, CustomStringConvertible {
    case timeout(String)
    case failed(String)

    var description: String {
        switch self {
        case .timeout(let what): "waited too long for \(what)"
        case .failed(let what): what
        }
    }
}

/// How children ended; outlives the system that started them.
private final class Exits: Sendable {
    private let byPid = Mutex<[Int32: Int32]>([:])
    func note(_ pid: Int32, _ status: Int32) { byPid.withLock { $0[pid] = status } }
    func status(of pid: Int32) -> Int32? { byPid.withLock { $0[pid] } }
}

/// One set of processes in folders of their own under a temporary directory.
final class RunningSystem: Sendable {
    let root: URL
    let binaries: URL
    private let children = Mutex<[String: Int32]>([:])
    private let exits = Exits()

    /// What stands before each command, such as `ip netns exec NAME`.
    private let prefix: [String]

    init(prefix: [String] = []) throws {
        self.prefix = prefix
        guard let directory = Binaries.directory else {
            throw SystemTestError.failed("the executables are not built: run deploy/build")
        }
        binaries = directory
        // A short path: an ipc address has at most 107 bytes.
        root = URL(filePath: "/tmp/rsn-\(UInt32.random(in: 0...UInt32.max))", directoryHint: .isDirectory)
        for name in ["run", "data", "state", "config"] {
            try FileManager.default.createDirectory(
                at: root.appending(path: name), withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
        }
    }

    deinit {
        for pid in children.withLock({ $0.values }) { kill(pid, SIGKILL) }
        try? FileManager.default.removeItem(at: root)
    }

    var data: URL { root.appending(path: "data", directoryHint: .isDirectory) }

    private var environment: [String: String] {
        var environment = ProcessInfo.processInfo.environment
        environment["RESONANCE_RUNTIME_DIR"] = root.appending(path: "run").path(percentEncoded: false)
        environment["RESONANCE_DATA_DIR"] = root.appending(path: "data").path(percentEncoded: false)
        environment["RESONANCE_STATE_DIR"] = root.appending(path: "state").path(percentEncoded: false)
        environment["RESONANCE_CONFIG_DIR"] = root.appending(path: "config").path(percentEncoded: false)
        environment["SWIFT_BACKTRACE"] = "enable=no"
        return environment
    }

    /// Starts a process by a command of the shell, which must `exec` it.
    func startShell(_ name: String, _ command: String) throws -> Int32 {
        try start(name, ["-c", command], executable: URL(filePath: "/bin/sh"))
        guard let pid = pid(name) else { throw SystemTestError.failed("\(name) was not started") }
        return pid
    }

    /// Starts a process whose log goes to `<name>.log`.
    func start(_ name: String, _ arguments: [String] = [], executable: URL? = nil) throws {
        let log = root.appending(path: "\(name).log")
        let command = prefix + [(executable ?? binaries.appending(path: name)).path(percentEncoded: false)] + arguments
        let pid = try Spawner.shared.start(command, environment: environment, output: log, errors: log) { [exits] in
            exits.note($0, $1)
        }
        children.withLock { $0[name] = pid }
    }

    func pid(_ name: String) -> Int32? { children.withLock { $0[name] } }

    func log(_ name: String) -> String {
        (try? String(contentsOf: root.appending(path: "\(name).log"), encoding: .utf8)) ?? ""
    }

    func signal(_ name: String, _ number: Int32) { if let pid = pid(name) { kill(pid, number) } }

    /// Waits for a process to end; returns its exit status (128 + signal when killed).
    func waitForExit(_ name: String, within seconds: Double = 10) async throws -> Int32 {
        guard let pid = pid(name) else { throw SystemTestError.failed("\(name) was never started") }
        return try await eventually("\(name) to end", within: seconds) { exits.status(of: pid) }
    }

    /// Stops everything, in reverse order of start.
    func stop(_ order: [String]) async throws {
        for name in order.reversed() where pid(name) != nil {
            signal(name, SIGTERM)
            _ = try await waitForExit(name)
            children.withLock { $0[name] = nil }
        }
    }

    /// The order in which the processes of a whole set start.
    static let order = [
        "hub", "librarian", "body", "player-stub", "context-agent", "sensor-emitter", "brain",
    ]

    /// Starts the whole set, each as soon as the one before is ready.
    ///
    /// - Parameters:
    ///   - common: options that every process gets.
    ///   - options: further options by process.
    func startAll(_ common: [String], _ options: [String: [String]]) async throws {
        for name in Self.order {
            try start(name, common + (options[name] ?? []))
            let ready = try await resonance(["wait-ready", name, "--timeout", "30"])
            guard ready.status == 0 else {
                throw SystemTestError.failed("\(name) is not ready: \(ready.errors)\n\(log(name).suffix(2000))")
            }
        }
    }

    /// Moves virtual time through a span in steps of 5 s.
    func conduct(_ from: String, _ to: String) async throws {
        let outcome = try await resonance(["conduct", "--from", from, "--to", to, "--step", "5"], within: 1200)
        guard outcome.status == 0 else {
            throw SystemTestError.failed("conduct: exit \(outcome.status): \(outcome.errors.suffix(2000))")
        }
    }

    /// Waits until so many tails are on the bus: from then on they miss nothing.
    func waitForTails(_ count: Int) async throws {
        _ = try await eventually("\(count) subscribers", within: 20) {
            let text = String(
                decoding: try JSONSerialization.data(withJSONObject: try await json(["peers"])), as: UTF8.self)
            // The one that asks is not among them.
            return text.components(separatedBy: "\"cli-").count - 1 >= count ? true : nil
        }
    }

    /// Runs the command line and waits for its end.
    func resonance(_ arguments: [String], within seconds: Double = 60) async throws -> Outcome {
        try await run(binaries.appending(path: "resonance"), arguments, within: seconds)
    }

    /// Runs the command line with `--json` and decodes what it printed.
    func json(_ arguments: [String], within seconds: Double = 60) async throws -> Any {
        let outcome = try await resonance(arguments + ["--json"], within: seconds)
        guard outcome.status == 0 else {
            throw SystemTestError.failed("resonance \(arguments): exit \(outcome.status): \(outcome.errors)")
        }
        return try JSONSerialization.jsonObject(with: Data(outcome.output.utf8))
    }

    func run(_ executable: URL, _ arguments: [String], within seconds: Double) async throws -> Outcome {
        let output = root.appending(path: "out-\(UInt32.random(in: 0...UInt32.max))")
        let errors = output.appendingPathExtension("err")
        let pid = try Spawner.shared.start(
            prefix + [executable.path(percentEncoded: false)] + arguments, environment: environment, output: output,
            errors: errors
        ) { [exits] in exits.note($0, $1) }
        defer {
            try? FileManager.default.removeItem(at: output)
            try? FileManager.default.removeItem(at: errors)
        }
        do {
            let status = try await eventually("resonance \(arguments.joined(separator: " "))", within: seconds) {
                exits.status(of: pid)
            }
            return Outcome(
                status: status, output: try String(contentsOf: output, encoding: .utf8),
                errors: try String(contentsOf: errors, encoding: .utf8))
        } catch {
            kill(pid, SIGKILL)
            throw error
        }
    }

    /// Starts `resonance tail` into a file that can be read while it grows.
    func tail(_ name: String, _ topic: String, bodiesOnly: Bool = false) throws -> Tail {
        let file = root.appending(path: "\(name).jsonl")
        _ = FileManager.default.createFile(atPath: file.path(percentEncoded: false), contents: nil)
        let command =
            prefix + [binaries.appending(path: "resonance").path(percentEncoded: false), "tail", topic]
            + (bodiesOnly ? ["--body"] : [])
        let pid = try Spawner.shared.start(command, environment: environment, output: file) { [exits] in
            exits.note($0, $1)
        }
        children.withLock { $0["tail-\(name)"] = pid }
        return Tail(file: file)
    }
}

/// What `resonance tail` wrote: one JSON object per message.
struct Tail: Sendable {
    let file: URL

    func lines() throws -> [[String: Any]] {
        let text = try Data(contentsOf: file)
        return text.split(separator: 0x0A).compactMap {
            (try? JSONSerialization.jsonObject(with: Data($0))) as? [String: Any]
        }
    }

    /// Bodies of one topic, in order.
    func bodies(_ topic: String) throws -> [[String: Any]] {
        try lines().filter { $0["topic"] as? String == topic }.compactMap { $0["body"] as? [String: Any] }
    }

    func bytes() throws -> Data { try Data(contentsOf: file) }
}

/// Polls until `probe` answers; a condition of another process has no event that a test could wait for.
func eventually<Value>(
    _ what: String, within seconds: Double = 15, _ probe: () async throws -> Value?
) async throws -> Value {
    let end = ContinuousClock.now.advanced(by: .seconds(seconds))
    while true {
        if let value = try await probe() { return value }
        guard ContinuousClock.now < end else { throw SystemTestError.timeout(what) }
        try await Task.sleep(for: .milliseconds(20))
    }
}
