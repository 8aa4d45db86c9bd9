import CPosix
import Foundation
import Glibc
import Protocols
import ServiceKit

/// The files that Resonance leaves on a machine, told from files of others.
struct Traces {
    /// One file of ours.
    struct Trace: Hashable {
        var path: String
        /// Who holds it while it runs; nil for what belongs to nobody.
        var owner: ProcessName?
        /// A log is emptied, not removed: the supervisor has it open.
        var isLog: Bool
        /// A lock or socket: it holds nothing, and goes only with its process.
        var isFurniture: Bool
    }

    let directories: Directories

    /// Every file of ours, sorted by path.
    func all() -> [Trace] {
        places().flatMap { place in Self.files(under: place).compactMap { trace($0, in: place) } }
    }

    /// Files in our directories that are not ours: they are shown and never touched.
    func strangers() -> [String] {
        places().flatMap { place in Self.files(under: place).filter { trace($0, in: place) == nil } }
    }

    /// The three directories without those that lie in another one.
    private func places() -> [URL] {
        var places: [URL] = []
        for url in [directories.data, directories.state, directories.runtime].map(\.standardizedFileURL)
        where !places.contains(where: { url.path.hasPrefix($0.path) }) {
            places.append(url)
        }
        return places
    }

    private func trace(_ path: String, in place: URL) -> Trace? {
        let relative = String(path.dropFirst(place.path(percentEncoded: false).count)).drop { $0 == "/" }
        let parts = relative.split(separator: "/").map(String.init)
        guard let first = parts.first, let name = parts.last else { return nil }
        if parts.count > 1 {
            switch first {
            case "outbox", "spool":
                return Trace(path: path, owner: Self.owner(of: parts[1]), isLog: false, isFurniture: false)
            case "logs":
                let live = [".log", ".out", ".err"].contains { name.hasSuffix($0) }
                return Trace(path: path, owner: nil, isLog: live, isFurniture: false)
            case "backups": return Trace(path: path, owner: nil, isLog: false, isFurniture: false)
            default: return nil
            }
        }
        if name.contains(".sqlite") {
            return Trace(path: path, owner: Self.owner(of: name), isLog: false, isFurniture: false)
        }
        if name.hasSuffix(".lock") {
            return Trace(path: path, owner: Self.owner(of: name), isLog: false, isFurniture: true)
        }
        if name.hasPrefix("hub-") || name == "hub.sock" {
            return Trace(path: path, owner: .hub, isLog: false, isFurniture: true)
        }
        if name.hasPrefix("supervis") {
            return Trace(path: path, owner: "supervisord", isLog: false, isFurniture: true)
        }
        if name.hasSuffix(".outbox") || name.hasSuffix(".spool") {
            return Trace(path: path, owner: Self.owner(of: name), isLog: false, isFurniture: false)
        }
        return nil
    }

    /// The process that a file's name begins with; the library's database is the librarian's.
    private static func owner(of name: String) -> ProcessName? {
        let stem = name.prefix { $0 != "." }
        return stem == "library" ? .librarian : ProcessName(rawValue: String(stem))
    }

    /// Processes that run now, by the locks they hold: true even when no hub can be asked.
    func holders() -> [(process: ProcessName, pid: String)] {
        all().filter { $0.isFurniture && $0.path.hasSuffix(".lock") }.compactMap { trace in
            let file = open(trace.path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
            guard file >= 0, let owner = trace.owner else { return nil }
            defer { close(file) }
            if flock(file, LOCK_SH | LOCK_NB) == 0 { return nil }
            let pid = (try? String(contentsOfFile: trace.path, encoding: .utf8))?
                .trimmingCharacters(in: .whitespacesAndNewlines)
            return (owner, pid ?? "unknown")
        }
    }

    /// Regular files, links and sockets below a directory, sorted; links are not followed.
    static func files(under directory: URL) -> [String] {
        let root = directory.path(percentEncoded: false)
        guard let walk = FileManager.default.enumerator(atPath: root) else { return [] }
        var found: [String] = []
        while let name = walk.nextObject() as? String {
            if walk.fileAttributes?[.type] as? FileAttributeType == .typeDirectory { continue }
            found.append(directory.appending(path: name).path(percentEncoded: false))
        }
        return found.sorted()
    }
}
