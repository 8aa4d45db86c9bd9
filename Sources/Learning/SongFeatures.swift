import Foundation
import Protocols

/// What effects are pooled over: the known features of a song, centred so that unknown = 0 = says nothing.
package struct SongFeatures: Codable, Hashable, Sendable {
    /// Likeliest tempo, beats per minute.
    package var bpm: Double?
    /// 0…1 each.
    package var energy: Double?
    package var valence: Double?
    package var instrumentalness: Double?
    package var acousticness: Double?

    package init(
        bpm: Double? = nil, energy: Double? = nil, valence: Double? = nil, instrumentalness: Double? = nil,
        acousticness: Double? = nil
    ) {
        self.bpm = bpm
        self.energy = energy
        self.valence = valence
        self.instrumentalness = instrumentalness
        self.acousticness = acousticness
    }

    package init(_ song: Song) {
        self.init(
            bpm: song.tempo?.bpm, energy: song.energy, valence: song.valence,
            instrumentalness: song.instrumentalness, acousticness: song.acousticness)
    }

    /// Regression inputs for a need, shape `[6]`: tempo, energy, valence, instrumentalness, acousticness, each about
    /// −1…1 over usual music, and how well the rules say that the song fits the need.
    func inputs(for need: MusicNeed) -> [Double] {
        [
            bpm.map { min(max(($0 - 115) / 40, -1.5), 1.5) } ?? 0,
            energy.map { 2 * $0 - 1 } ?? 0,
            valence.map { 2 * $0 - 1 } ?? 0,
            instrumentalness.map { 2 * $0 - 1 } ?? 0,
            acousticness.map { 2 * $0 - 1 } ?? 0,
            2 * fit(to: need) - 1,
        ]
    }

    /// How well the rules of 5.2.2 and the energy ranges of the need say that the song fits, 0…1; 0.5 = unknown.
    package func fit(to need: MusicNeed) -> Double {
        let (tempo, level): (ClosedRange<Double>, ClosedRange<Double>) =
            switch need {
            case .energize: (120...160, 0.75...0.95)
            case .calm: (60...90, 0.10...0.35)
            case .focus: (80...110, 0.30...0.50)
            case .maintain: (90...130, 0.40...0.60)
            case .transition: (100...120, 0.35...0.65)
            }
        let tempoFit = bpm.map { Self.membership($0, tempo, reach: 50) }
        let energyFit = energy.map { Self.membership($0, level, reach: 0.5) }
        switch (tempoFit, energyFit) {
        case (let tempo?, let energy?): return (tempo + energy) / 2
        case (let fit?, nil), (nil, let fit?): return fit
        case (nil, nil): return 0.5
        }
    }

    private static func membership(_ value: Double, _ range: ClosedRange<Double>, reach: Double) -> Double {
        let outside = max(range.lowerBound - value, value - range.upperBound, 0)
        return max(0, 1 - outside / reach)
    }
}
