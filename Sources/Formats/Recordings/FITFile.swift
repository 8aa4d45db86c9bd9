import Protocols

/// A FIT file (activities, monitoring, settings) as its messages.
///
/// A FIT file is a log: each message stands for itself, and a device that lost power leaves a file whose beginning is
/// sound. So damage does not make the messages before it worthless; but nobody takes half a file unknowingly:
/// ``init(path:)`` refuses a damaged file, and only ``init(reading:name:)`` hands out what stands before the damage.
package struct FITFile: Sendable {
    /// The largest file that is read: several days at one record a second.
    package static let largest = 32 << 20

    package let messages: [FITMessage]
    /// Where and why the file is not sound; nil for a sound one.
    package let damage: FormatError?

    /// Reads a whole, sound file.
    ///
    /// - Throws: ``FormatError`` with the byte: no FIT file, wrong checksum, cut off, or a message without definition.
    package init(path: String) throws(FormatError) {
        let stream = try ByteStream(path: path, limit: Self.largest)
        let file = FITFile(reading: try stream.rest(), name: path)
        if let damage = file.damage { throw damage }
        self = file
    }

    /// Reads what can be read of these bytes; ``damage`` says where that ended. After a wrong checksum the reading
    /// goes on, because the messages themselves were well-formed.
    package init(reading bytes: [UInt8], name: String) {
        var decoder = FITDecoder(bytes, file: name)
        decoder.run()
        messages = decoder.messages
        damage = decoder.damage
    }

    /// Number of messages by name.
    package var counts: [String: Int] { messages.reduce(into: [:]) { $0[$1.name, default: 0] += 1 } }

    /// Messages of one name, in the order of the file.
    package func messages(named name: String) -> [FITMessage] { messages.filter { $0.name == name } }

    /// The `record` messages as text by field name.
    package var records: [[String: String]] { messages(named: "record").map(\.texts) }

    /// The `session` messages as text by field name.
    package var sessions: [[String: String]] { messages(named: "session").map(\.texts) }

    /// Heart rates of the `record` messages that have a time and a value above 0.
    package var heartRates: [(at: Timestamp, bpm: Double)] {
        messages.compactMap { message in
            guard message.number == 20, let at = message.timestamp, let bpm = message["heart_rate"]?.double, bpm > 0
            else { return nil }
            return (at, bpm)
        }
    }

    /// All beat-to-beat intervals of the `hrv` messages in milliseconds, in order; no interval is left out.
    package var rrMs: [Double] { beats.flatMap(\.rrMs) }

    /// The intervals of each `hrv` message in milliseconds, with the time of the newest timed message before it:
    /// `hrv` messages themselves carry no time.
    package var beats: [(after: Timestamp?, rrMs: [Double])] {
        var latest: Timestamp?
        var result: [(after: Timestamp?, rrMs: [Double])] = []
        for message in messages {
            if message.number == 20 || message.number == 21, let at = message.timestamp { latest = at }
            guard message.number == 78, let times = message["time"] else { continue }
            result.append((latest, times.elements.compactMap(\.double).map { ($0 * 1000).rounded() }))
        }
        return result
    }
}

extension FITMessage {
    /// Field names with their values as text.
    package var texts: [String: String] {
        fields.reduce(into: [:]) { texts, field in
            if texts[field.name] == nil { texts[field.name] = field.value.description }
        }
    }
}
