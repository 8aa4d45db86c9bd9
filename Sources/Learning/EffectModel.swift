import Foundation
import Protocols

/// What songs do to the body for one need: a Bayesian linear effect over song features that all songs share, plus a
/// shrunken residual per song, per context and per time of day.
///
/// Effects are in standard deviations of what a body does anyway during a song; positive = serves the need.
/// The song's residual is integrated out exactly, so the posterior of `features · β + residual` is in closed form:
/// with n plays of mean ȳ the shared part learns with weight n / (σ² + n τ²), and the song's own part keeps
/// n τ² / (σ² + n τ²) of what the shared part leaves (the best linear unbiased prediction of a random-intercept model;
/// Robinson, "That BLUP is a good thing", Statistical Science 6:15 (1991)).
package struct EffectModel: Sendable {
    package let need: MusicNeed

    /// Prior SD of each shared coefficient. Music against none is about 0.4 SD on heart rate (de Witte et al., Health
    /// Psychology Review 14:294 (2020)); differences between songs are taken as a part of that.
    package static let featureSd = 0.15
    /// Prior mean of the coefficient on the rules' own score: the rules are believed a little until data speak.
    package static let rulesMean = 0.10
    /// τ: SD of what one song does beyond its features.
    package static let songSd = 0.25
    /// SD of what the context, and the time of day within it, add for one song.
    package static let contextSd = 0.15
    package static let slotSd = 0.10
    /// The noise variance starts at 1 and counts like this many plays.
    package static let noisePlays = 20.0
    /// Own plays that a song needs before anything is claimed about it.
    package static let playsForClaim = 5

    private struct Cell: Sendable, Equatable {
        var n = 0.0
        var sum = 0.0
        mutating func add(_ y: Double) {
            n += 1
            sum += y
        }
    }

    private struct SongCells: Sendable {
        var inputs: [Double]
        var all = Cell()
        var contexts: [ActivityContext: Cell] = [:]
        var slots: [String: Cell] = [:]
    }

    // In order of first play: sums over songs must not depend on the order of a hash table.
    private var songs: [SongCells] = []
    private var indexOf: [String: Int] = [:]
    private var sumOfSquares = 0.0
    private var count = 0.0
    private var noise = 1.0
    private var fitted: LinearPosterior.Solution
    /// The same with a prior that believes nothing: claims rest on this one.
    private var sceptical: LinearPosterior.Solution
    /// Before any play.
    private let unlearnt: LinearPosterior.Solution
    /// Songs with enough plays to be claimed about share the 5 % among them (Bonferroni).
    private var claimQuantile = normalQuantile(0.975)

    package init(need: MusicNeed) {
        self.need = need
        unlearnt = Self.prior(rulesMean: Self.rulesMean).solve()
        fitted = unlearnt
        sceptical = Self.prior(rulesMean: 0).solve()
    }

    private static func prior(rulesMean: Double) -> LinearPosterior {
        LinearPosterior(mean: [0, 0, 0, 0, 0, rulesMean], sd: [Double](repeating: featureSd, count: 6))
    }

    /// Takes in one play; call ``refit()`` before the next question.
    ///
    /// - Parameter y: effect in standard deviations, limited to ±3 so that one bad record cannot decide.
    package mutating func add(
        songId: String, features: SongFeatures, context: ActivityContext, slot: String, y: Double
    ) {
        let y = min(3, max(-3, y))
        let index = indexOf[songId] ?? songs.count
        if index == songs.count {
            songs.append(SongCells(inputs: features.inputs(for: need)))
            indexOf[songId] = index
        }
        songs[index].inputs = features.inputs(for: need)
        songs[index].all.add(y)
        songs[index].contexts[context, default: Cell()].add(y)
        songs[index].slots["\(context.rawValue)/\(slot)", default: Cell()].add(y)
        sumOfSquares += y * y
        count += 1
    }

    /// Computes the posterior from the sums; cost grows with the number of songs ever played.
    package mutating func refit() {
        // The noise depends on the fit and the fit on the noise. Always from 1 and always three rounds, so that the
        // result depends on the plays alone and not on how often it was computed in between.
        noise = 1
        for _ in 0..<3 {
            var posterior = Self.prior(rulesMean: Self.rulesMean)
            var neutral = Self.prior(rulesMean: 0)
            for song in songs {
                let variance = noise / song.all.n + Self.songSd * Self.songSd
                let mean = song.all.sum / song.all.n
                posterior.add(song.inputs, y: mean, weight: 1 / variance)
                neutral.add(song.inputs, y: mean, weight: 1 / variance)
            }
            fitted = posterior.solve()
            sceptical = neutral.solve()
            var squares = sumOfSquares
            for song in songs {
                let effect = own(song, shared: fitted).mean
                squares += effect * (song.all.n * effect - 2 * song.all.sum)
            }
            noise = (Self.noisePlays + max(0, squares)) / (Self.noisePlays + count)
        }
        let candidates = songs.count { Int($0.all.n) >= Self.playsForClaim }
        claimQuantile = normalQuantile(1 - 0.025 / Double(max(1, candidates)))
    }

    /// What is believed about a song's effect.
    package struct Estimate: Hashable, Sendable {
        /// Standard deviations; positive = serves the need.
        package var mean: Double
        package var sd: Double
        /// Own plays behind it.
        package var plays: Int
        /// 0…1: share of the prior's doubt that the data have removed.
        package var confidence: Double
        /// +1 or −1 when the simultaneous 95 % interval excludes zero, else 0: not enough evidence.
        package var claim: Int
        /// Half width of that interval, standard deviations.
        package var halfWidth: Double
    }

    /// The effect of a song in a context and time of day.
    ///
    /// Looks up song × context × slot, song × context, song, its neighbours (through the shared features) and the
    /// prior at once: each finer level moves the estimate as far as its own plays carry it.
    package func estimate(
        songId: String, features: SongFeatures, context: ActivityContext? = nil, slot: String? = nil
    ) -> Estimate {
        let inputs = features.inputs(for: need)
        let before = unlearnt.variance(of: inputs) + Self.songSd * Self.songSd
        guard let index = indexOf[songId] else { return estimate(unheard: inputs, before: before) }
        var song = songs[index]
        song.inputs = inputs
        var (mean, variance) = own(song, shared: fitted)
        if let context {
            mean += refine(song.contexts[context], around: mean, sd: Self.contextSd)
            if let slot {
                mean += refine(song.slots["\(context.rawValue)/\(slot)"], around: mean, sd: Self.slotSd)
            }
        }
        let (sure, sureVariance) = own(song, shared: sceptical)
        let halfWidth = claimQuantile * sureVariance.squareRoot()
        let claims = Int(song.all.n) >= Self.playsForClaim && abs(sure) > halfWidth
        variance = max(variance, 0)
        return Estimate(
            mean: mean, sd: variance.squareRoot(), plays: Int(song.all.n),
            confidence: before > 0 ? min(1, max(0, 1 - variance / before)) : 0,
            claim: claims ? (sure > 0 ? 1 : -1) : 0, halfWidth: halfWidth)
    }

    /// The estimate for a song without plays of its own, as nearly all songs of a large pool are: its neighbours only.
    private func estimate(unheard inputs: [Double], before: Double) -> Estimate {
        let tau = Self.songSd * Self.songSd
        let variance = max(0, fitted.variance(of: inputs) + tau)
        return Estimate(
            mean: fitted.mean(of: inputs), sd: variance.squareRoot(), plays: 0,
            confidence: before > 0 ? min(1, max(0, 1 - variance / before)) : 0, claim: 0,
            halfWidth: claimQuantile * (sceptical.variance(of: inputs) + tau).squareRoot())
    }

    /// Posterior mean and variance of `inputs · β + residual`.
    private func own(_ song: SongCells, shared: LinearPosterior.Solution) -> (mean: Double, variance: Double) {
        let base = shared.mean(of: song.inputs)
        let tau = Self.songSd * Self.songSd
        let kept = song.all.n * tau / (noise + song.all.n * tau)
        let mean = song.all.n > 0 ? base + kept * (song.all.sum / song.all.n - base) : base
        let variance = (1 - kept) * (1 - kept) * shared.variance(of: song.inputs) + tau * (1 - kept)
        return (mean, variance)
    }

    private func refine(_ cell: Cell?, around mean: Double, sd: Double) -> Double {
        guard let cell, cell.n > 0 else { return 0 }
        let kept = cell.n * sd * sd / (noise + cell.n * sd * sd)
        return kept * (cell.sum / cell.n - mean)
    }
}
