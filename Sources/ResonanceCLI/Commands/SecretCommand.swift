import ArgumentParser
import Foundation
import ServiceKit

struct SecretCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "secret", abstract: "Keep passphrases, keys and tokens; their values are never shown.",
        discussion: """
            They are in secrets.json of the configuration directory, which only you may read. Backups look for
            backup-passphrase, backup-recipient and backup-identity.
            """,
        subcommands: [SetSecret.self, ListSecrets.self, RemoveSecret.self])
}

/// What became of a secret.
private struct SecretReport: Encodable {
    var names: [String]
}

struct SetSecret: OfflineCommand {
    static let configuration = CommandConfiguration(
        commandName: "set", abstract: "Keep a value under a name.",
        discussion: """
            The value is typed unseen, or comes from standard input or a file; never from the command line, which
            others can see.

            Example: resonance secret set backup-passphrase
            Example: resonance secret set backup-identity --from ~/resonance-key.txt
            """)

    @Argument(help: "Lower-case letters, digits and '-'.") var name: String
    @Option(help: ArgumentHelp("Take the value from a 0600 file; - for standard input.", valueName: "file")) var from:
        String?
    @OptionGroup var output: OutputOptions

    func run(on terminal: Terminal) async throws {
        let store = SecretStore(directory: Directories.standard().config)
        let value: String
        if let from {
            value = try BackupKeys.privateText(from)
        } else {
            guard let typed = terminal.askSecret("Value of \(name): ") else {
                throw CommandFailure(.usage, "there is no terminal to ask", cure: "give --from FILE or --from -")
            }
            value = typed
        }
        let trimmed = value.trimmingCharacters(in: .newlines)
        guard !trimmed.isEmpty else { throw CommandFailure(.usage, "the value is empty", cure: "nothing was kept") }
        try secretly { () throws(SecretError) in try store.set(name, to: trimmed) }
        try terminal.answer(SecretReport(names: [name]), json: output.json) { ["Kept \(name) in \(store.path)"] }
    }
}

struct ListSecrets: OfflineCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Show the names of the secrets.",
        discussion: "Example: resonance secret list")

    @OptionGroup var output: OutputOptions

    func run(on terminal: Terminal) async throws {
        let store = SecretStore(directory: Directories.standard().config)
        let names = try secretly { () throws(SecretError) in try store.names() }
        try terminal.answer(SecretReport(names: names), json: output.json) {
            names.isEmpty ? ["There are no secrets."] : names
        }
    }
}

struct RemoveSecret: OfflineCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Forget a secret.",
        discussion: "Example: resonance secret remove backup-passphrase")

    @Argument(help: "The name of the secret.") var name: String
    @OptionGroup var output: OutputOptions

    func run(on terminal: Terminal) async throws {
        let store = SecretStore(directory: Directories.standard().config)
        guard try secretly({ () throws(SecretError) in try store.remove(name) }) else {
            throw CommandFailure(.finding, "there is no secret \(name)", cure: "see `resonance secret list`")
        }
        try terminal.answer(SecretReport(names: [name]), json: output.json) { ["Forgot \(name)"] }
    }
}

private func secretly<Value>(_ body: () throws(SecretError) -> Value) throws(CommandFailure) -> Value {
    do throws(SecretError) {
        return try body()
    } catch {
        let status: CommandStatus =
            switch error {
            case .badName: .usage
            case .open, .notOwn: .notAllowed
            case .unreadable: .badData
            case .cannotWrite: .cannotCreate
            }
        throw CommandFailure(status, "\(error)")
    }
}
