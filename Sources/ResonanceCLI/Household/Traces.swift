import Backup
import CPosix
import Foundation
import Glibc
import Protocols
import ServiceKit

/// The files that Resonance leaves on a machine, told from files of others.
struct Traces {
    /// One file of ours.
    struct Trace: Hashable {
        enum Kind: Hashable {
            /// A database with its companions, a backup, a spool.
            case data
            /// Events that a process has not handed over yet.
            case outbox
            /// Emptied, not removed: the supervisor has it open.
            case log
            /// A lock, a socket, figures of a running process: it holds nothing about the listener.
            case furniture
        }

        var path: String
        var kind: Kind
        /// Who holds it while it runs; nil for what belongs to nobody.
        var owner: ProcessName?

        /// Bytes on disk; 0 when it is gone.
        var size: Int64 {
            ((try? FileManager.default.attributesOfItem(atPath: path))?[.size] as? NSNumber)?.int64Value ?? 0
        }
    }

    let directories: Directories

    /// Every file of ours, sorted by path.
    func all() -> [Trace] {
        places().flatMap { place in Self.files(under: place).compactMap { trace($0, in: place) } }
            + leftovers().flatMap { Self.files(under: $0).map { Trace(path: $0, kind: .data) } }
    }

    /// Directories beside the data that a restoration has moved aside, or was killed over.
    private func leftovers() -> [URL] {
        let data = directories.data.standardizedFileURL
        let parent = data.deletingLastPathComponent()
        let names = (try? FileManager.default.contentsOfDirectory(atPath: parent.path(percentEncoded: false))) ?? []
        return names.sorted().filter { Restoration.isLeftover($0, of: data.lastPathComponent) }
            .map { parent.appending(path: $0, directoryHint: .isDirectory) }
    }

    /// Files in our directories that are not ours: they are shown and never touched.
    func strangers() -> [String] {
        places().flatMap { place in Self.files(under: place).filter { trace($0, in: place) == nil } }
    }

    /// The three directories without those that lie in another one.
    private func places() -> [URL] {
        var places: [URL] = []
        for url in [directories.data, directories.state, directories.runtime].map(\.standardizedFileURL)
        where !places.contains(where: { (url.path + "/").hasPrefix($0.path + "/") }) {
            places.append(url)
        }
        return places
    }

    private func trace(_ path: String, in place: URL) -> Trace? {
        let relative = String(path.dropFirst(place.path(percentEncoded: false).count)).drop { $0 == "/" }
        let parts = relative.split(separator: "/").map(String.init)
        guard let first = parts.first, let name = parts.last else { return nil }
        if parts.count > 1 {
            if first.hasPrefix(BackupCollection.folder) { return Trace(path: path, kind: .data) }
            switch first {
            case "outbox": return Trace(path: path, kind: .outbox, owner: Self.owner(of: parts[1]))
            case "spool": return Trace(path: path, kind: .data, owner: .hub)
            case "backups": return Trace(path: path, kind: .data)
            case "metrics": return Trace(path: path, kind: .furniture, owner: Self.owner(of: name))
            case "logs":
                let isOpen = [".log", ".out", ".err"].contains { name.hasSuffix($0) }
                return Trace(path: path, kind: isOpen ? .log : .data)
            default: return nil
            }
        }
        if name.contains(".sqlite") { return Trace(path: path, kind: .data, owner: Self.owner(of: name)) }
        if name.hasSuffix(".lock") || name.hasSuffix(".prom") {
            return Trace(path: path, kind: .furniture, owner: Self.owner(of: name))
        }
        if ["hub-in", "hub-out", "hub-metrics"].contains(name) {
            return Trace(path: path, kind: .furniture, owner: .hub)
        }
        if name.hasPrefix("supervis") || name.hasPrefix(SupervisorReport.fileName) {
            return Trace(path: path, kind: .furniture, owner: "supervisord")
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
        all().filter { $0.kind == .furniture && $0.path.hasSuffix(".lock") }.compactMap { trace in
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
