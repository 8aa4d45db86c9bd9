import Foundation
import Protocols

/// How fast and how energetic automatic picks may be at this hour.
package struct DayLimits: Hashable, Sendable {
    package enum Part: String, Codable, Hashable, Sendable { case night, morning }

    package let part: Part
    /// Beats per minute.
    package let maximumBpm: Double
    /// 0…1; only the score knows it, the guard looks at the tempo.
    package let maximumEnergy: Double

    /// Beats per minute, energy, above the limit at which nothing of the time-of-day score is left.
    package static let tempoFade = 40.0
    package static let energyFade = 0.4
    /// With an unknown tempo a song passes up to this energy.
    package static let energyWithoutTempo = 0.4
    /// Hour at which the night ends and the morning begins (5.2.2).
    package static let nightEndHour = 6

    package init(part: Part, maximumBpm: Double, maximumEnergy: Double) {
        self.part = part
        self.maximumBpm = maximumBpm
        self.maximumEnergy = maximumEnergy
    }

    /// The limits of an hour: night ≤ 100 BPM and energy 0.6, morning ≤ 120 BPM and energy 0.8 by default; nil by day.
    package init?(at now: Timestamp, in zone: TimeZone, preferences: Preferences) {
        let hour = LocalTime(now, in: zone).hour
        if hour >= preferences.nightStartHour || hour < Self.nightEndHour {
            self.init(part: .night, maximumBpm: preferences.nightMaxBPM, maximumEnergy: 0.6)
        } else if hour < preferences.morningEndHour {
            self.init(part: .morning, maximumBpm: preferences.morningMaxBPM, maximumEnergy: 0.8)
        } else {
            return nil
        }
    }

    /// Whether a song is inside the limits; NaN = unknown.
    package func allows(bpm: Double, energy: Double) -> Bool {
        bpm.isNaN ? energy <= Self.energyWithoutTempo : bpm <= maximumBpm
    }

    /// 1 inside the limits, falling linearly to 0 above them; 0.5 when neither tempo nor energy is known.
    package func score(bpm: Double, energy: Double) -> Double {
        if bpm.isNaN, energy.isNaN { return 0.5 }
        let tempo = bpm.isNaN ? 1 : min(1, max(0, 1 - (bpm - maximumBpm) / Self.tempoFade))
        let vigour = energy.isNaN ? 1 : min(1, max(0, 1 - (energy - maximumEnergy) / Self.energyFade))
        return min(tempo, vigour)
    }
}
