import Foundation

/// Finds the picture of a song: in its file, else beside it.
final class ArtFinder {
    /// A picture larger than this is not looked at, in bytes.
    static let largest = 16 << 20
    private static let names: Set<String> = [
        "cover.jpg", "cover.jpeg", "cover.png", "folder.jpg", "folder.jpeg", "folder.png", "front.jpg", "front.png",
        "albumart.jpg", "album.jpg",
    ]
    /// Pictures of folders that were looked at: a folder holds many songs.
    private var folders: [String: String?] = [:]

    func hasArt(_ location: String) -> Bool {
        guard location.hasPrefix("/"), FileManager.default.fileExists(atPath: location) else { return false }
        return besidePath(location) != nil || EmbeddedArt.find(in: location) != nil
    }

    /// The bytes of the picture, as they are in the file: untrusted.
    func picture(of location: String) -> Data? {
        guard location.hasPrefix("/"), FileManager.default.fileExists(atPath: location) else { return nil }
        if let embedded = EmbeddedArt.find(in: location) { return embedded }
        guard let path = besidePath(location), let file = BoundedFile(path: path), file.size <= Self.largest else {
            return nil
        }
        return file.bytes(at: 0, count: file.size)
    }

    private func besidePath(_ location: String) -> String? {
        let folder = URL(filePath: location).deletingLastPathComponent().path(percentEncoded: false)
        if let known = folders[folder] { return known }
        let found = ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted()
            .first { Self.names.contains($0.lowercased()) }
            .map { URL(filePath: folder).appending(path: $0).path(percentEncoded: false) }
        folders[folder] = .some(found)
        return found
    }
}
