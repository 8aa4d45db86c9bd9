import Foundation
import Physiology
import Protocols

/// A log of morning readings: HRV4Training, Elite HRV, or any table with a date and an RMSSD or a load per day.
///
/// Their dates come as `2017-08-31`, `2017-31-08` or with a time and a marker such as `a. m.`; `-`, an empty cell and `0.0`
/// mean "no reading". Lines may end with CR alone, and the text may begin with a byte order mark.
package struct MorningLog: Sendable {
    /// One row.
    package struct Entry: Hashable, Sendable {
        /// Number of the local day that the row is about.
        package var day: Int
        /// When the reading was taken, if the row says so.
        package var measured: Moment?
        package var bpm: Double?
        package var avnnMs: Double?
        package var sdnnMs: Double?
        package var rmssdMs: Double?
        package var pnn50Percent: Double?
        /// The app's own score, on its own scale.
        package var score: Double?
        package var quality: String?
        package var isSick: Bool?
        /// Training load of the day as the listener or an app entered it.
        package var load: Double?
        /// 0…10.
        package var perceivedExertion: Double?
    }

    /// A moment as it was printed; without an offset it is local time.
    package struct Moment: Hashable, Sendable {
        package var day: Int
        package var secondOfDay: Int
        package var offsetSeconds: Int?

        package func timestamp(in zone: LocalClock) -> Timestamp {
            let local = Int64(day) * 86_400 + Int64(secondOfDay)
            if let offsetSeconds { return Timestamp(milliseconds: (local - Int64(offsetSeconds)) * 1000) }
            // The offset at the local time, looked up twice because the first guess may lie across a change of the clock.
            var at = Timestamp(milliseconds: local * 1000)
            for _ in 0..<2 {
                let offset = Int64(zone.timeZone.secondsFromGMT(for: at.date))
                at = Timestamp(milliseconds: (local - offset) * 1000)
            }
            return at
        }
    }

    package static let largest = 64 << 20
    static let longestRecord = 1 << 16

    package var name: String
    /// `HRV4Training`, `Elite HRV` or `morning log`.
    package var source: String
    /// One entry a day, ascending; of two rows of a day the one with a reading, then the later in the file counts, and
    /// their loads are added.
    package var entries: [Entry]
    /// Rows that were left out, by reason.
    package var skipped: [String: Int]

    /// True when any row has a reading of the heart.
    package var hasReadings: Bool { entries.contains { $0.rmssdMs != nil || $0.bpm != nil } }
    package var hasLoads: Bool { entries.contains { $0.load != nil } }

    /// - Throws: ``FormatError`` with the line: no readable table, or no column for the day.
    package static func read(path: String) throws(FormatError) -> MorningLog {
        try MorningLog(ByteStream(path: path, limit: largest))
    }

    package static func read(bytes: [UInt8], name: String) throws(FormatError) -> MorningLog {
        try MorningLog(ByteStream(bytes: bytes, name: name))
    }

    /// True when these column names are those of such a log.
    static func recognizes(columns: Set<String>) -> Bool {
        let has = { (names: [String]) in names.contains { columns.contains($0) } }
        guard has(Column.date) || has(Column.measured) else { return false }
        return has(Column.rmssd) || (has(Column.load) && has(Column.date))
    }

    enum Column {
        static let date = ["date", "day"]
        static let time = ["time"]
        static let measured = ["timestamp_measurement", "datetime"]
        static let bpm = ["hr", "hr_bpm", "hr_lying"]
        static let avnn = ["avnn", "avnn_ms", "avnn_lying"]
        static let sdnn = ["sdnn", "sdnn_ms", "sdnn_lying"]
        static let rmssd = ["rmssd", "rmssd_ms", "rmssd_lying"]
        static let pnn50 = ["pnn50", "pnn50_pct", "pnn50_lying"]
        static let score = ["hrv4t_recovery_points", "recovery_points", "hrv"]
        static let quality = ["signal_quality"]
        static let sickness = ["sickness"]
        static let load = ["trainingtss", "tss", "load", "training_load"]
        static let exertion = ["trainingrpe", "rpe"]
    }

    private init(_ stream: ByteStream) throws(FormatError) {
        name = stream.name
        var records = CSVRecords(stream, longestRecord: Self.longestRecord)
        guard let first = try records.next() else {
            throw FormatError(file: stream.name, cause: "is empty", cure: "export it again")
        }
        let header = first.map { Self.plain($0).lowercased() }
        let columns = Set(header)
        guard Self.recognizes(columns: columns) else {
            throw FormatError(
                file: stream.name, place: .line(records.line), cause: "names no day with an RMSSD or a load",
                cure: "give an export of HRV4Training or Elite HRV, or date,rmssd,hr, or date,load")
        }
        source =
            columns.contains("hrv4t_recovery_points")
            ? "HRV4Training" : columns.contains("lnrmssd") && columns.contains("member") ? "Elite HRV" : "morning log"
        var rows: [Row] = []
        while let cells = try records.next() { rows.append(Row(header: header, cells: cells.map(Self.plain))) }
        let order = DayOrder(rows.compactMap { $0.text(Column.date) ?? $0.text(Column.measured) })
        skipped = [:]
        var byDay: [Int: Entry] = [:]
        for row in rows {
            guard let entry = row.entry(order) else {
                skipped["row without a day", default: 0] += 1
                continue
            }
            if let known = byDay[entry.day] {
                byDay[entry.day] = known.merged(with: entry)
                skipped["second row of a day", default: 0] += 1
            } else {
                byDay[entry.day] = entry
            }
        }
        entries = byDay.values.sorted { $0.day < $1.day }
        guard !entries.isEmpty else {
            throw FormatError(file: stream.name, cause: "holds no row with a day", cure: "check the column of the date")
        }
    }

    /// Spaces of every kind as one, none around.
    static func plain(_ text: String) -> String {
        String(text.map { $0.isWhitespace || $0 == "\u{202F}" || $0 == "\u{FEFF}" ? " " : $0 })
            .trimmingCharacters(in: .whitespaces)
    }

    /// The readings as records; loads stay here, because the workouts behind them come from elsewhere.
    ///
    /// - Parameters:
    ///   - clock: the listener's, for rows without an offset. A row without a time counts as read at 07:00.
    package func records(
        clock: LocalClock, _ take: (BodyRecord) throws -> Void
    ) throws -> HealthTally {
        var tally = HealthTally()
        for (reason, count) in skipped { tally.skip(reason, count) }
        for entry in entries {
            if entry.load != nil { tally.skip("training load of a log: the workout itself counts") }
            guard entry.rmssdMs != nil || entry.sdnnMs != nil else {
                tally.skip("day without a reading")
                continue
            }
            let moment = entry.measured ?? Moment(day: entry.day, secondOfDay: 7 * 3600, offsetSeconds: nil)
            let at = moment.timestamp(in: clock)
            let record = BodyRecord.variability(
                VariabilityRecord(
                    start: at, end: at, kind: .morning, sdnnMs: entry.sdnnMs, rmssdMs: entry.rmssdMs, bpm: entry.bpm,
                    source: source))
            try take(record)
            tally.take(record)
        }
        return tally
    }
}

extension MorningLog.Entry {
    fileprivate func merged(with later: MorningLog.Entry) -> MorningLog.Entry {
        var kept = later.rmssdMs != nil || rmssdMs == nil ? later : self
        let loads = [load, later.load].compactMap { $0 }
        kept.load = loads.isEmpty ? nil : loads.reduce(0, +)
        return kept
    }
}

/// One row under the header.
private struct Row {
    let header: [String]
    let cells: [String]

    func text(_ names: [String]) -> String? {
        for (index, name) in header.enumerated() where names.contains(name) && index < cells.count {
            let cell = cells[index]
            if !cell.isEmpty, cell != "-" { return cell }
        }
        return nil
    }

    /// A figure that a body can have; 0 is "no reading".
    func figure(_ names: [String], _ range: ClosedRange<Double>) -> Double? {
        text(names).flatMap(Double.init).flatMap { $0 > 0 && range.contains($0) ? $0 : nil }
    }

    func entry(_ order: DayOrder) -> MorningLog.Entry? {
        let measured = text(MorningLog.Column.measured).flatMap { order.moment($0) }
        guard let day = text(MorningLog.Column.date).flatMap({ order.day($0) }) ?? measured?.day else { return nil }
        let time = text(MorningLog.Column.time).flatMap(DayOrder.secondOfDay)
        return MorningLog.Entry(
            day: day,
            measured: measured ?? time.map { MorningLog.Moment(day: day, secondOfDay: $0, offsetSeconds: nil) },
            bpm: figure(MorningLog.Column.bpm, 20...250), avnnMs: figure(MorningLog.Column.avnn, 200...3000),
            sdnnMs: figure(MorningLog.Column.sdnn, 0.1...1000), rmssdMs: figure(MorningLog.Column.rmssd, 0.1...1000),
            pnn50Percent: text(MorningLog.Column.rmssd).flatMap(Double.init).flatMap { $0 > 0 ? $0 : nil } == nil
                ? nil : text(MorningLog.Column.pnn50).flatMap(Double.init),
            score: figure(MorningLog.Column.score, 0.1...1000), quality: text(MorningLog.Column.quality),
            isSick: text(MorningLog.Column.sickness).map { $0.lowercased() == "sick" },
            load: figure(MorningLog.Column.load, 0...2000),
            perceivedExertion: figure(MorningLog.Column.exertion, 0...10))
    }
}

/// Whether a log's dates are year-month-day or year-day-month.
struct DayOrder: Equatable {
    let dayBeforeMonth: Bool

    /// The one order in which all dates exist; where both do, the one whose days lie closer together.
    init(_ texts: [String]) {
        func span(_ dayFirst: Bool) -> Int? {
            var (low, high) = (Int.max, Int.min)
            for text in texts {
                guard let parts = Self.parts(text) else { continue }
                guard let day = Self.number(parts, dayFirst) else { return nil }
                (low, high) = (min(low, day), max(high, day))
            }
            return high >= low ? high - low : nil
        }
        switch (span(false), span(true)) {
        case (let usual?, let swapped?): dayBeforeMonth = swapped < usual
        case (nil, .some): dayBeforeMonth = true
        default: dayBeforeMonth = false
        }
    }

    private static func parts(_ text: String) -> [Int]? {
        let date = text.prefix { !$0.isWhitespace && $0 != "T" }
        let parts = date.split(whereSeparator: { $0 == "-" || $0 == "/" || $0 == "." }).map { Int($0) }
        guard parts.count == 3, let year = parts[0], let second = parts[1], let third = parts[2] else { return nil }
        return [year, second, third]
    }

    private static func number(_ parts: [Int], _ dayFirst: Bool) -> Int? {
        LocalDay.number(year: parts[0], month: parts[dayFirst ? 2 : 1], day: parts[dayFirst ? 1 : 2])
    }

    /// Number of the day that a text begins with.
    func day(_ text: String) -> Int? { Self.parts(text).flatMap { Self.number($0, dayBeforeMonth) } }

    /// `2018-05-18 7:33:16 a. m. +0000` and its kin.
    func moment(_ text: String) -> MorningLog.Moment? {
        guard let day = day(text), let cut = text.firstIndex(where: { $0.isWhitespace || $0 == "T" }) else {
            return nil
        }
        var rest = String(text[text.index(after: cut)...])
        var offset: Int?
        if rest.hasSuffix("Z") {
            offset = 0
            rest.removeLast()
        } else if let sign = rest.lastIndex(where: { $0 == "+" || $0 == "-" }) {
            let digits = rest[rest.index(after: sign)...].filter(\.isNumber)
            guard digits.count == 4, let number = Int(digits) else { return nil }
            offset = (number / 100 * 3600 + number % 100 * 60) * (rest[sign] == "-" ? -1 : 1)
            rest = String(rest[..<sign])
        }
        return Self.secondOfDay(rest).map { MorningLog.Moment(day: day, secondOfDay: $0, offsetSeconds: offset) }
    }

    /// `07:33`, `7:33:16`, `7:33:16 p. m.`, `7:33 PM`.
    static func secondOfDay(_ text: String) -> Int? {
        let clock = text.prefix { $0.isNumber || $0 == ":" || $0 == "." && !$0.isLetter }
        let parts = clock.split(separator: ":").map { $0.prefix { $0.isNumber } }.map { Int($0) }
        guard (2...3).contains(parts.count), var hour = parts[0], let minute = parts[1], (0..<60).contains(minute),
            let second = parts.count == 3 ? parts[2] : 0, (0...60).contains(second)
        else { return nil }
        let marker = text[clock.endIndex...].lowercased().filter(\.isLetter)
        switch marker {
        case "": break
        case "am": hour = hour == 12 ? 0 : hour
        case "pm": hour = hour == 12 ? 12 : hour + 12
        default: return nil
        }
        return (0..<24).contains(hour) ? hour * 3600 + minute * 60 + min(second, 59) : nil
    }
}
