import ArgumentParser
import Foundation
import Protocols

struct BodyReportCommand: BodyCommand {
    static let configuration = CommandConfiguration(
        commandName: "report", abstract: "Write a report of stress and sleep, or a table of the readings.",
        discussion: """
            FILE.html is one page with charts that needs nothing else: open it in a browser, print it to PDF from
            there. FILE.csv and FILE.json hold every stress reading. The file is new and 0600: it holds health data.
            Through the running body the file is written on its machine.

            Example: resonance body report march.html --from 2026-03-01 --to 2026-04-01
            Example: resonance body report stress.csv --csv
            """)

    enum Format: String { case html, csv, json }

    @Argument(help: "A file that does not exist yet.", completion: .file()) var file: String
    @Flag(help: "Comma-separated readings, whatever the name of the file.") var csv = false
    @Option(help: "First moment, as 2026-03-01.") var from: MomentArgument?
    @Option(help: "End, not part of it any more.") var to: MomentArgument?
    @Option(help: "So many days up to the end.") var days = 90
    @OptionGroup var output: OutputOptions
    @OptionGroup var place: BodyPlace

    func validate() throws {
        guard (1...3660).contains(days) else { throw ValidationError("--days must be 1…3660") }
        if let from, let to, from.at >= to.at { throw ValidationError("--from must lie before --to") }
        if !csv, format == nil {
            throw ValidationError("the name must end in .html, .csv or .json, as in `resonance body report march.html`")
        }
    }

    private var format: Format? {
        csv ? .csv : Format(rawValue: URL(filePath: file).pathExtension.lowercased())
    }

    func run(in household: any Household, on terminal: Terminal) async throws {
        let path = URL(filePath: (file as NSString).expandingTildeInPath).standardizedFileURL.path(
            percentEncoded: false)
        if FileManager.default.fileExists(atPath: path) {
            throw CommandFailure(.cannotCreate, "\(file) is there already", cure: "choose a new name")
        }
        let folder = URL(filePath: path).deletingLastPathComponent().path(percentEncoded: false)
        guard FileManager.default.fileExists(atPath: folder) else {
            throw CommandFailure(.cannotCreate, "there is no directory \(folder)", cure: "make it, or name another")
        }
        let end = try await newestEnd(household)
        let start = from?.at ?? end.adding(seconds: -Double(days) * 86_400)
        let query = WriteBodyReport(path: path, format: (format ?? .html).rawValue, from: start, to: end)
        let written = try await household.request(query, deadline: .seconds(60))
        try terminal.answer(written, json: output.json) {
            var what = [Wording.count(written.readings, "stress reading")]
            if written.format == "html" { what.append(Wording.count(written.nights, "night")) }
            return ["\(written.path): \(what.joined(separator: ", ")), \(Wording.bytes(Int64(written.bytes)))"]
        }
    }

    /// What was asked for, else the newest thing that is known: a year-old export has a report, too.
    private func newestEnd(_ household: any Household) async throws -> Timestamp {
        if let to { return to.at }
        let reading = try await household.request(
            ListStress(from: Timestamp(milliseconds: 0), to: BodyStressCommand.ever, limit: 1)
        ).readings.first?.at
        let night = try await household.request(
            ListNights(from: Timestamp(milliseconds: 0), to: BodyStressCommand.ever, limit: 1)
        ).nights.first?.endAt
        return ([reading, night].compactMap(\.self).max() ?? Timestamp(.now)).adding(milliseconds: 1)
    }
}
