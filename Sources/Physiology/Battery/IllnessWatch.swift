import Protocols

/// Two signals, two nights: when heart rate and HRV together leave the usual range.
///
/// - watch: ln RMSSD at z ≤ −1.5 and resting heart rate at z ≥ 1.5 on the same night; or, when there is no HRV at all, a
///   resting heart rate of z ≥ 1.5 and 4 bpm above the median on two nights running.
/// - likely: the reading before was under watch, at most two days ago, and tonight both are still beyond 1.
///
/// It is a reason to go easy and no diagnosis; hits and false alarms on labelled logs are in `docs/accuracy.md`.
///
/// Sources: two nights running and 4 bpm are NightSignal's (Stanford, wearable-infection); the two signals and the cut points
/// are chosen on three morning logs, see `docs/training.md`.
package struct IllnessWatch: Hashable, Sendable {
    package static let watchZ = 1.5
    package static let stayZ = 1.0
    package static let excessBpm = 4.0
    /// A reading older than this many days is not "the night before".
    package static let longestAge = 2

    private struct Judged: Hashable {
        var day: Int
        var sign: IllnessSign
    }

    private var last: Judged?
    /// The newest day with a resting heart rate far above the usual.
    private var lastHigh: Int?

    package init() {}

    /// Takes the next day; days are given in order, also those without readings.
    ///
    /// - Parameters:
    ///   - variability: ln RMSSD against the days before; nil without a reading.
    ///   - resting: resting heart rate against the days before.
    package mutating func next(day: Int, variability: SignalScore?, resting: SignalScore?) -> IllnessSign {
        let isNear = last.map { day - $0.day <= Self.longestAge } ?? false
        let isHigh = resting.map { $0.z >= Self.watchZ && $0.excess >= Self.excessBpm } ?? false
        defer { if isHigh { lastHigh = day } }
        guard let resting else { return .none }
        guard let variability else {
            let wasHigh = lastHigh.map { day - $0 <= Self.longestAge } ?? false
            let sign: IllnessSign = isHigh && wasHigh ? .watch : .none
            last = Judged(day: day, sign: sign)
            return sign
        }
        let isOut = variability.z <= -Self.watchZ && resting.z >= Self.watchZ
        let isStill = variability.z <= -Self.stayZ && resting.z >= Self.stayZ
        var sign: IllnessSign = isOut ? .watch : .none
        if isNear, let before = last?.sign, before != .none, isStill { sign = .likely }
        last = Judged(day: day, sign: sign)
        return sign
    }
}
