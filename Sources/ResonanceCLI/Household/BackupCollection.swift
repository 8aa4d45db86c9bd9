import Backup
import Foundation
import Protocols
import ServiceKit
import Store

/// Copies everything that is kept into a private directory while the processes go on.
///
/// The order makes the copies fit each other: first the databases, each at one moment, then the events on their way: the
/// outboxes, then the hub's spool, so that an event that moves on meanwhile is found where it went. What a consumer handled
/// after its database was copied waits for it again in the copy of the spool (``SpoolCopies``); what it handled before, it
/// recognises by `HandledEvents` when it is delivered again after a restoration.
struct BackupCollection {
    /// Every database and the process that owns it.
    static let databases: [(name: String, owner: ProcessName)] = [
        ("brain.sqlite", .brain), ("body.sqlite", .body), ("library.sqlite", .librarian),
    ]
    /// Events that the hub keeps.
    static let spool = "spool/hub.sqlite"
    /// Where copies wait inside the data directory: on the same disk, under the same protection.
    static let folder = "backup-staging"
    /// A process that is just being restarted answers within this time; one that is frozen is given up after it.
    static let patience = Duration.seconds(20)

    let household: (any Household)?
    let directories: Directories
    let terminal: Terminal
    let staging: URL
    var withConfiguration = true

    init(_ household: (any Household)?, _ directories: Directories, _ terminal: Terminal) {
        self.household = household
        self.directories = directories
        self.terminal = terminal
        staging = directories.data.appending(path: Self.folder, directoryHint: .isDirectory)
    }

    /// - Throws: ``CommandFailure`` that names the process or the file; the caller removes ``staging``.
    func run() async throws -> [BackupWriter.Source] {
        try? FileManager.default.removeItem(at: staging)
        try ensurePrivateDirectory(staging)
        var sources: [BackupWriter.Source] = []
        let early = staging.appending(path: "spool-before.sqlite").path(percentEncoded: false)
        let late = staging.appending(path: "spool.sqlite").path(percentEncoded: false)
        let hasSpool = try await copyDatabase(Self.spool, .hub, to: early)
        for (name, owner) in Self.databases {
            terminal.progress("copying \(name) …")
            let copy = staging.appending(path: name).path(percentEncoded: false)
            if try await copyDatabase(name, owner, to: copy) {
                sources.append(.init(name: "data/\(name)", path: copy, kind: .database))
            }
        }
        sources += try copyFiles(of: directories.data, as: "data") { name in
            name.hasPrefix("outbox/") ? .outbox : Self.isCopied(name) ? .other : nil
        }
        if hasSpool {
            terminal.progress("copying the events on their way …")
            _ = try await copyDatabase(Self.spool, .hub, to: late)
            try SpoolCopies.join(early: early, late: late)
            sources.append(.init(name: "data/\(Self.spool)", path: late, kind: .database))
        }
        if withConfiguration {
            sources += try copyFiles(of: directories.config, as: "config") { name in
                name.hasSuffix(".lock") || name.hasSuffix(".new") ? nil : .configuration
            }
        }
        return sources
    }

    /// Databases come from their owners; locks and what SQLite keeps beside a database are nothing to keep.
    private static func isCopied(_ name: String) -> Bool {
        let last = name.split(separator: "/").last ?? ""
        return !last.contains(".sqlite") && !name.hasPrefix(folder)
            && ![".lock", ".new", ".prom", ".partial"].contains { last.hasSuffix($0) }
    }

    /// - Returns: false when there is no such database.
    private func copyDatabase(_ name: String, _ owner: ProcessName, to copy: String) async throws -> Bool {
        let path = directories.data.appending(path: name).path(percentEncoded: false)
        let end = ContinuousClock.now + Self.patience
        while true {
            let isRunning = Traces(directories: directories).holders().contains { $0.process == owner }
            if isRunning {
                guard let household else {
                    throw CommandFailure(
                        .unavailable, "\(owner) runs and cannot be asked without the hub",
                        cure: "start the hub, or stop everything with deploy/down")
                }
                do {
                    try await OwnerCopy(household: household, terminal: terminal).ask(owner, for: name, to: copy)
                    return true
                } catch let error as Refusal {
                    unlink(copy)
                    guard ["unknown-process", "unavailable"].contains(error.code), ContinuousClock.now < end else {
                        throw CommandFailure(
                            CommandStatus(error), "\(owner) did not copy its data: \(error.message)",
                            cure: "nothing was written; see `resonance doctor`")
                    }
                }
            } else {
                guard FileManager.default.fileExists(atPath: path) else { return false }
                do throws(StoreError) {
                    try DatabaseFile.copy(closed: path, to: copy)
                    return true
                } catch {
                    // Its owner may just be starting.
                    guard case .taken = error, ContinuousClock.now < end else { throw error }
                }
            }
            try await Task.sleep(for: .milliseconds(200))
        }
    }

    /// Copies regular files; links, sockets and what `kind` gives no kind for are left out.
    private func copyFiles(
        of directory: URL, as place: String, kind: (String) -> BackupManifest.Kind?
    ) throws -> [BackupWriter.Source] {
        let root = directory.path(percentEncoded: false)
        guard let walk = FileManager.default.enumerator(atPath: root) else { return [] }
        var sources: [BackupWriter.Source] = []
        var names: [String] = []
        while let name = walk.nextObject() as? String {
            if walk.fileAttributes?[.type] as? FileAttributeType == .typeRegular { names.append(name) }
        }
        for name in names.sorted() {
            guard let kind = kind(name) else { continue }
            let copy = staging.appending(path: "\(place)/\(name)")
            try ensurePrivateDirectory(copy.deletingLastPathComponent())
            // At once, since its owner may be appending or writing it anew.
            guard
                let bytes = FileManager.default.contents(
                    atPath: directory.appending(path: name).path(percentEncoded: false))
            else {
                // Gone meanwhile: an outbox that was written anew, for instance, has a new file of the same name.
                if FileManager.default.fileExists(atPath: directory.appending(path: name).path(percentEncoded: false)) {
                    throw CommandFailure(.noInput, "cannot read \(name) in \(root)")
                }
                continue
            }
            let path = copy.path(percentEncoded: false)
            guard
                FileManager.default.createFile(atPath: path, contents: bytes, attributes: [.posixPermissions: 0o600])
            else { throw CommandFailure(.cannotCreate, "cannot write \(path)", cure: "is the disk full?") }
            sources.append(.init(name: "\(place)/\(name)", path: path, kind: kind))
        }
        return sources
    }
}
