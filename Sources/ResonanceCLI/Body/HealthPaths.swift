import Formats
import Foundation

/// The health files that a person means on the command line.
struct HealthPaths {
    static let extensions: Set<String> = ["zip", "xml", "fit", "tcx", "gpx", "csv", "json", "txt", "gz"]
    /// Parts of an Apple Health export that its own file stands for, or that say nothing about what is kept here.
    private static let leftOut: Set<String> = ["export_cda.xml", "workout-routes", "electrocardiograms"]

    /// Bytes by which a file is known.
    private static let headBytes = 1 << 16

    /// Absolute paths without repeats, sorted within a directory.
    private(set) var found: [String] = []
    /// Arguments that name nothing, with the reason.
    private(set) var missing: [(argument: String, failure: CommandFailure)] = []

    init(_ arguments: [String]) {
        var seen: Set<String> = []
        for argument in arguments {
            let path = URL(filePath: (argument as NSString).expandingTildeInPath).standardizedFileURL
                .path(percentEncoded: false)
            do throws(CommandFailure) {
                found += try Self.files(path, argument).filter { seen.insert($0).inserted }
            } catch {
                missing.append((argument, error))
            }
        }
    }

    /// What is to be said of the missing ones, with status 66; nil when all were found.
    var failure: CommandFailure? {
        guard missing.count != 1 else { return missing.first?.failure }
        guard !missing.isEmpty else { return nil }
        return CommandFailure(
            .noInput, "\(missing.map(\.argument).joined(separator: ", ")): no such files",
            cure: "check the names and the directories")
    }

    private static func files(_ path: String, _ argument: String) throws(CommandFailure) -> [String] {
        var isDirectory: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) else {
            return try matches(of: argument, path)
        }
        guard isDirectory.boolValue else { return [path] }
        let root = URL(filePath: path)
        let names = FileManager.default.enumerator(atPath: path)?.allObjects.compactMap { $0 as? String } ?? []
        let files = names.sorted().filter { name in
            let parts = name.split(separator: "/").map(String.init)
            return !parts.contains { leftOut.contains($0) || $0.hasPrefix(".") }
                && isHealthFile(root.appending(path: name))
        }
        guard !files.isEmpty else {
            throw CommandFailure(
                .noInput, "\(argument): no health file in this directory",
                cure: "files end in \(extensions.sorted().map { "." + $0 }.joined(separator: ", "))")
        }
        return files.map { root.appending(path: $0).path(percentEncoded: false) }
    }

    /// Whether a file that nobody named is worth a look: names that only health files have, or what it begins with.
    private static func isHealthFile(_ file: URL) -> Bool {
        let suffix = file.pathExtension.lowercased()
        if ["fit", "tcx", "gpx"].contains(suffix) { return true }
        guard extensions.contains(suffix), let handle = try? FileHandle(forReadingFrom: file) else { return false }
        defer { try? handle.close() }
        guard let head = try? handle.read(upToCount: headBytes) else { return false }
        return HealthFile.kind(of: Array(head)) != nil
    }

    /// A quoted pattern that no shell has expanded.
    private static func matches(of argument: String, _ path: String) throws(CommandFailure) -> [String] {
        let url = URL(filePath: path)
        let pattern = url.lastPathComponent
        let directory = url.deletingLastPathComponent()
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory.path(percentEncoded: false))) ?? []
        let matching = names.sorted().filter {
            pattern.contains(where: { "*?".contains($0) }) && !$0.hasPrefix(".")
                && ImportPaths.wildcard(pattern[...], $0[...])
        }
        guard !matching.isEmpty else {
            throw CommandFailure(.noInput, "\(argument): no such file", cure: "check the name and the directory")
        }
        return matching.map { directory.appending(path: $0).path(percentEncoded: false) }
    }
}
