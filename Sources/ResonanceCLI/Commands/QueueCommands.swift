import ArgumentParser
import Protocols

struct QueueCommand: HouseholdCommand {
    static let configuration = CommandConfiguration(
        commandName: "queue", abstract: "Show what was played, what plays and what comes next.",
        discussion: "Example: resonance queue")

    @OptionGroup var output: OutputOptions
    @OptionGroup(title: "Common options") var bus: BusOptions

    func run(in household: any Household, on terminal: Terminal) async throws {
        let queue = try await household.request(ShowQueue())
        try terminal.answer(queue, json: output.json) { queue.lines(terminal) }
    }
}

struct NextCommand: HouseholdCommand {
    static let configuration = CommandConfiguration(
        commandName: "next", abstract: "Decide the next song again and show the queue.",
        discussion: """
            The current song plays on; use `resonance skip` to end it.

            Example: resonance next
            """)

    @OptionGroup var output: OutputOptions
    @OptionGroup(title: "Common options") var bus: BusOptions

    func run(in household: any Household, on terminal: Terminal) async throws {
        let queue = try await household.request(PickNext())
        try terminal.answer(queue, json: output.json) { queue.lines(terminal) }
    }
}

struct ProposeCommand: HouseholdCommand {
    static let configuration = CommandConfiguration(
        commandName: "propose", abstract: "Propose a song as the next one; the guards still hold.",
        discussion: "Example: resonance propose blue monday")

    @Argument(help: "Id of a song, or part of its title.") var song: [String]
    @OptionGroup var output: OutputOptions
    @OptionGroup(title: "Common options") var bus: BusOptions

    func run(in household: any Household, on terminal: Terminal) async throws {
        try await household.withSong(song) { id in
            try await household.obey(
                Propose(songId: id, from: "user"), terminal, json: output.json, else: "proposed as the next song")
        }
    }
}

extension MusicQueue {
    func lines(_ terminal: Terminal) -> [String] {
        guard !entries.isEmpty else { return ["The queue is empty; see `resonance now`."] }
        var table = TextTable([.word(""), .text("song"), .figure("length"), .word("picked by"), .word("status")])
        for entry in entries {
            let mark =
                switch entry.status {
                case .known(.playing): "▶"
                case .known(.upNext): "→"
                default: ""
                }
            table.add(
                mark, Wording.song(entry.song), entry.song.durationMs.map { Wording.clock($0) } ?? "–",
                BoardView.picker(entry.pick), Self.word(entry.status))
        }
        return table.lines(width: terminal.width, style: terminal.style)
    }

    private static func word(_ status: Open<QueueStatus>) -> String {
        switch status {
        case .known(.playing): "playing"
        case .known(.played): "played"
        case .known(.upNext): "next"
        case .known(.queuedIfUserSkips): "if you skip"
        case .unknown(let other): other
        }
    }
}
