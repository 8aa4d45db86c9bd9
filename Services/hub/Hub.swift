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

    @Option(
        help: ArgumentHelp(
            "Also listen on TCP (the next port is used as well).",
            discussion: """
                127.0.0.1:7600 is open to this machine. Any other address, *:7600 for all, is open to other machines, \
                with CURVE and for the keys alone that `resonance pair` put on the list. curve://127.0.0.1:7600 asks \
                for keys on this machine too.
                """,
            valueName: "host:port"))
    var listen: [String] = []

    @Option(help: "Also serve the figures of all processes to Prometheus on TCP of this machine, as 127.0.0.1:9464.")
    var metrics: String?

    func run() async throws {
        try await runHub(options, listen: listen, metrics: metrics)
    }
}
