import Foundation
import Physiology
import Protocols

/// The one way in for files about the body; their content says what they are.
package enum HealthFile {
    /// What a file of health data is.
    package enum Kind: String, Sendable, CaseIterable {
        case appleHealth, appleHealthArchive, fit, tcx, gpx, healthAutoExport
        /// A zip archive of FIT, TCX, GPX or JSON files.
        case archive
        /// Morning readings of HRV4Training, Elite HRV and others.
        case morningLog

        /// As `inspect` calls it.
        package var name: String {
            switch self {
            case .appleHealth, .appleHealthArchive: "apple-health"
            case .healthAutoExport: "health-auto-export"
            case .morningLog: "morning-log"
            case .fit, .tcx, .gpx, .archive: rawValue
            }
        }
    }

    /// Seconds of work between two calls of the progress callback.
    static let progressInterval = Duration.milliseconds(200)

    /// Reads a file and hands every record on, in the order of the file and with memory that does not grow with it.
    ///
    /// - Parameters:
    ///   - now: what lies later is skipped as "in the future".
    ///   - timeZone: the person's, for files whose times name no zone (morning logs).
    ///   - progress: called about every 0.2 s of work and at the end; what it throws ends the reading and is thrown on.
    ///   - take: gets each record; what it throws ends the reading and is thrown on.
    /// - Returns: what was taken and what not; a file that is damaged on its way is read up to there, and
    ///   ``HealthTally/problems`` says where that was.
    /// - Throws: ``FormatError`` for a file that cannot be opened or is nothing that is known here.
    @discardableResult
    package static func read(
        _ url: URL, now: Timestamp = Timestamp(Date()), timeZone: TimeZone = .current,
        progress: (HealthProgress) throws -> Void = { _ in }, take: (BodyRecord) throws -> Void
    ) throws -> HealthTally {
        let path = url.path(percentEncoded: false)
        let kind = try detect(path: path)
        return try withoutActuallyEscaping(progress) { progress in
            try withoutActuallyEscaping(take) { take in
                try read(
                    path: path, kind: kind, timeZone: timeZone, sink: HealthSink(now: now, take: take),
                    clock: ProgressClock(progress))
            }
        }
    }

    /// Reads bytes in memory; an archive is read from a file alone.
    ///
    /// - Parameters:
    ///   - name: stands for the file in errors.
    ///   - kind: what the bytes are; nil asks their beginning.
    ///   - piece: bytes that the scanner of XML gets at a time.
    /// - Throws: ``FormatError`` for bytes that are nothing of this kind; what `take` throws.
    @discardableResult
    package static func read(
        bytes: [UInt8], name: String, kind: Kind? = nil, piece: Int = 1 << 18, now: Timestamp, timeZone: TimeZone,
        take: (BodyRecord) throws -> Void
    ) throws -> HealthTally {
        try withoutActuallyEscaping(take) { take in
            let sink = HealthSink(now: now, take: take)
            let silent = ProgressClock { _ in }
            let feed = MemoryFeed(bytes, name: name, piece: piece)
            switch kind ?? Self.kind(of: Array(bytes.prefix(1 << 16))) {
            case .appleHealth: return try apple(feed, sink, silent)
            case .fit: return try FITHealth.read(bytes, name: name, sink)
            case .tcx: return try TrainingXML<TCXReader>.read(feed, TCXReader(sink), silent)
            case .gpx: return try TrainingXML<GPXReader>.read(feed, GPXReader(sink), silent)
            case .healthAutoExport:
                return try AutoExportReader.read(.memory(bytes, name: name), timeZone: timeZone, sink, silent)
            case .morningLog:
                return try morningLog(try MorningLog.read(bytes: bytes, name: name), timeZone, sink, silent)
            case .appleHealthArchive, .archive, nil:
                throw FormatError(file: name, cause: "is no health file that is known here", cure: "give it as a file")
            }
        }
    }

    private static func read(
        path: String, kind: Kind, timeZone: TimeZone, sink: HealthSink, clock: ProgressClock
    ) throws -> HealthTally {
        switch kind {
        case .appleHealth: try apple(try FileFeed(path: path), sink, clock)
        case .appleHealthArchive: try HealthArchive(path: path).export(sink, clock)
        case .archive: try HealthArchive(path: path).files(timeZone: timeZone, sink, clock)
        case .fit: try FITHealth.read(path: path, sink, clock)
        case .tcx: try TrainingXML<TCXReader>.read(try FileFeed(path: path), TCXReader(sink), clock)
        case .gpx: try TrainingXML<GPXReader>.read(try FileFeed(path: path), GPXReader(sink), clock)
        case .healthAutoExport: try AutoExportReader.read(.file(path), timeZone: timeZone, sink, clock)
        case .morningLog: try morningLog(try MorningLog.read(path: path), timeZone, sink, clock)
        }
    }

    // MARK: - Apple Health

    /// Scans an `export.xml`.
    static func apple(_ feed: any ByteFeed, _ sink: HealthSink, _ clock: ProgressClock) throws -> HealthTally {
        let total = feed.totalBytes
        var reader = AppleHealthReader(sink: sink) { bytes, records in
            try clock.tick(HealthProgress(bytes: bytes, totalBytes: total, records: records))
        }
        let outcome: TagScanner.Outcome
        do {
            outcome = try TagScanner(feed).run(&reader)
        } catch let error as FormatError {
            guard reader.hasRoot else { throw error }
            reader.sink.problem(error.description)
            return reader.end()
        }
        guard reader.hasRoot else {
            throw FormatError(
                file: feed.name, cause: "holds no Apple Health data", cure: "give the export.xml of the Health app")
        }
        if outcome.damagedTags > 0 {
            reader.sink.problem(
                "\(feed.name), byte \(outcome.firstDamage ?? 0): \(outcome.damagedTags) tags are damaged; they were passed over"
            )
        }
        if outcome.isCutOff || !reader.isComplete {
            reader.sink.problem("\(feed.name), byte \(outcome.bytes): ends too early, it is cut off; export it again")
        }
        try clock.finish(HealthProgress(bytes: outcome.bytes, totalBytes: total, records: reader.sink.count))
        return reader.end()
    }

    /// Takes the readings of a morning log.
    static func morningLog(
        _ log: MorningLog, _ timeZone: TimeZone, _ sink: HealthSink, _ clock: ProgressClock
    ) throws -> HealthTally {
        var sink = sink
        sink.found("day", log.entries.count)
        let left = try log.records(clock: LocalClock(timeZone: timeZone)) { record in
            guard case .variability(let reading) = record, sink.accepts(reading.start, reading.end) else { return }
            try sink.emit(record)
        }
        for (reason, count) in left.skipped { sink.skip(reason, count) }
        try clock.finish(HealthProgress(bytes: 0, totalBytes: 0, records: sink.count))
        return sink.summary
    }

    // MARK: - Detection

    /// First bytes of a feed, enough to know it.
    static func head(of feed: any ByteFeed) throws(FormatError) -> [UInt8] {
        var head = [UInt8](repeating: 0, count: 1 << 16)
        var filled = 0
        while filled < head.count {
            var failure: FormatError?
            let got = head.withUnsafeMutableBytes { buffer in
                do throws(FormatError) {
                    return try feed.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[filled...]))
                } catch {
                    failure = error
                    return 0
                }
            }
            if let failure { throw failure }
            if got == 0 { break }
            filled += got
        }
        return Array(head.prefix(filled))
    }

    /// What the content of a file says it is.
    ///
    /// - Throws: ``FormatError`` when it cannot be read, is empty, or is nothing that is known here.
    package static func detect(path: String) throws(FormatError) -> Kind {
        let head = try head(of: try FileFeed(path: path))
        guard !head.isEmpty else {
            throw FormatError(file: path, cause: "is empty", cure: "export or copy it again")
        }
        if let kind = kind(of: head) {
            // An archive is what is inside it.
            return kind == .archive ? try HealthArchive(path: path).kind : kind
        }
        if head.starts(with: [0xFF, 0xFE]) || head.starts(with: [0xFE, 0xFF]) {
            throw FormatError(
                file: path, place: .byte(0), cause: "is text in UTF-16", cure: "save it again as UTF-8")
        }
        throw FormatError(
            file: path, cause: "is no health file that is known here",
            cure:
                "give an Apple Health export, FIT, TCX, GPX, a Health Auto Export or a morning log (docs/body-import.md)"
        )
    }

    /// The kind of a file with this beginning, nil when it is none of ours; any zip archive is an ``Kind/archive``.
    package static func kind(of head: [UInt8]) -> Kind? {
        if head.starts(with: [0x50, 0x4B, 0x03, 0x04]) || head.starts(with: [0x50, 0x4B, 0x05, 0x06]) {
            return .archive
        }
        if head.count >= 12, head[8..<12].elementsEqual(".FIT".utf8) { return .fit }
        switch XMLKind(head) {
        case .appleHealth: return .appleHealth
        case .tcx: return .tcx
        case .gpx: return .gpx
        case .other, nil: break
        }
        let text = head.prefix(1 << 13)
        if let first = text.first(where: { $0 > 0x20 && ![0xEF, 0xBB, 0xBF].contains($0) }), first == 0x7B {
            let text = String(decoding: text, as: UTF8.self)
            return text.contains("\"data\"") && (text.contains("\"metrics\"") || text.contains("\"workouts\""))
                ? .healthAutoExport : nil
        }
        let header = String(decoding: text.prefix { $0 != 0x0A && $0 != 0x0D }, as: UTF8.self)
        let columns = header.split(separator: ",").map {
            MorningLog.plain(String($0)).trimmingCharacters(in: CharacterSet(charactersIn: "\"")).lowercased()
        }
        return MorningLog.recognizes(columns: Set(columns)) ? .morningLog : nil
    }
}

/// What the beginning of an XML document says it is.
enum XMLKind {
    case appleHealth, tcx, gpx, other

    init?(_ head: [UInt8]) {
        let text = head.drop { $0 <= 0x20 || [0xEF, 0xBB, 0xBF].contains($0) }
        guard text.first == 0x3C else { return nil }
        func holds(_ word: StaticString) -> Bool {
            head.withUnsafeBufferPointer { bytes in
                bytes.baseAddress.map { RawText(start: $0, count: bytes.count).contains(word) } ?? false
            }
        }
        if holds("<HealthData") || holds("<!DOCTYPE HealthData") {
            self = .appleHealth
        } else if holds("TrainingCenterDatabase") {
            self = .tcx
        } else {
            self = holds("<gpx") || holds(":gpx") ? .gpx : .other
        }
    }
}

/// Calls back about every 0.2 s of work.
final class ProgressClock {
    private let progress: (HealthProgress) throws -> Void
    private var last = ContinuousClock.now

    init(_ progress: @escaping (HealthProgress) throws -> Void) { self.progress = progress }

    func tick(_ state: HealthProgress) throws {
        guard last.duration(to: .now) >= HealthFile.progressInterval else { return }
        last = .now
        try progress(state)
    }

    func finish(_ state: HealthProgress) throws { try progress(state) }
}
