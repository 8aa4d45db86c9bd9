import ArgumentParser
import BrainService
import Protocols
import ServiceKit

/// Listens to body and context, decides what to play, says why, and learns.
@main
struct Brain: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "brain", abstract: "Decides what to play for how the listener is now, and learns from it.",
        version: ResonanceVersion.current)

    @OptionGroup var options: ServiceOptions

    @Option(
        name: .customLong("playlist"),
        help: "A playlist to choose from, by name or id; may be given several times (default: the last choice).")
    var playlists: [String] = []

    @Flag(help: "Begin to play by itself when playlists are chosen for the first time.")
    var autoplay = false

    func run() async throws {
        let brain = BrainOptions(playlists: playlists, autoplay: autoplay)
        try await runService(.brain, options) { environment in try buildBrain(environment, brain) }
    }
}
