import ArgumentParser
import Bus
import Foundation
import Protocols
import Synchronization

struct Now: HouseholdCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show what plays, the state behind it, why, and what comes next.",
        discussion: """
            Example: resonance now
            Example: resonance now --watch      the same as `resonance watch`
            Example: resonance now --json | jq -r .now.song.title
            """)

    @Flag(help: "Stay and show every change until Ctrl-C.") var watch = false
    @OptionGroup var output: OutputOptions
    @OptionGroup(title: "Common options") var bus: BusOptions

    var subscriptions: [String] { watch ? Board.subscriptions() : [] }

    func run(in household: any Household, on terminal: Terminal) async throws {
        if watch { return try await BoardWatch(household, terminal, json: output.json).run() }
        var board = Board()
        board.apply(
            try await household.request(HubSnapshot(prefixes: ["music/", "state/", "sys/"])),
            listener: household.listener)
        // The kept table may be a second old, and say that somebody is missing who has just come.
        if case .success(let table) = await household.attempt(HubPeers()) { board.apply(table) }
        if board.now?.song != nil, case .success(let player) = await household.attempt(PlayerStatusQuery()) {
            board.progress = Protocols.Progress(
                positionMs: player.positionMs, playing: player.playing, volume: player.volume)
        }
        try terminal.answer(board, json: output.json) { BoardView(terminal).lines(board) }
    }
}

struct Watch: HouseholdCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show what plays, your state and why, all the time, until Ctrl-C.",
        discussion: """
            On a screen one picture is kept up to date; into a file or a pipe goes a line for every change,
            with --json a JSON document per line.

            Example: resonance watch
            Example: resonance watch | tee today.log
            """)

    @OptionGroup var output: OutputOptions
    @OptionGroup(title: "Common options") var bus: BusOptions

    var subscriptions: [String] { Board.subscriptions() }

    func run(in household: any Household, on terminal: Terminal) async throws {
        try await BoardWatch(household, terminal, json: output.json).run()
    }
}

/// Keeps the board up to date on the screen until the person interrupts.
struct BoardWatch: Sendable {
    let household: any Household
    let terminal: Terminal
    let json: Bool

    init(_ household: any Household, _ terminal: Terminal, json: Bool) {
        self.household = household
        self.terminal = terminal
        self.json = json
    }

    /// One line of a JSON stream: what changed, and the board after it.
    private struct Line: Encodable {
        var at: Timestamp
        var change: String
        var board: Board
    }

    func run() async throws {
        var board = Board()
        if case .success(let kept) = await household.attempt(HubSnapshot(prefixes: ["music/", "state/", "sys/"])) {
            board.apply(kept, listener: household.listener)
        }
        if case .success(let table) = await household.attempt(HubPeers()) { board.apply(table) }
        let start = board
        let picture = Picture(terminal)
        try await untilInterrupted { try await follow(from: start, picture) }
    }

    private func follow(from start: Board, _ picture: Picture) async throws {
        var board = start
        let screen = terminal.interactive && !json
        if screen {
            picture.draw(board)
        } else {
            for change in [Board.Change.song, .state] where change == .song ? board.now != nil : board.state != nil {
                try log(change, board, at: change == .state ? board.state?.at : board.now?.startedAt)
            }
        }
        for await event in household.events {
            let changes = board.apply(event, listener: household.listener)
            if screen {
                picture.draw(board)
            } else {
                for change in changes { try log(change, board, at: Self.time(of: event)) }
            }
        }
    }

    private func log(_ change: Board.Change, _ board: Board, at: Timestamp?) throws {
        let at = at ?? Timestamp(.now)
        if json {
            terminal.print(try Terminal.json(Line(at: at, change: "\(change)", board: board), pretty: false))
        } else {
            terminal.print(BoardView(terminal).line(change, board, at: at))
        }
    }

    private static func time(of event: BusEvent) -> Timestamp? {
        guard case .message(let message) = event else { return nil }
        return Timestamp(milliseconds: message.header.wallNs / 1_000_000)
    }
}

/// The picture on a screen: drawn over the one before, when something in it is different.
final class Picture: Sendable {
    private let terminal: Terminal
    private let shown = Mutex<[String]>([])

    init(_ terminal: Terminal) { self.terminal = terminal }

    func draw(_ board: Board) {
        var screen = terminal
        if terminal.width != nil { screen.width = Terminal.screenWidth() }
        let lines = BoardView(screen).lines(board)
        let old = shown.withLock { shown in
            defer { shown = lines }
            return shown
        }
        guard lines != old else { return }
        let back = old.isEmpty ? "" : "\u{1B}[\(old.count)A"
        terminal.printRaw(back + "\r\u{1B}[J" + lines.joined(separator: "\n") + "\n")
    }
}
