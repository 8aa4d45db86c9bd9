import Foundation
import Testing

/// Crash loops, frozen processes and a killed supervisor, under the supervisord that `deploy/up` starts.
@Suite(
    .serialized, .enabled(if: Binaries.directory != nil, "the executables are not built: run deploy/build"),
    .enabled(
        if: FileManager.default.isExecutableFile(atPath: "/usr/bin/supervisord"), "supervisord is not installed"))
struct SupervisionTests {
    private static let deploy = Binaries.repository.appending(path: "deploy")

    /// Starts the house with short patience, and stops it whatever happens.
    private static func withHouse(
        _ watchOptions: String, _ body: (RunningSystem) async throws -> Void
    ) async throws {
        let system = try RunningSystem()
        let example = deploy.appending(path: "example")
        let settings = try String(contentsOf: example.appending(path: "resonance.conf"), encoding: .utf8)
            .replacing("WATCH_OPTIONS=()", with: "WATCH_OPTIONS=(\(watchOptions))")
        let file = system.root.appending(path: "config/test.conf")
        try Data(settings.utf8).write(to: file)
        let up = try await system.run(
            deploy.appending(path: "up"), ["--detach", "--no-build", "--config", file.path(percentEncoded: false)],
            within: 180)
        #expect(up.status == 0, "\(up.errors)")
        do {
            try await body(system)
        } catch {
            _ = try? await system.run(deploy.appending(path: "down"), [], within: 60)
            throw error
        }
        let down = try await system.run(deploy.appending(path: "down"), [], within: 60)
        #expect(down.status == 0, "\(down.errors)")
    }

    private static func row(_ system: RunningSystem, _ name: String) async throws -> [String: Any]? {
        let table = try? await system.json(["ps"]) as? [String: Any]
        return (table?["processes"] as? [[String: Any]])?.first { $0["process"] as? String == name }
    }

    private static func newPid(_ system: RunningSystem, _ name: String, after old: Int32) async throws -> Int32 {
        try await eventually("\(name) to be replaced", within: 90) {
            guard let row = try await row(system, name), row["running"] as? Bool == true,
                let pid = row["pid"] as? Int, Int32(pid) != old
            else { return nil }
            return Int32(pid)
        }
    }

    @Test func `a crash loop is given up although each start looks healthy, and says so, until somebody restarts it`()
        async throws
    {
        // Each life is ready on the bus; the window of the intensity is made too short to see the loop.
        try await Self.withHouse("--patience 3 --intensity 100 --healthy 600 --last-delay 0.5") { system in
            var pid = try #require(try await DeployTests.pids(system)["player-stub"])
            for life in 1...4 {
                kill(pid, SIGKILL)
                if life < 4 { pid = try await Self.newPid(system, "player-stub", after: pid) }
            }
            let row = try await eventually("giving up", within: 30) {
                let row = try await Self.row(system, "player-stub")
                return row?["wanted"] as? String == "givenUp" ? row : nil
            }
            #expect(row["restarts"] as? Int == 3)
            #expect((row["lastExit"] as? [String: Any])?["signal"] as? String == "SIGKILL")
            let doctor = try await system.resonance(["doctor"])
            #expect(doctor.status == 1)
            #expect(doctor.output.contains("given up by the supervisor"), "\(doctor.output)")
            #expect(doctor.output.contains("deploy/restart player-stub"))
            let again = try await system.run(Self.deploy.appending(path: "restart"), ["player-stub"], within: 60)
            #expect(again.status == 0, "\(again.errors)")
            _ = try await eventually("being wanted again", within: 30) {
                try await Self.row(system, "player-stub")?["wanted"] as? String == "yes" ? true : nil
            }
        }
    }

    @Test func `a frozen process is replaced, and so is a frozen hub`() async throws {
        try await Self.withHouse("--silence 4 --poll 1") { system in
            let pids = try await DeployTests.pids(system)
            let brain = try #require(pids["brain"])
            kill(brain, SIGSTOP)
            _ = try await Self.newPid(system, "brain", after: brain)
            // The hub reads the supervisor's word once a second.
            _ = try await eventually("the reason", within: 30) {
                let exit = try await Self.row(system, "brain")?["lastExit"] as? [String: Any]
                return (exit?["reason"] as? String)?.hasPrefix("silent for") == true ? true : nil
            }
            let hub = try #require(pids["hub"])
            kill(hub, SIGSTOP)
            _ = try await Self.newPid(system, "hub", after: hub)
            for name in ["hub", "brain", "sensor-emitter"] {
                let ready = try await system.resonance(["wait-ready", name, "--timeout", "60"])
                #expect(ready.status == 0, "\(ready.errors)")
            }
        }
    }

    @Test func `a stop kills who ignores SIGTERM, and a killed supervisor leaves nobody behind, frozen or not`()
        async throws
    {
        var frozen: Int32 = 0
        try await Self.withHouse("") { system in
            frozen = try #require(try await DeployTests.pids(system)["context-agent"])
            kill(frozen, SIGSTOP)
        }
        #expect(kill(frozen, 0) != 0)
        try await Self.withHouse("") { system in
            let pids = try await DeployTests.pids(system).filter { RunningSystem.order.contains($0.key) }
            #expect(pids.count == 7)
            let body = try #require(pids["body"])
            let file = system.root.appending(path: "run/supervisord.pid")
            let text = try String(contentsOf: file, encoding: .utf8).trimmingCharacters(in: .whitespacesAndNewlines)
            kill(body, SIGSTOP)
            kill(try #require(Int32(text)), SIGKILL)
            _ = try await eventually("every process to end", within: 30) {
                pids.values.allSatisfy { kill($0, 0) != 0 } ? true : nil
            }
        }
    }

    @Test(
        .enabled(
            if: FileManager.default.fileExists(atPath: "/usr/lib/python3/dist-packages/prometheus_client"),
            "python3-prometheus-client is not installed"))
    func `the figures of every process are read by the parser of the Prometheus project`() async throws {
        let system = try RunningSystem()
        try await system.startAll(["--time-zone", "UTC"], LifeCycleTests.exampleOptions())
        let program = """
            import http.client, socket, sys
            from prometheus_client.parser import text_string_to_metric_families
            class Local(http.client.HTTPConnection):
                def connect(self):
                    self.sock = socket.socket(socket.AF_UNIX); self.sock.connect(sys.argv[1])
            connection = Local("localhost"); connection.request("GET", "/metrics"); answer = connection.getresponse()
            for family in text_string_to_metric_families(answer.read().decode()):
                for sample in family.samples: print(family.type, sample.name, sample.labels.get("process", "-"))
            """
        let socket = system.root.appending(path: "run/hub-metrics").path(percentEncoded: false)
        _ = try await eventually("figures of all processes", within: 60) {
            let outcome = try await system.run(URL(filePath: "/usr/bin/python3"), ["-c", program, socket], within: 20)
            guard outcome.status == 0 else { return nil as Bool? }
            let lines = Set(outcome.output.split(separator: "\n").map(String.init))
            return RunningSystem.order.allSatisfy { name in
                lines.contains("gauge process_resident_memory_bytes \(name)")
                    && lines.contains("counter process_cpu_seconds_total \(name)")
                    && lines.contains("counter resonance_messages_sent_total \(name)")
                    && lines.contains("gauge resonance_process_up \(name)")
            } ? true : nil
        }
        try await system.stop(RunningSystem.order)
    }
}
