import ArgumentParser
import Protocols

struct PlaylistsCommand: HouseholdCommand {
    static let configuration = CommandConfiguration(
        commandName: "playlists", abstract: "List the playlists of the library.",
        discussion: "Example: resonance playlists")

    @OptionGroup var output: OutputOptions
    @OptionGroup(title: "Common options") var bus: BusOptions

    func run(in household: any Household, on terminal: Terminal) async throws {
        let list = try await household.request(ListPlaylists())
        let chosen: Set<String>
        if !output.json, case .success(let brain) = await household.attempt(BrainStatus()) {
            chosen = Set(brain.playlists)
        } else {
            chosen = []
        }
        try terminal.answer(list, json: output.json) {
            guard !list.playlists.isEmpty else {
                return ["No playlist yet; import some: `resonance library import FILES`."]
            }
            var table = TextTable([
                .word(""), .text("playlist"), .figure("songs"), .figure("length"), .figure("tempo"), .figure("energy"),
                .word("id"),
            ])
            for row in list.playlists {
                table.add(
                    chosen.contains(row.name) || chosen.contains(row.id) ? "*" : "", row.name, "\(row.songs)",
                    Wording.clock(row.totalMs), Wording.bpm(row.averageBpm), Wording.decimal(row.averageEnergy), row.id)
            }
            let legend = chosen.isEmpty ? [] : ["* chosen as source"]
            return table.lines(width: terminal.width, style: terminal.style) + legend
        }
    }
}

struct UseCommand: HouseholdCommand {
    static let configuration = CommandConfiguration(
        commandName: "use", abstract: "Choose the playlists that songs may come from.",
        discussion: """
            They become the only source; a name with blanks needs quotes.

            Example: resonance use "Deep Focus"
            Example: resonance use Run "Rock and roll"
            """)

    @Argument(help: "Names or ids of playlists.") var playlists: [String]
    @OptionGroup var output: OutputOptions
    @OptionGroup(title: "Common options") var bus: BusOptions

    func run(in household: any Household, on terminal: Terminal) async throws {
        try await household.obey(
            UsePlaylists(playlists: playlists), terminal, json: output.json,
            else: "songs now come from \(playlists.joined(separator: ", "))")
    }
}
