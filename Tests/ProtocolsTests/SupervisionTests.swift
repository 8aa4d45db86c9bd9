import Protocols
import Testing

struct SupervisionTests {
    private static func row(_ process: ProcessName, restarts: Int = 0) -> ProcessTable.Row {
        ProcessTable.Row(
            process: process, running: true, ready: true, pid: 5, version: "1", restarts: restarts, silentSeconds: 0,
            topics: [])
    }

    private static let table = ProcessTable(
        at: Timestamp(milliseconds: 60_000), hubEpoch: 3,
        processes: [row(.hub), row(.brain, restarts: 1), row("cli-1")])

    @Test func `without a supervisor the table stays as it is`() {
        #expect(Self.table.merged(with: nil) == Self.table)
        #expect(Self.table.processes.allSatisfy { $0.wanted == nil && $0.lastExit == nil })
    }

    @Test func `the supervisor's count, wish and last exit are in the row of its process, and only there`() {
        let exit = ProcessExit(at: Timestamp(milliseconds: 50_000), signal: "SIGKILL", reason: "silent for 15 s")
        let merged = Self.table.merged(
            with: SupervisorReport(
                supervisor: 2, at: Timestamp(milliseconds: 0),
                processes: [
                    "hub": .init(wanted: Open(.yes), restarts: 0),
                    "brain": .init(wanted: Open(.yes), restarts: 4, lastExit: exit),
                ]))
        #expect(merged.processes.map(\.restarts) == [0, 4, 0])
        #expect(merged.processes.map { $0.wanted?.value } == [.yes, .yes, nil])
        #expect(merged.processes[1].lastExit == exit)
    }

    @Test func `who has ended and lives again is starting, under its new number`() throws {
        var table = Self.table
        for index in table.processes.indices { table.processes[index].state = Open(index == 1 ? .ended : .ready) }
        func brain(_ pid: Int32?) -> ProcessTable.Row {
            table.merged(
                with: SupervisorReport(
                    supervisor: 2, at: Timestamp(milliseconds: 0),
                    processes: ["brain": .init(wanted: Open(.yes), restarts: 1, pid: pid)])
            ).processes[1]
        }
        #expect(brain(6).state?.value == .starting && brain(6).pid == 6)
        // The supervisor's word may be of a moment before its end.
        #expect(brain(5).state?.value == .ended)
        #expect(brain(nil).state?.value == .ended)
    }

    @Test func `a process that was given up before it came has a row, one that nobody wants has none`() throws {
        let exit = ProcessExit(at: Timestamp(milliseconds: 48_000), code: 1)
        let merged = Self.table.merged(
            with: SupervisorReport(
                supervisor: 2, at: Timestamp(milliseconds: 0),
                processes: [
                    "body": .init(wanted: Open(.givenUp), restarts: 5, lastExit: exit),
                    "librarian": .init(wanted: Open(.no), restarts: 0),
                ]))
        #expect(merged.processes.map(\.process.rawValue) == ["hub", "brain", "cli-1", "body"])
        let body = try #require(merged.processes.last)
        #expect(body.wanted?.value == .givenUp && !body.running && body.restarts == 5 && body.silentSeconds == 12)
        #expect(body.state?.value == .ended)
    }
}
