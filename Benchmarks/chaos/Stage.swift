import Foundation
import Protocols

/// Starts the processes, does to them what the plan says, waits until all has arrived, and collects the books.
final class Stage {
    private struct Running {
        let process: Process
        let life: Int
        let startedAt: Double
    }

    /// What is to be done later: come back, go on, write down.
    private struct Later {
        let atSeconds: Double
        let action: () throws -> Void
    }

    private let plan: FaultPlan
    private let rate: Double
    private let keep: Bool
    private let directory: URL
    private let begin = ContinuousClock.now
    private var running: [FaultPlan.Target: Running] = [:]
    private var lives: [FaultPlan.Target: Int] = [:]
    private var later: [Later] = []
    private var memory: [MemoryTrail] = []
    private var log: [String] = []
    private var unexpected: [String] = []

    init(plan: FaultPlan, rate: Double, keep: Bool) throws {
        self.plan = plan
        self.rate = rate
        self.keep = keep
        directory = URL(filePath: "/tmp/rsn-chaos-\(UUID().uuidString.prefix(8))", directoryHint: .isDirectory)
        try FileManager.default.createDirectory(
            at: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }

    deinit {
        for child in running.values { kill(child.process.processIdentifier, SIGKILL) }
        if !keep { try? FileManager.default.removeItem(at: directory) }
    }

    private var seconds: Double { (ContinuousClock.now - begin) / .seconds(1) }

    private func say(_ text: String) {
        let line = "\(FaultPlan.text(seconds)) s: \(text)"
        log.append(line)
        FileHandle.standardError.write(Data((line + "\n").utf8))
    }

    // MARK: - Children

    private func start(_ target: FaultPlan.Target) throws {
        let life = (lives[target] ?? 0) + 1
        lives[target] = life
        let process = Process()
        let own = URL(filePath: CommandLine.arguments[0])
        let path = directory.path(percentEncoded: false)
        switch target {
        case .hub:
            process.executableURL = own.deletingLastPathComponent().appending(path: "hub")
            process.arguments = ["--runtime-dir", path, "--data-dir", path + "data", "--log-level", "error"]
            var environment = ProcessInfo.processInfo.environment
            environment["RESONANCE_STATE_DIR"] = path + "state"
            environment["RESONANCE_CONFIG_DIR"] = path + "config"
            process.environment = environment
        case .process(let role):
            process.executableURL = own
            process.arguments = [
                "play", role.rawValue, "--directory", path, "--life", "\(life)", "--rate", "\(rate)",
            ]
        }
        try process.run()
        running[target] = Running(process: process, life: life, startedAt: seconds)
        memory.append(MemoryTrail(name: "\(target)", life: life))
    }

    private func end(_ target: FaultPlan.Target, _ signal: Int32) {
        guard let child = running.removeValue(forKey: target) else { return }
        kill(child.process.processIdentifier, signal)
        child.process.waitUntilExit()
    }

    private func perform(_ fault: FaultPlan.Fault) {
        say(
            "\(fault.target) "
                + fault.description.split(separator: ": ", maxSplits: 1).last!.split(separator: " ").dropFirst().joined(
                    separator: " "))
        switch fault.kind {
        case .kill(let away):
            end(fault.target, SIGKILL)
            later.append(Later(atSeconds: seconds + away) { [unowned self] in try start(fault.target) })
        case .freeze(let duration):
            guard let child = running[fault.target] else { return }
            kill(child.process.processIdentifier, SIGSTOP)
            later.append(
                Later(atSeconds: seconds + duration) { kill(child.process.processIdentifier, SIGCONT) })
        }
    }

    /// Lets time pass, does what is due, and looks whether anybody ended by itself.
    private func pass(until end: Double) throws {
        var sampledAt = seconds
        while seconds < end {
            Thread.sleep(forTimeInterval: 0.02)
            let due = later.filter { $0.atSeconds <= seconds }
            later.removeAll { $0.atSeconds <= seconds }
            for entry in due { try entry.action() }
            guard seconds - sampledAt >= 1 else { continue }
            sampledAt = seconds
            sample()
            for (target, child) in running where !child.process.isRunning {
                unexpected.append("\(target) ended by itself with \(child.process.terminationStatus)")
                say(unexpected.last ?? "")
                running[target] = nil
                try start(target)
            }
        }
    }

    private func sample() {
        for (target, child) in running {
            guard let bytes = MemoryTrail.residentBytes(child.process.processIdentifier),
                let index = memory.lastIndex(where: { $0.name == "\(target)" && $0.life == child.life })
            else { continue }
            memory[index].add(seconds: seconds - child.startedAt, bytes: bytes)
        }
    }

    // MARK: - The run

    func perform() throws -> Outcome {
        say("seed \(plan.seed), \(plan.faults.count) faults in \(Int(plan.seconds)) s")
        try start(.hub)
        for role in Role.regulars { try start(.process(role)) }
        for fault in plan.faults {
            try pass(until: fault.atSeconds)
            perform(fault)
        }
        try pass(until: plan.seconds)
        // Whoever is away or frozen comes back.
        while !later.isEmpty { try pass(until: seconds + 0.1) }
        try pass(until: seconds + 3)
        say("quiet")
        try Data().write(to: Player.quiet(directory))
        try start(.process(.witness))
        let settled = try settle()
        say(settled ? "all has arrived" : "not everything has arrived")
        try Data().write(to: Player.finish(directory))
        for role in Role.regulars + [.witness] {
            running[.process(role)]?.process.waitUntilExit()
            running[.process(role)] = nil
        }
        end(.hub, SIGTERM)
        return try judge(settled: settled)
    }

    /// Waits until nothing changes any more.
    private func settle() throws -> Bool {
        let end = seconds + 90
        var calmSince = seconds
        var before = ""
        while seconds < end {
            try pass(until: seconds + 1)
            let books = try Books.readAll(in: directory).filter { isAlive($0) }
            let waiting = books.reduce(0) { $0 + $1.unacknowledged }
            var now = books.map { books in
                let heard = books.heard.values.reduce(0) { $0 + $1.count }
                let lost = books.lost.values.reduce(0) { $0 + $1.values.reduce(0, +) }
                return "\(books.role) \(heard) \(lost) \(books.answered) \(books.refused.values.reduce(0, +)) "
            }.joined()
            for role in Role.readers {
                now += "\(try EffectStore.effects(role, in: directory).values.reduce(0) { $0 + $1.count })"
            }
            if now != before || waiting > 0 { calmSince = seconds }
            before = now
            if seconds - calmSince > 8, books.contains(where: { $0.role == .witness && $0.joinedMs != nil }) {
                return true
            }
        }
        return false
    }

    private func isAlive(_ books: Books) -> Bool { lives[.process(books.role)] == books.life }

    private func judge(settled: Bool) throws -> Outcome {
        let books = try Books.readAll(in: directory)
        var promised: [String: UInt64] = [:]
        var published: [String: UInt64] = [:]
        for file in try FileManager.default.contentsOfDirectory(at: directory, includingPropertiesForKeys: nil) {
            let name = file.lastPathComponent
            if name.hasPrefix("promised-") { promised[String(name.dropFirst(9))] = Tally.read(file) }
            if name.hasPrefix("published-bio") || name.hasPrefix("published-music") {
                published[String(name.dropFirst(10)).replacing("_", with: "/")] = Tally.read(file)
            }
        }
        var effects: [Role: [String: [UInt64: Int]]] = [:]
        for role in Role.readers { effects[role] = try EffectStore.effects(role, in: directory) }
        return Outcome(
            plan: plan, rate: rate, seconds: seconds, settled: settled, log: log, unexpected: unexpected,
            evidence: Evidence(
                books: books,
                living: lives.reduce(into: [:]) { living, entry in
                    if case .process(let role) = entry.key { living[role] = entry.value }
                }, promised: promised, published: published, effects: effects, memory: memory),
            hubLives: lives[.hub] ?? 0)
    }
}
