import ArgumentParser
import Foundation
import Protocols

struct DeleteAllCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete-all", abstract: "Delete everything that is kept about you, everywhere on this machine.",
        discussion: """
            Every running process deletes what it owns; then outboxes, logs, backups and the data of processes that
            do not run are removed, and what is left is checked. Settings in the configuration directory and
            directories you exported into stay. There is no way back.

            Example: resonance delete-all
            Example: resonance delete-all --yes
            """)

    @Flag(help: "Do not ask.") var yes = false
    @OptionGroup var output: OutputOptions
    @OptionGroup(title: "Common options") var bus: BusOptions

    func run() async throws {
        let terminal = Terminal.standard()
        try confirm(on: terminal)
        var household: (any Household)?
        do {
            household = try await BusHousehold.join(bus, subscriptions: [])
        } catch let failure as CommandFailure where failure.status == .unavailable || failure.status == .tryAgain {
            terminal.note("No hub answers: the files of processes that do not run are deleted.")
        }
        let deletion = Deletion(household, Traces(directories: bus.directories), terminal)
        let report = try await deletion.run()
        await household?.leave()
        try terminal.answer(report, json: output.json) { report.lines() }
        if !report.left.isEmpty || !report.refused.isEmpty {
            throw CommandFailure(
                .finding, "something is left",
                cure: "stop everything with deploy/down, then repeat `resonance delete-all`")
        }
    }

    func confirm(on terminal: Terminal) throws {
        guard !yes else { return }
        let question =
            "This deletes your library, body data, history and everything learnt, for good.\nType `\(DeleteData.phrase)` to go on: "
        guard terminal.ask(question) == DeleteData.phrase else {
            throw CommandFailure(
                .notAllowed, "not confirmed; nothing was deleted", cure: "type `\(DeleteData.phrase)`, or give --yes")
        }
    }
}

/// What a deletion did.
struct DeletionReport: Encodable, Equatable {
    /// Processes that deleted what they own.
    var asked: [String] = []
    var emptiedLogs: [String] = []
    /// Files that hold something and could not be removed.
    var left: [String] = []
    /// Files in the directories that are not Resonance's; untouched.
    var notOurs: [String] = []
    /// Processes that did not do it, with the reason.
    var refused: [String: String] = [:]
    var removed: [String] = []

    func lines() -> [String] {
        var lines = asked.map { "\($0): deleted its data" }
        if !removed.isEmpty { lines.append("\(Wording.count(removed.count, "file")) removed") }
        if !emptiedLogs.isEmpty { lines.append("\(Wording.count(emptiedLogs.count, "log")) emptied") }
        lines += refused.sorted { $0.key < $1.key }.map { "\($0.key): not deleted: \($0.value)" }
        lines += left.map { "left: \($0)" }
        lines += notOurs.map { "not Resonance's, untouched: \($0)" }
        if left.isEmpty, refused.isEmpty { lines.append("Nothing is left.") }
        return lines.map(\.printable)
    }
}

/// Deletes everything: first by those who own it, then by hand.
struct Deletion {
    let household: (any Household)?
    let traces: Traces
    let terminal: Terminal

    init(_ household: (any Household)?, _ traces: Traces, _ terminal: Terminal) {
        self.household = household
        self.traces = traces
        self.terminal = terminal
    }

    func run() async throws -> DeletionReport {
        let running = Set(traces.holders().map(\.process))
        try refuseUnreachable(running)
        // An outbox shows by its size whether its owner emptied it.
        let outboxes = traces.all().filter { $0.kind == .outbox }
        let before = Dictionary(outboxes.map { ($0.path, $0.size) }) { first, _ in first }
        var report = DeletionReport()
        // The hub first, so that it delivers nothing old any more, and again at the end. The brain before the others:
        // it learns from what they still say.
        for process in [.hub, .brain, .body, .librarian, .sensor, .context, .player, .hub] as [ProcessName] {
            guard let household else { break }
            terminal.progress("\(process) deletes …")
            do throws(Refusal) {
                let _: Done = try await household.request(
                    process, DeleteData.name, DeleteData(confirmation: DeleteData.phrase), deadline: .seconds(120))
                if !report.asked.contains(process.rawValue) { report.asked.append(process.rawValue) }
            } catch {
                let keepsNothing = error.code == "unknown-request" && !Export.owners.contains(process)
                if error.code != "unknown-process", !keepsNothing { report.refused[process.rawValue] = error.message }
            }
        }
        terminal.endProgress()
        removeFiles(running, before, &report)
        return report
    }

    /// Nothing is deleted while a process that owns data runs and cannot be asked: it would write on.
    private func refuseUnreachable(_ running: Set<ProcessName>) throws {
        guard household == nil else { return }
        let owners = running.subtracting([.hub]).map(\.rawValue).sorted()
        guard owners.isEmpty else {
            throw CommandFailure(
                .unavailable, "\(owners.joined(separator: ", ")) still runs and cannot be reached without the hub",
                cure: "stop everything with deploy/down, then repeat; nothing was deleted")
        }
    }

    private func removeFiles(_ running: Set<ProcessName>, _ before: [String: Int64], _ report: inout DeletionReport) {
        let isSupervised = household != nil || !running.isEmpty
        for trace in traces.all() {
            let isHeld = trace.owner.map(running.contains) ?? false
            switch trace.kind {
            case .log:
                if Self.empty(trace.path) {
                    report.emptiedLogs.append(trace.path)
                } else {
                    report.left.append(trace.path)
                }
            case .furniture:
                if !isHeld, !(isSupervised && trace.owner == "supervisord") {
                    try? FileManager.default.removeItem(atPath: trace.path)
                }
            case .outbox where isHeld:
                let size = trace.size
                if size > 0, size >= before[trace.path] ?? 0 { report.left.append(trace.path) }
            case .data where isHeld:
                // Its owner has deleted what was in it and started anew.
                if !report.asked.contains(trace.owner?.rawValue ?? "") { report.left.append(trace.path) }
            case .data, .outbox:
                do {
                    try FileManager.default.removeItem(atPath: trace.path)
                    report.removed.append(trace.path)
                } catch {
                    report.left.append(trace.path)
                }
            }
        }
        report.notOurs = traces.strangers()
    }

    /// In place, since its writer appends to the open file.
    private static func empty(_ path: String) -> Bool {
        guard let file = FileHandle(forWritingAtPath: path) else { return false }
        defer { try? file.close() }
        return (try? file.truncate(atOffset: 0)) != nil
    }
}
