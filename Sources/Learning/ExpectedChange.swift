import Foundation

/// Predicts how far the body would have moved without any music: from its start level, movement and elapsed time.
///
/// Only what goes beyond this is credited to a song. Two online regressions, one for the heart rate and one for
/// ln RMSSD, share their inputs: a constant, the way back to the usual level (start level × share of it that elapsed
/// time allows), the change of movement, and the growth of elapsed time.
package struct ExpectedChange: Sendable, Equatable {
    /// Heart rates drift back to their usual level with about this half-life, minutes (ours; exercise recovery of the
    /// slow component is 3…10 min in Imai et al., J Am Coll Cardiol 24:1529 (1994)).
    package static let returnHalfLifeMinutes = 5.0
    /// SD of the heart-rate change over a song, beats per minute: 4.1 over 956 listenings (HKU956).
    package static let bpmNoise = 4.1
    /// SD of the change of ln RMSSD between two half-minute records: about 0.35 (two records with r ≈ 0.85 each
    /// against the truth, Munoz et al. PLoS ONE 0138921 (2015), times a person's SD of 0.45).
    package static let lnRmssdNoise = 0.35

    private var heartRate: LinearPosterior
    private var variability: LinearPosterior
    /// Running means of the start levels: what is usual.
    private var usualBpm: Usual
    private var usualLnRmssd: Usual

    private struct Usual: Sendable, Equatable {
        var n: Double
        var mean: Double
        mutating func add(_ value: Double) {
            n += 1
            mean += (value - mean) / n
        }
    }

    /// - Parameters:
    ///   - usualBpm: prior of the usual heart rate while music plays; counts like 10 plays.
    ///   - usualRmssdMs: prior of the usual RMSSD, milliseconds; counts like 10 plays.
    package init(usualBpm: Double = 75, usualRmssdMs: Double = 40) {
        // Prior: half of the allowed way back happens; one unit of movement is worth 40 bpm (a brisk walk at 0.5
        // raises a resting heart by about 20) and −0.8 ln units; no constant drift.
        heartRate = LinearPosterior(mean: [0, -0.5, 40, 0], sd: [1, 0.3, 20, 1])
        variability = LinearPosterior(mean: [0, -0.5, -0.8, 0], sd: [0.1, 0.3, 0.5, 0.1])
        self.usualBpm = Usual(n: 10, mean: usualBpm)
        usualLnRmssd = Usual(n: 10, mean: log(max(usualRmssdMs, 1)))
    }

    /// What a play changed beyond what was to be expected.
    package struct Beyond: Codable, Hashable, Sendable {
        /// Beats per minute; positive = the heart went faster than expected.
        package var bpm: Double
        /// Milliseconds of RMSSD; positive = more variability than expected.
        package var rmssdMs: Double?
        /// ln units of RMSSD.
        package var lnRmssd: Double?
    }

    /// Judges a play by what was known before it, then learns from it.
    package mutating func judge(_ window: BodyWindow) -> Beyond {
        let x = Self.inputs(window, level: window.bpmStart - usualBpm.mean)
        let expectedBpm = heartRate.solve().mean(of: x)
        heartRate.add(x, y: window.bpmChange, weight: 1 / (Self.bpmNoise * Self.bpmNoise))
        usualBpm.add(window.bpmStart)
        var beyond = Beyond(bpm: window.bpmChange - expectedBpm)

        if let change = window.lnRmssdChange, let start = window.rmssdStartMs {
            let x = Self.inputs(window, level: log(start) - usualLnRmssd.mean)
            let expected = variability.solve().mean(of: x)
            variability.add(x, y: change, weight: 1 / (Self.lnRmssdNoise * Self.lnRmssdNoise))
            usualLnRmssd.add(log(start))
            beyond.lnRmssd = change - expected
            beyond.rmssdMs = (window.rmssdEndMs ?? start) - start * exp(expected)
        }
        return beyond
    }

    private static func inputs(_ window: BodyWindow, level: Double) -> [Double] {
        let minutes = window.seconds / 60
        let wayBack = 1 - pow(0.5, minutes / returnHalfLifeMinutes)
        return [1, level * wayBack, window.motionEnd - window.motionStart, log(1 + minutes) - log(4.5)]
    }
}
