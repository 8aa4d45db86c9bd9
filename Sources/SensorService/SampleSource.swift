import Formats
import Protocols

/// Where a sensor's samples come from: a recording, a simulated body, later a strap.
package protocol SampleSource: Sendable {
    /// The samples up to and including `now` that were not handed out before, in order of time.
    ///
    /// The first call sets the beginning; calls never go back in time.
    mutating func samples(until now: Timestamp) -> [RecordedSample]

    /// The music that the body hears from now on; nil = silence.
    mutating func hear(_ music: HeardMusic?, at now: Timestamp)

    /// Tells heart rate each second and every beat until a moment, for a measurement that somebody asked for.
    ///
    /// - Returns: the name of the source, as in its samples.
    /// - Throws: ``Refusal`` `unavailable` when it has none to tell.
    mutating func senseDensely(until end: Timestamp, at now: Timestamp) throws(Refusal) -> String
}

extension SampleSource {
    package mutating func hear(_ music: HeardMusic?, at now: Timestamp) {}

    package mutating func senseDensely(until end: Timestamp, at now: Timestamp) throws(Refusal) -> String {
        throw Refusal(code: "unavailable", message: "this sensor cannot be asked for a measurement")
    }
}

/// What a body can hear of a song.
package struct HeardMusic: Hashable, Sendable {
    package var songId: String
    package var tempoBpm: Double?
    /// 0…1.
    package var energy: Double?

    package init(songId: String, tempoBpm: Double? = nil, energy: Double? = nil) {
        self.songId = songId
        self.tempoBpm = tempoBpm
        self.energy = energy
    }
}
