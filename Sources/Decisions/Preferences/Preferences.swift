import Foundation
import Protocols

/// What the listener may set. Every value is within the range that ``PreferenceField`` states.
package struct Preferences: Codable, Hashable, Sendable {
    /// Shares of the score, 0…1 each, together 1.
    package var bpmWeight = 0.15
    package var energyWeight = 0.20
    package var familiarityWeight = 0.15
    package var historicalWeight = 0.25
    package var contextWeight = 0.25

    /// Minutes in which a song, or another version of it, does not come back; shrunk for small pools.
    package var avoidRecentMinutes = 60.0
    package var maxSameArtistInRow = 2
    /// Minutes in which an artist does not come back; scaled by the number of artists in the pool.
    package var artistWindowMinutes = 30.0
    package var preferFamiliarInStress = true

    /// Beats per minute.
    package var morningMaxBPM = 120.0
    package var nightMaxBPM = 100.0
    /// Local hours: night is from `nightStartHour` to 6, morning from 6 to `morningEndHour`.
    package var nightStartHour = 21
    package var morningEndHour = 9

    /// 0…1: how much a skip counts in learning.
    package var skipPenaltyWeight = 0.5
    /// 0…1: share of heart-rate variability in the body's answer to a song.
    package var hrvResponseWeight = 0.3

    package var shareAnalytics = false
    package var backupToiCloud = false

    /// 0…0.3: what a song loses in score for having been heard a lot in the last days.
    package var varietyWeight = 0.15
    /// Share of picks that are drawn at random among the admissible songs, so that what was learnt can be checked.
    package var randomShare = 0.05
    package var djMode = false
    /// Song ids, or `artist:Name`.
    package var neverPlay: [String] = []
    /// Days that raw plays and states are kept; 0 = for ever.
    package var retentionDays = 730
    /// Words in the name of a focus mode that make it work.
    package var workFocusNames = ["work", "arbeit", "travail", "trabajo", "coding", "deep", "focus", "study"]
    /// Usual bedtime and wake time as minutes after local midnight; nil = unknown (23:00 and 7:00 are assumed).
    package var bedtime: Int?
    package var wakeTime: Int?

    package init() {}

    /// The five weights scaled to sum 1; equal shares when all are 0.
    package mutating func normaliseWeights() {
        let sum = bpmWeight + energyWeight + familiarityWeight + historicalWeight + contextWeight
        guard sum > 0 else {
            (bpmWeight, energyWeight, familiarityWeight, historicalWeight, contextWeight) = (0.2, 0.2, 0.2, 0.2, 0.2)
            return
        }
        bpmWeight /= sum
        energyWeight /= sum
        familiarityWeight /= sum
        historicalWeight /= sum
        contextWeight /= sum
    }

    /// True when a focus mode of that name means work.
    package func isWorkFocus(_ name: String) -> Bool {
        let lower = name.lowercased()
        return workFocusNames.contains { lower.contains($0.lowercased()) }
    }
}
