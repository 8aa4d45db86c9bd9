import Foundation
import LibrarianService
import Protocols

/// A directory with a library in it and files to import; gone after the test.
final class Workshop {
    let url: URL
    private(set) var catalog: Catalog

    init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: "librarian-\(UUID().uuidString)")
        catalog = try Catalog(directory: url.appending(path: "data"))
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    /// Writes a file, with its folders.
    @discardableResult
    func write(_ name: String, _ bytes: Data) throws -> String {
        let file = url.appending(path: name)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try bytes.write(to: file)
        return file.path(percentEncoded: false)
    }

    @discardableResult
    func write(_ name: String, _ text: String) throws -> String { try write(name, Data(text.utf8)) }

    func allSongs(_ playlists: [String]? = nil) throws -> [Song] {
        var songs: [Song] = []
        while true {
            let page = try catalog.songs(ListSongs(playlists: playlists, offset: songs.count))
            songs += page.songs
            if page.songs.isEmpty || songs.count >= page.total { return songs }
        }
    }

    /// Every row of the database, as text.
    func dump() throws -> String {
        let path = url.appending(path: "dump-\(UUID().uuidString)").path(percentEncoded: false)
        _ = try catalog.exportRows(to: path)
        return try String(contentsOfFile: path, encoding: .utf8)
    }
}
