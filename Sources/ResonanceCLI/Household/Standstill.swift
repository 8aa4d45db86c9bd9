import Foundation
import Protocols

/// How a process is started anew, in words for a person.
enum RestartWords {
    /// - Parameter supervised: the supervisor of `deploy/up` has it; otherwise systemd may.
    static func command(_ name: String, supervised: Bool) -> String {
        supervised
            ? "deploy/restart \(name)"
            : "deploy/restart \(name) (under systemd: systemctl --user restart resonance-\(name))"
    }
}

/// An answer that did not come: who stands still, and what to do about it.
extension CommandFailure {
    private static let absences: Set<String> = ["unknown-process", "unavailable", "deadline"]

    /// - Parameter table: the processes as the hub sees them now; nil = it does not say.
    init(_ refusal: Refusal, in table: ProcessTable?) {
        self.init(refusal)
        guard Self.absences.contains(refusal.code), let row = table.flatMap({ Self.row(namedIn: refusal, $0) }) else {
            return
        }
        let name = row.process.rawValue
        let restart = RestartWords.command(name, supervised: row.wanted != nil)
        switch row.life {
        case .silent?:
            cause = "\(refusal.message): nothing was heard of it for \(Wording.age(row.silentSeconds)), it is frozen"
            cure =
                row.wanted?.value == .yes
                ? "the supervisor replaces it after 15 s of silence; at once: \(restart)" : "restart it: \(restart)"
        case .starting?: cure = "\(name) is starting: try again in a moment"
        case .ended? where row.wanted?.value == .givenUp:
            cure = "\(name) was given up, its log says why it ended; then \(restart)"
        case .ended? where row.wanted?.value == .yes:
            cure = "\(name) has ended and is being started again: try again in a moment"
        case .ended?: cure = "\(name) has ended, its log says why; \(restart)"
        case .ready?, nil: break
        }
    }

    /// The process that a refusal speaks of, by its own name or its role.
    private static func row(namedIn refusal: Refusal, _ table: ProcessTable) -> ProcessTable.Row? {
        let words = refusal.message.split { !$0.isLetter && !$0.isNumber && $0 != "-" }.map {
            ProcessName(rawValue: "\($0)")
        }
        return table.processes.first { row in words.contains { ExpectedProcesses.matches(row.process, $0) } }
    }

    /// The hub is on another machine: nothing here can start it.
    func ofRemoteHub() -> CommandFailure {
        guard status == .unavailable else { return self }
        var failure = self
        failure.cure =
            "on the hub's machine: does it run with --listen, and does the firewall let its two ports in? "
            + "Here `resonance pair --show` tells the address"
        return failure
    }

    /// Who holds the hub's lock and does not answer stands still; nobody would start another hub beside it.
    func explained(by holders: [(process: ProcessName, pid: String)]) -> CommandFailure {
        guard status == .unavailable, let hub = holders.first(where: { $0.process == .hub }) else { return self }
        var failure = self
        failure.cause += ", though it runs as pid \(hub.pid): it is frozen, or the machine is overloaded"
        failure.cure = "restart it: \(RestartWords.command("hub", supervised: false))"
        return failure
    }
}
