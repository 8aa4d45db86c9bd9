import Foundation
import Protocols

/// What the listener said about their mood, on scales of 0…1, and for how long it counts.
package struct Mood: Codable, Hashable, Sendable {
    package let at: Timestamp
    package let valence: Double
    package let energy: Double
    /// Only named moods say something about stress.
    package let stress: Double?
    package let named: NamedMood?

    /// Seconds that a mood counts after it was set.
    package static let duration = 15.0 * 60

    /// Steps 1…5 become (x − 1)/4; a named mood has its own values.
    package init(_ input: MoodInput) {
        at = input.at
        named = input.named?.value
        if let named {
            (valence, energy, stress) = Self.scales(of: named)
        } else {
            valence = Double(min(max(input.mood, 1), 5) - 1) / 4
            energy = Double(min(max(input.energy, 1), 5) - 1) / 4
            stress = nil
        }
    }

    package func isActive(at now: Timestamp) -> Bool {
        let age = now.seconds(since: at)
        return age > -60 && age < Self.duration
    }

    /// (valence, energy, stress), 0…1 each.
    package static func scales(of mood: NamedMood) -> (Double, Double, Double?) {
        switch mood {
        case .veryHappy: (1, 0.8, 0.2)
        case .happy: (0.8, 0.65, 0.3)
        case .calm: (0.7, 0.35, 0.1)
        case .neutral: (0.5, 0.5, 0.4)
        case .anxious: (0.3, 0.65, 0.8)
        case .stressed: (0.3, 0.55, 0.9)
        case .sad: (0.2, 0.3, 0.5)
        case .verySad: (0, 0.2, 0.6)
        }
    }
}
