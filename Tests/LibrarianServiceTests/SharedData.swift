import Foundation

/// The folder of reference data, which is not part of the project.
enum SharedData {
    /// From `RESONANCE_SHARED_DATA`, else a `shared/data` folder beside one of the folders above this file.
    static let root: URL? = {
        if let path = ProcessInfo.processInfo.environment["RESONANCE_SHARED_DATA"] {
            return URL(filePath: path, directoryHint: .isDirectory)
        }
        var folder = URL(filePath: #filePath).deletingLastPathComponent()
        while folder.pathComponents.count > 1 {
            folder.deleteLastPathComponent()
            let candidate = folder.appending(path: "shared/data", directoryHint: .isDirectory)
            if FileManager.default.fileExists(atPath: candidate.path(percentEncoded: false)) { return candidate }
        }
        return nil
    }()

    static func file(_ path: String) -> URL? {
        root.map { $0.appending(path: path) }.flatMap {
            FileManager.default.fileExists(atPath: $0.path(percentEncoded: false)) ? $0 : nil
        }
    }
}
