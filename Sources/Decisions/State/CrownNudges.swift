import Foundation
import Protocols

/// What turns of the crown in DJ mode still add to the targets; each turn fades with a half-life of 20 min.
package struct CrownNudges: Codable, Hashable, Sendable {
    /// Sum of turns at `at`, −1…1 each.
    private var energyTurn = 0.0
    private var intensityTurn = 0.0
    private var at: Timestamp?

    package static let halfLife = 20.0 * 60
    /// What a full turn adds to the target energy and to the target tempo in beats per minute.
    package static let fullEnergy = 0.5
    package static let fullTempo = 20.0

    package init() {}

    package mutating func apply(_ nudge: Nudge) {
        guard nudge.delta.isFinite, let kind = nudge.kind.value else { return }
        let factor = fading(to: nudge.at)
        energyTurn *= factor
        intensityTurn *= factor
        at = max(at ?? nudge.at, nudge.at)
        switch kind {
        case .energy: energyTurn = min(max(energyTurn + nudge.delta, -1), 1)
        case .intensity: intensityTurn = min(max(intensityTurn + nudge.delta, -1), 1)
        }
    }

    /// Leaving DJ mode clears both.
    package mutating func clear() { self = CrownNudges() }

    /// −0.5…0.5, added to the target energy.
    package func energy(at now: Timestamp) -> Double { energyTurn * fading(to: now) * Self.fullEnergy }

    /// −20…20 beats per minute, added to the target tempo.
    package func tempo(at now: Timestamp) -> Double { intensityTurn * fading(to: now) * Self.fullTempo }

    private func fading(to now: Timestamp) -> Double {
        guard let at else { return 1 }
        return pow(0.5, max(0, now.seconds(since: at)) / Self.halfLife)
    }
}
