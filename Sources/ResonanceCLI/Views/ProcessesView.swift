import Protocols

/// Shows the processes as the hub sees them.
struct ProcessesView {
    var terminal: Terminal

    func lines(_ table: ProcessTable) -> [String] {
        let style = terminal.style
        var rows = TextTable([
            .word("process"), .word("wanted"), .word("state"), .figure("pid"), .word("version"), .figure("restarts"),
            .word("last exit"), .figure("silent"), .text("topics"),
        ])
        for row in table.processes {
            let dead = row.topics.filter { $0.alive == false }
            let topics =
                dead.isEmpty
                ? (row.topics.isEmpty ? "–" : Wording.count(row.topics.count, "topic") + ", all alive")
                : dead.map { "\($0.topic) silent \(Wording.age($0.silentSeconds))" }.joined(separator: ", ")
            rows.add(
                row.process.rawValue, Self.wanted(row), Self.state(row, in: table), row.pid > 0 ? "\(row.pid)" : "–",
                row.version.isEmpty ? "–" : row.version, "\(row.restarts)",
                Self.lastExit(row, at: table.at), Wording.age(row.silentSeconds), topics)
        }
        return rows.lines(width: terminal.width, style: style)
    }

    /// As the supervisor has it; `–` without one.
    static func wanted(_ row: ProcessTable.Row) -> String {
        switch row.wanted {
        case nil: "–"
        case .known(.yes)?: "yes"
        case .known(.no)?: "no"
        case .known(.givenUp)?: "given up"
        case .unknown(let raw)?: raw.printable
        }
    }

    /// As `code 1, 12 s ago` or `SIGKILL, 3 min ago`.
    static func lastExit(_ row: ProcessTable.Row, at now: Timestamp) -> String {
        guard let exit = row.lastExit else { return "–" }
        return "\(how(exit)), \(Wording.age(now.seconds(since: exit.at))) ago"
    }

    static func how(_ exit: ProcessExit) -> String {
        exit.signal?.printable ?? exit.code.map { "code \($0)" } ?? exit.reason?.printable ?? "not started"
    }

    static func state(_ row: ProcessTable.Row, in table: ProcessTable) -> String {
        switch row.life {
        case .ready?: "ready"
        // Without a hub nobody can say more than that it lives.
        case .starting?: table.hubEpoch == 0 ? "no hub" : "starting"
        case .silent?: "silent"
        case .ended?: "ended"
        case nil: row.state?.rawValue.printable ?? "–"
        }
    }
}
