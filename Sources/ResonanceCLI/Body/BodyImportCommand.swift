import ArgumentParser
import Foundation
import Protocols

struct BodyImportCommand: BodyCommand {
    static let configuration = CommandConfiguration(
        commandName: "import", abstract: "Import health exports, activities and morning logs.",
        discussion: """
            Takes Apple Health export.zip or export.xml, FIT, TCX, GPX, HRV4Training and Elite HRV tables, and Health
            Auto Export JSON; a directory stands for such files in it. Importing a file again adds nothing twice, and
            the order of files does not matter. See what an import would take with `resonance inspect FILE`.

            Through the running body, Ctrl-C leaves the import to itself: see it with --status, end it with --cancel.
            With --database no process is needed; a killed import goes on where it was when it is started again.

            Example: resonance body import ~/Downloads/export.zip
            Example: resonance body import ~/rides/*.fit
            Example: resonance body import export.xml --database ~/body.sqlite

            Exit codes: 0 imported, 65 a file cannot be read, 66 no such file, 69 the body is not there,
            75 cancelled, or the database is in use by another process.
            """)

    /// Between two looks at how far it is.
    private static let pause = Duration.milliseconds(200)

    @Argument(help: "Files, directories or quoted patterns such as '*.fit'.", completion: .file())
    var files: [String] = []
    @Flag(help: "Read files again that were imported whole before.") var again = false
    @Flag(help: "Only say how far an import is.") var status = false
    @Flag(help: "End the import that is under way; what is stored stays.") var cancel = false
    @OptionGroup var output: OutputOptions
    @OptionGroup var place: BodyPlace

    var makesDatabase: Bool { true }

    func validate() throws {
        if status || cancel {
            guard files.isEmpty, place.database == nil, !(status && cancel) else {
                throw ValidationError("--status and --cancel stand alone: they ask the running body")
            }
        } else if files.isEmpty {
            throw ValidationError("name at least one file, as in `resonance body import export.zip`")
        }
    }

    func run() async throws {
        // Before anything is asked or made: a misspelt name is the likeliest fault.
        let named = HealthPaths(files)
        if !files.isEmpty, named.found.isEmpty, let failure = named.failure { throw failure }
        try await runBody()
    }

    func run(in household: any Household, on terminal: Terminal) async throws {
        if status || cancel {
            let state =
                status
                ? try await household.request(GetBodyImport()) : try await household.request(CancelBodyImport())
            try terminal.answer(state, json: output.json) { state.lines(terminal) }
            return
        }
        let named = HealthPaths(files)
        var state = try await household.request(StartBodyImport(paths: named.found, again: again ? true : nil))
        while state.isRunning {
            terminal.progress(state.line)
            try await Task.sleep(for: Self.pause)
            state = try await household.request(GetBodyImport())
        }
        terminal.endProgress()
        if var report = state.report {
            report.files += named.missing.map { BodyImportedFile(path: $0.argument, error: $0.failure.cause) }
            try terminal.answer(report, json: output.json) { report.lines(terminal) }
        }
        try check(state, missing: named)
    }

    private func check(_ state: BodyImportState, missing named: HealthPaths) throws {
        let place = "in file \(state.fileNumber) of \(state.fileCount); what is stored stays"
        switch state.phase.value {
        case .cancelled:
            throw CommandFailure(
                .tryAgain, "the import was cancelled \(place)", cure: "import again: it goes on where it was")
        case .failed:
            throw CommandFailure(
                .unavailable, "the database could not be written \(place): \(state.failure ?? "")",
                cure: "import again when that is cured: it goes on where it was, and nothing is taken twice")
        case .done: break
        default:
            throw CommandFailure(
                .tryAgain, "the body was started anew while it imported",
                cure: "import again: it goes on where it was, and nothing is taken twice")
        }
        let refused = state.report?.files.filter { $0.error != nil } ?? []
        if !refused.isEmpty {
            throw CommandFailure(
                .badData, "\(Wording.count(refused.count, "file")) of \(state.fileCount) could not be imported",
                cure: "see what is wrong with `resonance inspect FILE`")
        }
        if let failure = named.failure { throw failure }
    }
}

extension BodyImportState {
    /// One line for the person who waits: `[1/3] export.xml: 34 % of 1.1 GB, 310000 records/s, 12 s left`.
    var line: String {
        if phase == .computing { return "computing days and nights …" }
        let name = path.map { URL(filePath: $0).lastPathComponent } ?? ""
        let place = "[\(max(1, fileNumber))/\(fileCount)] \(name)".printable
        guard phase == .reading else { return place + ": checking \(Wording.bytes(totalBytes)) …" }
        let share = totalBytes > 0 ? "\(Wording.percent(Double(bytes) / Double(totalBytes))) of " : ""
        var line = "\(place): \(share)\(Wording.bytes(totalBytes)), \(Wording.count(records, "record"))"
        if let recordsPerSecond { line += ", \(Wording.decimal(recordsPerSecond, 0))/s" }
        if let secondsLeft { line += ", \(Wording.age(secondsLeft)) left" }
        return line
    }

    func lines(_ terminal: Terminal) -> [String] {
        let first =
            switch phase.value {
            case .checking, .reading, .computing: line
            case .done: "The last import is done."
            case .cancelled: "The last import was cancelled in file \(fileNumber) of \(fileCount)."
            case .failed: "The last import failed: \(failure ?? "")".printable
            case .idle, nil: "Nothing was imported since the body started."
            }
        return [first] + (report.map { $0.files.isEmpty ? [] : $0.lines(terminal) } ?? [])
    }
}

extension BodyImportReport {
    func lines(_ terminal: Terminal) -> [String] {
        var table = TextTable([.text("file"), .figure("records"), .figure("new"), .figure("skipped"), .word("")])
        for file in files {
            let name = URL(filePath: file.path).lastPathComponent
            let remark =
                file.error != nil
                ? "refused" : file.unchanged ? "imported before" : file.resumedAt > 0 ? "went on" : ""
            table.add(
                name, "\(file.taken.values.reduce(0, +))", "\(file.added.values.reduce(0, +))",
                "\(file.skipped.values.reduce(0, +))", remark)
        }
        var lines = table.lines(width: terminal.width, style: terminal.style)
        lines += files.compactMap { file in file.error.map { terminal.style.red("  \($0)".printable) } }
        lines += files.flatMap(\.problems).map { terminal.style.yellow("  \($0)".printable) }
        lines += Self.listed("new", files.map(\.added))
        lines += Self.listed("skipped", files.map(\.skipped))
        if days > 0 { lines.append("\(Wording.count(days, "day")) computed in \(Wording.age(seconds))") }
        return lines
    }

    private static func listed(_ title: String, _ counts: [[String: Int]]) -> [String] {
        let sums = counts.reduce(into: [String: Int]()) { $0.merge($1) { $0 + $1 } }
        guard !sums.isEmpty else { return [] }
        let sorted = sums.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
        return ["\(title):"] + sorted.map { "  \($0.value)  \($0.key)".printable }
    }
}
