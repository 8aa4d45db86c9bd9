import Formats
import Foundation

/// A file of somebody else's that the library can take in, read completely before anything is stored.
package enum ImportSource {
    case playlist(PlaylistFile)
    case library(LibraryFile)
    case table(FeatureTable)

    package static let extensions: Set<String> = ["m3u", "m3u8", "xspf", "xml", "csv"]

    /// `playlist`, `library` or `features`.
    package var kind: String {
        switch self {
        case .playlist: "playlist"
        case .library: "library"
        case .table: "features"
        }
    }

    /// Songs, entries or rows that it holds.
    var rows: Int {
        switch self {
        case .playlist(let file): file.tracks.count
        case .library(let file): file.music.count
        case .table(let table): table.rows.count
        }
    }

    /// What a file would be by the end of its name; `unknown` for any other.
    static func kind(of path: String) -> String {
        switch URL(filePath: path).pathExtension.lowercased() {
        case "m3u", "m3u8", "xspf": "playlist"
        case "xml": "library"
        case "csv": "features"
        default: "unknown"
        }
    }

    /// Reads a file by the end of its name.
    ///
    /// - Throws: ``FormatError`` with the place and the cure.
    package static func read(path: String) throws(FormatError) -> ImportSource {
        switch URL(filePath: path).pathExtension.lowercased() {
        case "m3u", "m3u8": return .playlist(try M3UReader.read(path: path))
        case "xspf": return .playlist(try XSPFReader.read(path: path))
        case "xml": return .library(try MusicLibraryReader.read(path: path))
        case "csv": return .table(try FeatureTable.read(path: path))
        default:
            throw FormatError(
                file: path, cause: "is of no kind that can be imported",
                cure: "give a file that ends in .m3u, .m3u8, .xspf, .xml or .csv")
        }
    }

    /// The files that a path of the command line stands for: itself, or what can be imported in that directory;
    /// libraries and tables first, since playlists refer to their songs.
    package static func files(at path: String) -> [String] {
        var isDirectory: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory), isDirectory.boolValue else {
            return [path]
        }
        let names = ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted().filter { name in
            extensions.contains(URL(filePath: name).pathExtension.lowercased()) && !name.hasPrefix(".")
        }
        let first = names.filter { kind(of: $0) != "playlist" }
        return (first + names.filter { kind(of: $0) == "playlist" }).map {
            URL(filePath: path).appending(path: $0).path(percentEncoded: false)
        }
    }
}
