import ArgumentParser
import Foundation
import Protocols
import ServiceKit

struct StatusCommand: HouseholdCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Show the processes, the library, the DJ and how you are, at a glance.",
        discussion: """
            Ends with 1 when a process is missing; `resonance doctor` then says what to do.

            Example: resonance status
            """)

    @OptionGroup var output: OutputOptions
    @OptionGroup(title: "Common options") var bus: BusOptions

    func run(in household: any Household, on terminal: Terminal) async throws {
        let report = try await StatusReport.gather(household)
        try terminal.answer(report, json: output.json) { report.lines(terminal) }
        if !report.healthy {
            throw CommandFailure(
                .finding, "not everything runs: \(report.missing.joined(separator: ", "))",
                cure: "see what to do with `resonance doctor`")
        }
    }
}

/// Everything at a glance.
struct StatusReport: Encodable, Equatable {
    var version = ResonanceVersion.current
    var listener: String
    var processes: ProcessTable
    /// Absent when the brain does not answer.
    var brain: BrainStatusReply?
    var library: LibraryRevision?
    /// Processes that should run and are not ready.
    var missing: [String]

    var healthy: Bool { missing.isEmpty }

    static func gather(_ household: any Household) async throws(Refusal) -> StatusReport {
        let table = try await household.request(HubPeers())
        var brain: BrainStatusReply?
        if case .success(let reply) = await household.attempt(BrainStatus()) { brain = reply }
        var library: LibraryRevision?
        if case .success(let kept) = await household.attempt(HubSnapshot(prefixes: [Registry.library.spec.family])) {
            library = KeptValues(kept).value(Registry.library())
        }
        return StatusReport(
            listener: household.listener, processes: table, brain: brain, library: library,
            missing: ExpectedProcesses.missing(from: table))
    }

    func lines(_ terminal: Terminal) -> [String] {
        let rows = processes.processes.filter { !$0.process.isVisitor }
        let ready = rows.filter { $0.running && $0.ready }.count
        var lines = [terminal.style.bold("Resonance \(version)") + " · listener \(listener)"]
        func line(_ name: String, _ text: String) {
            let wrapped = Wording.wrap(text.printable, to: terminal.width.map { $0 - 12 })
            for (index, part) in wrapped.enumerated() {
                lines.append(Wording.pad(index == 0 ? name : "", to: 12) + part)
            }
        }
        line(
            "processes",
            "\(ready) of \(ready + missing.count) ready"
                + (missing.isEmpty ? "" : "; missing: \(missing.joined(separator: ", "))"))
        let restarts = rows.filter { $0.restarts > 0 }.map { "\($0.process) \($0.restarts)" }
        if !restarts.isEmpty { line("restarts", restarts.joined(separator: ", ")) }
        if let library {
            let pending = library.pending > 0 ? ", \(library.pending) wait for analysis" : ""
            line(
                "library",
                "\(Wording.count(library.songs, "song")), \(Wording.count(library.playlists, "playlist")), "
                    + "\(library.analysed) with features\(pending)")
        } else {
            line("library", "unknown")
        }
        guard let brain else {
            line("brain", "does not answer")
            return lines
        }
        let lists =
            brain.playlists.isEmpty ? "none chosen; see `resonance use`" : brain.playlists.joined(separator: ", ")
        line(
            "playlists",
            lists
                + (brain.playlists.isEmpty
                    ? "" : " (\(Wording.count(brain.pool, "song")), \(Wording.percent(brain.coverage)) played)"))
        let playing = brain.now.playing ? "" : brain.now.song == nil ? "" : " (paused)"
        line("now", brain.now.song.map { Wording.song($0) + playing } ?? brain.now.notice ?? "nothing plays")
        if let state = brain.state {
            line(
                "state",
                "\(state.activityContext.rawValue) → \(state.need.rawValue), confidence \(Wording.percent(state.confidence))"
            )
        } else {
            line("state", "not known yet")
        }
        line(
            "decisions",
            "\(brain.decisions), \(Wording.count(brain.relaxations, "relaxation")), "
                + Wording.count(brain.breaches, "breach", "breaches"))
        if let until = brain.moodUntilAt {
            line("mood", "as you said until \(Wording.timeOfDay(until, terminal.timeZone))")
        }
        if brain.djMode.on {
            line(
                "DJ mode",
                "on, energy \(Wording.signed(brain.djMode.energyNudge)), "
                    + "tempo \(Wording.signed(brain.djMode.tempoNudge, 0)) BPM")
        }
        return lines
    }
}

/// The processes of a whole house.
enum ExpectedProcesses {
    static let names: [ProcessName] = [.hub, .librarian, .body, .player, .context, .sensor, .brain]

    /// Names that should be ready and are not. Any `player-…` is the player.
    static func missing(from table: ProcessTable, expected: [ProcessName] = names) -> [String] {
        expected.filter { name in
            name != .hub && !table.processes.contains { $0.running && $0.ready && matches($0.process, name) }
        }.map(\.rawValue)
    }

    static func matches(_ process: ProcessName, _ expected: ProcessName) -> Bool {
        process == expected || expected == .player && process.rawValue.hasPrefix("player-")
    }
}
