import Foundation

/// All that was left behind by a run.
struct Evidence: Sendable {
    let books: [Books]
    /// The last life of each role.
    let living: [Role: Int]
    /// Events that were promised, by stream; they are numbered from 1.
    let promised: [String: UInt64]
    /// Live messages that were published, by topic.
    let published: [String: UInt64]
    /// How often each event had its effect, by consumer, stream and number.
    let effects: [Role: [String: [UInt64: Int]]]
    let memory: [MemoryTrail]

    func isLiving(_ books: Books) -> Bool { living[books.role] == books.life }
    func lastBooks(_ role: Role) -> Books? { books.last { $0.role == role && isLiving($0) } }
}

/// One thing that was to be shown.
struct Verdict: Sendable {
    let claim: String
    let isGood: Bool
    let facts: String
    /// What speaks against it.
    var details: [String] = []
}

/// What a run has shown.
struct Outcome: Sendable {
    let plan: FaultPlan
    let rate: Double
    let seconds: Double
    let log: [String]
    let evidence: Evidence
    let hubLives: Int
    let verdicts: [Verdict]

    init(
        plan: FaultPlan, rate: Double, seconds: Double, settled: Bool, log: [String], unexpected: [String],
        evidence: Evidence, hubLives: Int
    ) {
        self.plan = plan
        self.rate = rate
        self.seconds = seconds
        self.log = log
        self.evidence = evidence
        self.hubLives = hubLives
        verdicts = [
            Verdict(
                claim: "Everything arrives within 90 s of calm, and nobody ended by itself",
                isGood: settled && unexpected.isEmpty, facts: settled ? "it did" : "it did not", details: unexpected),
            evidence.eventsLost, evidence.eventsTwice, evidence.statesEqual, evidence.lossCounted,
            evidence.nothingStale,
            evidence.requestsAnswered, evidence.memoryKept,
        ]
    }

    var isGood: Bool { verdicts.allSatisfy(\.isGood) }

    func markdown(command: String) -> String {
        let kills = plan.faults.count { if case .kill = $0.kind { true } else { false } }
        let lives = Role.regulars.map { "\($0.rawValue) \(evidence.living[$0] ?? 0)" }.joined(separator: ", ")
        let live = evidence.published.values.reduce(0, +)
        let events = evidence.promised.values.reduce(0, +)
        var lines = [
            "# Soak and chaos", "", "Written by `\(command)`.", "",
            "| | |", "|---|---|",
            "| seed | \(plan.seed) |",
            "| time | \(Int(plan.seconds)) s of faults, \(Int(seconds)) s in all |",
            "| faults | \(plan.faults.count): \(kills) × kill -9, \(plan.faults.count - kills) × SIGSTOP for 0.3 to 4 s |",
            "| lives | hub \(hubLives), \(lives) |",
            "| sent | \(live) live messages, \(events) events, at \(Int(rate)) messages a second of all classes |",
            "| machine | \(Self.machine) |",
            "", "| what | | |", "|---|---|---|",
        ]
        for verdict in verdicts {
            lines.append("| \(verdict.claim) | \(verdict.isGood ? "yes" : "**no**") | \(verdict.facts) |")
        }
        for verdict in verdicts where !verdict.details.isEmpty {
            lines += ["", "## \(verdict.claim)", ""] + verdict.details.prefix(40).map { "* \($0)" }
        }
        lines += ["", "## Memory", "", "| process | life | after, MB | growth, MB a minute |", "|---|---|---|---|"]
        for trail in evidence.memory {
            guard let growth = trail.growthMBPerMinute else { continue }
            lines.append(
                "| \(trail.name) | \(trail.life) | \(String(format: "%.1f", trail.newestMB)) | "
                    + "\(String(format: "%.3f", growth)) |")
        }
        lines += ["", "## What happened", ""] + log.map { "    \($0)" }
        return lines.joined(separator: "\n") + "\n"
    }

    private static var machine: String {
        let info = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)) ?? ""
        let model = info.split(separator: "\n").first { $0.hasPrefix("model name") }?
            .split(separator: ":").last?.trimmingCharacters(in: .whitespaces)
        return "\(ProcessInfo.processInfo.activeProcessorCount) cores, \(model ?? "unknown processor")"
    }
}
