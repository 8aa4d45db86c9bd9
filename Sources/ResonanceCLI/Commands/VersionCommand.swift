import ArgumentParser
import Protocols
import ServiceKit

struct VersionCommand: OfflineCommand {
    static let configuration = CommandConfiguration(
        commandName: "version", abstract: "Print the versions of this tool and of the wire.",
        discussion: "Example: resonance version")

    @OptionGroup var output: OutputOptions

    private struct Versions: Encodable {
        var headerVersion = Header.version
        var topics = Registry.all.count
        var version = ResonanceVersion.current
    }

    func run(on terminal: Terminal) async throws {
        let versions = Versions()
        try terminal.answer(versions, json: output.json) {
            ["resonance \(versions.version)", "wire header \(versions.headerVersion), \(versions.topics) topics"]
        }
    }
}
