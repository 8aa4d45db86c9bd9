import Foundation

/// A private directory that is gone after the test.
final class Scratch {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appending(
            path: "backup-\(UUID().uuidString)", directoryHint: .isDirectory)
        try FileManager.default.createDirectory(
            at: url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    func path(_ name: String) -> String { url.appending(path: name).path(percentEncoded: false) }

    func write(_ name: String, _ bytes: some Collection<UInt8>) throws {
        let file = url.appending(path: name)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        try Data(bytes).write(to: file)
    }

    func bytes(_ name: String) throws -> [UInt8] { Array(try Data(contentsOf: url.appending(path: name))) }

    func exists(_ name: String) -> Bool { FileManager.default.fileExists(atPath: path(name)) }

    func mode(_ name: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: path(name))
        return (attributes[.posixPermissions] as? NSNumber)?.intValue ?? -1
    }

    /// Relative paths of all regular files, sorted.
    func files() -> [String] {
        guard let walk = FileManager.default.enumerator(atPath: path("")) else { return [] }
        var found: [String] = []
        while let name = walk.nextObject() as? String {
            if walk.fileAttributes?[.type] as? FileAttributeType != .typeDirectory { found.append(name) }
        }
        return found.sorted()
    }
}

/// Runs a program of the machine and returns its status and what it wrote.
func run(_ program: String, _ arguments: [String], input: String? = nil) throws -> (status: Int32, output: Data) {
    let process = Process()
    process.executableURL = URL(filePath: program)
    process.arguments = arguments
    let (output, entry) = (Pipe(), Pipe())
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    process.standardInput = entry
    try process.run()
    if let input { entry.fileHandleForWriting.write(Data(input.utf8)) }
    try entry.fileHandleForWriting.close()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (process.terminationStatus, data)
}
