import Foundation
import Protocols

/// The tempo and energy that the next song should have.
package struct Targets: Codable, Hashable, Sendable {
    /// Beats per minute, 50…180.
    package let bpm: Double
    /// 0…1.
    package let energy: Double

    package init(bpm: Double, energy: Double) {
        self.bpm = bpm
        self.energy = energy
    }

    /// Targets for a state: a range per need, the place inside it by the state's energy, lower when an aroused listener
    /// should calm down, then the crown, then the limits of the hour.
    ///
    /// - Parameters:
    ///   - lastEnergy: energy of the song before, for a transition; nil = unknown.
    ///   - limits: nil when none hold or they are waived.
    /// Source: `resonance.md` 5.2.2 for the tempo; the energy ranges are our own.
    package init(
        state: StateVector, lastEnergy: Double? = nil, energyNudge: Double = 0, tempoNudge: Double = 0,
        limits: DayLimits? = nil
    ) {
        let need = state.need.value ?? .maintain
        let place = min(max(state.energy, 0), 1)
        let tempoRange = Self.tempoRange(need)
        var bpm = tempoRange.lowerBound + place * (tempoRange.upperBound - tempoRange.lowerBound)
        var energy: Double
        switch need {
        case .energize: energy = 0.75 + place * 0.20
        case .calm: energy = 0.10 + place * 0.25
        case .focus: energy = 0.30 + place * 0.20
        case .maintain: energy = place - 0.1 + place * 0.2
        case .transition: energy = ((lastEnergy ?? place) + place) / 2
        }
        if need == .calm, state.arousal > 0.6 {
            bpm -= 10
            energy -= 0.10
        }
        bpm += tempoNudge
        energy += energyNudge
        if let limits {
            bpm = min(bpm, limits.maximumBpm)
            energy = min(energy, limits.maximumEnergy)
        }
        self.bpm = min(max(bpm, 50), 180)
        self.energy = min(max(energy, 0), 1)
    }

    static func tempoRange(_ need: MusicNeed) -> ClosedRange<Double> {
        switch need {
        case .energize: 120...160
        case .calm: 60...90
        case .focus: 80...110
        case .maintain: 90...130
        case .transition: 100...120
        }
    }
}
