import Foundation
import Testing

/// The scripts of `deploy/`, as a user runs them.
@Suite(.serialized, .enabled(if: Binaries.directory != nil, "the executables are not built: run deploy/build"))
struct DeployTests {
    @Test(
        .enabled(
            if: FileManager.default.isExecutableFile(atPath: "/usr/bin/supervisord"),
            "supervisord is not installed"))
    func `under deploy-up any one process may be killed and the music goes on`() async throws {
        let system = try RunningSystem()
        let deploy = Binaries.repository.appending(path: "deploy")
        let up = try await system.run(deploy.appending(path: "up"), ["--detach", "--no-build"], within: 120)
        #expect(up.status == 0, "\(up.errors)")
        do {
            _ = try await eventually("music", within: 60) { try await Self.song(system) }
            for name in ["player-stub", "brain", "sensor-emitter", "context-agent", "librarian", "body", "hub"] {
                let before = try await Self.pids(system)
                let old = try #require(before[name], "\(name) is not in the process table")
                kill(old, SIGKILL)
                _ = try await eventually("\(name) to be back", within: 60) {
                    guard let new = try? await Self.pids(system)[name], new != old else { return nil as Bool? }
                    return true
                }
                let ready = try await system.resonance(["wait-ready", name, "--timeout", "30"])
                #expect(ready.status == 0, "\(name): \(ready.errors)")
                _ = try await eventually("music after \(name) was killed", within: 60) {
                    try? await Self.song(system)
                }
            }
            let history = try await system.json(["history"])
            let plays = ((history as? [String: Any])?["plays"] as? [[String: Any]]) ?? []
            #expect(!plays.isEmpty)
        } catch {
            _ = try? await system.run(deploy.appending(path: "down"), [], within: 60)
            throw error
        }
        let down = try await system.run(deploy.appending(path: "down"), [], within: 60)
        #expect(down.status == 0, "\(down.errors)")
    }

    @Test(
        .enabled(
            if: FileManager.default.isExecutableFile(atPath: "/usr/bin/supervisord"),
            "supervisord is not installed"))
    func `a killed supervisor leaves no orphans`() async throws {
        let system = try RunningSystem()
        let deploy = Binaries.repository.appending(path: "deploy")
        let up = try await system.run(deploy.appending(path: "up"), ["--detach", "--no-build"], within: 120)
        #expect(up.status == 0, "\(up.errors)")
        let pids = try await Self.pids(system).filter { RunningSystem.order.contains($0.key) }
        #expect(pids.count == 7)
        let supervisor = try #require(
            Int32(
                try String(contentsOf: system.root.appending(path: "run/supervisord.pid"), encoding: .utf8)
                    .trimmingCharacters(in: .whitespacesAndNewlines)))
        kill(supervisor, SIGKILL)
        _ = try await eventually("every process to end", within: 20) {
            pids.values.allSatisfy { kill($0, 0) != 0 } ? true : nil
        }
    }

    /// The title that plays and moves, or nil.
    static func song(_ system: RunningSystem) async throws -> String? {
        let now = try await system.json(["now"])
        let text = String(decoding: try JSONSerialization.data(withJSONObject: now), as: UTF8.self)
        guard text.contains("\"playing\":true"), let range = text.range(of: "\"title\":\"") else { return nil }
        return String(text[range.upperBound...].prefix { $0 != "\"" })
    }

    static func pids(_ system: RunningSystem) async throws -> [String: Int32] {
        let peers = try await system.json(["peers"])
        let rows = (peers as? [String: Any])?["processes"] as? [[String: Any]] ?? []
        var pids: [String: Int32] = [:]
        for row in rows where row["running"] as? Bool == true {
            if let name = row["process"] as? String, let pid = row["pid"] as? Int { pids[name] = Int32(pid) }
        }
        return pids
    }

    @Test(
        .enabled(
            if: FileManager.default.isExecutableFile(atPath: "/usr/bin/systemd-analyze"),
            "systemd-analyze is not installed"))
    func `the installed user units are accepted by systemd without a word`() async throws {
        let system = try RunningSystem()
        let prefix = system.root.appending(path: "prefix").path(percentEncoded: false)
        let units = system.root.appending(path: "units")
        let install = try await system.run(
            Binaries.repository.appending(path: "deploy/install"),
            ["--no-build", "--prefix", prefix, "--units", units.path(percentEncoded: false)], within: 60)
        #expect(install.status == 0, "\(install.errors)")
        let files = try FileManager.default.contentsOfDirectory(atPath: units.path(percentEncoded: false))
        #expect(files.count == 8)
        // Bad values and unknown keys only print and exit 0: nothing may be printed.
        let verify = try await system.run(
            URL(filePath: "/usr/bin/env"),
            ["XDG_RUNTIME_DIR=\(system.root.path(percentEncoded: false))", "systemd-analyze", "--user", "verify"]
                + files.map { units.appending(path: $0).path(percentEncoded: false) }, within: 60)
        #expect(verify.status == 0)
        #expect(verify.errors.isEmpty && verify.output.isEmpty, "\(verify.errors)")
    }
}
