/// How a process ended.
package struct ProcessExit: Codable, Hashable, Sendable {
    package var at: Timestamp
    /// Exit code; nil when a signal ended it.
    package var code: Int32?
    /// Name of the signal that ended it, as `SIGKILL`; nil after an exit.
    package var signal: String?
    /// Why the supervisor ended it itself, as "silent for 15 s"; nil when it ended by itself.
    package var reason: String?

    package init(at: Timestamp, code: Int32? = nil, signal: String? = nil, reason: String? = nil) {
        self.at = at
        self.code = code
        self.signal = signal
        self.reason = reason
    }
}

/// What the supervisor knows of its processes: the file `processes.json` of the runtime directory.
///
/// The supervisor's watch writes it, the hub and the command line read it; it never travels as such.
package struct SupervisorReport: Codable, Equatable, Sendable {
    package struct Process: Codable, Equatable, Sendable {
        package var wanted: Open<ProcessTable.Wanted>
        package var restarts: Int
        package var lastExit: ProcessExit?
        /// Why it was given up, for a person; nil when it was not.
        package var reason: String?
        /// Process id of its present life; nil when it does not live.
        package var pid: Int32?

        package init(
            wanted: Open<ProcessTable.Wanted>, restarts: Int, lastExit: ProcessExit? = nil, reason: String? = nil,
            pid: Int32? = nil
        ) {
            self.pid = pid
            self.wanted = wanted
            self.restarts = restarts
            self.lastExit = lastExit
            self.reason = reason
        }
    }

    /// Process id of the supervisor: a report of another supervisor than the reader's own is of no use.
    package var supervisor: Int32
    package var at: Timestamp
    package var processes: [String: Process]

    package init(supervisor: Int32, at: Timestamp, processes: [String: Process]) {
        self.supervisor = supervisor
        self.at = at
        self.processes = processes
    }

    /// Name of the file in the runtime directory.
    package static let fileName = "processes.json"
}

extension ProcessTable {
    /// The table with what the supervisor knows: its count of restarts, what is wanted, the last exits, and a row for
    /// every process that is wanted and never came, or was given up. Who has ended and lives again under another process
    /// id is starting. Rows that it does not know stay as they are.
    package func merged(with report: SupervisorReport?) -> ProcessTable {
        guard let report else { return self }
        var table = self
        for index in table.processes.indices {
            guard let known = report.processes[table.processes[index].process.rawValue] else { continue }
            table.processes[index].wanted = known.wanted
            table.processes[index].restarts = known.restarts
            table.processes[index].lastExit = known.lastExit
            if table.processes[index].state?.value == .ended, let pid = known.pid, pid != table.processes[index].pid {
                table.processes[index].state = Open(.starting)
                table.processes[index].pid = pid
            }
        }
        let present = Set(table.processes.map(\.process.rawValue))
        for (name, known) in report.processes.sorted(by: { $0.key < $1.key })
        where !present.contains(name) && known.wanted.value != .no {
            let silent = known.lastExit.map { max(0, table.at.seconds(since: $0.at)) } ?? 0
            var row = Row(
                process: ProcessName(rawValue: name), running: false, ready: false, pid: known.pid ?? 0, version: "",
                restarts: known.restarts, silentSeconds: silent, topics: [])
            row.wanted = known.wanted
            row.lastExit = known.lastExit
            row.state = Open(known.pid == nil ? .ended : .starting)
            table.processes.append(row)
        }
        return table
    }
}
