import ArgumentParser
import Backup
import Foundation
import Protocols
import ServiceKit

struct RestoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore", abstract: "Put a backup back, on this machine or another one; all of it or nothing.",
        discussion: """
            Nothing of Resonance may run. The backup is unpacked and checked beside the data directory and then takes
            its place in one move. With --replace what was there is kept under another name, never deleted.

            Example: resonance restore ~/resonance.age
            Example: resonance restore ~/resonance.age --replace --identity ~/resonance-key.txt
            """)

    @Argument(help: "A file that `resonance backup` wrote.", completion: .file()) var file: String
    @Flag(help: "Take the place of data that is there; that is moved aside.") var replace = false
    @Flag(help: "Leave the configuration directory as it is.") var withoutConfiguration = false
    @OptionGroup(title: "Key") var key: BackupKeyOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup(title: "Common options") var bus: BusOptions

    func run() async throws { try restore(on: .standard()) }

    private func restore(on terminal: Terminal) throws {
        let directories = bus.directories
        let locks = try takeLocks(directories)
        defer { withExtendedLifetime(locks) {} }
        let keys = BackupKeys(
            options: key, secrets: SecretStore(directory: directories.config), terminal: terminal)
        let path = (file as NSString).expandingTildeInPath
        let restoration = Restoration(
            data: directories.data, config: withoutConfiguration ? nil : directories.config, replace: replace,
            stamp: DatedBackups.stamp(Timestamp(.now)))
        let outcome: Restoration.Outcome
        do {
            let reader = BackupReader(path: path, identity: try keys.identity(for: path)) { terminal.progress($0) }
            outcome = try restoration.run(reader)
        } catch let error as BackupError {
            terminal.endProgress()
            throw CommandFailure(error)
        }
        terminal.endProgress()
        let report = RestoreReport(
            createdAt: outcome.manifest.createdAt, data: directories.data.path(percentEncoded: false), file: path,
            files: outcome.manifest.files.count, movedAside: outcome.aside, version: outcome.manifest.version)
        try terminal.answer(report, json: output.json) { report.lines(terminal) }
    }

    /// Takes the lock of every process, so that none starts meanwhile.
    private func takeLocks(_ directories: Directories) throws -> [InstanceLock] {
        let holders = Traces(directories: directories).holders()
        guard holders.isEmpty else {
            let names = holders.map { "\($0.process) (pid \($0.pid))" }.joined(separator: ", ")
            throw CommandFailure(
                .notAllowed, "still at work: \(names)", cure: "stop everything with deploy/down; nothing was changed")
        }
        var locks: [InstanceLock] = []
        let data: [ProcessName] = [.librarian, .body, .brain, .sensor, .context, "player-stub", "backup"]
        do {
            for (names, place) in [(data, directories.data), ([.hub], directories.runtime)] {
                guard FileManager.default.fileExists(atPath: place.path(percentEncoded: false)) else { continue }
                for name in names { locks.append(try InstanceLock(name: name.rawValue, in: place)) }
            }
        } catch {
            throw CommandFailure(.notAllowed, "\(error)", cure: "stop everything with deploy/down")
        }
        return locks
    }
}

/// What was restored.
struct RestoreReport: Encodable, Equatable {
    var createdAt: Timestamp
    var data: String
    var file: String
    var files: Int
    /// Where what was there before is kept.
    var movedAside: [String]
    var version: String

    func lines(_ terminal: Terminal) -> [String] {
        let when = Wording.moment(createdAt, terminal.timeZone)
        return ["Restored \(Wording.count(files, "file")) of \(when) into \(data)"]
            + movedAside.map { "what was there before: \($0)" } + ["Start with deploy/up."]
    }
}
