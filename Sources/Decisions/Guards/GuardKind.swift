import Foundation

/// A rule that keeps a song out, whatever its score.
package enum GuardKind: String, Codable, Hashable, Sendable, CaseIterable {
    case neverPlay, unplayable, songWindow, otherVersions, artistWindow, artistInRow, timeOfDay
    /// The song that has just been played.
    case justPlayed
    /// Not in the chosen playlists: only a proposal can be.
    case sourcePlaylists

    /// Its bit in a song's mask.
    package var bit: UInt8 {
        switch self {
        case .neverPlay: 1
        case .unplayable: 2
        case .songWindow: 4
        case .otherVersions: 8
        case .artistWindow: 16
        case .artistInRow: 32
        case .timeOfDay: 64
        case .justPlayed: 128
        // Songs from elsewhere are not in the table and have no mask.
        case .sourcePlaylists: 0
        }
    }

    /// Which guards give way, first to last, when nothing is left. The song just played comes back only when it is the
    /// only one. The never-play list and the source playlists never give way.
    package static let relaxationOrder: [GuardKind] = [
        .artistWindow, .artistInRow, .timeOfDay, .otherVersions, .songWindow, .justPlayed,
    ]

    /// Names in a mask, in the order in which the guards are applied.
    package static func names(in mask: UInt8) -> [GuardKind] { allCases.filter { mask & $0.bit != 0 } }
}
