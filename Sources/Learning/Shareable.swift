import Protocols

/// The only thing that may ever leave the machine: which playlists, how songs score, and what the listener set.
///
/// Nothing about the body fits in: there is no field of free text, no time, and no number but scores in hundredths and
/// the preferences of 4.2.4. A score can only be made from a song's log, a preference only from its own name.
package struct Shareable: Codable, Hashable, Sendable {
    package let playlistIds: [LibraryId]
    /// By song id.
    package let songEffects: [SongScores]
    package let preferences: [SharedPreference]

    /// - Parameters:
    ///   - playlistIds: ids of the librarian; anything else is left out.
    ///   - effects: each song's log over all contexts.
    ///   - preferences: name and value; what is not a preference of 4.2.4 is left out.
    package init(
        playlistIds: [String], effects: [(songId: String, log: SongEffectLog)],
        preferences: [(name: String, value: Double)]
    ) {
        self.playlistIds = playlistIds.compactMap(LibraryId.init)
        songEffects = effects.compactMap { effect in
            LibraryId(effect.songId).map { SongScores(song: $0, log: effect.log) }
        }
        self.preferences = preferences.compactMap { SharedPreference(name: $0.name, value: $0.value) }
    }

    /// An id of the librarian: 2…64 letters, digits, `-`, `_`, with at least one letter, so that no reading fits.
    package struct LibraryId: Codable, Hashable, Sendable {
        package let value: String

        package init?(_ text: String) {
            guard (2...64).contains(text.utf8.count), text.utf8.contains(where: Self.isLetter),
                text.utf8.allSatisfy({ Self.isLetter($0) || (0x30...0x39).contains($0) || $0 == 0x2D || $0 == 0x5F })
            else { return nil }
            value = text
        }

        package init(from decoder: any Decoder) throws {
            let text = try decoder.singleValueContainer().decode(String.self)
            guard let id = LibraryId(text) else {
                throw DecodingError.dataCorrupted(
                    .init(codingPath: decoder.codingPath, debugDescription: "not an id of the library"))
            }
            self = id
        }

        package func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(value)
        }

        private static func isLetter(_ byte: UInt8) -> Bool {
            (0x61...0x7A).contains(byte) || (0x41...0x5A).contains(byte)
        }
    }

    /// Scores of one song in hundredths, 0…100: too coarse to hold a reading, and bound to the scale of the log.
    package struct SongScores: Codable, Hashable, Sendable {
        package let song: LibraryId
        package let calm: Hundredths
        package let focus: Hundredths
        package let energy: Hundredths
        package let moodLift: Hundredths

        fileprivate init(song: LibraryId, log: SongEffectLog) {
            self.song = song
            calm = Hundredths(log.calm)
            focus = Hundredths(log.focus)
            energy = Hundredths(log.energy)
            moodLift = Hundredths(log.moodLift)
        }
    }

    /// A fraction as 0…100.
    package struct Hundredths: Codable, Hashable, Sendable {
        package let value: UInt8

        fileprivate init(_ fraction: Double) { value = UInt8((min(1, max(0, fraction)) * 100).rounded()) }

        package init(from decoder: any Decoder) throws {
            value = min(100, try decoder.singleValueContainer().decode(UInt8.self))
        }

        package func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(value)
        }
    }

    /// The numeric preferences of 4.2.4, by name.
    package enum PreferenceName: String, Codable, Hashable, Sendable, CaseIterable {
        case bpmWeight, energyWeight, familiarityWeight, historicalWeight, contextWeight
        case avoidRecentMinutes, maxSameArtistInRow, preferFamiliarInStress
        case morningMaxBPM, nightMaxBPM, nightStartHour, morningEndHour
        case skipPenaltyWeight, hrvResponseWeight, randomShare
    }

    /// A preference and its value.
    package struct SharedPreference: Codable, Hashable, Sendable {
        package let name: PreferenceName
        package let value: Double

        fileprivate init?(name: String, value: Double) {
            guard let name = PreferenceName(rawValue: name), value.isFinite else { return nil }
            self.name = name
            self.value = value
        }
    }
}
