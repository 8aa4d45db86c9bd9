import Foundation

/// A directory for one test; gone with it.
final class TemporaryDirectory: Sendable {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appending(
            path: "resonance-cli-\(UUID().uuidString)", directoryHint: .isDirectory)
        try FileManager.default.createDirectory(
            at: url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    func path(_ name: String) -> String { url.appending(path: name).path(percentEncoded: false) }

    func exists(_ name: String) -> Bool { FileManager.default.fileExists(atPath: path(name)) }

    func write(_ name: String, _ text: String, mode: Int = 0o600) throws {
        try write(name, Data(text.utf8), mode: mode)
    }

    func write(_ name: String, _ data: Data, mode: Int = 0o600) throws {
        let file = url.appending(path: name)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        try data.write(to: file)
        try FileManager.default.setAttributes(
            [.posixPermissions: mode], ofItemAtPath: file.path(percentEncoded: false))
    }
}
