import ArgumentParser

struct InspectCommand: OfflineCommand {
    static let configuration = CommandConfiguration(commandName: "inspect")
    func run(on terminal: Terminal) async throws {}
}
