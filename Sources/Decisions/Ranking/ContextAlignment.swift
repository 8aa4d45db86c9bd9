import Foundation
import Protocols

/// Which music suits an activity: a preferred range for each feature that matters there.
///
/// The ranges are our own, from the purposes that the specification names; what is learnt from the listener counts beside
/// them. A feature without a range does not matter in that context.
package struct ContextAlignment: Hashable, Sendable {
    /// A preferred range: 1 inside, falling linearly to 0 at `fade` outside it.
    package struct Range: Hashable, Sendable {
        package let low: Double
        package let high: Double
        package let fade: Double

        init(_ low: Double, _ high: Double, _ fade: Double) {
            self.low = low
            self.high = high
            self.fade = fade
        }

        /// 0…1; NaN for an unknown value.
        package func membership(_ value: Double) -> Double {
            let outside = max(low - value, value - high)
            if outside.isNaN { return .nan }
            return min(1, max(0, 1 - outside / fade))
        }
    }

    /// Beats per minute.
    package let tempo: Range?
    /// 0…1 each.
    package let energy: Range?
    package let valence: Range?
    package let instrumentalness: Range?
    package let density: Range?

    package init(_ context: ActivityContext) {
        switch context {
        case .workout:
            self.init(tempo: .init(120, 180, 40), energy: .init(0.7, 1, 0.4), valence: .init(0.5, 1, 0.5))
        case .postWorkout:
            self.init(
                tempo: .init(60, 100, 40), energy: .init(0.15, 0.45, 0.35), valence: .init(0.4, 0.9, 0.5),
                density: .init(0, 0.5, 0.5))
        case .work:
            self.init(
                tempo: .init(80, 125, 40), energy: .init(0.3, 0.65, 0.35), instrumentalness: .init(0.3, 1, 0.6),
                density: .init(0.2, 0.6, 0.5))
        case .deepWork:
            self.init(
                tempo: .init(70, 115, 35), energy: .init(0.2, 0.5, 0.3), instrumentalness: .init(0.5, 1, 0.5),
                density: .init(0.1, 0.5, 0.5))
        case .commute:
            self.init(tempo: .init(90, 135, 40), energy: .init(0.4, 0.8, 0.35), valence: .init(0.45, 1, 0.5))
        case .relaxation:
            self.init(
                tempo: .init(60, 105, 40), energy: .init(0.1, 0.45, 0.35), valence: .init(0.4, 0.9, 0.5),
                density: .init(0, 0.5, 0.5))
        case .preSleep:
            self.init(
                tempo: .init(50, 85, 30), energy: .init(0, 0.3, 0.3), valence: .init(0.25, 0.75, 0.5),
                instrumentalness: .init(0.4, 1, 0.6), density: .init(0, 0.35, 0.4))
        case .morning:
            self.init(tempo: .init(80, 120, 35), energy: .init(0.3, 0.65, 0.35), valence: .init(0.5, 1, 0.5))
        case .social:
            self.init(tempo: .init(95, 130, 35), energy: .init(0.5, 0.85, 0.35), valence: .init(0.55, 1, 0.5))
        case .unknown:
            self.init()
        }
    }

    init(
        tempo: Range? = nil, energy: Range? = nil, valence: Range? = nil, instrumentalness: Range? = nil,
        density: Range? = nil
    ) {
        self.tempo = tempo
        self.energy = energy
        self.valence = valence
        self.instrumentalness = instrumentalness
        self.density = density
    }

    /// Mean membership of the features that are known and matter; 0.5 when there is none. NaN = unknown.
    package func score(
        bpm: Double, energy: Double, valence: Double, instrumentalness: Double, density: Double
    ) -> Double {
        var sum = 0.0
        var known = 0.0
        for (range, value) in [
            (tempo, bpm), (self.energy, energy), (self.valence, valence),
            (self.instrumentalness, instrumentalness), (self.density, density),
        ] {
            guard let range, !value.isNaN else { continue }
            sum += range.membership(value)
            known += 1
        }
        return known > 0 ? sum / known : 0.5
    }
}
