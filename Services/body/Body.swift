import ArgumentParser
import BodyService
import Protocols
import ServiceKit

/// Keeps what is measured of the body and knows what is usual for it.
@main
struct Body: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "body",
        abstract: "Keeps heart rate, beats, movement, workouts and moods, and knows what is usual.",
        version: ResonanceVersion.current)

    @OptionGroup var options: ServiceOptions

    func run() async throws {
        try await runService(.body, options) { environment in try buildBody(environment) }
    }
}
