import Foundation
import Music
import Physiology
import Protocols

/// Turns scores into a pick: mostly one of the best by a mild draw, now and then any admissible song.
///
/// The probability of every song is known exactly, so that other policies can be judged later by what was played.
package struct SelectionPolicy: Hashable, Sendable {
    /// Differences of score of this size make one song e times as likely as another.
    package static let temperature = 0.02
    /// The draw is among so many of the best.
    package static let breadth = 24

    /// Share of uniform picks, 0…1.
    package let randomShare: Double

    /// Random picks never happen under stress above 0.7, before sleep, at night, or when switched off.
    package init(preferences: Preferences, state: StateVector, local: LocalTime) {
        let night = local.hour >= preferences.nightStartHour || local.hour < DayLimits.nightEndHour
        let calmOnly = state.stress > 0.7 || state.activityContext.value == .preSleep || night
        randomShare = calmOnly ? 0 : min(max(preferences.randomShare, 0), 1)
    }

    package init(randomShare: Double) { self.randomShare = min(max(randomShare, 0), 1) }

    package var name: String { "softmax top \(Self.breadth), T \(Self.temperature), uniform \(randomShare)" }

    /// Probabilities of the first songs of a ranking, in its order; songs further down have
    /// ``tailProbability(admissible:)``.
    package func probabilities(of top: [TopSongs.Entry], admissible: Int) -> [Double] {
        guard let best = top.first, admissible > 0 else { return [] }
        let masses = top.enumerated().map { place, entry in
            place < Self.breadth ? exp((entry.score - best.score) / Self.temperature) : 0
        }
        let total = masses.reduce(0, +)
        return masses.map { (1 - randomShare) * $0 / total + tailProbability(admissible: admissible) }
    }

    package func tailProbability(admissible: Int) -> Double { admissible > 0 ? randomShare / Double(admissible) : 0 }

    /// Draws a song: its position, whether the draw was the uniform one, and its exact probability.
    ///
    /// - Parameters:
    ///   - top: best first, at least one.
    ///   - blocked: 0 = admissible, in the order of the table; exactly `admissible` zeros.
    func draw(
        from top: [TopSongs.Entry], blocked: [UInt8], admissible: Int, table: SongTable,
        using generator: inout some RandomNumberGenerator
    ) -> (position: Int, random: Bool, probability: Double)? {
        guard let best = top.first else { return nil }
        let shares = probabilities(of: top, admissible: admissible)
        // Both numbers are always drawn, so that one decision uses the same amount of randomness as another.
        let (branch, place) = (generator.uniform(), generator.uniform())
        if branch < randomShare {
            var left = min(Int(place * Double(admissible)), admissible - 1)
            for position in table.byId where blocked[Int(position)] == 0 {
                if left == 0 {
                    let rank = top.firstIndex { $0.position == Int(position) }
                    return (
                        Int(position), true, rank.map { shares[$0] } ?? tailProbability(admissible: admissible)
                    )
                }
                left -= 1
            }
        }
        let uniform = tailProbability(admissible: admissible)
        var mass = place * shares.prefix(Self.breadth).reduce(0) { $0 + $1 - uniform }
        for (rank, entry) in top.prefix(Self.breadth).enumerated() {
            mass -= shares[rank] - uniform
            if mass < 0 { return (entry.position, false, shares[rank]) }
        }
        return (best.position, false, shares[0])
    }
}
