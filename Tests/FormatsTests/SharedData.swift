import Foundation

/// Other people's files with reference values; they are not part of the project.
enum SharedData {
    /// `RESONANCE_SHARED_DATA`, or a `shared/data` folder beside the checkout.
    static let folder: URL? = {
        if let path = ProcessInfo.processInfo.environment["RESONANCE_SHARED_DATA"], !path.isEmpty {
            return URL(filePath: path, directoryHint: .isDirectory)
        }
        var here = URL(filePath: #filePath).deletingLastPathComponent()
        while here.path() != "/" {
            let candidate = here.appending(path: "shared/data", directoryHint: .isDirectory)
            if FileManager.default.fileExists(atPath: candidate.path(percentEncoded: false)) { return candidate }
            here = here.deletingLastPathComponent()
        }
        return nil
    }()

    static let isThere = folder != nil

    static func path(_ relative: String) throws -> String {
        guard let folder else { throw CocoaError(.fileNoSuchFile) }
        return folder.appending(path: relative).path(percentEncoded: false)
    }

    static func json(_ relative: String) throws -> [String: Any] {
        let data = try Data(contentsOf: URL(filePath: path(relative)))
        guard let object = try JSONSerialization.jsonObject(with: data) as? [String: Any] else {
            throw CocoaError(.fileReadCorruptFile)
        }
        return object
    }
}

/// A folder that is deleted when the test lets go of it.
final class TemporaryFolder {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: "formats-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    func path(_ name: String) -> String { url.appending(path: name).path(percentEncoded: false) }

    func write(_ text: String, to name: String) throws -> String {
        try write(Data(text.utf8), to: name)
    }

    func write(_ data: Data, to name: String) throws -> String {
        try FileManager.default.createDirectory(
            at: URL(filePath: path(name)).deletingLastPathComponent(), withIntermediateDirectories: true)
        try data.write(to: URL(filePath: path(name)))
        return path(name)
    }
}
