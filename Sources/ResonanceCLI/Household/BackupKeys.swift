import ArgumentParser
import Backup
import Foundation
import Glibc
import ServiceKit

/// Where the key of a backup comes from. A passphrase never stands on a command line, which others can see.
struct BackupKeyOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Read the passphrase from the first line of a 0600 file; - for standard input.", valueName: "file"),
        completion: .file())
    var passphraseFile: String?

    @Option(
        help: ArgumentHelp(
            "A secret key to open a backup with, as `--new-key` or age-keygen wrote it.", valueName: "file"),
        completion: .file())
    var identity: String?
}

/// Finds keys: options, then the environment, then the store of secrets, then the person at the terminal.
struct BackupKeys {
    static let variable = "RESONANCE_BACKUP_PASSPHRASE"
    static let passphraseSecret = "backup-passphrase"
    static let identitySecret = "backup-identity"
    static let recipientSecret = "backup-recipient"
    /// A shorter passphrase is no protection for a file that may be copied.
    static let shortest = 8

    let options: BackupKeyOptions
    let secrets: SecretStore
    let terminal: Terminal
    var environment = ProcessInfo.processInfo.environment
    /// Of the derivation of passphrases; see ``AgeKeys/usualLogN``.
    var logN = AgeKeys.usualLogN

    /// Whom a new backup is for.
    ///
    /// - Parameter given: public keys of the command line.
    func recipients(_ given: [String]) throws -> [AgeRecipient] {
        var keys = given
        if keys.isEmpty, options.passphraseFile == nil, environment[Self.variable] == nil,
            let kept = try secret(Self.recipientSecret)
        {
            keys = kept.split(whereSeparator: \.isWhitespace).map(String.init)
        }
        guard keys.isEmpty else {
            do {
                return try keys.map { try AgeRecipient(text: $0) }
            } catch {
                throw CommandFailure(.usage, "--recipient: \(error)", cure: "give age1… as `--new-key` printed it")
            }
        }
        return [.passphrase(try newPassphrase(), logN: logN)]
    }

    /// What opens an existing backup.
    func identity(for file: String) throws -> AgeIdentity {
        if try takesPassphrase(file) {
            if let known = try knownPassphrase() { return .passphrase(known) }
            guard let typed = terminal.askSecret("Passphrase of \(file): "), !typed.isEmpty else { throw Self.noKey() }
            return .passphrase(typed)
        }
        do {
            if let path = options.identity { return try AgeIdentity(file: Self.privateText(path)) }
            if let kept = try secret(Self.identitySecret) { return try AgeIdentity(file: kept) }
        } catch let error as AgeError {
            throw CommandFailure(.badData, "the secret key: \(error)", cure: "name the right file with --identity")
        }
        throw CommandFailure(
            .usage, "\(file) was written for a secret key", cure: "name its file with --identity FILE")
    }

    private func takesPassphrase(_ file: String) throws -> Bool {
        let handle: FileHandle
        do {
            handle = try FileHandle(forReadingFrom: URL(filePath: file))
        } catch {
            throw CommandFailure(.noInput, "cannot read \(file)", cure: "check its name and whether you may read it")
        }
        defer { try? handle.close() }
        let start = (try? handle.read(upToCount: AgeHeader.largest)) ?? Data()
        do {
            let header = try AgeHeader.parse(Array(start)).header
            return header.stanzas.contains { $0.arguments.first == "scrypt" }
        } catch {
            throw CommandFailure(.badData, "\(file) cannot be used: \(error)", cure: "take another copy of it")
        }
    }

    private func newPassphrase() throws -> String {
        let passphrase: String
        if let known = try knownPassphrase() {
            passphrase = known
        } else {
            guard let typed = terminal.askSecret("Passphrase for the backup: "), !typed.isEmpty else {
                throw Self.noKey()
            }
            try checkLength(typed)
            guard terminal.askSecret("The same again: ") == typed else {
                throw CommandFailure(.usage, "the two are not the same", cure: "nothing was written; try again")
            }
            return typed
        }
        try checkLength(passphrase)
        return passphrase
    }

    private func checkLength(_ passphrase: String) throws {
        guard passphrase.count >= Self.shortest else {
            throw CommandFailure(
                .usage, "the passphrase is too short",
                cure: "take at least \(Self.shortest) characters, better six words")
        }
    }

    private func knownPassphrase() throws -> String? {
        if let path = options.passphraseFile { return Self.firstLine(try Self.privateText(path)) }
        if let value = environment[Self.variable], !value.isEmpty { return value }
        return try secret(Self.passphraseSecret)
    }

    private func secret(_ name: String) throws -> String? {
        do throws(SecretError) {
            return try secrets.value(of: name)
        } catch {
            throw CommandFailure(.notAllowed, "\(error)")
        }
    }

    private static func firstLine(_ text: String) -> String {
        String(text.prefix { $0 != "\n" && $0 != "\r\n" })
    }

    /// Text of a file that nobody else may read; of a pipe as it comes.
    static func privateText(_ path: String) throws -> String {
        let name = path == "-" ? "/dev/stdin" : (path as NSString).expandingTildeInPath
        var status = stat()
        guard stat(name, &status) == 0 else {
            throw CommandFailure(.noInput, "cannot read \(path): \(String(cString: strerror(errno)))")
        }
        if status.st_mode & S_IFMT == S_IFREG, status.st_mode & 0o077 != 0 {
            throw CommandFailure(.notAllowed, "\(path) can be read by others", cure: "chmod 600 '\(path)'")
        }
        guard let data = FileManager.default.contents(atPath: name) ?? readAll(name), data.count <= 1 << 16,
            let text = String(data: data, encoding: .utf8), !text.isEmpty
        else { throw CommandFailure(.noInput, "\(path) is empty, too long or no text") }
        return text
    }

    private static func readAll(_ path: String) -> Data? {
        guard let handle = FileHandle(forReadingAtPath: path) else { return nil }
        defer { try? handle.close() }
        return try? handle.readToEnd()
    }

    private static func noKey() -> CommandFailure {
        CommandFailure(
            .usage, "there is no passphrase, and no terminal to ask for one",
            cure: "give --passphrase-file FILE, set \(variable), or `resonance secret set \(passphraseSecret)`")
    }
}
