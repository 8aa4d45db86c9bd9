import Foundation
import Protocols

/// How well the listener knows a song, from the plays that are still remembered.
///
/// `1 − exp(−(completed + 0.3 · partial) / 6)`, each play fading with a half-life of 180 days.
package struct Familiarity: Codable, Hashable, Sendable {
    /// Remembered complete and partial plays at `at`, each at least 0.
    package var completed: Double
    package var partial: Double
    package var at: Timestamp

    /// Seconds in which a remembered play counts half.
    package static let halfLife = 180.0 * 86_400
    /// A partial play counts as this share of a complete one.
    package static let partialShare = 0.3
    /// Plays after which 63 % of full familiarity is reached.
    package static let scale = 6.0

    package init(completed: Double = 0, partial: Double = 0, at: Timestamp) {
        self.completed = completed
        self.partial = partial
        self.at = at
    }

    /// 0…1 at `now`.
    package func value(at now: Timestamp) -> Double {
        1 - exp(-(completed + Self.partialShare * partial) * fading(to: now) / Self.scale)
    }

    /// Adds a play that ended at `time`.
    package mutating func add(completed isComplete: Bool, at time: Timestamp) {
        if time >= at {
            let factor = fading(to: time)
            completed *= factor
            partial *= factor
            at = time
            if isComplete { completed += 1 } else { partial += 1 }
        } else {
            // A late report: it has faded already.
            let weight = pow(0.5, at.seconds(since: time) / Self.halfLife)
            if isComplete { completed += weight } else { partial += weight }
        }
    }

    private func fading(to now: Timestamp) -> Double { pow(0.5, max(0, now.seconds(since: at)) / Self.halfLife) }
}
