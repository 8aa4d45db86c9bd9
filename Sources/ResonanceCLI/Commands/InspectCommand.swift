import ArgumentParser
import Formats
import Foundation
import Glibc
import Protocols

struct InspectCommand: OfflineCommand {
    static let configuration = CommandConfiguration(
        commandName: "inspect", abstract: "Say what is in files, and what an import would take or refuse.",
        discussion: """
            Knows RR series, calendars, playlists, music libraries, feature tables, FIT activities, rides as tables,
            morning logs of HRV, load series, Apple Health exports (export.zip or export.xml), TCX, GPX, Health Auto
            Export, archives of activities, ActivityWatch exports, focus files and recordings, by their content. Needs
            no running process and changes nothing.

            Example: resonance inspect beats.txt
            Example: resonance inspect calendar.ics --from 2026-01-01 --to 2026-02-01 --json
            Example: resonance inspect ~/Music/*.m3u8
            Example: resonance inspect ride.fit --ftp 250 --rest 50 --max 190 --threshold-hr 170 --sex female
            Example: resonance inspect export.zip --json
            Example: resonance inspect morning.csv --convention trainingpeaks --json
            """)

    @Argument(help: "Files of any supported format.", completion: .file()) var files: [String]
    @Option(help: "Calendars and ActivityWatch: first day or moment (2026-01-31, or RFC 3339).") var from: String?
    @Option(help: "Day or moment at which that ends; it is not part of it any more.") var to: String?
    @OptionGroup var training: TrainingArguments
    @OptionGroup var output: OutputOptions

    func validate() throws {
        for (name, text) in [("--from", from), ("--to", to)] {
            guard let text else { continue }
            if MomentArgument(argument: text) == nil {
                throw ValidationError("\(name) \(text): write a day as 2026-01-31, or a moment as 2026-01-31T12:00:00Z")
            }
        }
    }

    /// A day as it is, since a day of a calendar has no zone; any other moment as RFC 3339.
    static func edge(_ text: String?) -> String? {
        guard let text, text.wholeMatch(of: /\d{4}-\d\d-\d\d/) == nil else { return text }
        return MomentArgument(argument: text)?.at.description ?? text
    }

    /// What is said about one file: what is in it, or why that cannot be told.
    private enum Outcome: Encodable {
        case report(InspectionReport)
        case failure(path: String, CommandFailure)

        private enum Key: String, CodingKey { case error, file, kind }

        func encode(to encoder: any Encoder) throws {
            switch self {
            case .report(let report): try report.encode(to: encoder)
            case .failure(let path, let failure):
                var container = encoder.container(keyedBy: Key.self)
                try container.encode(failure.cause, forKey: .error)
                try container.encode(path, forKey: .file)
                try container.encode("unreadable", forKey: .kind)
            }
        }

        var failure: CommandFailure? { if case .failure(_, let failure) = self { failure } else { nil } }
    }

    func run(on terminal: Terminal) async throws {
        var outcomes: [Outcome] = []
        for (index, file) in files.enumerated() {
            terminal.progress("[\(index + 1)/\(files.count)] \(file) …")
            outcomes.append(inspect(file, terminal.timeZone))
        }
        terminal.endProgress()
        if output.json {
            terminal.print(
                outcomes.count == 1 ? try Terminal.json(outcomes[0]) : try Terminal.json(outcomes))
        } else {
            let texts = outcomes.compactMap { if case .report(let report) = $0 { report.text } else { nil } }
            let lines = texts.joined(separator: "\n\n").split(separator: "\n", omittingEmptySubsequences: false)
            if !texts.isEmpty { terminal.print(lines.map { String($0).printable }) }
        }
        let failures = outcomes.compactMap(\.failure)
        guard let worst = failures.max(by: { $0.status.rawValue < $1.status.rawValue }) else { return }
        guard failures.count > 1 else { throw worst }
        for failure in failures { failure.lines.forEach { terminal.note($0) } }
        throw CommandFailure(worst.status, "\(failures.count) of \(files.count) files cannot be read")
    }

    private func inspect(_ file: String, _ zone: TimeZone) -> Outcome {
        let path = (file as NSString).expandingTildeInPath
        var isDirectory: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory), !isDirectory.boolValue else {
            let cause = isDirectory.boolValue ? "is a directory" : "no such file"
            return .failure(path: file, CommandFailure(.noInput, "\(file): \(cause)", cure: "name a file"))
        }
        // A pipe would block, a device never ends.
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            return .failure(
                path: file,
                CommandFailure(
                    .noInput, "\(file): is a pipe, socket or device, not a file", cure: "save it to a file first"))
        }
        guard FileManager.default.isReadableFile(atPath: path) else {
            return .failure(
                path: file, CommandFailure(.noInput, "\(file): cannot be read", cure: "see its rights with ls -l"))
        }
        do {
            return .report(
                try Inspection.inspect(
                    path: path, from: Self.edge(from), to: Self.edge(to), timeZone: zone, training: training.options))
        } catch {
            return .failure(path: file, CommandFailure(.badData, "\(error)"))
        }
    }
}
