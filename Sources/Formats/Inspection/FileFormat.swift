import Foundation

/// What a file is, told by its first bytes; its name decides only where these cannot.
package enum FileFormat: String, Codable, CaseIterable, Sendable {
    case calendar, m3u, xspf, musicLibrary, features, activityWatch, categoryRules, focus, fit
    /// Morning readings of HRV or loads of days, and rides second by second, as tables.
    case morningLog, ride
    /// An Apple Health export or its archive, TCX, GPX, a Health Auto Export.
    case health
    /// Heart rates, beats, motion, workouts or moods as text.
    case recording

    /// - Throws: ``FormatError`` when the file cannot be opened, is empty, or is of no kind that is known.
    package static func detect(path: String) throws(FormatError) -> FileFormat {
        let head = try ByteStream(path: path, limit: Int.max).next() ?? []
        return try detect(head: head, name: path)
    }

    static func detect(head: [UInt8], name: String) throws(FormatError) -> FileFormat {
        guard !head.isEmpty else {
            throw FormatError(file: name, cause: "is empty", cure: "export or download it again")
        }
        if head.count >= 12, head[8..<12].elementsEqual(".FIT".utf8) { return .fit }
        if head.starts(with: [0xFF, 0xFE]) || head.starts(with: [0xFE, 0xFF]) {
            throw FormatError(
                file: name, place: .byte(0), cause: "is text in UTF-16", cure: "save it again as UTF-8")
        }
        switch HealthFile.kind(of: head) {
        case .appleHealth, .appleHealthArchive, .archive, .tcx, .gpx, .healthAutoExport: return .health
        case .fit, .morningLog, nil: break
        }
        let suffix = URL(filePath: name).pathExtension.lowercased()
        let text = String(decoding: head.prefix(1 << 13), as: UTF8.self)
            .trimmingCharacters(in: CharacterSet.whitespacesAndNewlines.union(CharacterSet(charactersIn: "\u{FEFF}")))
        let upper = text.prefix(16).uppercased()
        if upper.hasPrefix("BEGIN:V") { return .calendar }
        if upper.hasPrefix("#EXTM3U") { return .m3u }
        if text.hasPrefix("<") { return try ofXML(text, name: name) }
        if let format = ofJSON(text) { return format }
        if let format = ofName(suffix) { return format }
        guard !head.contains(0), suffix != "json" else {
            throw FormatError(
                file: name, place: .byte(head.firstIndex(of: 0) ?? 0), cause: "is of no format that is known here",
                cure: "see docs/library-formats.md and docs/context-formats.md for what can be read")
        }
        let columns = Set(
            (text.split(whereSeparator: \.isNewline).first ?? "").lowercased().split(separator: ",")
                .map { $0.trimmingCharacters(in: CharacterSet(charactersIn: " \"")) })
        if MorningLog.recognizes(columns: columns) { return .morningLog }
        if RideTable.recognizes(columns: columns) { return .ride }
        // No recording has titles. A table without artists is a table still, and is told so as one.
        return columns.contains("title") ? .features : .recording
    }

    private static func ofXML(_ text: String, name: String) throws(FormatError) -> FileFormat {
        if text.contains("<plist") { return .musicLibrary }
        if text.contains("<playlist") || text.contains("xspf.org") { return .xspf }
        throw FormatError(
            file: name, cause: "is XML of a kind that is not known here",
            cure: "playlists are XSPF, libraries are the Library.xml of Music or iTunes")
    }

    private static func ofJSON(_ text: String) -> FileFormat? {
        guard text.hasPrefix("{") || text.hasPrefix("[") else { return nil }
        if ["\"buckets\"", "\"events\"", "\"timestamp\""].contains(where: text.contains) { return .activityWatch }
        if ["\"active\"", "\"storeAssertionRecords\""].contains(where: text.contains) { return .focus }
        if text.contains("\"rule\"") || text.contains("\"regex\"") { return .categoryRules }
        return nil
    }

    private static func ofName(_ suffix: String) -> FileFormat? {
        switch suffix {
        case "ics", "ical", "icalendar": .calendar
        case "m3u", "m3u8": .m3u
        case "xspf": .xspf
        case "fit": .fit
        case "jsonl": .focus
        default: nil
        }
    }
}
