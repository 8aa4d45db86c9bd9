import ArgumentParser
import HubService
import ServiceKit

/// Carries the messages of all processes, and keeps the last value of every state.
@main
struct Hub: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "hub",
        abstract: "The air between the devices: routes messages, keeps last values, knows who is there.")

    @OptionGroup var options: ServiceOptions

    @Option(help: "Also listen on TCP of this machine, such as 127.0.0.1:7600 (the next port is used as well).")
    var listen: [String] = []

    @Option(help: "Also serve the figures of all processes to Prometheus on TCP of this machine, as 127.0.0.1:9464.")
    var metrics: String?

    func run() async throws {
        try await runHub(options, listen: listen, metrics: metrics)
    }
}
