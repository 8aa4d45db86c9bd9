import Foundation
import Physiology
import Protocols

/// What the brain knows of the body beyond the present moment; kept over a restart, so that a heart that still beats fast
/// after a run is not taken for stress.
package struct KeptBody: Codable, Sendable {
    package static let name = "body"

    package var stress: StressEstimator
    package var baseline: Baseline?

    package init(stress: StressEstimator, baseline: Baseline?) {
        self.stress = stress
        self.baseline = baseline
    }
}

extension Baseline {
    /// The same with the whole scale moved down, as far as a heart rate below what was expected shows that it was too high.
    ///
    /// As long as the still mean is mostly a guess about a stranger, 63 bpm may be below the guessed rest of somebody who
    /// only sits there. The minute is weighed against the guess by their variances (mean of two normals). Upwards nothing
    /// moves: a fast heart may be stress.
    ///
    /// - Parameter samples: the heart rates of the last minutes, in the order of time.
    package func lowered(to samples: some BidirectionalCollection<HeartRate>) -> Baseline {
        guard let newest = samples.last else { return self }
        let minute = samples.reversed().prefix { newest.at.seconds(since: $0.at) < StressEstimator.present }.map(\.bpm)
        guard let bpm = median(of: minute), bpm < stillBpmMean else { return self }
        let within = PopulationPrior.stillBpmSd * PopulationPrior.stillBpmSd
        let between = PopulationPrior.stillBpmBetweenSd * PopulationPrior.stillBpmBetweenSd
        let guessed = BaselineBuilder.stillMinutesK / (stillMinutes + BaselineBuilder.stillMinutesK)
        // Their SD says how much of it is doubt about the mean: less for who told their resting heart rate.
        let doubt = min(between * guessed, max(0, stillBpmSd * stillBpmSd - within))
        let shift = (stillBpmMean - bpm) * doubt / (doubt + within)
        var lowered = self
        lowered.stillBpmMean -= shift
        lowered.restingBpm -= shift
        return lowered
    }
}
