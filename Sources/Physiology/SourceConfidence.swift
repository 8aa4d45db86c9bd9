import Foundation
import Protocols

/// How fast the word of a source loses its worth, and how several words combine.
package enum SourceConfidence {
    /// Seconds after which a value is worth half.
    package enum HalfLife {
        package static let heartRate = 60.0
        package static let hrv = 300.0
        package static let stress = 600.0
        package static let desktopContext = 120.0
        package static let calendarContext = 1800.0
        package static let manualMood = 900.0
    }

    /// Quality × 0.5^(age / half-life).
    ///
    /// - Parameters:
    ///   - quality: 0…1 at age 0.
    ///   - age: seconds; a value from the future counts as new.
    package static func decayed(quality: Double, age: Double, halfLife: Double) -> Double {
        min(max(quality, 0), 1) * exp2(-max(age, 0) / halfLife)
    }

    /// The confidence of a conclusion from several sources: 1 − Π(1 − cᵢ wᵢ), 0…1.
    ///
    /// Any one good source is enough, a further one never lowers it.
    package static func combined(_ parts: [(confidence: Double, weight: Double)]) -> Double {
        1 - parts.reduce(1) { $0 * (1 - min(max($1.confidence * $1.weight, 0), 1)) }
    }

    /// A value pulled to neutral by the lack of confidence in it.
    package static func shrunk(_ value: Double, to neutral: Double = 0.5, confidence: Double) -> Double {
        neutral + (value - neutral) * min(max(confidence, 0), 1)
    }
}
