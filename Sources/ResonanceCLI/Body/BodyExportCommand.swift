import ArgumentParser
import Formats
import Foundation
import Physiology
import Protocols

struct BodyExportCommand: BodyCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Write a stretch of your figures as CSV or JSON.",
        discussion: """
            Kinds: days, workouts, readings (HRV), stress, heartRate, journal, breathing. All there is unless a stretch of time
            is said. Without FILE it goes to standard output. A file that exists is not overwritten without --force; it is
            made so that only you may read it. Everything in one go, as JSON lines: `resonance export`.

            Example: resonance body export days.csv --days 365
            Example: resonance body export --kind workouts --format json --from 2025-01-01
            Example: resonance body export heart.csv --kind heartRate --from 2026-01-31 --to 2026-02-01
            """)

    enum Kind: String, ExpressibleByArgument, CaseIterable {
        case days, workouts, readings, stress, heartRate, journal, breathing
    }
    enum Format: String, ExpressibleByArgument, CaseIterable { case csv, json }

    @Argument(help: "File to write; nothing or - is standard output.", completion: .file()) var file: String?
    @Option(help: "What to write.") var kind: Kind = .days
    @Option(help: "csv or json (default: as the file is called, else csv).") var format: Format?
    @Flag(help: "Write JSON, as --format json does.") var json = false
    @Flag(help: "Overwrite a file.") var force = false
    @OptionGroup var span: BodySpan
    @OptionGroup var place: BodyPlace

    func validate() throws {
        if json, format == .csv { throw ValidationError("--json and --format csv exclude each other") }
    }

    func run(in household: any Household, on terminal: Terminal) async throws {
        let name = file == "-" ? nil : file
        if let name, !force, FileManager.default.fileExists(atPath: Self.path(name)) {
            throw CommandFailure(.cannotCreate, "\(name) exists already", cure: "name another file, or give --force")
        }
        let (from, to) = try span.edges(usualDays: nil, now: Timestamp(.now), zone: terminal.timeZone)
        let source = BodyExport(household: household, from: from, to: to)
        let isJSON = json || (format ?? (name?.lowercased().hasSuffix(".json") == true ? .json : .csv)) == .json
        let (text, rows) = try await source.text(of: kind, json: isJSON)
        guard let name else { return terminal.printRaw(text) }
        do {
            // The tool's umask leaves it to its owner alone.
            try Data(text.utf8).write(to: URL(filePath: Self.path(name)), options: .atomic)
        } catch {
            throw CommandFailure(
                .cannotCreate, "\(name) cannot be written: \(error.localizedDescription)",
                cure: "check the directory and the room on its disk")
        }
        terminal.note("\(Wording.count(rows, "row")) written to \(name)".printable)
    }

    private static func path(_ name: String) -> String {
        URL(filePath: (name as NSString).expandingTildeInPath).standardizedFileURL.path(percentEncoded: false)
    }
}

/// Collects a stretch of figures, page by page.
struct BodyExport {
    let household: any Household
    let from: Timestamp
    let to: Timestamp

    private static let page = 10_000

    /// - Returns: the file, and how many rows are in it.
    func text(of kind: BodyExportCommand.Kind, json: Bool) async throws -> (String, Int) {
        switch kind {
        case .days:
            let days = try await household.days(from: from, to: to)
            return (json ? try Self.json(days) : BodyTables.days(days), days.count)
        case .workouts:
            let rows = try await newestFirst(\.startAt) { end in
                let page = try await household.request(ListWorkouts(from: from, to: end, limit: Self.page))
                return (page.workouts, page.truncated)
            }
            return (json ? try Self.json(rows) : BodyTables.workouts(rows), rows.count)
        case .readings:
            let rows = try await newestFirst(\.startAt) { end in
                let page = try await household.request(ListReadings(from: from, to: end, limit: Self.page))
                return (page.readings, page.truncated)
            }
            return (json ? try Self.json(rows) : BodyTables.readings(rows), rows.count)
        case .stress:
            let rows = try await newestFirst(\.at) { end in
                let page = try await household.request(ListStress(from: from, to: end, limit: Self.page))
                return (page.readings, page.truncated)
            }
            return (json ? try Self.json(rows) : BodyCSV.readings(rows), rows.count)
        case .journal:
            let rows = try await newestFirst(\.at) { end in
                let page = try await household.request(ListJournal(from: from, to: end, limit: Self.page))
                return (page.entries, page.truncated)
            }
            return (json ? try Self.json(rows) : BodyTables.journal(rows), rows.count)
        case .breathing:
            let rows = try await newestFirst(\.startAt) { end in
                let page = try await household.request(ListBreathing(from: from, to: end, limit: Self.page))
                return (page.sessions, page.truncated)
            }
            return (json ? try Self.json(rows) : BodyTables.breathing(rows), rows.count)
        case .heartRate:
            let points = try await heartRates()
            return (json ? try Self.json(points) : BodyTables.points(points), points.count)
        }
    }

    /// Pages that come newest first, put in the order of time. Rows of one moment never fill a page.
    private func newestFirst<Row>(
        _ at: KeyPath<Row, Timestamp>, _ page: (Timestamp) async throws -> ([Row], Bool)
    ) async throws -> [Row] {
        var rows: [Row] = []
        var end = to
        while true {
            let (found, truncated) = try await page(end)
            guard truncated, let oldest = found.last?[keyPath: at] else { return (rows + found).reversed() }
            // Those of the oldest moment may go on behind the page: they come with the next one.
            let whole = found.filter { $0[keyPath: at] > oldest }
            rows += whole
            let next = oldest.adding(milliseconds: 1)
            guard next < end, !whole.isEmpty else { return (rows + found.dropFirst(whole.count)).reversed() }
            end = next
        }
    }

    private func heartRates() async throws -> [SeriesPoint] {
        var points: [SeriesPoint] = []
        var begin = from
        while begin < to {
            let series = try await household.request(
                GetSeries(kind: "heartRate", from: begin, to: to.adding(milliseconds: -1), limit: 16_000),
                deadline: .seconds(60))
            guard series.truncated, let last = series.points.last?.at, last > begin else {
                points += series.points
                break
            }
            points += series.points.filter { $0.at < last }
            begin = last
        }
        return points
    }

    private static func json(_ rows: some Encodable) throws -> String { try Terminal.json(rows) + "\n" }
}
