import Foundation
import Physiology
import Protocols

/// Collects the rows of a file and decides at the end what they mean.
struct RRTable {
    /// 10 million beats are more than three months without a pause.
    static let rowLimit = 10_000_000
    /// Lines without a number that may stand in front of the data.
    static let headerLimit = 100
    /// An interval outside is refused, in milliseconds: shorter is a cut-off number, longer is no interval.
    static let plausibleMs = 100.0...60_000.0
    /// Below this median the intervals are seconds.
    static let secondsBelow = 20.0
    /// A difference of times that misses the interval by more is a hole, in seconds.
    static let holeSeconds = 0.02

    let file: String
    /// Rows with one or two numbers; `first` is the only one, or the left one.
    private var first: [Double] = []
    private var second: [Double] = []
    private var lines: [Int] = []
    private var labels: [String] = []
    private var width = 0
    private var header = Header()
    private var headerLines = 0
    private var sawText = false

    /// What the lines in front of the data say.
    private struct Header {
        /// Columns by their place: where the interval is, where the time is.
        var interval: Int?
        var time: Int?
        /// Samples per second of annotated beats, and the columns of sample and label.
        var samplesPerSecond: Double?
        var sample: Int?
        var label: Int?
        var columns = 0
        var startAt: Timestamp?
    }

    init(file: String) { self.file = file }

    mutating func add(_ text: String, line: Int) throws(FormatError) {
        // Most lines are one number and nothing else.
        let isAlone = !text.isEmpty && text.utf8.allSatisfy { $0 &- 0x30 < 10 || $0 == 0x2E }
        if !isAlone {
            let trimmed = text.trimmingCharacters(in: .whitespaces)
            guard !trimmed.isEmpty, !trimmed.hasPrefix("#") else { return }
        }
        sawText = true
        let fields = isAlone ? [text] : Self.fields(of: text)
        let wanted = header.columns > 0 ? [header.time, header.interval, header.sample].compactMap(\.self) : []
        if first.isEmpty, !isData(fields, columns: wanted) {
            try addHeader(fields, line: line)
            return
        }
        guard first.count < Self.rowLimit else {
            throw error(line, "has more than \(Self.rowLimit) intervals", "split the file")
        }
        if header.columns > 0 {
            try addNamed(fields, line: line)
        } else {
            try addPlain(fields, line: line)
        }
        lines.append(line)
    }

    private func isData(_ fields: [String], columns: [Int]) -> Bool {
        if columns.isEmpty { return fields.allSatisfy { Self.number($0) != nil } }
        return columns.allSatisfy { fields.indices.contains($0) && Self.number(fields[$0]) != nil }
    }

    private mutating func addHeader(_ fields: [String], line: Int) throws(FormatError) {
        headerLines += 1
        guard headerLines <= Self.headerLimit else {
            throw notANumber(fields.joined(separator: " "), line: line)
        }
        // A unit in brackets belongs to the word before it.
        let names = fields.map { $0.lowercased().trimmingCharacters(in: CharacterSet(charactersIn: "\" ")) }
            .filter { !$0.hasPrefix("(") }
        if names.count == 2, names[1] == "ibi", let start = Self.number(names[0]), start > 1e9 {
            header.startAt = Timestamp(milliseconds: Int64((min(start, 1e11) * 1000).rounded()))
            return
        }
        if let sample = names.firstIndex(where: { $0.hasPrefix("sample_") && $0.hasSuffix("hz") }),
            let rate = Double(names[sample].dropFirst(7).dropLast(2)), rate > 0
        {
            header.sample = sample
            header.samplesPerSecond = rate
            header.label = names.firstIndex(of: "symbol")
            header.columns = names.count
            return
        }
        guard names.count > 1 else { return }
        let intervals: Set = ["rr", "rrms", "rr_ms", "rr (ms)", "rr (s)", "rri", "nn", "nni", "ibi", "interval"]
        let times: Set = ["time", "t", "time_s", "time (s)", "end", "end_s", "seconds"]
        if let interval = names.firstIndex(where: { intervals.contains($0) }) {
            header.interval = interval
            header.time = names.firstIndex { times.contains($0) }
            header.columns = names.count
        }
    }

    private mutating func addNamed(_ fields: [String], line: Int) throws(FormatError) {
        guard fields.count == header.columns else {
            throw columns(fields.count, expected: header.columns, line: line)
        }
        if let sample = header.sample {
            first.append(try number(fields[sample], line: line))
            labels.append(header.label.map { fields[$0] } ?? "")
            return
        }
        if let time = header.time { first.append(try number(fields[time], line: line)) }
        guard let interval = header.interval else { return }
        let value = try number(fields[interval], line: line)
        if header.time == nil { first.append(value) } else { second.append(value) }
    }

    private mutating func addPlain(_ fields: [String], line: Int) throws(FormatError) {
        if width == 0 {
            guard (1...2).contains(fields.count) else {
                throw columns(fields.count, expected: 2, line: line)
            }
            width = fields.count
        }
        guard fields.count == width else {
            throw columns(fields.count, expected: width, line: line)
        }
        first.append(try number(fields[0], line: line))
        if width == 2 { second.append(try number(fields[1], line: line)) }
    }

    private func number(_ text: String, line: Int) throws(FormatError) -> Double {
        guard let number = Self.number(text) else {
            throw notANumber(text, line: line)
        }
        return number
    }

    // MARK: Meaning

    func series() throws(FormatError) -> RRSeries {
        guard !first.isEmpty else {
            guard sawText else { throw error(nil, "is empty", "check that the recording was saved") }
            throw tooFew(0)
        }
        if let rate = header.samplesPerSecond { return try annotated(rate) }
        if second.isEmpty { return try plain(first, layout: .intervals) }
        if let joined = decimalCommas() { return try plain(joined, layout: .intervals) }
        if header.time == nil, isNumbered { return try plain(second, layout: .numbered) }
        return try timed()
    }

    /// `0,809` per line: a decimal comma that looks like two columns.
    private func decimalCommas() -> [Double]? {
        guard header.columns == 0, first.count > 2, first.allSatisfy({ $0 >= 0 && $0 <= 3 && $0 == $0.rounded() }),
            second.allSatisfy({ $0 >= 0 && $0 < 1e6 && $0 == $0.rounded() }), !isNumbered
        else { return nil }
        return zip(first, second).map { whole, digits in
            Double("\(Int(whole)).\(String(format: "%03d", Int(digits)))") ?? whole
        }
    }

    private var isNumbered: Bool {
        zip(first.dropFirst(), first).allSatisfy { $0 - $1 == 1 } && (first[0] == 0 || first[0] == 1)
    }

    private func plain(_ values: [Double], layout: RRSeries.Layout) throws(FormatError) -> RRSeries {
        let (rr, unit) = try milliseconds(values)
        return RRSeries(
            beats: BeatSeries(rrMs: rr), layout: layout, unit: unit, endSeconds: nil, startAt: header.startAt,
            labels: nil, headerLines: headerLines)
    }

    private func timed() throws(FormatError) -> RRSeries {
        let (rr, unit) = try milliseconds(second)
        for index in first.indices.dropFirst() where first[index] < first[index - 1] {
            throw timeRunsBack(lines[index])
        }
        // The times are in the unit of the intervals, or in seconds beside milliseconds.
        let steps = zip(first.dropFirst(), first).map { $0 - $1 }
        let ratio = (median(of: steps) ?? 1) / max((median(of: rr) ?? 1000) / 1000, 1e-9)
        let scale = ratio > 100 ? 0.001 : 1
        let ends = first.map { $0 * scale }
        let gaps = ends.indices.dropFirst().filter { index in
            abs(ends[index] - ends[index - 1] - rr[index] / 1000) > Self.holeSeconds
        }
        return RRSeries(
            beats: BeatSeries(rrMs: rr, gapsBefore: gaps), layout: .timed, unit: unit, endSeconds: ends,
            startAt: header.startAt, labels: nil, headerLines: headerLines)
    }

    private func annotated(_ rate: Double) throws(FormatError) -> RRSeries {
        let times = first.map { $0 / rate * 1000 }
        for index in times.indices.dropFirst() where times[index] <= times[index - 1] {
            throw timeRunsBack(lines[index])
        }
        let intervals = zip(times.dropFirst(), times).map { $0 - $1 }
        guard intervals.count >= 2 else { throw tooFew(intervals.count) }
        for (index, value) in intervals.enumerated() where !Self.plausibleMs.contains(value) {
            throw implausible(value, unit: "ms", line: lines[index + 1])
        }
        return RRSeries(
            beats: BeatSeries(rrMs: intervals), layout: .annotatedBeats, unit: "ms",
            endSeconds: times.dropFirst().map { $0 / 1000 }, startAt: nil, labels: Array(labels.dropFirst()),
            headerLines: headerLines)
    }

    /// - Returns: the intervals in milliseconds and the unit that the file had.
    private func milliseconds(_ values: [Double]) throws(FormatError) -> (rrMs: [Double], unit: String) {
        guard values.count >= 2 else { throw tooFew(values.count) }
        let inSeconds = (median(of: values) ?? 0) < Self.secondsBelow
        for (index, value) in values.enumerated() {
            let interval = inSeconds ? value * 1000 : value
            guard Self.plausibleMs.contains(interval) else {
                throw implausible(value, unit: inSeconds ? "s" : "ms", line: lines[index])
            }
        }
        return (inSeconds ? values.map { 1000 * $0 } : values, inSeconds ? "s" : "ms")
    }

    // MARK: Text

    private static func fields(of line: String) -> [String] {
        let separator: Character? = line.contains(";") ? ";" : line.contains("\t") ? "\t" : nil
        if let separator {
            return split(line, at: separator).map { $0.replacing(",", with: ".") }
        }
        if line.contains(",") { return split(line, at: ",") }
        return line.split(whereSeparator: \.isWhitespace).map(String.init)
    }

    private static func split(_ line: String, at separator: Character) -> [String] {
        line.split(separator: separator, omittingEmptySubsequences: false)
            .map { $0.trimmingCharacters(in: .whitespaces) }
    }

    private static func number(_ text: String) -> Double? {
        guard let value = Double(text), value.isFinite else { return nil }
        return value
    }

    // MARK: Errors

    private func error(_ line: Int?, _ cause: String, _ cure: String) -> FormatError {
        FormatError(file: file, place: line.map { .line($0) } ?? .file, cause: cause, cure: cure)
    }

    private func notANumber(_ text: String, line: Int) -> FormatError {
        let shown = text.count > 40 ? "\(text.prefix(40))…" : text
        return error(line, "has “\(shown)” where a number should be", "check that it is a file of RR intervals")
    }

    private func columns(_ count: Int, expected: Int, line: Int) -> FormatError {
        error(line, "has \(count) columns instead of \(expected)", "give one interval per line, or time and interval")
    }

    private func implausible(_ value: Double, unit: String, line: Int) -> FormatError {
        error(
            line, "has \(value) \(unit), which is no beat-to-beat interval",
            "check the unit, and that the file is whole")
    }

    private func timeRunsBack(_ line: Int) -> FormatError {
        error(line, "has a time before that of the line above", "sort the file by time")
    }

    private func tooFew(_ count: Int) -> FormatError {
        error(
            nil, "has \(count) interval\(count == 1 ? "" : "s"), at least 2 are needed", "check that the file is whole")
    }
}
