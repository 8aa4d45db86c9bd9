import Foundation

/// Reads what ActivityWatch writes: an export (`{"buckets": …}`), one bucket, or the bare list of its REST API.
///
/// Events may lack an id, come newest first and have no length; what an event is follows from its data: `app` is a
/// window, `status` is presence. Times without a zone are UTC.
package struct ActivityWatchReader {
    private static let largest = 1 << 30
    private static let mostEvents = 2_000_000
    /// Longest event that is believed, seconds: a week.
    private static let longest = 604_800.0

    private var json: JSONPull
    private var windows: [WindowEvent] = []
    private var presence: [PresenceEvent] = []
    private var others = 0
    private var sawEvents = false

    /// - Throws: ``FormatError`` with the line; nothing is returned then.
    package static func read(path: String) throws(FormatError) -> ActivityLog {
        try read(ByteStream(path: path, limit: largest))
    }

    /// - Parameter name: stands for the file in errors.
    package static func read(bytes: [UInt8], name: String) throws(FormatError) -> ActivityLog {
        try read(ByteStream(bytes: bytes, name: name))
    }

    private static func read(_ stream: ByteStream) throws(FormatError) -> ActivityLog {
        var reader = ActivityWatchReader(json: try JSONPull(stream))
        try reader.readDocument()
        guard reader.sawEvents else {
            throw FormatError(
                file: stream.name, cause: "is JSON without the events of ActivityWatch",
                cure: "export it from ActivityWatch under Raw Data")
        }
        return ActivityLog(
            source: stream.name, windows: reader.windows, presence: reader.presence, otherEvents: reader.others)
    }

    private init(json: JSONPull) { self.json = json }

    private mutating func readDocument() throws(FormatError) {
        var first = true
        while let token = try json.next() {
            if first, token == .beginArray {
                try readEvents()
            } else if first, token != .beginObject {
                throw json.error("is not an object or a list")
            } else if token == .key("events") {
                guard try json.next() == .beginArray else { throw json.error("'events' is not a list") }
                try readEvents()
            } else if token == .key("buckets") {
                guard try json.next() == .beginObject else { throw json.error("'buckets' is not an object") }
                sawEvents = true
            }
            first = false
        }
    }

    private mutating func readEvents() throws(FormatError) {
        sawEvents = true
        while let token = try json.next(), token != .endArray {
            guard token == .beginObject else { throw json.error("an event is not an object") }
            guard windows.count + presence.count + others < Self.mostEvents else {
                throw json.error("has more than \(Self.mostEvents) events")
            }
            try readEvent()
        }
    }

    private mutating func readEvent() throws(FormatError) {
        var start: Double?
        var duration = 0.0
        var texts: [String: String] = [:]
        while let token = try json.next(), token != .endObject {
            guard case .key(let key) = token, let value = try json.next() else {
                throw json.error("an event is broken")
            }
            switch (key, value) {
            case ("timestamp", .string(let text)):
                guard let seconds = IsoTime.seconds(text) else {
                    throw json.error("the timestamp '\(text.prefix(40))' is not a time")
                }
                start = seconds
            case ("duration", .number(let seconds)): duration = min(max(0, seconds), Self.longest)
            case ("data", .beginObject): texts = try readTexts()
            default: try json.skip(value)
            }
        }
        guard let start else { throw json.error("an event has no timestamp") }
        if let app = texts["app"] {
            windows.append(WindowEvent(start: start, duration: duration, app: app, title: texts["title"] ?? ""))
        } else if let status = texts["status"], status == "afk" || status == "not-afk" {
            presence.append(PresenceEvent(start: start, duration: duration, away: status == "afk"))
        } else {
            others += 1
        }
    }

    private mutating func readTexts() throws(FormatError) -> [String: String] {
        var texts: [String: String] = [:]
        while let token = try json.next(), token != .endObject {
            guard case .key(let key) = token, let value = try json.next() else {
                throw json.error("an event is broken")
            }
            if case .string(let text) = value { texts[key] = text } else { try json.skip(value) }
        }
        return texts
    }
}
