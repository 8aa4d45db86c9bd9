import Protocols

/// Shows the processes as the hub sees them.
struct ProcessesView {
    var terminal: Terminal

    func lines(_ table: ProcessTable) -> [String] {
        let style = terminal.style
        var rows = TextTable([
            .word("process"), .word("state"), .figure("pid"), .word("version"), .figure("restarts"),
            .figure("silent"), .text("topics"),
        ])
        for row in table.processes {
            let dead = row.topics.filter { $0.alive == false }
            let topics =
                dead.isEmpty
                ? (row.topics.isEmpty ? "–" : Wording.count(row.topics.count, "topic") + ", all alive")
                : dead.map { "\($0.topic) silent \(Wording.age($0.silentSeconds))" }.joined(separator: ", ")
            rows.add(
                row.process.rawValue, Self.state(row), row.pid > 0 ? "\(row.pid)" : "–",
                row.version.isEmpty ? "–" : row.version, "\(row.restarts)", Wording.age(row.silentSeconds), topics)
        }
        return rows.lines(width: terminal.width, style: style)
    }

    static func state(_ row: ProcessTable.Row) -> String {
        row.running ? (row.ready ? "ready" : "starting") : "stopped"
    }
}
