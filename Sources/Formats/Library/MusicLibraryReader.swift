import Foundation

/// Reads `Library.xml` of Music.app and `iTunes Music Library.xml`, streamed: beside the result it keeps one track.
///
/// `Play Date` is an overflowing integer and is not read; a `Play Date UTC` after the day of the export is unknown.
package final class MusicLibraryReader: XMLReader {
    private static let largest = 4 << 30
    private static let mostTracks = 2_000_000

    /// A dictionary or array that is open.
    private struct Level {
        var isArray: Bool
        /// The key whose value comes next.
        var key: String?
    }

    private let file: String
    private var library: LibraryFile
    private var levels: [Level] = []
    private var sawPlist = false
    private var track: LibraryTrack?
    private var flags: Set<String> = []
    private var trackType: String?
    private var playlist: LibraryPlaylist?

    private init(file: String) {
        self.file = file
        library = LibraryFile(source: file)
    }

    /// - Throws: ``FormatError`` with the line; nothing is returned then.
    package static func read(path: String) throws(FormatError) -> LibraryFile {
        try read(ByteStream(path: path, limit: largest))
    }

    /// - Parameter name: stands for the file in errors.
    package static func read(bytes: [UInt8], name: String) throws(FormatError) -> LibraryFile {
        try read(ByteStream(bytes: bytes, name: name))
    }

    private static func read(_ stream: ByteStream) throws(FormatError) -> LibraryFile {
        let reader = MusicLibraryReader(file: stream.name)
        try XMLStream.parse(stream, with: reader)
        guard !reader.library.tracks.isEmpty || !reader.library.playlists.isEmpty else {
            throw FormatError(
                file: stream.name, cause: "is a property list without tracks and playlists",
                cure: "in Music choose File > Library > Export Library…")
        }
        return reader.library.checked()
    }

    func begin(_ name: String) throws(FormatError) {
        switch name {
        case "plist": sawPlist = true
        case "dict", "array":
            try requirePlist(name)
            levels.append(Level(isArray: name == "array"))
            if name == "dict" { beganDictionary() }
        default: try requirePlist(name)
        }
    }

    func end(_ name: String, text: String) throws(FormatError) {
        switch name {
        case "plist": break
        case "key": if !levels.isEmpty { levels[levels.count - 1].key = text }
        case "dict", "array":
            if name == "dict" { try endedDictionary() }
            levels.removeLast()
            if !levels.isEmpty { levels[levels.count - 1].key = nil }
        default:
            guard let key = levels.last?.key else { return }
            try take(key, type: name, text)
            levels[levels.count - 1].key = nil
        }
    }

    private func requirePlist(_ name: String) throws(FormatError) {
        guard sawPlist else {
            throw FormatError(
                file: file, cause: "is XML, but its root is <\(name.prefix(40))> and not <plist>",
                cure: "check that it is the Library.xml of Music or iTunes")
        }
    }

    /// Root dictionary: level 1; `Tracks`: 2 with one dictionary a track: 3; `Playlists`: array 2, dictionaries 3,
    /// `Playlist Items`: array 4, dictionaries 5.
    private func beganDictionary() {
        if levels.count == 3, levels[0].key == "Tracks" {
            track = LibraryTrack(id: levels[1].key.flatMap { Int($0) } ?? -1)
            flags = []
            trackType = nil
        }
        if levels.count == 3, levels[0].key == "Playlists" { playlist = LibraryPlaylist(name: "") }
    }

    private func endedDictionary() throws(FormatError) {
        guard levels.count == 3 else { return }
        if var done = track {
            done.leftOut = Self.reason(done, flags: flags, type: trackType)
            guard library.tracks.count < Self.mostTracks else {
                throw FormatError(
                    file: file, cause: "has more than \(Self.mostTracks) tracks", cure: "export a smaller library")
            }
            library.tracks.append(done)
            track = nil
        } else if let done = playlist {
            library.playlists.append(done)
            playlist = nil
        }
    }

    private func take(_ key: String, type: String, _ text: String) throws(FormatError) {
        switch levels.count {
        case 1: try takeHeader(key, text)
        case 3 where track != nil: try takeTrack(key, type: type, text)
        case 3 where playlist != nil: takePlaylist(key, type: type, text)
        case 5 where key == "Track ID": playlist?.items.append(try integer(text, key))
        default: break
        }
    }

    private func takeHeader(_ key: String, _ text: String) throws(FormatError) {
        switch key {
        case "Application Version": library.applicationVersion = text
        case "Date": library.writtenAt = try date(text, key)
        default: break
        }
    }

    private func takeTrack(_ key: String, type: String, _ text: String) throws(FormatError) {
        let value = text.isEmpty ? nil : Self.unfolded(text)
        switch key {
        case "Track ID": track?.id = try integer(text, key)
        case "Persistent ID": track?.persistentId = value
        case "Name": track?.title = value
        case "Artist": track?.artist = value
        case "Album Artist": track?.albumArtist = value
        case "Album": track?.album = value
        case "Genre": track?.genre = value
        case "Kind": track?.kind = value
        case "Location": track?.location = value.map(TrackLocation.path)
        case "Track Type": trackType = value
        case "Year": track?.year = try positive(text, key)
        case "BPM": track?.bpm = try positive(text, key).map(Double.init)
        case "Total Time": track?.seconds = try positive(text, key).map { Double($0) / 1000 }
        case "Play Count": track?.playCount = try integer(text, key)
        case "Skip Count": track?.skipCount = try integer(text, key)
        case "Play Date UTC": track?.lastPlayedAt = try date(text, key)
        case "Date Added": track?.addedAt = try date(text, key)
        default: if type == "true" { flags.insert(key) }
        }
        if type == "true", key == "Disabled" { track?.disabled = true }
        if type == "true", key == "Compilation" { track?.compilation = true }
    }

    private func takePlaylist(_ key: String, type: String, _ text: String) {
        switch key {
        case "Name": playlist?.name = Self.unfolded(text)
        case "Playlist Persistent ID": playlist?.persistentId = text
        case "Parent Persistent ID": playlist?.parentId = text
        case "Master": playlist?.master = type == "true"
        case "Distinguished Kind": playlist?.distinguished = true
        case "Folder": playlist?.folder = type == "true"
        case "Smart Info": playlist?.smart = true
        default: break
        }
    }

    private static func reason(_ track: LibraryTrack, flags: Set<String>, type: String?) -> LeftOutReason? {
        let kind = track.kind?.lowercased() ?? ""
        let suffix = track.location.map { URL(filePath: $0).pathExtension.lowercased() } ?? ""
        if !flags.isDisjoint(with: ["Has Video", "Movie", "TV Show", "Music Video"]) || kind.contains("video") {
            return .video
        }
        if flags.contains("Podcast") { return .podcast }
        if flags.contains("iTunesU") { return .course }
        if flags.contains("Audiobook") || kind.contains("audible") || suffix == "m4b" || suffix == "aa"
            || suffix == "aax"
        {
            return .audiobook
        }
        if flags.contains("Book") || kind.contains("book") || kind.contains("pdf") { return .book }
        if kind.contains("ringtone") || suffix == "m4r" { return .ringtone }
        if flags.contains("Voice Memo") || kind.contains("voice memo") || track.genre == "Voice Memo" {
            return .voiceMemo
        }
        if type == "URL" || type == "Remote" || kind.contains("stream") { return .remote }
        return nil
    }

    /// Long values are wrapped with line breaks and tabs by some writers.
    private static func unfolded(_ text: String) -> String {
        guard text.contains(where: \.isNewline) else { return text }
        return text.split(whereSeparator: \.isNewline).map { $0.trimmingCharacters(in: .whitespaces) }
            .joined(separator: " ")
    }

    private func integer(_ text: String, _ key: String) throws(FormatError) -> Int {
        guard let number = Int(text) else {
            throw FormatError(
                file: file, cause: "'\(key)' is '\(text.prefix(20))', not a whole number",
                cure: "export the library again")
        }
        return number
    }

    /// 0 and below mean unknown.
    private func positive(_ text: String, _ key: String) throws(FormatError) -> Int? {
        let number = try integer(text, key)
        return number > 0 ? number : nil
    }

    private func date(_ text: String, _ key: String) throws(FormatError) -> Date {
        do {
            return try Date(text, strategy: Date.ISO8601FormatStyle())
        } catch {
            throw FormatError(
                file: file, cause: "'\(key)' is '\(text.prefix(30))', not a date", cure: "export the library again")
        }
    }
}

extension LibraryFile {
    /// Forgets play dates that lie after the export: they come from an overflow.
    fileprivate consuming func checked() -> LibraryFile {
        guard let latest = writtenAt?.addingTimeInterval(86_400) else { return self }
        for index in tracks.indices where (tracks[index].lastPlayedAt ?? .distantPast) > latest {
            tracks[index].lastPlayedAt = nil
        }
        return self
    }
}
