import Bus
import Foundation
import Protocols
import Testing

/// `docs/protocol.md` says what is so.
@Suite(.timeLimit(.minutes(2)))
struct ProtocolDocumentTests {
    static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
    static let document = root.appending(path: "docs/protocol.md")
    private static let begin = "<!-- registry:"
    private static let end = "<!-- /registry -->"

    static var table: String {
        var lines = [
            "| family | class | version | body | from | acknowledged by | period | time to live | recorded | |",
            "|---|---|---|---|---|---|---|---|---|---|",
        ]
        func seconds(_ value: Double?) -> String { value.map { $0.formatted(.number.grouping(.never)) } ?? "–" }
        for spec in Registry.all {
            let publishers = spec.publishers.isEmpty ? "anybody" : names(spec.publishers)
            let consumers = spec.consumers.isEmpty ? "–" : names(spec.consumers)
            lines.append(
                "| `\(spec.family)` | \(spec.deliveryClass) | \(spec.schema) | `\(spec.type)` | \(publishers) "
                    + "| \(consumers) | \(seconds(spec.period)) | \(seconds(spec.ttl)) | \(spec.recorded ? "yes" : "no") "
                    + "| \(spec.summary) |")
        }
        return lines.joined(separator: "\n")
    }

    private static func names(_ processes: [ProcessName]) -> String {
        processes.map(\.rawValue).joined(separator: ", ")
    }

    @Test func `the table of topics is the registry`() throws {
        let text = try String(contentsOf: Self.document, encoding: .utf8)
        let start = try #require(text.range(of: Self.begin))
        let lineEnd = try #require(text[start.upperBound...].firstIndex(of: "\n"))
        let stop = try #require(text.range(of: Self.end))
        let written = text[text.index(after: lineEnd)..<stop.lowerBound].trimmingCharacters(in: .newlines)
        if ProcessInfo.processInfo.environment["RESONANCE_WRITE_DOCS"] != nil {
            let whole = text[...lineEnd] + "\n" + Self.table + "\n\n" + text[stop.lowerBound...]
            try Data(whole.utf8).write(to: Self.document)
            return
        }
        #expect(written == Self.table, "write it with RESONANCE_WRITE_DOCS=1")
    }

    @Test func `the page names every request's process that exists`() throws {
        let text = try String(contentsOf: Self.document, encoding: .utf8)
        for topic in [
            "~hello", "~welcome", "~refused", "~sync", "~snapshot", "~snapshot-end", "~joined", "~ack/", "~request/",
            "~reply/", "~bye", "~beat", "~who", "~nak/", "~working/", "~room", "~consumes", "~step", "~marker",
            "~roster",
        ] {
            #expect(text.contains(topic), "\(topic)")
        }
    }

    /// A Python with pyzmq: the system's, or one in a directory that is kept for the next run.
    static let python: String? = {
        func works(_ path: String) -> Bool { (try? run(path, ["-c", "import zmq"])) == 0 }
        if works("/usr/bin/python3") { return "/usr/bin/python3" }
        let folder = FileManager.default.temporaryDirectory.appending(path: "resonance-test-pyzmq-\(getuid())")
        let own = folder.appending(path: "bin/python").path()
        if works(own) { return own }
        guard (try? run("/usr/bin/python3", ["-m", "venv", folder.path()])) == 0,
            (try? run(own, ["-m", "pip", "install", "--quiet", "pyzmq"])) == 0, works(own)
        else { return nil }
        return own
    }()

    private static func run(_ path: String, _ arguments: [String]) throws -> Int32 {
        let process = Process()
        process.executableURL = URL(filePath: path)
        process.arguments = arguments
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        return process.terminationStatus
    }

    /// A Python block of the page, by the comment on its first line.
    private static func snippet(_ name: String) throws -> String {
        let text = try String(contentsOf: document, encoding: .utf8)
        let blocks = text.components(separatedBy: "```python\n").dropFirst().compactMap {
            $0.components(separatedBy: "```").first
        }
        return try #require(blocks.first { $0.prefix { $0 != "\n" }.hasSuffix("# \(name)") })
    }

    private static func start(_ snippet: String, _ directory: URL) throws -> (Process, FileHandle) {
        let process = Process()
        process.executableURL = URL(filePath: try #require(python))
        process.arguments = ["-u", "-c", snippet]
        process.environment = ["RESONANCE_RUNTIME_DIR": directory.path(percentEncoded: false), "PATH": "/usr/bin:/bin"]
        if process.environment?["RESONANCE_RUNTIME_DIR"]?.hasSuffix("/") == true {
            process.environment?["RESONANCE_RUNTIME_DIR"]?.removeLast()
        }
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = FileHandle.nullDevice
        try process.run()
        return (process, pipe.fileHandleForReading)
    }

    private static func firstLine(_ output: FileHandle) async -> String? {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                var line = Data()
                while let byte = try? output.read(upToCount: 1), let first = byte.first, first != 0x0A {
                    line.append(first)
                }
                continuation.resume(returning: String(data: line, encoding: .utf8))
            }
        }
    }

    @Test(.enabled(if: Self.python != nil, "needs pyzmq, which could not be installed"))
    func `the Python reader of the page prints the state`() async throws {
        let snippet = try Self.snippet("subscriber")
        #expect(snippet.split(separator: "\n").count <= 15)
        let hub = try await TestHub(.zeroMQ)
        let brain = Running(Probe([]), as: .brain, over: try hub.transport())
        let (process, output) = try Self.start(snippet, hub.directory.url)
        // Not terminate(): a child of a dispatch thread inherits its mask, which blocks SIGTERM.
        defer { kill(process.processIdentifier, SIGKILL) }
        let vector = try JSONDecoder().decode(
            StateVector.self,
            from: Data(contentsOf: Self.root.appending(path: "Protocols/Vectors/1.0/StateVector.json")))
        let talking = Task {
            while !Task.isCancelled {
                brain.peer.publish(vector, on: Registry.state())
                try? await Task.sleep(for: .milliseconds(50))
            }
        }
        let line = try #require(await Self.firstLine(output))
        talking.cancel()
        #expect(line.hasPrefix("state/vector/me {"))
        #expect(line.contains("'arousal': \(vector.arousal)"))
        await brain.stop()
        await hub.stop()
    }

    @Test(.enabled(if: Self.python != nil, "needs pyzmq, which could not be installed"))
    func `the Python writer of the page is heard and acknowledged`() async throws {
        let hub = try await TestHub(.zeroMQ)
        let brain = Probe(["input/mood"])
        let body = Probe(["input/mood"])
        let running = [
            Running(brain, as: .brain, over: try hub.transport()), Running(body, as: .body, over: try hub.transport()),
        ]
        await brain.wait { !$0.joins.isEmpty }
        await body.wait { !$0.joins.isEmpty }
        let (process, output) = try Self.start(try Self.snippet("publisher"), hub.directory.url)
        // Not terminate(): a child of a dispatch thread inherits its mask, which blocks SIGTERM.
        defer { kill(process.processIdentifier, SIGKILL) }
        #expect(await Self.firstLine(output) == "stored by ['hub']")
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        await brain.wait { !$0.messages.isEmpty }
        await body.wait { !$0.messages.isEmpty }
        let heard = try #require(try await brain.bodies(Registry.mood).first)
        #expect(heard.mood == 4 && heard.energy == 2 && heard.via == "python")
        for peer in running { await peer.stop() }
        await hub.stop()
    }
}
