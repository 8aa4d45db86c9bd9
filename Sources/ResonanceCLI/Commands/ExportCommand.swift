import ArgumentParser
import Foundation
import Protocols
import ServiceKit

struct ExportCommand: HouseholdCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Write everything that is kept about you into a new directory.",
        discussion: """
            Each owner of data writes one file of JSON lines; manifest.json says what is there. The directory is
            0700, the files 0600: they hold health data. Ends with 69 when an owner was missing.

            Example: resonance export ~/resonance-2026-01-31
            """)

    @Argument(help: "A directory that does not exist yet.", completion: .directory) var directory: String
    @OptionGroup var output: OutputOptions
    @OptionGroup(title: "Common options") var bus: BusOptions

    func run(in household: any Household, on terminal: Terminal) async throws {
        let target = URL(filePath: (directory as NSString).expandingTildeInPath, directoryHint: .isDirectory)
            .standardizedFileURL
        let manifest = try await Export(household, into: target, terminal).run()
        try terminal.answer(manifest, json: output.json) { manifest.lines(target) }
        let owners = manifest.missing.filter(\.keepsData)
        if !owners.isEmpty {
            throw CommandFailure(
                .unavailable,
                "the export is incomplete: \(owners.map(\.process).joined(separator: ", ")) did not answer",
                cure: "start everything with deploy/up, then export into a new directory")
        }
    }
}

/// What an export holds.
struct ExportManifest: Codable, Equatable {
    struct Part: Codable, Equatable {
        var bytes: Int64
        var file: String
        var process: String
        var rows: Int
    }

    struct Missing: Codable, Equatable {
        /// False for a process that keeps nothing that lasts.
        var keepsData: Bool
        var process: String
        var reason: String
    }

    var complete: Bool
    var exportedAt: Timestamp
    var listener: String
    var missing: [Missing]
    var parts: [Part]
    var version: String

    func lines(_ directory: URL) -> [String] {
        var table = TextTable([.word("file"), .figure("rows"), .figure("size")])
        for part in parts { table.add(part.file, "\(part.rows)", Wording.bytes(part.bytes)) }
        let path = directory.path(percentEncoded: false)
        return ["Exported into \(path)"] + table.lines(width: nil, style: TextStyle(on: false))
            + missing.filter(\.keepsData).map { "missing: \($0.process): \($0.reason)" }
    }
}

/// Collects what every process keeps.
struct Export {
    /// Those whose data an export may not lack.
    static let owners: [ProcessName] = [.librarian, .body, .brain]
    /// Those that keep nothing, or only for a moment, and may say so.
    static let others: [ProcessName] = [.sensor, .context, .player, .hub]

    let household: any Household
    let directory: URL
    let terminal: Terminal

    init(_ household: any Household, into directory: URL, _ terminal: Terminal) {
        self.household = household
        self.directory = directory
        self.terminal = terminal
    }

    func run() async throws -> ExportManifest {
        try makeDirectory()
        var parts: [ExportManifest.Part] = []
        var missing: [ExportManifest.Missing] = []
        for process in Self.owners + Self.others {
            terminal.progress("exporting \(process) …")
            let name = "\(process).jsonl"
            let file = directory.appending(path: name).path(percentEncoded: false)
            do throws(Refusal) {
                let done: Exported = try await household.request(
                    process, ExportData.name, ExportData(path: file), deadline: .seconds(600))
                let size = (try? FileManager.default.attributesOfItem(atPath: file))?[.size] as? NSNumber
                if let size {
                    parts.append(.init(bytes: size.int64Value, file: name, process: process.rawValue, rows: done.rows))
                } else if done.rows > 0 {
                    let reason = "said that it wrote \(done.rows) rows, but \(name) is not there"
                    missing.append(.init(keepsData: true, process: process.rawValue, reason: reason))
                }
            } catch {
                let keeps = Self.owners.contains(process)
                missing.append(.init(keepsData: keeps, process: process.rawValue, reason: error.message))
            }
        }
        terminal.endProgress()
        let manifest = ExportManifest(
            complete: !missing.contains(where: \.keepsData), exportedAt: Timestamp(.now), listener: household.listener,
            missing: missing, parts: parts, version: ResonanceVersion.current)
        let text = try Terminal.json(manifest) + "\n"
        let file = directory.appending(path: "manifest.json").path(percentEncoded: false)
        guard
            FileManager.default.createFile(
                atPath: file, contents: Data(text.utf8), attributes: [.posixPermissions: 0o600])
        else { throw CommandFailure(.cannotCreate, "cannot write \(file)", cure: "is the disk full?") }
        return manifest
    }

    private func makeDirectory() throws {
        let path = directory.path(percentEncoded: false)
        guard !FileManager.default.fileExists(atPath: path) else {
            throw CommandFailure(
                .cannotCreate, "\(path) is there already", cure: "name a directory that does not exist yet")
        }
        do {
            try ensurePrivateDirectory(directory)
        } catch {
            throw CommandFailure(.cannotCreate, "\(error)", cure: "name a directory where you may write")
        }
    }
}
