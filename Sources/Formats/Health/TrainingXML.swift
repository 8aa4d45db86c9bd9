/// What a reader of a track file is told: elements with their attributes, then their own text.
protocol TrackReader {
    var sink: HealthSink { get set }
    /// True once the root element of the format was seen.
    var hasRoot: Bool { get }
    mutating func begin(_ name: String, _ tag: RawTag) throws
    mutating func end(_ name: String, text: String) throws
}

/// Reads TCX and GPX, which are XML with text in elements.
struct TrainingXML<Reader: TrackReader>: TagHandler {
    static var wantsText: Bool { true }
    /// A day at ten points a second; the rest is left out.
    static var mostSamples: Int { 1_000_000 }

    private var reader: Reader
    private var text = ""
    private let onPause: (Int, Int) throws -> Void

    private init(_ reader: Reader, onPause: @escaping (Int, Int) throws -> Void) {
        self.reader = reader
        self.onPause = onPause
    }

    /// - Throws: ``FormatError`` for what is no such file, and what the taker throws.
    static func read(_ feed: any ByteFeed, _ reader: Reader, _ clock: ProgressClock) throws -> HealthTally {
        let total = feed.totalBytes
        var handler = TrainingXML(reader) { bytes, records in
            try clock.tick(HealthProgress(bytes: bytes, totalBytes: total, records: records))
        }
        let outcome = try TagScanner(feed).run(&handler)
        guard handler.reader.hasRoot else {
            throw FormatError(file: feed.name, cause: "holds no track", cure: "give a TCX or GPX file")
        }
        if outcome.damagedTags > 0 {
            handler.reader.sink.problem(
                "\(feed.name), byte \(outcome.firstDamage ?? 0): \(outcome.damagedTags) tags are damaged; they were passed over"
            )
        }
        if outcome.isCutOff {
            handler.reader.sink.problem("\(feed.name), byte \(outcome.bytes): ends too early, it is cut off")
        }
        let summary = handler.reader.sink.summary
        try clock.finish(
            HealthProgress(
                bytes: outcome.bytes, totalBytes: total, records: summary.taken.values.reduce(0, +)))
        return summary
    }

    mutating func open(_ tag: RawTag) throws {
        text = ""
        let name = tag.name.local.text
        try reader.begin(name, tag)
        if tag.isEmpty { try reader.end(name, text: "") }
    }

    mutating func close(_ name: RawText) throws {
        try reader.end(name.local.text, text: text.trimmed)
        text = ""
    }

    mutating func text(_ piece: RawText) throws {
        if text.utf8.count < 4096 { text += RawText(start: piece.start, count: min(piece.count, 4096)).text }
    }

    mutating func pause(at byte: Int) throws { try onPause(byte, reader.sink.count) }
}
