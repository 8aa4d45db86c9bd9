import ArgumentParser
import Foundation
import Protocols

struct LibraryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "library", abstract: "Bring your own music in.",
        subcommands: [LibraryImport.self, LibraryStatus.self, LibraryCancel.self])
}

struct LibraryImport: HouseholdCommand {
    static let configuration = CommandConfiguration(
        commandName: "import", abstract: "Import libraries, playlists and feature tables.",
        discussion: """
            Takes Music.app or iTunes Library.xml, M3U, M3U8, XSPF and a CSV of features. A directory stands for
            such files in it. Importing a file again changes only what changed in it; your corrections stay.
            See what an import would take with `resonance inspect FILE`. Ctrl-C leaves the import to itself: see it
            with `resonance library status`, end it with `resonance library cancel`.

            Example: resonance library import ~/Music/Library.xml
            Example: resonance library import ~/Music/songs.csv ~/Music/playlists/*.m3u8
            """)

    /// Between two looks at how far it is.
    private static let pause = Duration.milliseconds(200)

    @Argument(help: "Files, directories or quoted patterns such as '*.m3u8'.", completion: .file()) var files: [String]
    @OptionGroup var output: OutputOptions
    @OptionGroup(title: "Common options") var bus: BusOptions

    func run() async throws {
        // Before anything is asked: a misspelt name is the likeliest fault.
        let named = ImportPaths(files)
        if named.found.isEmpty, let failure = named.failure { throw failure }
        try await runInHousehold()
    }

    func run(in household: any Household, on terminal: Terminal) async throws {
        let named = ImportPaths(files)
        if named.found.isEmpty, let failure = named.failure { throw failure }
        var state = try await household.request(StartImport(paths: named.found))
        var pace = ImportPace()
        while state.isRunning {
            terminal.progress(pace.line(state, at: .now))
            try await Task.sleep(for: Self.pause)
            state = try await household.request(GetImport())
        }
        terminal.endProgress()
        if let report = state.report {
            let whole = report.withMissing(named.missing)
            try terminal.answer(whole, json: output.json) { whole.lines(terminal) }
        }
        try check(state, missing: named)
    }

    private func check(_ state: ImportState, missing named: ImportPaths) throws {
        let place = "in file \(state.fileNumber) of \(state.fileCount); what is listed stays"
        switch state.phase.value {
        case .cancelled: throw CommandFailure(.tryAgain, "the import was cancelled \(place)")
        case .failed:
            throw CommandFailure(
                .unavailable, "the library could not be written \(place): \(state.failure ?? "")",
                cure: "see `resonance doctor`, then import again: what is there already is not taken twice")
        case .done: break
        default:
            throw CommandFailure(
                .tryAgain, "the librarian was started anew while it imported",
                cure: "import again: what is there already is not taken twice")
        }
        let refused = state.report?.files.filter { $0.error != nil }.count ?? 0
        if refused > 0 {
            throw CommandFailure(
                .badData, "\(Wording.count(refused, "file")) of \(state.fileCount) could not be imported",
                cure: "see what is wrong with `resonance inspect FILE`")
        }
        if let failure = named.failure { throw failure }
    }
}

struct LibraryStatus: HouseholdCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Say how far an import is.", discussion: "Example: resonance library status")

    @OptionGroup var output: OutputOptions
    @OptionGroup(title: "Common options") var bus: BusOptions

    func run(in household: any Household, on terminal: Terminal) async throws {
        let state = try await household.request(GetImport())
        try terminal.answer(state, json: output.json) { state.lines(terminal) }
    }
}

struct LibraryCancel: HouseholdCommand {
    static let configuration = CommandConfiguration(
        commandName: "cancel", abstract: "End the import that is under way.",
        discussion: """
            Nothing of the file that it is at is taken; files before it stay.

            Example: resonance library cancel
            """)

    @OptionGroup var output: OutputOptions
    @OptionGroup(title: "Common options") var bus: BusOptions

    func run(in household: any Household, on terminal: Terminal) async throws {
        let state = try await household.request(CancelImport())
        try terminal.answer(state, json: output.json) {
            state.isRunning ? ["The import ends."] : ["No import is under way."]
        }
    }
}

/// How fast an import is, from what was seen of it.
struct ImportPace {
    private var file = 0
    private var begin: (rows: Int, at: ContinuousClock.Instant)?

    /// One line for the person who waits: `[1/3] songs.csv: 4000 of 12000 songs, 2000/s, 4 s left`.
    mutating func line(_ state: ImportState, at now: ContinuousClock.Instant) -> String {
        let name = state.path.map { URL(filePath: $0).lastPathComponent } ?? ""
        let place = "[\(max(1, state.fileNumber))/\(state.fileCount)] \(name)".printable
        guard state.phase == .storing else {
            return place + ": reading" + (state.fileBytes.map { " " + Wording.bytes($0) } ?? "") + " …"
        }
        if file != state.fileNumber || begin == nil { (file, begin) = (state.fileNumber, (state.rows, now)) }
        var line = "\(place): \(state.rows) of \(Wording.count(state.totalRows, "song"))"
        if let begin, case let seconds = (now - begin.at) / .seconds(1), seconds >= 0.5, state.rows > begin.rows {
            let rate = Double(state.rows - begin.rows) / seconds
            line += ", \(Wording.decimal(rate, 0))/s"
            line += ", \(Wording.age(Double(max(0, state.totalRows - state.rows)) / rate)) left"
        }
        return line
    }
}

/// The files that a person means on the command line.
struct ImportPaths {
    static let extensions: Set<String> = ["m3u", "m3u8", "xspf", "xml", "csv"]

    /// Absolute paths without repeats: libraries and feature tables first, since playlists refer to their songs.
    private(set) var found: [String] = []
    /// Arguments that name nothing, with the reason.
    private(set) var missing: [(argument: String, failure: CommandFailure)] = []

    init(_ arguments: [String]) {
        var paths: [String] = []
        for argument in arguments {
            let path = URL(filePath: (argument as NSString).expandingTildeInPath).standardizedFileURL
                .path(percentEncoded: false)
            var isDirectory: ObjCBool = false
            do throws(CommandFailure) {
                if FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) {
                    paths += isDirectory.boolValue ? try Self.files(in: path) : [path]
                } else {
                    paths += try Self.matches(of: argument, path)
                }
            } catch {
                missing.append((argument, error))
            }
        }
        var seen: Set<String> = []
        let unique = paths.filter { seen.insert($0).inserted }
        let tables = unique.filter { ["xml", "csv"].contains(URL(filePath: $0).pathExtension.lowercased()) }
        found = tables + unique.filter { !tables.contains($0) }
    }

    /// What is to be said of the missing ones, with status 66; nil when all were found.
    var failure: CommandFailure? {
        guard missing.count != 1 else { return missing.first?.failure }
        guard !missing.isEmpty else { return nil }
        return CommandFailure(
            .noInput, "\(missing.map(\.argument).joined(separator: ", ")): no such files",
            cure: "check the names and the directories")
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

    static func wildcard(_ pattern: Substring, _ name: Substring) -> Bool {
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
    /// With a row for each argument that named nothing.
    func withMissing(_ missing: [(argument: String, failure: CommandFailure)]) -> ImportReport {
        var whole = self
        whole.files += missing.map {
            ImportedFile(path: $0.argument, kind: "missing", taken: 0, error: $0.failure.cause)
        }
        return whole
    }

    func lines(_ terminal: Terminal) -> [String] {
        var table = TextTable([.text("file"), .word("kind"), .figure("taken"), .word("")])
        for file in files {
            let name = URL(filePath: file.path).lastPathComponent
            table.add(
                name, file.kind, "\(file.taken)",
                file.error == nil ? "" : file.kind == "missing" ? "not there" : "refused")
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

extension ImportState {
    func lines(_ terminal: Terminal) -> [String] {
        var pace = ImportPace()
        let first =
            switch phase.value {
            case .reading, .storing: pace.line(self, at: .now)
            case .done where report?.files.isEmpty == true:
                "The last import is done: no file had changed since the one before."
            case .done: "The last import is done."
            case .cancelled: "The last import was cancelled in file \(fileNumber) of \(fileCount)."
            case .failed: "The last import failed: \(failure ?? "")".printable
            case .idle, nil: "Nothing was imported since the librarian started."
            }
        guard let report, !report.files.isEmpty else { return [first] }
        return [first] + report.lines(terminal)
    }
}
