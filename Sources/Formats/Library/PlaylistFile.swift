import Foundation

/// What a playlist says about one track. Absent = the file does not say.
package struct TrackEntry: Hashable, Codable, Sendable {
    package var title: String?
    package var artist: String?
    package var album: String?
    /// Length in seconds, above 0.
    package var seconds: Double?
    /// A path (absolute, or relative to the folder of the playlist) or a URL that is not of a file.
    package var location: String

    package init(
        title: String? = nil, artist: String? = nil, album: String? = nil, seconds: Double? = nil, location: String
    ) {
        self.title = title
        self.artist = artist
        self.album = album
        self.seconds = seconds
        self.location = location
    }

    /// True for a location with a scheme other than `file`, such as a radio stream.
    package var isRemote: Bool { TrackLocation.isRemote(location) }
}

/// A playlist in the order of its file.
package struct PlaylistFile: Hashable, Sendable {
    /// Path, or the name given to its bytes.
    package var source: String
    package var title: String?
    package var tracks: [TrackEntry]

    package init(source: String, title: String?, tracks: [TrackEntry]) {
        self.source = source
        self.title = title
        self.tracks = tracks
    }

    /// The title, or the name of the file without its extension.
    package var name: String {
        if let title, !title.isEmpty { return title }
        return URL(filePath: source).deletingPathExtension().lastPathComponent
    }

    /// Where a track is, with a relative path resolved against the folder of the playlist.
    package func absoluteLocation(of track: TrackEntry) -> String {
        guard !track.isRemote, !track.location.hasPrefix("/") else { return track.location }
        let folder = URL(filePath: source).deletingLastPathComponent()
        return folder.appending(path: track.location).standardizedFileURL.path(percentEncoded: false)
    }
}

/// How locations are written in playlists and libraries.
enum TrackLocation {
    /// A path: `file:` URLs are percent-decoded, Windows separators turned, everything else kept as it came.
    static func path(_ text: String) -> String {
        if text.lowercased().hasPrefix("file:") {
            var rest = text.dropFirst(5)
            if rest.hasPrefix("//") {
                rest = rest.dropFirst(2)
                // An authority such as `localhost` ends at the next slash.
                if let slash = rest.firstIndex(of: "/") { rest = rest[slash...] }
            }
            return rest.removingPercentEncoding ?? String(rest)
        }
        if text.contains("\\"), !text.contains("/") { return text.replacing("\\", with: "/") }
        return text
    }

    static func isRemote(_ location: String) -> Bool {
        guard let end = location.firstRange(of: "://")?.lowerBound else { return false }
        let scheme = location[..<end]
        return !scheme.isEmpty && scheme.lowercased() != "file"
            && scheme.utf8.allSatisfy { (0x61...0x7A).contains($0 | 0x20) || (0x30...0x39).contains($0) || $0 == 0x2B }
    }
}
