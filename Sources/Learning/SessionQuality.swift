/// How well a listening session went.
package struct SessionQuality: Hashable, Sendable {
    /// Share of its songs that were skipped, 0…1.
    package var skipRate: Double
    /// Mean share of each song that was heard, 0…1.
    package var averageListenShare: Double
    /// Change of heart-rate variability from start to end, milliseconds; nil = not measured.
    package var hrvChangeMs: Double?
    /// Score of the following night, 0…1; nil = not known (yet).
    package var sleepScore: Double?

    package init(
        skipRate: Double, averageListenShare: Double, hrvChangeMs: Double? = nil, sleepScore: Double? = nil
    ) {
        self.skipRate = skipRate
        self.averageListenShare = averageListenShare
        self.hrvChangeMs = hrvChangeMs
        self.sleepScore = sleepScore
    }

    /// 0…1: skips .25, HRV .30 (20 ms span the half scale), engagement .25, sleep .20; what is unknown counts as 0.5.
    ///
    /// Source: specification 5.3.3.
    package var score: Double {
        let hrv = hrvChangeMs.map { min(1, max(0, 0.5 + $0 / 20)) } ?? 0.5
        return (1 - skipRate) * 0.25 + hrv * 0.30 + averageListenShare * 0.25 + (sleepScore ?? 0.5) * 0.20
    }
}
