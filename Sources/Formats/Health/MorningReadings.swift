import Foundation
import Physiology
import Protocols

/// One morning of a log.
package struct MorningReading: Hashable, Sendable {
    /// `2017-08-09`.
    package var day: String
    /// Moment of the reading; nil for a day without one.
    package var at: Timestamp?
    package var bpm: Double?
    package var sdnnMs: Double?
    package var rmssdMs: Double?
    /// Load of the day as the log has it (called TSS there).
    package var load: Double?
    /// Session RPE, 0…10.
    package var perceivedExertion: Double?
    /// `not sick`, `sick` …; nil when the log does not ask.
    package var sickness: String?
    package var isSick: Bool {
        guard let sickness = sickness?.lowercased(), !sickness.isEmpty, sickness != "-" else { return false }
        return sickness != "not sick" && sickness != "no"
    }
}

/// Exports of the morning apps HRV4Training and Elite HRV: comma-separated tables whose layout changed over the years.
///
/// Dates may be YYYY-DD-MM (Android), lines may end with CR alone, times may be "7:33:16 a. m. +0000"; `0.0` and `-`
/// mean that there was no reading.
package enum MorningReadings {
    static let largest = 64 << 20
    static let longestRecord = 1 << 16

    private enum Column {
        static let moment = ["timestamp_measurement", "datetime", "date time start", "datetime_start"]
        static let date = ["date", "day"]
        static let time = ["time"]
        static let bpm = ["hr", "hr_bpm", "hr_lying"]
        static let sdnn = ["sdnn", "sdnn_ms", "sdnn_lying"]
        static let rmssd = ["rmssd", "rmssd_ms", "rmssd_lying", "rmssd_clean_ms"]
        static let load = ["trainingtss", "tss"]
        static let exertion = ["trainingrpe", "rpe"]
        static let sickness = ["sickness"]
    }

    /// What a table with this first line is; nil for none of these.
    static func kind(ofHeader line: [UInt8]) -> HealthFile.Kind? {
        let names = columns(
            String(decoding: line.prefix(longestRecord), as: UTF8.self).split(separator: ",").map(String.init))
        func has(_ wanted: [String]) -> Bool { names.contains { wanted.contains($0) } }
        guard has(Column.rmssd), has(Column.moment) || has(Column.date) else { return nil }
        return names.contains("lnrmssd") || names.contains("datetime") ? .eliteHRV : .hrv4Training
    }

    private static func columns(_ cells: [String]) -> [String] {
        cells.map { $0.trimmed.trimmingPrefix("\u{FEFF}").trimmed.lowercased() }
    }

    /// Every row of a log in the order of the file.
    ///
    /// - Parameter timeZone: of times that name none; a day without a time is taken as 7 o'clock there.
    /// - Throws: ``FormatError`` with the line for what is no such log.
    package static func rows(path: String, timeZone: TimeZone) throws(FormatError) -> [MorningReading] {
        try rows(ByteStream(path: path, limit: largest), timeZone: timeZone).rows
    }

    static func rows(
        _ stream: ByteStream, timeZone: TimeZone
    ) throws(FormatError) -> (rows: [MorningReading], kind: HealthFile.Kind, unreadable: Int) {
        var records = CSVRecords(stream, longestRecord: longestRecord)
        guard let header = try records.next() else {
            throw FormatError(file: stream.name, cause: "is empty", cure: "export it again")
        }
        guard let kind = kind(ofHeader: Array(header.joined(separator: ",").utf8)) else {
            throw FormatError(
                file: stream.name, place: .line(1), cause: "names no columns of a morning log",
                cure: "give an export of HRV4Training or Elite HRV")
        }
        let names = columns(header)
        var table: [[String]] = []
        while let cells = try records.next() {
            if cells.contains(where: { !$0.trimmed.isEmpty }) { table.append(cells.map(\.trimmed)) }
            guard table.count <= 100_000 else {
                throw FormatError(file: stream.name, cause: "has more mornings than a life", cure: "check the file")
            }
        }
        func index(_ wanted: [String]) -> Int? { wanted.lazy.compactMap { names.firstIndex(of: $0) }.first }
        let (moment, date, time) = (index(Column.moment), index(Column.date), index(Column.time))
        let dayFirst = isDayFirst(table, date: date)
        let (bpm, sdnn, rmssd) = (index(Column.bpm), index(Column.sdnn), index(Column.rmssd))
        let (load, exertion, sickness) = (index(Column.load), index(Column.exertion), index(Column.sickness))
        var rows: [MorningReading] = []
        var unreadable = 0
        for cells in table {
            func cell(_ index: Int?) -> String? { index.flatMap { $0 < cells.count ? cells[$0] : nil } }
            func number(_ index: Int?) -> Double? {
                cell(index).flatMap { Double($0) }.flatMap { $0.isFinite && $0 > 0 ? $0 : nil }
            }
            var text = cell(moment) ?? ""
            if text.isEmpty || text == "-" { text = cell(date) ?? "" }
            if let clock = cell(time), clock.contains(":"), moment == nil { text += " \(clock)" }
            guard let at = Self.moment(text, timeZone: timeZone, dayFirst: dayFirst && moment == nil) else {
                unreadable += 1
                continue
            }
            let value = number(rmssd)
            rows.append(
                MorningReading(
                    day: at.day, at: value == nil && number(sdnn) == nil ? nil : at.moment, bpm: number(bpm),
                    sdnnMs: number(sdnn), rmssdMs: value, load: number(load), perceivedExertion: number(exertion),
                    sickness: cell(sickness)))
        }
        return (rows, kind, unreadable)
    }

    /// True when the dates can only be read as YYYY-DD-MM.
    private static func isDayFirst(_ table: [[String]], date: Int?) -> Bool {
        guard let date else { return false }
        var (second, third) = (0, 0)
        for cells in table where date < cells.count {
            let parts = cells[date].split(separator: "-")
            guard parts.count >= 3, let a = Int(parts[1]), let b = Int(parts[2].prefix(2)) else { continue }
            (second, third) = (max(second, a), max(third, b))
        }
        return second > 12 && third <= 12
    }

    /// The instant and the local day that a text names.
    private static func moment(_ text: String, timeZone: TimeZone, dayFirst: Bool) -> (moment: Timestamp, day: String)?
    {
        if let named = HealthTime.parse(text, defaultOffset: nil, dayFirst: dayFirst) {
            let wall = named.milliseconds + Int64(named.offset) * 1000
            return (named.timestamp, CivilTime.dateText(Int(wall / 1000)))
        }
        // Without a zone the clock is that of the person; a day alone is read as its morning.
        guard let civil = HealthTime.parse(text, defaultOffset: 0, dayFirst: dayFirst) else { return nil }
        let wall = civil.milliseconds + (text.contains(":") ? 0 : 7 * 3_600_000)
        let near = Timestamp(milliseconds: wall).date
        let first = timeZone.secondsFromGMT(for: near)
        let offset = timeZone.secondsFromGMT(for: near.addingTimeInterval(-Double(first)))
        let moment = Timestamp(milliseconds: wall - Int64(offset) * 1000)
        return (moment, CivilTime.dateText(Int(wall / 1000)))
    }

    /// - Throws: ``FormatError`` for what is no such log, and what the taker throws.
    static func read(
        path: String, timeZone: TimeZone, _ sink: HealthSink, _ clock: ProgressClock
    ) throws -> HealthTally {
        let stream = try ByteStream(path: path, limit: largest)
        let (rows, kind, unreadable) = try rows(stream, timeZone: timeZone)
        var sink = sink
        sink.skip(.unreadableTime, unreadable)
        sink.found("morning", rows.count + unreadable)
        for row in rows {
            guard let at = row.at else {
                sink.skip("no reading on that day")
                continue
            }
            let end = at.adding(seconds: 60)
            guard sink.accepts(at, end) else { continue }
            guard (row.rmssdMs ?? 1) <= 500, (row.sdnnMs ?? 1) <= 1000 else {
                sink.skip(.outOfRange)
                continue
            }
            try sink.emit(
                .variability(
                    VariabilityRecord(
                        start: at, end: end, kind: .morning, sdnnMs: row.sdnnMs, rmssdMs: row.rmssdMs,
                        bpm: row.bpm.flatMap { (20...200).contains($0) ? $0 : nil },
                        source: kind == .eliteHRV ? "Elite HRV" : "HRV4Training")))
        }
        try clock.finish(
            HealthProgress(bytes: stream.offset, totalBytes: stream.offset, records: sink.count))
        return sink.summary
    }
}
