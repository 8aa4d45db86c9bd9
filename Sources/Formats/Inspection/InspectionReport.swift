import Foundation
import Physiology
import Protocols

/// What is in a file, and what an import would take or refuse. Only the keys of its ``kind`` are there.
@dynamicMemberLookup
package struct InspectionReport: Encodable, Sendable {
    /// One time of an event, RFC 3339; a whole day is only a date.
    package struct Occurrence: Encodable, Sendable {
        package var uid: String
        package var summary: String
        package var start: String
        package var end: String
        package var allDay: Bool
        package var status: String
    }

    package struct Track: Encodable, Sendable {
        package var title: String?
        package var artist: String?
        package var album: String?
        package var seconds: Double?
        package var location: String?
        /// Why an import leaves it out: `video`, `podcast`, `remote` …
        package var leftOut: String?

        private enum Key: String, CodingKey { case title, artist, album, seconds, location, leftOut }

        /// The five fields are always there, null when unknown, so that a script need not ask.
        package func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key.self)
            try container.encode(title, forKey: .title)
            try container.encode(artist, forKey: .artist)
            try container.encode(album, forKey: .album)
            try container.encode(seconds, forKey: .seconds)
            try container.encode(location, forKey: .location)
            try container.encodeIfPresent(leftOut, forKey: .leftOut)
        }
    }

    package struct Playlist: Encodable, Sendable {
        package var name: String
        /// Entries, also of tracks that are left out.
        package var tracks: Int
        package var smart: Bool
        /// The whole library, a built-in list or a folder: not imported.
        package var builtIn: Bool
    }

    /// What is not taken.
    package struct Refused: Encodable, Sendable {
        package var reason: String
        package var count: Int
    }

    package struct FocusChange: Encodable, Sendable {
        /// Absent: the state of now.
        package var at: String?
        package var active: Bool
        package var name: String?
    }

    /// What most kinds have in common.
    package struct Fields: Encodable, Sendable {
        /// `calendar` `playlist` `library` `activitywatch` `rr` `fit` `focus` `categories`, `morning-log`,
        /// `load-series`, `ride`, `apple-health` `tcx` `gpx` `health-auto-export` `archive`, or of other recordings
        /// `heartRate` `motion` `workouts` `moods`.
        package var kind: String
        package var file: String
        /// What an import would take, by what it is.
        package var wouldTake: [String: Int] = [:]
        package var refused: [Refused] = []
        /// What could not be read inside a file that is readable on the whole.
        package var notes: [String] = []

        // rr
        package var n: Int?
        package var meanNnMs: Double?
        package var sdnnMs: Double?
        package var rmssdMs: Double?
        package var pnn50Percent: Double?
        package var artefacts: BeatArtefacts?
        package var correctedRmssdMs: Double?
        package var correctedShare: Double?
        package var gaps: Int?
        /// `ms` or `s`.
        package var unit: String?

        package var occurrences: [Occurrence]?
        package var title: String?
        package var tracks: [Track]?
        package var playlists: [Playlist]?
        package var days: [ActivityDay]?
        package var focus: [FocusChange]?

        // fit: message counts by name, then the fields of every record and session
        package var messages: [String: Int]?
        package var records: [[String: FITFieldValue]]?
        package var sessions: [[String: FITFieldValue]]?

        // recordings
        package var samples: Int?
        package var from: String?
        package var to: String?
    }

    package var fields: Fields
    /// What only this kind of file has to say; its keys stand beside the others.
    package var detail: (any InspectionDetail)?

    package init(kind: String, file: String) { fields = Fields(kind: kind, file: file) }

    package subscript<Value>(dynamicMember path: WritableKeyPath<Fields, Value>) -> Value {
        get { fields[keyPath: path] }
        set { fields[keyPath: path] = newValue }
    }

    package func encode(to encoder: any Encoder) throws {
        try fields.encode(to: encoder)
        try detail?.encode(to: encoder)
    }

    /// Pretty-printed JSON with sorted keys.
    package var json: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        // Not reached with finite numbers, and all readers refuse others.
        guard let data = try? encoder.encode(self) else { return "{}" }
        return String(decoding: data, as: UTF8.self)
    }
}

/// The value of a FIT field as JSON: a number, a text, or a list of both.
package enum FITFieldValue: Encodable, Equatable, Sendable {
    case number(Double)
    case integer(Int64)
    case text(String)
    case list([FITFieldValue?])

    init(_ value: FITValue) {
        self =
            switch value {
            case .integer(let integer): .integer(integer)
            case .number(let number): .number(number)
            case .text(let text): .text(text)
            case .time(let time): .text(time.description)
            case .list(let values): .list(values.map { $0.map(FITFieldValue.init) })
            }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .number(let value): try container.encode(value)
        case .integer(let value): try container.encode(value)
        case .text(let value): try container.encode(value)
        case .list(let values): try container.encode(values)
        }
    }
}
