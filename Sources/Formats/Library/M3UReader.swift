import Foundation

/// Reads M3U and M3U8 playlists.
///
/// `#EXTINF:SECONDS,Artist - Title` is split at its first ` - `. With an unknown length (−1) the text is often the name
/// of a stream or an untagged file: it is split only when the path confirms the artist. `.m3u8` must be UTF-8; a line of
/// an `.m3u` that is not UTF-8 is read as Windows-1252.
package struct M3UReader {
    private static let largest = 64 << 20
    private static let longestLine = 1 << 16
    /// Entries that one playlist may have.
    private static let mostTracks = 1_000_000

    private let file: String
    private var title: String?
    private var tracks: [TrackEntry] = []
    private var pending: TrackEntry?
    private var pendingLine = 0
    private var onlyUTF8: Bool

    private init(file: String) {
        self.file = file
        onlyUTF8 = file.lowercased().hasSuffix(".m3u8")
    }

    /// - Throws: ``FormatError`` with the line; nothing is returned then.
    package static func read(path: String) throws(FormatError) -> PlaylistFile {
        try read(ByteStream(path: path, limit: largest))
    }

    /// - Parameter name: stands for the file in errors; its extension tells M3U8 from M3U.
    package static func read(bytes: [UInt8], name: String) throws(FormatError) -> PlaylistFile {
        try read(ByteStream(bytes: bytes, name: name))
    }

    private static func read(_ stream: ByteStream) throws(FormatError) -> PlaylistFile {
        var reader = M3UReader(file: stream.name)
        var lines = LineReader(stream, longest: longestLine)
        while let bytes = try lines.next() { try reader.take(bytes, line: lines.number) }
        guard lines.number > 0 else {
            throw FormatError(file: stream.name, cause: "is empty", cure: "export the playlist again")
        }
        guard reader.pending == nil else {
            throw FormatError(
                file: stream.name, place: .line(reader.pendingLine), cause: "ends after #EXTINF, before the location",
                cure: "export the playlist again: it is cut off")
        }
        return PlaylistFile(source: stream.name, title: reader.title, tracks: reader.tracks)
    }

    private mutating func take(_ bytes: [UInt8], line: Int) throws(FormatError) {
        let text = try decoded(bytes, line: line).trimmingCharacters(in: .whitespaces)
        guard !text.isEmpty else { return }
        guard text.hasPrefix("#") else { return try takeLocation(text, line: line) }
        if let value = Self.value(of: "#EXTINF:", in: text) {
            try takeInformation(value, line: line)
        } else if let value = Self.value(of: "#PLAYLIST:", in: text) {
            title = value
        } else if let value = Self.value(of: "#EXTALB:", in: text) {
            pending = pending ?? TrackEntry(location: "")
            pending?.album = value
            pendingLine = line
        } else if let value = Self.value(of: "#EXTART:", in: text), pending != nil {
            pending?.artist = value
        } else if let value = Self.value(of: "#EXTENC:", in: text) {
            onlyUTF8 = onlyUTF8 || value.lowercased().hasPrefix("utf")
        }
    }

    private mutating func takeInformation(_ value: String, line: Int) throws(FormatError) {
        guard let comma = Self.commaOutsideQuotes(value) else {
            throw FormatError(
                file: file, place: .line(line), cause: "#EXTINF has no comma",
                cure: "write #EXTINF:SECONDS,Artist - Title")
        }
        let head = value[..<comma].prefix { $0 != " " }
        guard let seconds = Double(head), seconds.isFinite else {
            throw FormatError(
                file: file, place: .line(line), cause: "the length '\(head.prefix(20))' of #EXTINF is not a number",
                cure: "write seconds, or -1 when unknown")
        }
        let text = value[value.index(after: comma)...].trimmingCharacters(in: .whitespaces)
        pending = TrackEntry(title: text.isEmpty ? nil : text, seconds: seconds > 0 ? seconds : nil, location: "")
        pendingLine = line
    }

    private mutating func takeLocation(_ text: String, line: Int) throws(FormatError) {
        guard !text.unicodeScalars.contains(where: { $0.value < 0x20 && $0 != "\t" }) else {
            throw FormatError(
                file: file, place: .line(line), cause: "holds control characters, so it is not a path",
                cure: "check that it is a playlist")
        }
        guard tracks.count < Self.mostTracks else {
            throw FormatError(
                file: file, place: .line(line), cause: "has more than \(Self.mostTracks) tracks", cure: "split it")
        }
        var track = pending ?? TrackEntry(location: "")
        track.location = TrackLocation.path(text)
        if track.artist == nil, let text = track.title, let dash = text.firstRange(of: " - ") {
            let artist = text[..<dash.lowerBound].trimmingCharacters(in: .whitespaces)
            let confirmed = track.seconds != nil || track.location.localizedCaseInsensitiveContains(artist)
            if confirmed, !artist.isEmpty {
                track.artist = artist
                track.title = text[dash.upperBound...].trimmingCharacters(in: .whitespaces)
            }
        }
        tracks.append(track)
        pending = nil
    }

    private func decoded(_ bytes: [UInt8], line: Int) throws(FormatError) -> String {
        if let text = String(validating: bytes, as: UTF8.self) { return text }
        if !onlyUTF8, let text = String(bytes: bytes, encoding: .windowsCP1252) { return text }
        return try utf8Text(bytes, file: file, line: line)
    }

    private static func value(of key: String, in text: String) -> String? {
        guard text.count >= key.count, text.prefix(key.count).uppercased() == key else { return nil }
        return text.dropFirst(key.count).trimmingCharacters(in: .whitespaces)
    }

    /// The comma after the length: `-1 logo="a,b",Title` has it behind the attributes.
    private static func commaOutsideQuotes(_ text: String) -> String.Index? {
        guard let first = text.firstIndex(of: ",") else { return nil }
        guard text[..<first].contains("\"") else { return first }
        var quoted = false
        for index in text.indices {
            if text[index] == "\"" { quoted.toggle() }
            if text[index] == ",", !quoted { return index }
        }
        return first
    }
}
