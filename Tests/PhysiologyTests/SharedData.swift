import Foundation

/// Reference data that is not part of the project.
enum SharedData {
    /// Folder from `RESONANCE_SHARED_DATA`, or `shared/data` beside a folder above this file; nil when absent.
    static let folder: URL? = {
        if let path = ProcessInfo.processInfo.environment["RESONANCE_SHARED_DATA"] {
            let url = URL(filePath: path, directoryHint: .isDirectory)
            return exists(url) ? url : nil
        }
        var above = URL(filePath: #filePath)
        for _ in 0..<8 {
            above.deleteLastPathComponent()
            let candidate = above.appending(path: "shared/data", directoryHint: .isDirectory)
            if exists(candidate) { return candidate }
        }
        return nil
    }()

    static func has(_ part: String) -> Bool { folder.map { exists($0.appending(path: part)) } ?? false }

    static func text(_ part: String) throws -> String {
        guard let folder else { throw CocoaError(.fileNoSuchFile) }
        return try String(contentsOf: folder.appending(path: part), encoding: .utf8)
    }

    static func url(_ part: String) throws -> URL {
        guard let folder else { throw CocoaError(.fileNoSuchFile) }
        return folder.appending(path: part)
    }

    private static func exists(_ url: URL) -> Bool {
        FileManager.default.fileExists(atPath: url.path(percentEncoded: false))
    }
}
