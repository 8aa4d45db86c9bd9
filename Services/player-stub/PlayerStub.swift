import ArgumentParser
import PlayerService
import Protocols
import ServiceKit

/// Plays silence on a clock: a player for machines without sound, and the double of the real one.
@main
struct PlayerStub: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "player-stub", abstract: "Plays silence on a clock and reports as a real player does.")

    @OptionGroup var options: ServiceOptions

    @Option(help: "Id of a song that fails when it starts, as an unreadable file would; may be given several times.")
    var fail: [String] = []

    func run() async throws {
        try await runService("player-stub", options, roles: [.player]) { environment in
            buildPlayer(environment, failing: Set(fail))
        }
    }
}
