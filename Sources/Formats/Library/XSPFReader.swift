import Foundation

/// Reads XSPF playlists, version 1 (https://www.xspf.org/spec): locations are URIs, durations are milliseconds.
package final class XSPFReader: XMLReader {
    private static let largest = 256 << 20

    private let file: String
    private var path: [String] = []
    private var title: String?
    private var track = TrackEntry(location: "")
    private var location: String?
    private var tracks: [TrackEntry] = []

    private init(file: String) { self.file = file }

    /// - Throws: ``FormatError`` with the line; nothing is returned then.
    package static func read(path: String) throws(FormatError) -> PlaylistFile {
        try read(ByteStream(path: path, limit: largest))
    }

    /// - Parameter name: stands for the file in errors.
    package static func read(bytes: [UInt8], name: String) throws(FormatError) -> PlaylistFile {
        try read(ByteStream(bytes: bytes, name: name))
    }

    private static func read(_ stream: ByteStream) throws(FormatError) -> PlaylistFile {
        let reader = XSPFReader(file: stream.name)
        try XMLStream.parse(stream, with: reader)
        return PlaylistFile(source: stream.name, title: reader.title, tracks: reader.tracks)
    }

    func begin(_ name: String) throws(FormatError) {
        guard !path.isEmpty || name == "playlist" else {
            throw FormatError(
                file: file, cause: "is XML, but its root is <\(name.prefix(40))> and not <playlist>",
                cure: "check that it is an XSPF playlist")
        }
        path.append(name)
        if path == ["playlist", "trackList", "track"] {
            track = TrackEntry(location: "")
            location = nil
        }
    }

    func end(_ name: String, text: String) throws(FormatError) {
        defer { path.removeLast() }
        let value = text.trimmingCharacters(in: .whitespacesAndNewlines)
        if path == ["playlist", "title"] { title = value }
        guard path.starts(with: ["playlist", "trackList", "track"]) else { return }
        if path.count == 3 {
            guard let location else {
                throw FormatError(
                    file: file, cause: "the track '\((track.title ?? "without title").prefix(60))' has no location",
                    cure: "export the playlist with file locations")
            }
            track.location = location
            tracks.append(track)
        } else if path.count == 4, !value.isEmpty {
            try takeField(name, value)
        }
    }

    private func takeField(_ name: String, _ value: String) throws(FormatError) {
        switch name {
        case "location":
            // Several locations are alternatives; the first is preferred.
            if location == nil { location = Self.path(value) }
        case "title": track.title = value
        case "creator": track.artist = value
        case "album": track.album = value
        case "duration":
            guard let milliseconds = Double(value), milliseconds.isFinite, milliseconds >= 0 else {
                throw FormatError(
                    file: file, cause: "the duration '\(value.prefix(20))' is not a number",
                    cure: "write whole milliseconds, or leave it out")
            }
            track.seconds = milliseconds > 0 ? milliseconds / 1000 : nil
        default: break
        }
    }

    /// A path out of a URI: `file:` and relative references are percent-decoded, other schemes are kept.
    private static func path(_ uri: String) -> String {
        if TrackLocation.isRemote(uri) { return uri }
        if uri.lowercased().hasPrefix("file:") { return TrackLocation.path(uri) }
        return uri.removingPercentEncoding ?? uri
    }
}
