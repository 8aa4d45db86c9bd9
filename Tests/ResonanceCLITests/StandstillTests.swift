import Foundation
import Protocols
import Testing

@testable import ResonanceCLI

/// What a person is told when an answer does not come.
struct StandstillTests {
    private let late = Refusal(code: "deadline", message: "librarian did not answer list-playlists in time")

    @Test(
        arguments: [
            (.silent, .yes, "at once: deploy/restart librarian"),
            (.silent, nil, "systemctl --user restart resonance-librarian"),
            (.starting, .yes, "librarian is starting"),
            (.ended, .yes, "is being started again"),
            (.ended, .givenUp, "deploy/restart librarian"),
        ] as [(ProcessTable.State, ProcessTable.Wanted?, String)])
    func `the cure is for the state in which the asked process is`(
        state: ProcessTable.State, wanted: ProcessTable.Wanted?, cure: String
    ) {
        let table = Sample.table([
            Sample.row(.brain, state: .ready, wanted: .yes), Sample.row(.librarian, state: state, wanted: wanted),
        ])
        let failure = CommandFailure(late, in: table)
        #expect(failure.status == .tryAgain)
        #expect(failure.cure?.contains(cure) == true, "\(failure.cure ?? "")")
        #expect(failure.cure?.contains("deploy/up") == false)
        #expect(failure.cause.contains("frozen") == (state == .silent))
    }

    @Test func `the player is meant by its role`() {
        let refusal = Refusal(code: "deadline", message: "player did not answer status in time")
        let failure = CommandFailure(
            refusal, in: Sample.table([Sample.row("player-stub", state: .silent, wanted: .yes)]))
        #expect(failure.cure?.contains("deploy/restart player-stub") == true)
    }

    @Test func `a refusal that somebody made stays his`() {
        let refusal = Refusal(code: "not-found", message: "librarian has no such song")
        let table = Sample.table([Sample.row(.librarian, state: .silent)])
        #expect(CommandFailure(refusal, in: table) == CommandFailure(refusal))
        #expect(CommandFailure(late, in: nil) == CommandFailure(late))
    }

    @Test func `a hub that holds its lock is restarted, an absent one is started`() {
        let absent = CommandFailure(.unavailable, "no hub answers", cure: "start everything with deploy/up")
        #expect(absent.explained(by: [(process: .brain, pid: "9")]) == absent)
        let frozen = absent.explained(by: [(process: .hub, pid: "8")])
        #expect(frozen.cause == "no hub answers, though it runs as pid 8: it is frozen, or the machine is overloaded")
        #expect(frozen.cure?.contains("deploy/restart hub") == true)
    }

    @Test func `a hub on another machine is not started here, and has to listen`() {
        let late = CommandFailure(.unavailable, "no hub answers", cure: "start everything with deploy/up")
        #expect(late.ofRemoteHub().cure?.contains("--listen") == true)
        #expect(late.ofRemoteHub().cure?.contains("deploy/up") == false)
        let refused = CommandFailure(.notAllowed, "this key is not on the hub's list")
        #expect(refused.ofRemoteHub() == refused)
    }

    @Test func `the list of processes tells their states, and no number of a process that has ended`() {
        let rows = [
            Sample.row(.brain, state: .ready, wanted: .yes), Sample.row(.body, state: .silent, wanted: .yes),
            Sample.row(.librarian, state: .ended), Sample.row(.sensor, state: .starting),
        ]
        let view = ProcessesView(terminal: Paper().terminal())
        func column(_ title: String, _ table: ProcessTable) -> [String] {
            let lines = view.lines(table)
            guard let start = lines.first?.range(of: title)?.lowerBound, let header = lines.first else { return [] }
            let place = header.distance(from: header.startIndex, to: start)
            return lines.dropFirst().map { line in String(line.dropFirst(place).prefix { $0 != " " }) }
        }
        #expect(column("STATE", Sample.table(rows)) == ["ready", "silent", "ended", "starting"])
        #expect(view.lines(Sample.table(rows))[3].contains(" 42 ") == false)
        let alone = ProcessesCommand.table(
            SupervisorReport(
                supervisor: 2, at: Sample.noon,
                processes: [
                    "brain": .init(wanted: Open(.yes), restarts: 0, pid: 7),
                    "hub": .init(wanted: Open(.givenUp), restarts: 5),
                ]))
        // By name: the hub has ended, the brain lives without it.
        #expect(column("STATE", alone) == ["no", "ended"])
    }
}
