/// A body that travels on a topic or in a request, as JSON.
///
/// Rules of change: a minor version only adds optional keys; anything else is a new major version on a new topic.
package protocol Message: Codable, Sendable, Equatable {
    /// Version of the JSON body. A reader accepts every minor of its own major and refuses a higher major by name.
    static var schema: SchemaVersion { get }
    /// The JSON, written by hand, of a ``FastMessage``; nil where `Codable` writes it.
    func fastJSON() -> [UInt8]?
    /// Reads plain JSON by hand; nil where `Codable` reads it, or has to say what is wrong with it.
    static func fromFastJSON(_ bytes: [UInt8]) -> Self?
}

extension Message {
    package static var schema: SchemaVersion { SchemaVersion(major: 1, minor: 0) }
    package func fastJSON() -> [UInt8]? { nil }
    package static func fromFastJSON(_ bytes: [UInt8]) -> Self? { nil }
}

/// Version of a message type: `major` breaks readers, `minor` does not.
package struct SchemaVersion: Hashable, Codable, Sendable, CustomStringConvertible {
    package var major: UInt16
    package var minor: UInt16

    package init(major: UInt16, minor: UInt16) {
        self.major = major
        self.minor = minor
    }

    package var description: String { "\(major).\(minor)" }
}

/// A question to one process by name, answered by exactly one reply or one named error.
package protocol Request: Message {
    associatedtype Reply: Message
    /// The process that answers.
    static var target: ProcessName { get }
    /// Name on the wire, kebab-case.
    static var name: String { get }
}

/// The processes of Resonance, by the name they answer to.
package struct ProcessName: RawRepresentable, Hashable, Codable, Sendable, CustomStringConvertible,
    ExpressibleByStringLiteral
{
    package var rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }
    package init(stringLiteral value: String) { rawValue = value }
    package init(from decoder: any Decoder) throws {
        rawValue = try decoder.singleValueContainer().decode(String.self)
    }
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rawValue)
    }
    package var description: String { rawValue }

    package static let hub: Self = "hub"
    package static let sensor: Self = "sensor-emitter"
    package static let context: Self = "context-agent"
    package static let librarian: Self = "librarian"
    package static let body: Self = "body"
    package static let brain: Self = "brain"
    /// The role; `player-stub` and `player-mpd` both answer to it.
    package static let player: Self = "player"
    package static let conductor: Self = "conductor"
}

/// The answer to a request that only needs to be obeyed.
package struct Done: Message {
    /// What happened, in a sentence for a person, where there is something to say.
    package var note: String?
    package init(note: String? = nil) { self.note = note }
}

/// Why a request was not answered as wished: travels instead of the reply.
package struct Refusal: Message, Error {
    /// Stable machine name, kebab-case: `not-found`, `invalid`, `unavailable`, `deadline`, `unknown-request`,
    /// `unknown-process`, `not-allowed`, `internal`, `version`.
    package var code: String
    /// The cause and the cure, for a person.
    package var message: String

    package init(code: String, message: String) {
        self.code = code
        self.message = message
    }
}

/// Where an estimate came from and how old that is.
package struct SourceAge: Hashable, Codable, Sendable {
    /// `heartRate` `hrv` `motion` `desktopContext` `calendarContext` `timeOfDay` `manualMoodInput`
    /// `historicalPattern` `bodyStress` `profile` `population`.
    package var name: String
    /// Seconds since the newest value of that source.
    package var ageSeconds: Double
    /// 0…1, after decay.
    package var confidence: Double

    package init(name: String, ageSeconds: Double, confidence: Double) {
        self.name = name
        self.ageSeconds = ageSeconds
        self.confidence = confidence
    }
}
