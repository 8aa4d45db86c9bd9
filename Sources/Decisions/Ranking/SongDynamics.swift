import Foundation
import Protocols

/// What changes from play to play, in the order of a `SongTable`: every column has as many entries as the table.
package struct SongDynamics: Sendable {
    /// 0…1.
    package var familiarity: [Double]
    /// Learnt effect in the present context and slot, 0…1 each, 0.5 = none.
    package var calm: [Double]
    package var focus: [Double]
    package var energy: [Double]
    /// 0…1: how sure the three effects are; at 0 they do not count.
    package var effectConfidence: [Double]
    /// Plays behind the effects.
    package var effectPlays: [Int32]
    /// Added to the score as the term `learned`, small: how the listener receives the song, heard out or skipped.
    package var learned: [Double]
    /// How much the listener has had of the song lately, 0…1.
    package var satiation: [Double]

    /// Nothing played, nothing learnt.
    package init(count: Int) {
        familiarity = [Double](repeating: 0, count: count)
        calm = [Double](repeating: 0.5, count: count)
        focus = calm
        energy = calm
        effectConfidence = familiarity
        effectPlays = [Int32](repeating: 0, count: count)
        learned = familiarity
        satiation = familiarity
    }

    package var count: Int { familiarity.count }

    /// True when every column has `count` entries.
    func fits(_ count: Int) -> Bool {
        [
            familiarity.count, calm.count, focus.count, energy.count, effectConfidence.count, effectPlays.count,
            learned.count, satiation.count,
        ]
        .allSatisfy { $0 == count }
    }
}
