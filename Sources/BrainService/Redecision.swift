import Decisions
import Foundation
import Protocols

/// What the ready pick rests on; when the moment has moved too far from it, it is made again.
package struct DecisionBasis: Codable, Hashable, Sendable {
    package var need: String
    package var activityContext: String
    package var arousal: Double
    package var energy: Double
    /// `night` `morning` or nil: limits come and go with the hour.
    package var dayPart: String?

    /// Change of arousal or energy that makes a new pick (`model.md`, Controls).
    package static let step = 0.25
    /// Seconds before the end of a song from which the next one stays as it is.
    package static let lastSeconds = 5.0

    package init(state: StateVector, zone: TimeZone, preferences: Preferences) {
        need = state.need.rawValue
        activityContext = state.activityContext.rawValue
        arousal = state.arousal
        energy = state.energy
        dayPart = DayLimits(at: state.at, in: zone, preferences: preferences)?.part.rawValue
    }

    /// Why the pick has to be made again, or nil.
    package func outdated(by now: DecisionBasis) -> String? {
        if need != now.need { return "need" }
        if activityContext != now.activityContext { return "context" }
        if dayPart != now.dayPart { return "time of day" }
        if abs(arousal - now.arousal) >= Self.step { return "arousal" }
        if abs(energy - now.energy) >= Self.step { return "energy" }
        return nil
    }
}
