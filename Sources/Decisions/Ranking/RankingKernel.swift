import Foundation
import Music
import Protocols

/// The score of every song of a table in one pass, without the recency penalty, which only touches the few songs that
/// were played lately.
///
/// The same formula as ``ScoreBreakdown``; a test holds the two together. Songs are taken in blocks that stay in the
/// first-level cache, each step over a block being a loop that the compiler turns into vector instructions.
package enum RankingKernel {
    private static let block = 512

    /// - Parameters:
    ///   - dynamics: columns of `table.count` entries.
    ///   - scores: filled with `table.count` scores in the order of the table.
    package static func score(
        _ table: SongTable, dynamics: SongDynamics, rules: ScoreRules, into scores: inout [Double]
    ) {
        let count = table.count
        if scores.count != count { scores = [Double](repeating: 0, count: count) }
        guard count > 0, dynamics.fits(count) else { return }
        var sums = [Double](repeating: 0, count: block)
        var counts = [Double](repeating: 0, count: block)
        let genreScores = rules.transition?.genreScores(of: table) ?? []
        let keyScores = rules.transition?.keyScores()
        var start = 0
        while start < count {
            let size = min(block, count - start)
            var out = scores.mutableSpan
            var sum = sums.mutableSpan
            var known = counts.mutableSpan
            matches(table, rules, start, size, &out)
            switch rules.need {
            case .calm: habits(dynamics, dynamics.calm, dynamics.calm, rules, start, size, &out)
            case .focus: habits(dynamics, dynamics.focus, dynamics.focus, rules, start, size, &out)
            case .energize: habits(dynamics, dynamics.energy, dynamics.energy, rules, start, size, &out)
            case .maintain, .transition: habits(dynamics, dynamics.calm, dynamics.energy, rules, start, size, &out)
            }
            context(table, rules, start, size, &sum, &known, &out)
            if let limits = rules.limits { timeOfDay(table, limits, start, size, &out) }
            if let transition = rules.transition {
                Self.transition(table, transition, genreScores, keyScores, start, size, &sum, &out)
            }
            history(dynamics, rules, start, size, &out)
            start += size
        }
    }

    /// Tempo and energy against the targets.
    @inline(__always)
    private static func matches(
        _ table: SongTable, _ rules: ScoreRules, _ start: Int, _ size: Int, _ out: inout MutableSpan<Double>
    ) {
        let (bpm, weight, neutral) = (table.bpm.span, table.tempoWeight.span, table.tempoNeutral.span)
        let energy = table.energy.span
        let (target, targetEnergy) = (rules.targets.bpm, rules.targets.energy)
        let perBpm = 1 / ScoreRules.tempoTolerance
        let (tempoShare, energyShare) = (rules.tempoWeight, rules.energyWeight)
        for i in start..<(start &+ size) {
            let match = 1 - abs(bpm[unchecked: i] - target) * perBpm
            let tempo = neutral[unchecked: i] + weight[unchecked: i] * (match > 0 ? match : 0)
            let value = energy[unchecked: i]
            let level = value == value ? 1 - abs(value - targetEnergy) : 0.5
            out[unchecked: i] = tempoShare * tempo + energyShare * level
        }
        guard table.hasTempoAlternatives else { return }
        for (bpm, weight) in [(table.secondBpm, table.secondWeight), (table.thirdBpm, table.thirdWeight)] {
            let (bpm, weight) = (bpm.span, weight.span)
            for i in start..<(start &+ size) {
                let match = 1 - abs(bpm[unchecked: i] - target) * perBpm
                out[unchecked: i] += tempoShare * (weight[unchecked: i] * (match > 0 ? match : 0))
            }
        }
    }

    /// Familiarity, and the learnt effect as the mean of two columns.
    @inline(__always)
    private static func habits(
        _ dynamics: SongDynamics, _ first: [Double], _ second: [Double], _ rules: ScoreRules, _ start: Int,
        _ size: Int, _ out: inout MutableSpan<Double>
    ) {
        let (familiarity, confidence) = (dynamics.familiarity.span, dynamics.effectConfidence.span)
        let a = first.span
        let b = second.span
        // In a transition no effect counts.
        let counts = rules.need == .transition ? 0.0 : 1.0
        let (boost, familiarityShare, effectShare) = (
            rules.familiarityBoost, rules.familiarityWeight, rules.effectWeight
        )
        for i in start..<(start &+ size) {
            let known = familiarity[unchecked: i] * boost
            let raw = (a[unchecked: i] + b[unchecked: i]) * 0.5
            let effect = 0.5 + counts * confidence[unchecked: i] * (raw - 0.5)
            out[unchecked: i] += familiarityShare * (known < 1 ? known : 1) + effectShare * effect
        }
    }

    /// Mean membership in the ranges of the context, over the features that are known.
    @inline(__always)
    private static func context(
        _ table: SongTable, _ rules: ScoreRules, _ start: Int, _ size: Int, _ sum: inout MutableSpan<Double>,
        _ known: inout MutableSpan<Double>, _ out: inout MutableSpan<Double>
    ) {
        for i in 0..<size {
            sum[unchecked: i] = 0
            known[unchecked: i] = 0
        }
        let alignment = rules.alignment
        membership(table.bpm, alignment.tempo, start, size, &sum, &known)
        membership(table.energy, alignment.energy, start, size, &sum, &known)
        membership(table.valence, alignment.valence, start, size, &sum, &known)
        membership(table.instrumentalness, alignment.instrumentalness, start, size, &sum, &known)
        membership(table.density, alignment.density, start, size, &sum, &known)
        let share = rules.contextWeight
        for i in 0..<size {
            let number = known[unchecked: i]
            let mean = sum[unchecked: i] / (number > 0 ? number : 1)
            out[unchecked: start &+ i] += share * (number > 0 ? mean : 0.5)
        }
    }

    @inline(__always)
    private static func membership(
        _ column: [Double], _ range: ContextAlignment.Range?, _ start: Int, _ size: Int,
        _ sum: inout MutableSpan<Double>, _ known: inout MutableSpan<Double>
    ) {
        guard let range else { return }
        let values = column.span
        let (low, high, perUnit) = (range.low, range.high, 1 / range.fade)
        for i in 0..<size {
            let value = values[unchecked: start &+ i]
            let (below, above) = (low - value, value - high)
            let outside = below > above ? below : above
            let inside = 1 - (outside > 0 ? outside : 0) * perUnit
            let isKnown = value == value
            sum[unchecked: i] += isKnown ? (inside > 0 ? inside : 0) : 0
            known[unchecked: i] += isKnown ? 1 : 0
        }
    }

    /// Multiplies by 0.5…1 for the limits of the hour.
    @inline(__always)
    private static func timeOfDay(
        _ table: SongTable, _ limits: DayLimits, _ start: Int, _ size: Int, _ out: inout MutableSpan<Double>
    ) {
        let (bpm, energy) = (table.bpm.span, table.energy.span)
        let (maximumBpm, maximumEnergy) = (limits.maximumBpm, limits.maximumEnergy)
        let (perBpm, perEnergy) = (1 / DayLimits.tempoFade, 1 / DayLimits.energyFade)
        let (floor, span) = (ScoreRules.timeOfDayFloor, 1 - ScoreRules.timeOfDayFloor)
        for i in start..<(start &+ size) {
            let (tempo, level) = (bpm[unchecked: i], energy[unchecked: i])
            let (tempoKnown, energyKnown) = (tempo == tempo, level == level)
            let tempoOver = (tempo - maximumBpm) * perBpm
            let energyOver = (level - maximumEnergy) * perEnergy
            // A comparison with NaN is false: what is unknown is not over.
            var over = tempoOver > energyOver ? tempoOver : (energyKnown ? energyOver : tempoOver)
            over = over > 0 ? (over < 1 ? over : 1) : 0
            let score = tempoKnown || energyKnown ? 1 - over : 0.5
            out[unchecked: i] *= floor + span * score
        }
    }

    /// Multiplies by 0.7…1 for the step from the song before.
    @inline(__always)
    private static func transition(
        _ table: SongTable, _ from: Transition, _ genreScores: [Double], _ keyScores: [Double]?, _ start: Int,
        _ size: Int, _ sum: inout MutableSpan<Double>, _ out: inout MutableSpan<Double>
    ) {
        let (bpm, weight, neutral) = (table.bpm.span, table.tempoWeight.span, table.tempoNeutral.span)
        let energy = table.energy.span
        let genre = table.genreSet.span
        let genres = genreScores.span
        let fromKnown = !from.bpm.isNaN
        let (fromBpm, trust) = (fromKnown ? from.bpm : 0, fromKnown ? from.tempoConfidence : 0)
        let (fromEnergy, energyIsKnown) = (from.energy.isNaN ? 0 : from.energy, !from.energy.isNaN)
        let (perBpm, perEnergy) = (1 / Transition.tempoLimit, 1 / Transition.energyLimit)
        // First the tempo match, so that alternatives can be added to it.
        for i in 0..<size {
            let smooth = 1 - abs(bpm[unchecked: start &+ i] - fromBpm) * perBpm
            sum[unchecked: i] =
                neutral[unchecked: start &+ i] + weight[unchecked: start &+ i] * (smooth > 0 ? smooth : 0)
        }
        if table.hasTempoAlternatives {
            for (bpm, weight) in [(table.secondBpm, table.secondWeight), (table.thirdBpm, table.thirdWeight)] {
                let (bpm, weight) = (bpm.span, weight.span)
                for i in 0..<size {
                    let smooth = 1 - abs(bpm[unchecked: start &+ i] - fromBpm) * perBpm
                    sum[unchecked: i] += weight[unchecked: start &+ i] * (smooth > 0 ? smooth : 0)
                }
            }
        }
        for i in 0..<size {
            let tempo = 0.5 + trust * (sum[unchecked: i] - 0.5)
            let value = energy[unchecked: start &+ i]
            let step = 1 - abs(value - fromEnergy) * perEnergy
            let level = energyIsKnown && value == value ? (step > 0 ? step : 0) : 0.5
            sum[unchecked: i] = Transition.tempoWeight * tempo + Transition.energyWeight * level
        }
        for i in 0..<size {
            sum[unchecked: i] += Transition.genreWeight * genres[Int(genre[unchecked: start &+ i])]
        }
        if let keyScores {
            let (key, table) = (table.key.span, keyScores.span)
            for i in 0..<size {
                let index = Int(key[unchecked: start &+ i])
                if index < table.count {
                    sum[unchecked: i] =
                        (1 - Transition.keyShare) * sum[unchecked: i] + Transition.keyShare * table[unchecked: index]
                }
            }
        }
        let (floor, span) = (ScoreRules.transitionFloor, 1 - ScoreRules.transitionFloor)
        for i in 0..<size { out[unchecked: start &+ i] *= floor + span * sum[unchecked: i] }
    }

    /// How the song was received, and how much the listener has had of it lately.
    @inline(__always)
    private static func history(
        _ dynamics: SongDynamics, _ rules: ScoreRules, _ start: Int, _ size: Int, _ out: inout MutableSpan<Double>
    ) {
        let (learned, satiation) = (dynamics.learned.span, dynamics.satiation.span)
        let variety = rules.varietyWeight
        for i in start..<(start &+ size) {
            out[unchecked: i] += learned[unchecked: i] - variety * satiation[unchecked: i]
        }
    }
}
