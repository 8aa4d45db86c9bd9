import Formats
import Foundation
import Protocols

/// A file, or a folder of them, that is read again when it changes; the last good value stays when it breaks.
struct WatchedFile<Value: Sendable>: Sendable {
    let name: String
    let path: String
    private let signature: @Sendable (String) -> String?
    private let read: @Sendable (String) throws -> Value
    private var seen: String?
    private(set) var value: Value?
    /// What is wrong now, with file, place and cure; nil when the newest reading was good.
    private(set) var error: String?
    /// When the value was last known to be what the file says.
    private(set) var goodAt: Timestamp?

    init(
        name: String, path: String, signature: @escaping @Sendable (String) -> String? = fileSignature,
        read: @escaping @Sendable (String) throws -> Value
    ) {
        self.name = name
        self.path = path
        self.signature = signature
        self.read = read
    }

    /// Reads the file if it changed.
    ///
    /// - Returns: true when value or error changed.
    mutating func refresh(now: Timestamp) -> Bool {
        let current = signature(path)
        if current == seen, current != nil {
            if error == nil { goodAt = now }
            return false
        }
        let hadError = error
        seen = current
        guard current != nil else {
            error = "\(path): is missing or cannot be read; check the path and its permissions"
            return error != hadError
        }
        do {
            value = try read(path)
            error = nil
            goodAt = now
            return true
        } catch {
            self.error = "\(error)"
            return self.error != hadError
        }
    }

    /// Seconds that the value has been standing in for what could not be read.
    func staleSeconds(now: Timestamp) -> Double { goodAt.map { max(0, now.seconds(since: $0)) } ?? 0 }

    func status(now: Timestamp) -> ContextSource {
        ContextSource(
            name: name, path: path, ok: error == nil, detail: error ?? "read",
            ageSeconds: goodAt.map { now.seconds(since: $0) })
    }
}

/// Size and time of change of a file; nil when there is none.
func fileSignature(_ path: String) -> String? {
    guard let attributes = try? FileManager.default.attributesOfItem(atPath: path),
        FileManager.default.isReadableFile(atPath: path)
    else { return nil }
    let changed = (attributes[.modificationDate] as? Date)?.timeIntervalSince1970 ?? 0
    return "\(attributes[.size] ?? 0)@\(changed)"
}

/// Every `.ics` file below a folder (hidden and temporary ones left out), or the one file; sorted.
func calendarFiles(_ path: String) -> [String] {
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else { return [] }
    guard isFolder.boolValue else { return [path] }
    let names = FileManager.default.enumerator(atPath: path)?.allObjects.compactMap { $0 as? String } ?? []
    return names.filter { name in
        name.lowercased().hasSuffix(".ics") && !name.split(separator: "/").contains { $0.hasPrefix(".") }
    }.sorted().map { "\(path)/\($0)" }
}

func calendarSignature(_ path: String) -> String? {
    guard FileManager.default.isReadableFile(atPath: path) else { return nil }
    return calendarFiles(path).map { "\($0)=\(fileSignature($0) ?? "")" }.joined(separator: "|")
}
