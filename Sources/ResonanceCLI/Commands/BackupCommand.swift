import ArgumentParser
import Backup
import Foundation
import Protocols
import ServiceKit
import Store

struct BackupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup", abstract: "Write an encrypted, verified copy of everything; the processes keep running.",
        discussion: """
            The file is in the age format (age-encryption.org/v1) around a tar archive, opens with a passphrase or a
            secret key, and counts as written only after it was read back and every database in it was checked.
            Without FILE it gets a dated name in backups/ of the state directory, or in --directory.

            Example: resonance backup ~/resonance.age
            Example: resonance backup --directory /media/stick --keep 7 --passphrase-file ~/.backup-passphrase
            Example: resonance backup --new-key ~/resonance-key.txt
            Example: resonance backup --verify ~/resonance.age
            """)

    @Argument(help: "A file that does not exist yet; with --verify one that does.", completion: .file()) var file:
        String?
    @Flag(help: "Read a backup, check all of it, and write nothing.") var verify = false
    @Option(help: "Put a dated file into this directory.", completion: .directory) var directory: String?
    @Option(help: ArgumentHelp("Of the dated files keep only so many, the newest.", valueName: "count")) var keep: Int?
    @Option(
        name: .customLong("recipient"),
        help: ArgumentHelp("Encrypt for a public key instead of a passphrase; may be repeated.", valueName: "age1…"))
    var recipients: [String] = []
    @Option(
        help: ArgumentHelp(
            "Make a new secret key in this file; later backups are encrypted for it.", valueName: "file"))
    var newKey: String?
    @Flag(help: "Leave out the configuration directory with its keys and secrets.") var withoutConfiguration = false
    @OptionGroup(title: "Key") var key: BackupKeyOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup(title: "Common options") var bus: BusOptions

    func validate() throws {
        if let keep, keep < 1 { throw ValidationError("--keep \(keep): at least 1") }
        if file != nil, directory != nil { throw ValidationError("give a file or --directory, not both") }
        if keep != nil, file != nil { throw ValidationError("--keep is for dated files: leave out the file's name") }
        if verify, file == nil { throw ValidationError("--verify needs the file to check") }
    }

    func run() async throws {
        let terminal = Terminal.standard()
        let directories = bus.directories
        let keys = BackupKeys(
            options: key, secrets: SecretStore(directory: directories.config), terminal: terminal)
        do {
            if let newKey {
                try makeKey(newKey, keys, terminal)
            } else if verify, let file {
                try check(file, keys, directories, terminal)
            } else {
                try await write(keys, directories, terminal)
            }
        } catch let error as BackupError {
            throw CommandFailure(error)
        } catch let error as StoreError {
            throw CommandFailure(.badData, "\(error)", cure: "nothing was written")
        } catch let error as DirectoryError {
            throw CommandFailure(.cannotCreate, "\(error)")
        } catch let error as InstanceLockError {
            throw CommandFailure(.tryAgain, "\(error)", cure: "another backup or restoration is at work")
        }
    }

    private func write(_ keys: BackupKeys, _ directories: Directories, _ terminal: Terminal) async throws {
        let begin = ContinuousClock.now
        let now = Timestamp(.now)
        let target = try self.target(directories, at: now)
        guard !FileManager.default.fileExists(atPath: target) else { throw BackupError.exists(path: target) }
        // Asked first: a person should not wait for the question.
        let recipients = try keys.recipients(self.recipients)
        try ensurePrivateDirectory(directories.data)
        let lock = try InstanceLock(name: "backup", in: directories.data)
        defer { withExtendedLifetime(lock) {} }
        var household: (any Household)?
        let owners = BackupCollection.databases.map(\.owner) + [.hub]
        if Traces(directories: directories).holders().contains(where: { owners.contains($0.process) }) {
            household = try await BusHousehold.join(bus, subscriptions: [])
        }
        var collection = BackupCollection(household, directories, terminal)
        collection.withConfiguration = !withoutConfiguration
        defer { try? FileManager.default.removeItem(at: collection.staging) }
        let sources: [BackupWriter.Source]
        do {
            sources = try await collection.run()
        } catch {
            await household?.leave()
            throw error
        }
        await household?.leave()
        let writer = BackupWriter(for: recipients, scratch: collection.staging.appending(path: "check")) {
            terminal.progress($0)
        }
        let manifest = try writer.write(
            sources, to: target, version: ResonanceVersion.current, listener: bus.listenerName, at: now)
        let removed = try DatedBackups.prune(in: target, keep: keep)
        terminal.endProgress()
        let seconds = (ContinuousClock.now - begin) / .seconds(1)
        let report = BackupReport(manifest, file: target, removed: removed, seconds: seconds)
        try terminal.answer(report, json: output.json) { report.lines("Backed up", terminal) }
    }

    private func target(_ directories: Directories, at now: Timestamp) throws -> String {
        if let file { return URL(filePath: (file as NSString).expandingTildeInPath).path(percentEncoded: false) }
        let folder =
            directory.map { URL(filePath: ($0 as NSString).expandingTildeInPath, directoryHint: .isDirectory) }
            ?? directories.state.appending(path: "backups", directoryHint: .isDirectory)
        if directory == nil { try ensurePrivateDirectory(folder) }
        return folder.appending(path: DatedBackups.name(at: now)).path(percentEncoded: false)
    }

    private func check(_ file: String, _ keys: BackupKeys, _ directories: Directories, _ terminal: Terminal) throws {
        let begin = ContinuousClock.now
        let identity = try keys.identity(for: file)
        try ensurePrivateDirectory(directories.data)
        let folder = directories.data.appending(
            path: "\(BackupCollection.folder)-\(getpid())", directoryHint: .isDirectory)
        try ensurePrivateDirectory(folder)
        defer { try? FileManager.default.removeItem(at: folder) }
        let reader = BackupReader(path: file, identity: identity) { terminal.progress($0) }
        let manifest = try reader.unpack(into: folder)
        terminal.endProgress()
        let seconds = (ContinuousClock.now - begin) / .seconds(1)
        let report = BackupReport(manifest, file: file, removed: [], seconds: seconds)
        try terminal.answer(report, json: output.json) { report.lines("Sound:", terminal) }
    }

    private func makeKey(_ file: String, _ keys: BackupKeys, _ terminal: Terminal) throws {
        let identity = AgeIdentity.generate()
        guard let secret = identity.text, let recipient = identity.recipientText else {
            throw CommandFailure(.software, "no key could be made")
        }
        let path = (file as NSString).expandingTildeInPath
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else {
            throw CommandFailure(.cannotCreate, "cannot create \(path): \(String(cString: strerror(errno)))")
        }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        try handle.write(contentsOf: Data("# public key: \(recipient)\n\(secret)\n".utf8))
        try handle.synchronize()
        do {
            try keys.secrets.set(BackupKeys.recipientSecret, to: recipient)
        } catch {
            throw CommandFailure(.cannotCreate, "\(error)")
        }
        struct NewKey: Encodable {
            var file: String
            var recipient: String
        }
        try terminal.answer(NewKey(file: path, recipient: recipient), json: output.json) {
            [
                "Public key: \(recipient)", "Backups are encrypted for it from now on; \(path) opens them.",
                "Keep that file in another place: without it nobody can read a backup.",
            ]
        }
    }
}

/// What a backup holds, for the person who made or checked it.
struct BackupReport: Encodable, Equatable {
    /// Size of the file.
    var bytes: Int64
    var createdAt: Timestamp
    var databases: [String]
    var file: String
    var files: Int
    /// Older dated files that `--keep` took away.
    var removed: [String]
    var seconds: Double
    /// Every byte was read back and every database checked.
    var verified = true
    /// Version of Resonance that wrote it.
    var version: String

    init(_ manifest: BackupManifest, file: String, removed: [String], seconds: Double) {
        bytes = ((try? FileManager.default.attributesOfItem(atPath: file))?[.size] as? NSNumber)?.int64Value ?? 0
        createdAt = manifest.createdAt
        databases = manifest.files.filter { $0.kind == .database }.map { ($0.path as NSString).lastPathComponent }
        self.file = file
        files = manifest.files.count
        self.removed = removed
        self.seconds = seconds
        version = manifest.version
    }

    func lines(_ verb: String, _ terminal: Terminal) -> [String] {
        let when = Wording.moment(createdAt, terminal.timeZone)
        let size = "\(Wording.count(files, "file")), \(Wording.bytes(bytes))"
        return [
            "\(verb) \(file)",
            "\(size), of \(when) by version \(version): \(databases.joined(separator: ", "))",
            "verified in \(Wording.decimal(seconds, 1)) s: decrypted, compared, databases checked",
        ] + removed.map { "removed \($0)" }
    }
}

/// Backups whose names say when they were made.
enum DatedBackups {
    /// `resonance-20260131T081500Z.age`
    static func name(at: Timestamp) -> String { "resonance-\(stamp(at)).age" }

    /// Seconds in UTC, fit for a file name.
    static func stamp(_ at: Timestamp) -> String {
        let text = at.date.formatted(Date.ISO8601FormatStyle())
        return text.filter { $0 != "-" && $0 != ":" }
    }

    static func isDated(_ name: String) -> Bool {
        name.wholeMatch(of: /resonance-[0-9]{8}T[0-9]{6}Z\.age/) != nil
    }

    /// Removes the oldest dated files beside a new one.
    static func prune(in newest: String, keep: Int?) throws -> [String] {
        guard let keep else { return [] }
        let folder = URL(filePath: newest).deletingLastPathComponent()
        let dated = try FileManager.default.contentsOfDirectory(atPath: folder.path(percentEncoded: false))
            .filter(isDated).sorted()
        let old = dated.dropLast(keep).map { folder.appending(path: $0).path(percentEncoded: false) }
        for path in old { try FileManager.default.removeItem(atPath: path) }
        return Array(old)
    }
}

extension CommandFailure {
    init(_ error: BackupError) {
        let (status, cure): (CommandStatus, String?) =
            switch error {
            case .cannotRead: (.noInput, "check its name and whether you may read it")
            case .cannotWrite: (.cannotCreate, "name a place where you may write")
            case .diskFull: (.cannotCreate, "free some space, or name another place; nothing was changed")
            case .exists: (.cannotCreate, "name a file that does not exist yet")
            case .wrongKey: (.notAllowed, "check the passphrase or key; nothing was changed")
            case .damaged: (.badData, "nothing was changed; take another copy or an older backup")
            case .newerFormat, .newerSchema, .unknownDatabase: (.version, nil)
            case .eventsPassed: (.tryAgain, "nothing was written; try again, or look at `resonance doctor`")
            case .notEmpty:
                (
                    .notAllowed,
                    "--replace keeps what is there under another name, --without-configuration leaves settings alone"
                )
            }
        self.init(status, "\(error)", cure: cure)
    }
}
