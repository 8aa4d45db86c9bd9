import Foundation
import Protocols

/// How much the listener has had of a song lately: it rises with each play and passes within days, where
/// ``Familiarity`` is slow. Without it the song that fits best today is played every hour, and better known for it.
///
/// `1 − 0.5^n` with n plays remembered, each fading with a half-life of 3 days. That repetition wears a song out for a
/// while is the boredom of K. Kapoor et al., "Just in time recommendations", WSDM 2015; the half-life is our own.
package struct Satiation: Codable, Hashable, Sendable {
    /// Remembered plays at `at`, at least 0.
    package private(set) var plays: Double
    package private(set) var at: Timestamp

    /// Seconds in which a remembered play counts half.
    package static let halfLife = 3.0 * 86_400

    package init(plays: Double = 0, at: Timestamp) {
        self.plays = plays
        self.at = at
    }

    /// 0…1 at `now`: 0 = not heard for long, 0.5 = heard once just now.
    package func value(at now: Timestamp) -> Double { 1 - pow(0.5, plays * fading(from: at, to: now)) }

    /// Adds a play that ended at `time`; a late report has faded already.
    package mutating func add(at time: Timestamp) {
        if time >= at {
            plays = plays * fading(from: at, to: time) + 1
            at = time
        } else {
            plays += fading(from: time, to: at)
        }
    }

    private func fading(from: Timestamp, to: Timestamp) -> Double {
        pow(0.5, max(0, to.seconds(since: from)) / Self.halfLife)
    }
}
