import Foundation

/// Whether a focus mode is on.
package struct FocusState: Hashable, Sendable {
    package var active: Bool
    package var name: String?

    package init(active: Bool, name: String? = nil) {
        self.active = active
        self.name = name
    }
}

/// A file that says which focus mode is on. A file that cannot be read is an error, never "off".
package enum FocusFile: Hashable, Sendable {
    /// The state of now: `{"active": true, "name": "Work"}`, or the `Assertions.json` of macOS.
    case state(FocusState)
    /// A recording, oldest first: one `{"at": …, "active": …, "name": …}` a line.
    case timeline([Change])

    package struct Change: Hashable, Sendable {
        /// Seconds since 1970.
        package var at: Double
        package var state: FocusState
    }

    private static let largest = 64 << 20

    /// The state at a time, or nil before a recording begins.
    ///
    /// - Parameter time: seconds since 1970.
    package func state(at time: Double) -> FocusState? {
        switch self {
        case .state(let state): return state
        case .timeline(let changes):
            let index = changes.partitioningIndex { $0.at > time }
            return index == 0 ? nil : changes[index - 1].state
        }
    }

    /// Reads any of the three kinds; names of macOS modes come from `ModeConfigurations.json` beside the file.
    ///
    /// - Throws: ``FormatError`` with the line.
    package static func read(path: String) throws(FormatError) -> FocusFile {
        let bytes = try ByteStream(path: path, limit: largest).restAsUTF8()
        let beside = URL(filePath: path).deletingLastPathComponent().appending(path: "ModeConfigurations.json")
        // The names are an extra: without that file the mode's identifier stands for its name.
        let names = try? ByteStream(path: beside.path(percentEncoded: false), limit: largest).rest()
        return try read(bytes: bytes, name: path, modes: names ?? [])
    }

    /// - Parameter modes: the bytes of `ModeConfigurations.json`, or nothing.
    package static func read(bytes: [UInt8], name: String, modes: [UInt8] = []) throws(FormatError) -> FocusFile {
        guard bytes.contains(where: { $0 > 0x20 }) else {
            throw FormatError(file: name, cause: "is empty", cure: "write {\"active\": false}")
        }
        if let object = try? JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any] {
            if object["data"] is [Any] { return .state(try assertions(object, name: name, modes: modes)) }
            if object["at"] == nil { return .state(try state(object, file: name, line: 1)) }
        }
        return .timeline(try timeline(bytes, name: name))
    }

    private static func state(_ object: [String: Any], file: String, line: Int) throws(FormatError) -> FocusState {
        guard let active = object["active"] as? Bool else {
            throw FormatError(
                file: file, place: .line(line), cause: "'active' is missing or neither true nor false",
                cure: "write {\"active\": true, \"name\": \"Work\"}")
        }
        let name = object["name"] as? String
        return FocusState(active: active, name: active ? name.flatMap { $0.isEmpty ? nil : $0 } : nil)
    }

    private static func timeline(_ bytes: [UInt8], name: String) throws(FormatError) -> [Change] {
        var lines = LineReader(ByteStream(bytes: bytes, name: name), longest: 1 << 16)
        var changes: [Change] = []
        while let line = try lines.next() {
            guard line.contains(where: { $0 > 0x20 }) else { continue }
            guard let object = try? JSONSerialization.jsonObject(with: Data(line)) as? [String: Any] else {
                throw FormatError(
                    file: name, place: .line(lines.number), cause: "is not a JSON object",
                    cure: "write {\"at\": \"2026-01-02T03:04:05Z\", \"active\": true, \"name\": \"Work\"}")
            }
            guard let text = object["at"] as? String, let at = IsoTime.seconds(text) else {
                throw FormatError(
                    file: name, place: .line(lines.number), cause: "'at' is missing or not a time",
                    cure: "write it as 2026-01-02T03:04:05Z")
            }
            changes.append(Change(at: at, state: try state(object, file: name, line: lines.number)))
        }
        return changes.sorted { $0.at < $1.at }
    }

    // MARK: macOS

    private struct Assertions: Decodable {
        struct Store: Decodable { var storeAssertionRecords: [Record]? }
        struct Record: Decodable { var assertionDetails: Details? }
        struct Details: Decodable { var assertionDetailsModeIdentifier: String? }
        var data: [Store]
    }

    private struct Modes: Decodable {
        struct Store: Decodable { var modeConfigurations: [String: Configuration] }
        struct Configuration: Decodable { var mode: Mode }
        struct Mode: Decodable { var name: String? }
        var data: [Store]
    }

    private static func assertions(
        _ object: [String: Any], name: String, modes: [UInt8]
    ) throws(FormatError) -> FocusState {
        let decoded: Assertions
        do {
            let data = try JSONSerialization.data(withJSONObject: object)
            decoded = try JSONDecoder().decode(Assertions.self, from: data)
        } catch {
            throw FormatError(
                file: name, cause: "is not the Assertions.json that is known", cure: "report the version of macOS")
        }
        guard let record = decoded.data.lazy.flatMap({ $0.storeAssertionRecords ?? [] }).first else {
            return FocusState(active: false)
        }
        guard let id = record.assertionDetails?.assertionDetailsModeIdentifier else { return FocusState(active: true) }
        let names = try? JSONDecoder().decode(Modes.self, from: Data(modes))
        let own = names?.data.lazy.compactMap { $0.modeConfigurations[id]?.mode.name }.first
        return FocusState(active: true, name: own ?? id.split(separator: ".").last.map(String.init))
    }
}

extension Array {
    /// The first index whose element fulfils a condition that holds for all later ones too.
    package func partitioningIndex(where condition: (Element) -> Bool) -> Int {
        var low = 0
        var high = count
        while low < high {
            let middle = (low + high) / 2
            if condition(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
