import ArgumentParser

struct ConductCommand: OfflineCommand {
    static let configuration = CommandConfiguration(commandName: "conduct")
    func run(on terminal: Terminal) async throws {}
}
