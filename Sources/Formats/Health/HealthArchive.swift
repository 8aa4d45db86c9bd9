import Foundation

/// A zip archive with health data: Apple's `export.zip`, or files of activities as Garmin Connect and others pack them.
struct HealthArchive {
    /// A JSON or GPX file inside an archive is read as a whole.
    static let largestEntry = 128 << 20

    private let path: String
    private let archive: ZipArchive
    /// The `export.xml`, found by its content: its name is in the language of the phone.
    private let export: ZipArchive.Entry?
    private let refusal: FormatError?

    /// - Throws: ``FormatError`` for what is no archive, or is cut off.
    init(path: String) throws(FormatError) {
        self.path = path
        archive = try ZipArchive(path: path)
        var export: ZipArchive.Entry?
        var refusal: FormatError?
        for entry in archive.entries.sorted(by: { ($1.bytes, $0.index) < ($0.bytes, $1.index) }) where entry.bytes > 0 {
            guard Self.suffix(entry) == "xml", export == nil else { continue }
            do {
                if XMLKind(try HealthFile.head(of: try archive.feed(entry))) == .appleHealth { export = entry }
            } catch {
                refusal = refusal ?? error
            }
        }
        self.export = export
        self.refusal = refusal
    }

    private static func suffix(_ entry: ZipArchive.Entry) -> String {
        URL(filePath: entry.name).pathExtension.lowercased()
    }

    /// - Throws: ``FormatError`` for an archive without anything of ours.
    var kind: HealthFile.Kind {
        get throws(FormatError) {
            if export != nil { return .appleHealthArchive }
            if archive.entries.contains(where: { $0.bytes > 0 && Self.known.contains(Self.suffix($0)) }) {
                return .archive
            }
            throw refusal
                ?? FormatError(
                    file: path, cause: "holds no Apple Health export and no FIT, TCX, GPX or JSON file",
                    cure: "give the export.zip that the Health app makes, or an archive of activities")
        }
    }

    private static let known: Set<String> = ["fit", "tcx", "gpx", "json"]

    /// Reads the Apple Health export; what lies beside it is counted.
    func export(_ sink: HealthSink, _ clock: ProgressClock) throws -> HealthTally {
        guard let export else { throw FormatError(file: path, cause: "holds no export", cure: "export it again") }
        var sink = sink
        for entry in archive.entries where entry.index != export.index && entry.bytes > 0 {
            switch Self.suffix(entry) {
            case "xml": sink.skip("clinical document beside the export: not used")
            case "gpx": sink.skip("route file of a workout: not used")
            case "csv": sink.skip("electrocardiogram: not used")
            default: sink.skip("other file in the archive: not used")
            }
        }
        return try HealthFile.apple(try archive.feed(export), sink, clock)
    }

    /// Reads every file of activities; a damaged one is named, and the others are taken.
    ///
    /// - Throws: the first error when no file at all could be read, and what the taker throws.
    func files(timeZone: TimeZone, _ sink: HealthSink, _ clock: ProgressClock) throws -> HealthTally {
        var tally = HealthTally()
        var failures: [FormatError] = []
        var (read, done, records) = (0, 0, 0)
        let entries = archive.entries.filter { $0.bytes > 0 }
        let total = entries.reduce(0) { $0 + $1.bytes }
        // The routes beside a Health Auto Export are those of its workouts.
        let hasExport = entries.contains { Self.suffix($0) == "json" }
        for entry in entries {
            do {
                if let more = try file(entry, hasExport: hasExport, timeZone, sink) {
                    tally.add(more)
                    records += more.taken.values.reduce(0, +)
                    read += 1
                } else {
                    tally.skip(
                        Self.suffix(entry) == "gpx"
                            ? "route file of a workout: not used" : "other file in the archive: not used")
                }
            } catch let error as FormatError {
                failures.append(error)
            }
            done += entry.bytes
            try clock.tick(HealthProgress(bytes: done, totalBytes: total, records: records))
        }
        if read == 0, let first = failures.first { throw first }
        for failure in failures { tally.problem("\(failure); the file was skipped") }
        try clock.finish(HealthProgress(bytes: total, totalBytes: total, records: records))
        return tally
    }

    /// - Returns: nil for a file that is of no use here.
    private func file(
        _ entry: ZipArchive.Entry, hasExport: Bool, _ timeZone: TimeZone, _ sink: HealthSink
    ) throws -> HealthTally? {
        let silent = ProgressClock { _ in }
        switch Self.suffix(entry) {
        case "fit": return try FITHealth.read(try bytes(entry, atMost: FITFile.largest), name: name(entry), sink)
        case "tcx": return try TrainingXML<TCXReader>.read(try archive.feed(entry), TCXReader(sink), silent)
        case "gpx" where !hasExport:
            return try TrainingXML<GPXReader>.read(try archive.feed(entry), GPXReader(sink), silent)
        case "json":
            let bytes = try bytes(entry, atMost: Self.largestEntry)
            return try AutoExportReader.read(
                .memory(bytes, name: name(entry)), timeZone: timeZone, sink, silent)
        default: return nil
        }
    }

    private func name(_ entry: ZipArchive.Entry) -> String { "\(path): \(entry.name)" }

    private func bytes(_ entry: ZipArchive.Entry, atMost limit: Int) throws(FormatError) -> [UInt8] {
        guard entry.bytes <= limit else {
            throw FormatError(
                file: name(entry), cause: "has \(entry.bytes) bytes, more than \(limit)",
                cure: "unpack it and import it alone")
        }
        let feed = try archive.feed(entry)
        var all: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            var failure: FormatError?
            let got = piece.withUnsafeMutableBytes { buffer in
                do throws(FormatError) {
                    return try feed.read(into: buffer)
                } catch {
                    failure = error
                    return 0
                }
            }
            if let failure { throw failure }
            if got == 0 { return all }
            all.append(contentsOf: piece.prefix(got))
        }
    }
}
