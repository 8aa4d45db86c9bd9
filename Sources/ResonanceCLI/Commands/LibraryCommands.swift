import ArgumentParser
import Foundation
import Protocols

struct LibraryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "library", abstract: "Bring your own music in.", subcommands: [LibraryImport.self])
}

struct LibraryImport: HouseholdCommand {
    static let configuration = CommandConfiguration(
        commandName: "import", abstract: "Import libraries, playlists and feature tables.",
        discussion: """
            Takes Music.app or iTunes Library.xml, M3U, M3U8, XSPF and a CSV of features. A directory stands for
            such files in it. Importing a file again changes only what changed in it; your corrections stay.
            See what an import would take with `resonance inspect FILE`.

            Example: resonance library import ~/Music/Library.xml
            Example: resonance library import ~/Music/songs.csv ~/Music/playlists/*.m3u8
            """)

    @Argument(help: "Files, directories or quoted patterns such as '*.m3u8'.", completion: .file()) var files: [String]
    @OptionGroup var output: OutputOptions
    @OptionGroup(title: "Common options") var bus: BusOptions

    func run() async throws {
        // Before anything is asked: a misspelt name is the likeliest fault.
        _ = try ImportPaths.resolve(files)
        try await runInHousehold()
    }

    func run(in household: any Household, on terminal: Terminal) async throws {
        let paths = try ImportPaths.resolve(files)
        var whole: ImportReport?
        for (index, path) in paths.enumerated() {
            let name = URL(filePath: path).lastPathComponent
            terminal.progress("[\(index + 1)/\(paths.count)] \(name) …")
            // A library of a hundred thousand songs takes longer than an answer may usually take.
            let deadline = max(bus.deadline, .seconds(600))
            let report = try await household.request(ImportLibrary(paths: [path]), deadline: deadline)
            whole = whole.map { $0.joined(with: report) } ?? report
        }
        terminal.endProgress()
        guard let whole else { return }
        try terminal.answer(whole, json: output.json) { whole.lines(terminal) }
        let refused = whole.files.filter { $0.error != nil }.count
        if refused > 0 {
            throw CommandFailure(
                .badData, "\(Wording.count(refused, "file")) of \(whole.files.count) could not be imported",
                cure: "see what is wrong with `resonance inspect FILE`")
        }
    }
}

/// The files that a person means on the command line.
enum ImportPaths {
    static let extensions: Set<String> = ["m3u", "m3u8", "xspf", "xml", "csv"]

    /// Absolute paths without repeats: libraries and feature tables first, since playlists refer to their songs.
    ///
    /// - Throws: ``CommandFailure`` with status 66 that names what does not exist.
    static func resolve(_ arguments: [String]) throws(CommandFailure) -> [String] {
        var found: [String] = []
        for argument in arguments {
            let path = URL(filePath: (argument as NSString).expandingTildeInPath).standardizedFileURL
                .path(percentEncoded: false)
            var isDirectory: ObjCBool = false
            if FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) {
                found += isDirectory.boolValue ? try files(in: path) : [path]
            } else {
                found += try matches(of: argument, path)
            }
        }
        var seen: Set<String> = []
        let unique = found.filter { seen.insert($0).inserted }
        let tables = unique.filter { ["xml", "csv"].contains(URL(filePath: $0).pathExtension.lowercased()) }
        return tables + unique.filter { !tables.contains($0) }
    }

    private static func files(in directory: String) throws(CommandFailure) -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
        let files = names.sorted().filter { name in
            extensions.contains(URL(filePath: name).pathExtension.lowercased()) && !name.hasPrefix(".")
        }
        guard !files.isEmpty else {
            throw CommandFailure(
                .noInput, "\(directory): no library or playlist in this directory",
                cure: "files end in \(extensions.sorted().map { "." + $0 }.joined(separator: ", "))")
        }
        return files.map { URL(filePath: directory).appending(path: $0).path(percentEncoded: false) }
    }

    /// A quoted pattern that no shell has expanded: `*` and `?` in its last part.
    private static func matches(of argument: String, _ path: String) throws(CommandFailure) -> [String] {
        let url = URL(filePath: path)
        let pattern = url.lastPathComponent
        let directory = url.deletingLastPathComponent().path(percentEncoded: false)
        let missing = CommandFailure(.noInput, "\(argument): no such file", cure: "check the name and the directory")
        guard pattern.contains(where: { "*?".contains($0) }) else { throw missing }
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
        let matching = names.sorted().filter { !$0.hasPrefix(".") && wildcard(pattern[...], $0[...]) }
        guard !matching.isEmpty else { throw missing }
        return matching.map { URL(filePath: directory).appending(path: $0).path(percentEncoded: false) }
    }

    private static func wildcard(_ pattern: Substring, _ name: Substring) -> Bool {
        guard let first = pattern.first else { return name.isEmpty }
        switch first {
        case "*":
            return wildcard(pattern.dropFirst(), name) || (!name.isEmpty && wildcard(pattern, name.dropFirst()))
        case "?": return !name.isEmpty && wildcard(pattern.dropFirst(), name.dropFirst())
        default: return name.first == first && wildcard(pattern.dropFirst(), name.dropFirst())
        }
    }
}

extension ImportReport {
    /// This report and a later one as one.
    func joined(with later: ImportReport) -> ImportReport {
        ImportReport(
            files: files + later.files, added: added + later.added, updated: updated + later.updated,
            unchanged: unchanged + later.unchanged, playlists: playlists + later.playlists,
            leftOut: leftOut.merging(later.leftOut, uniquingKeysWith: +), revision: max(revision, later.revision))
    }

    func lines(_ terminal: Terminal) -> [String] {
        var table = TextTable([.text("file"), .word("kind"), .figure("taken"), .word("")])
        for file in files {
            let name = URL(filePath: file.path).lastPathComponent
            table.add(name, file.kind, "\(file.taken)", file.error == nil ? "" : "refused")
        }
        var lines = table.lines(width: terminal.width, style: terminal.style)
        lines += files.compactMap { file in file.error.map { terminal.style.red("  \($0)".printable) } }
        lines.append(
            "\(Wording.count(added, "song")) added, \(updated) updated, \(unchanged) unchanged; "
                + Wording.count(playlists, "playlist"))
        let left = leftOut.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
        if !left.isEmpty { lines.append("left out: \(left.joined(separator: ", "))".printable) }
        return lines
    }
}
