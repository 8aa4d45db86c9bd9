import ArgumentParser
import Bus
import Foundation
import Protocols
import ServiceKit

/// Virtual seconds per real second.
enum ConductRate: ExpressibleByArgument, Equatable {
    case max
    case times(Double)

    init?(argument: String) {
        if argument == "max" {
            self = .max
            return
        }
        guard let number = Double(argument.hasSuffix("x") ? String(argument.dropLast()) : argument), number > 0,
            number.isFinite
        else { return nil }
        self = .times(number)
    }

    var defaultValueDescription: String { "max" }
}

struct ConductCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "conduct", abstract: "Move virtual time for processes that run with --clock bus.",
        discussion: """
            Each step waits until every expected process has done all its work of the step before, so a recorded day
            gives the same decisions every time. Ctrl-C stops after the present step.

            Example: resonance conduct --from 2026-01-01T06:00:00Z --to 2026-01-02T00:00:00Z --step 5
            Example: resonance conduct --from 2026-01-01T06:00:00Z --to 2026-01-01T07:00:00Z --rate 60
            """)

    @Option(help: "Virtual time of the first step (RFC 3339, or local as 2026-01-31 18:00).") var from: MomentArgument
    @Option(help: "Virtual time of the last step.") var to: MomentArgument
    @Option(help: "Virtual seconds from one step to the next.") var step: Double = 5
    @Option(help: "max, or so many times real time.") var rate: ConductRate = .max
    @Option(parsing: .upToNextOption, help: "Processes to wait for (default: all but the hub).") var expect: [String] =
        []
    @OptionGroup var output: OutputOptions
    @OptionGroup(title: "Common options") var bus: BusOptions

    func validate() throws {
        guard step >= 0.001, step <= 86400 else { throw ValidationError("--step \(step): must be 0.001…86400 s") }
        guard from.at < to.at else { throw ValidationError("--from must be before --to") }
    }

    func run() async throws {
        let terminal = Terminal.standard()
        let client: BusClient
        do {
            client = try await BusClient.connect(
                to: try bus.endpoints(), as: .conductor, version: ResonanceVersion.current, timeout: bus.deadline)
        } catch let error as BusError {
            throw CommandFailure(
                .unavailable, "\(error)", cure: "start everything with deploy/up and CLOCK=bus; only one may conduct")
        }
        let names = expect.isEmpty ? ExpectedProcesses.conducted : expect.map(ProcessName.init(rawValue:))
        let plan = ConductPlan(from: from.at, to: to.at, stepSeconds: step)
        let conduction = Conduction(client: client, processes: names, plan: plan, rate: rate, terminal: terminal)
        do {
            try await Self.refuseThePast(from.at, client, terminal.timeZone)
            try await untilInterrupted { try await conduction.run() }
        } catch let error as BusError {
            await client.close()
            throw CommandFailure(.unavailable, "\(error)", cure: "look into its log; does it run with --clock bus?")
        }
        await client.close()
        terminal.endProgress()
        let report = conduction.report
        try terminal.answer(report, json: output.json) { report.lines(terminal) }
        if report.steps < report.stepsPlanned {
            throw CommandFailure(.tryAgain, "interrupted after \(report.steps) of \(report.stepsPlanned) steps")
        }
    }

    /// Time only moves forward: what the brain last said tells how far it is.
    ///
    /// - Throws: ``CommandFailure`` when the first step would lie before that.
    static func refuseThePast(_ from: Timestamp, _ client: BusClient, _ zone: TimeZone) async throws {
        guard
            let kept = try? await client.request(HubSnapshot(prefixes: ["state/vector"])),
            let latest = latest(of: kept), from < latest
        else { return }
        await client.close()
        throw CommandFailure(
            .usage, "--from lies before \(Wording.moment(latest, zone, seconds: true)), where virtual time is already",
            cure: "go on from there, or start the processes anew for another day")
    }

    /// The latest moment of the states of virtual time; nil when none was kept.
    static func latest(of kept: SnapshotReply) -> Timestamp? {
        kept.values.compactMap { try? JSONDecoder().decode(StateVector.self, from: Data($0.json.utf8)).at }.max()
    }
}

extension ExpectedProcesses {
    /// What takes part in virtual time in a whole house, by the names they say hello with.
    static let conducted: [ProcessName] = [
        .librarian, .body, "player-stub", .context, .sensor, .brain,
    ]
}

/// The moments of the steps: the first at the beginning, then one each step, the last at the end.
struct ConductPlan: Sendable, Equatable {
    var from: Timestamp
    var to: Timestamp
    var stepSeconds: Double

    private var stepMs: Int64 { max(1, Int64((stepSeconds * 1000).rounded())) }

    /// How many steps there are.
    var count: Int { Int((to.milliseconds - from.milliseconds + stepMs - 1) / stepMs) + 1 }

    /// Moment of a step, counted from 0.
    func moment(_ index: Int) -> Timestamp { min(to, from.adding(milliseconds: Int64(index) * stepMs)) }
}

/// How far a conduction came.
struct ConductReport: Encodable, Equatable {
    var from: Timestamp
    /// Virtual time of the last step that everybody has done; absent when there was none.
    var reached: Timestamp?
    /// Real seconds.
    var seconds: Double
    var steps: Int
    var stepsPlanned: Int

    /// Virtual seconds per real second.
    var rate: Double? {
        guard let reached, seconds > 0 else { return nil }
        return reached.seconds(since: from) / seconds
    }

    func lines(_ terminal: Terminal) -> [String] {
        guard let reached else { return ["No step was made."] }
        let end = Wording.moment(reached, terminal.timeZone, seconds: true)
        let speed = rate.map { ", \(Wording.decimal($0, 0)) × real time" } ?? ""
        let part = steps < stepsPlanned ? " of \(stepsPlanned)" : ""
        return ["\(steps)\(part) steps to \(end) in \(Wording.decimal(seconds, 1)) s\(speed)"]
    }
}

/// Conducts a plan and says how it goes.
final class Conduction: Sendable {
    private let conductor: Conductor
    private let plan: ConductPlan
    private let rate: ConductRate
    private let terminal: Terminal
    private let begin = ContinuousClock.now
    private let done = Counter()
    /// Second at which a file may get its next line.
    private let nextNote = Counter()
    private let milliseconds = Counter()

    init(client: BusClient, processes: [ProcessName], plan: ConductPlan, rate: ConductRate, terminal: Terminal) {
        self.plan = plan
        self.rate = rate
        self.terminal = terminal
        conductor = Conductor(
            client: client, processes: processes, start: plan.from,
            firstStep: UInt64(max(1, Timestamp(Date()).milliseconds)))
    }

    var report: ConductReport {
        let steps = done.value
        return ConductReport(
            from: plan.from, reached: steps > 0 ? plan.moment(steps - 1) : nil,
            seconds: Double(milliseconds.value) / 1000, steps: steps, stepsPlanned: plan.count)
    }

    /// - Throws: `BusError.stepsMissing` when a process does not come or does not go on.
    func run() async throws {
        try await conductor.waitForProcesses { [self] in say($0) }
        let virtualRate = if case .times(let times) = rate { times } else { 0.0 }
        let first = ContinuousClock.now
        var shown = first
        for index in 0..<plan.count {
            try Task.checkCancellation()
            if virtualRate > 0 {
                let due = plan.moment(index).seconds(since: plan.from) / virtualRate
                try await Task.sleep(until: first + .milliseconds(Int64(due * 1000)))
            }
            try await conductor.step(to: plan.moment(index), rate: virtualRate) { [self] in say($0) }
            let now = ContinuousClock.now
            _ = done.exchange(index + 1)
            _ = milliseconds.exchange(Int((now - first) / .milliseconds(1)))
            if now - shown > .milliseconds(500) {
                shown = now
                say(Self.text(report, plan, terminal.timeZone))
            }
        }
    }

    private func say(_ waiting: Conductor.Waiting) {
        // The hub hears of a process within a second; shorter waits are nothing to tell.
        guard waiting.seconds >= 1 else { return }
        say(Self.waiting(waiting.processes, step: UInt64(report.steps + 1), seconds: waiting.seconds))
    }

    /// On a screen one line that changes; into a file a line every 10 s.
    private func say(_ text: String) {
        if terminal.progressVisible { return terminal.progress(text) }
        let second = Int((ContinuousClock.now - begin) / .seconds(1))
        guard second >= nextNote.value else { return }
        _ = nextNote.exchange(second + 10)
        terminal.note(text)
    }

    static func waiting(_ processes: [ProcessName], step: UInt64, seconds: Double) -> String {
        let names = processes.map(\.rawValue).sorted().joined(separator: ", ")
        return "step \(step) waits for \(names) since \(Wording.age(seconds))"
    }

    static func text(_ report: ConductReport, _ plan: ConductPlan, _ zone: TimeZone) -> String {
        let left = plan.count - report.steps
        let perStep = report.steps > 0 ? report.seconds / Double(report.steps) : 0
        let parts = [
            Wording.moment(report.reached, zone), "step \(report.steps) of \(plan.count)",
            Wording.percent(Double(report.steps) / Double(plan.count)),
            report.rate.map { "\(Wording.decimal($0, 0)) ×" } ?? "–",
            "\(Wording.clock(Int64(Double(left) * perStep * 1000))) left",
        ]
        return parts.joined(separator: " · ")
    }
}
