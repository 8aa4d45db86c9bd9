import Foundation
import Protocols

/// Caffeine in the body, by first-order decay.
///
/// Source: mean half-life of about 5 h in healthy adults, individually 1.5…9.5 h (Institute of Medicine, "Caffeine for the
/// Sustainment of Mental Task Performance", National Academies Press 2001, chapter 2). Uptake (45 min) is left out, so the
/// first hour is told too high.
package enum Caffeine {
    package static let halfLifeHours = 5.0
    /// mg in a usual serving.
    ///
    /// Source: European Food Safety Authority, EFSA Journal 13(5):4102 (2015), table of caffeine in foods.
    package static let servings: [(name: String, mg: Double)] = [
        ("espresso", 80), ("coffee", 90), ("tea", 50), ("cola", 40), ("energy", 80), ("none", 0),
    ]
    /// What remains below this counts as none.
    package static let negligibleMg = 1.0

    /// mg that remain of all doses before a moment.
    package static func remaining(at: Timestamp, of doses: [(at: Timestamp, mg: Double)]) -> Double {
        doses.reduce(0) { sum, dose in
            let hours = at.seconds(since: dose.at) / 3600
            return hours < 0 ? sum : sum + dose.mg * pow(0.5, hours / halfLifeHours)
        }
    }

    /// When no more than so many mg remain of what is there now; nil when that is so already.
    package static func clears(to mg: Double, remaining now: Double, at: Timestamp) -> Timestamp? {
        guard now > mg, mg > 0 else { return nil }
        return at.adding(seconds: halfLifeHours * 3600 * log2(now / mg))
    }
}
