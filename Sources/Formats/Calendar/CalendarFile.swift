import Foundation

/// An iCalendar file (RFC 5545): its events, read once, expanded as often as wanted.
package struct CalendarFile: Sendable {
    package var source: String
    package var events: [CalendarEvent]
    /// What could not be read and was left out, for a person: `event X: …`.
    package var notes: [String]

    private static let largest = 64 << 20
    private static let longestLine = 1 << 20

    /// - Throws: ``FormatError`` with the line when it is not a calendar, is cut off, or is not UTF-8.
    package static func read(path: String) throws(FormatError) -> CalendarFile {
        try read(ByteStream(path: path, limit: largest))
    }

    /// - Parameter name: stands for the file in errors.
    package static func read(bytes: [UInt8], name: String) throws(FormatError) -> CalendarFile {
        try read(ByteStream(bytes: bytes, name: name))
    }

    private static func read(_ stream: ByteStream) throws(FormatError) -> CalendarFile {
        let text = try checkedText(stream)
        return try LibIcal.exclusively { () throws(FormatError) in try CalendarParser(file: stream.name).parse(text) }
    }

    /// The text for libical, after what libical would pass over in silence has been refused: other formats, missing
    /// ends, other encodings.
    private static func checkedText(_ stream: ByteStream) throws(FormatError) -> [UInt8] {
        var lines = LineReader(stream, longest: longestLine)
        var text: [UInt8] = []
        var open: [(name: String, line: Int)] = []
        var inSummary = false
        while let bytes = try lines.next() {
            let line = try utf8Text(bytes, file: stream.name, line: lines.number)
            if open.isEmpty, !line.allSatisfy(\.isWhitespace), !line.uppercased().hasPrefix("BEGIN:") {
                throw FormatError(
                    file: stream.name, place: .line(lines.number),
                    cause: "is not iCalendar: BEGIN:VCALENDAR is missing",
                    cure: "check that it is a calendar file")
            }
            let upper = line.prefix(80).uppercased()
            if upper.hasPrefix("BEGIN:") {
                open.append((upper.dropFirst(6).trimmingCharacters(in: .whitespaces), lines.number))
            } else if upper.hasPrefix("END:") {
                let name = upper.dropFirst(4).trimmingCharacters(in: .whitespaces)
                // A misspelt end ends what is open, as in other readers.
                guard open.popLast() != nil else {
                    throw FormatError(
                        file: stream.name, place: .line(lines.number), cause: "END:\(name) has no BEGIN:\(name)",
                        cure: "export the calendar again")
                }
            }
            // COUNT=-1 of some Exchange versions means "no count".
            let kept = upper.hasPrefix("RRULE") ? line.replacing(/;?COUNT=-\d+/, with: "") : line
            if line.first != " ", line.first != "\t" {
                if inSummary { keepTrailingSpace(&text) }
                inSummary = upper.hasPrefix("SUMMARY")
            }
            text.append(contentsOf: kept.utf8)
            text.append(contentsOf: [0x0D, 0x0A])
        }
        guard lines.number > 0, !text.isEmpty else {
            throw FormatError(file: stream.name, cause: "is empty", cure: "export the calendar again")
        }
        if let last = open.last {
            throw FormatError(
                file: stream.name, place: .line(lines.number),
                cause: "ends inside \(last.name), which begins on line \(last.line)",
                cure: "export the calendar again: it is cut off")
        }
        text.append(0)
        return text
    }

    /// Libical trims values; a private character behind a space at the end of a summary lets the space survive.
    static let trimGuard = "\u{E000}"

    private static func keepTrailingSpace(_ text: inout [UInt8]) {
        guard text.suffix(3).elementsEqual([0x20, 0x0D, 0x0A]) else { return }
        text.insert(contentsOf: trimGuard.utf8, at: text.count - 2)
    }

    /// First and last day that the file itself speaks of: from the day before its earliest event, 500 days on.
    package var ownWindow: CalendarWindow? {
        guard let first = events.map(\.start.civil).min() else { return nil }
        let day = CalendarDay(civil: first).adding(days: -1)
        return .days(from: day, to: day.adding(days: 500))
    }

    /// Every time that the events take place within a window, by start and uid.
    ///
    /// - Parameters:
    ///   - local: the listener's zone, for floating times, days and unknown zones.
    ///   - most: occurrences kept.
    package func occurrences(
        in window: CalendarWindow, local: TimeZone, most: Int = 100_000
    ) -> CalendarExpansion {
        var result = CalendarExpansion()
        var order: [String] = []
        var series: [String: [CalendarEvent]] = [:]
        for (index, event) in events.enumerated() {
            let key = event.uid.isEmpty ? "#\(index)" : event.uid
            if series[key] == nil { order.append(key) }
            series[key, default: []].append(event)
        }
        for key in order {
            let more = CalendarSeries(series[key] ?? [], local: local).occurrences(in: window)
            if more.cut { result.cut.append(series[key]?.first?.uid ?? "") }
            result.occurrences.append(contentsOf: more.occurrences)
            if result.occurrences.count > most {
                result.occurrences.removeSubrange(most...)
                result.cut.append(series[key]?.first?.uid ?? "")
                break
            }
        }
        let sorted = result.occurrences.map { (start: $0.start.seconds(local: local), occurrence: $0) }
            .sorted { ($0.start, $0.occurrence.uid) < ($1.start, $1.occurrence.uid) }
        result.occurrences = sorted.map(\.occurrence)
        return result
    }
}

/// The outcome of an expansion.
package struct CalendarExpansion: Hashable, Sendable {
    package var occurrences: [CalendarOccurrence] = []
    /// Uids of events whose rule is too long or too fine to be followed to the end.
    package var cut: [String] = []
}
