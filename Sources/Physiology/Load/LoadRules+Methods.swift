/// The formulas of each method. 100 · hours · intensity² everywhere, except in the water, where drag makes it a cube.
extension LoadRules {
    /// How far each method is trusted by itself. Our judgement: power is measured work; pace depends on ground and wind;
    /// the heart answers late and drifts; an effort that is felt is one number for the whole.
    package static let trust: [LoadMethod: Double] = [
        .power: 0.95, .pace: 0.85, .swimPace: 0.8, .heartRate: 0.6, .perceivedExertion: 0.35, .unknown: 0,
    ]
    /// A mean heart rate tells less than its course: it is 3…7 % too low for steady rides, more for intervals.
    static let meanHeartRateTrust = 0.45
    static let ungradedPaceTrust = 0.75

    /// Load = 100 · s · weighted power · intensity / (threshold · 3600).
    ///
    /// s are the seconds that have 30 s behind them: one window less a second does not count, as head units count it;
    /// pauses count neither way. Whole moving time would be 0.8 · intensity² more.
    func power(_ workout: WorkoutFigures, _ thresholds: TrainingThresholds) -> WorkoutLoad? {
        guard let power = workout.power, let weighted = power.weightedW, let threshold = thresholds.thresholdPowerW,
            threshold > 0
        else { return nil }
        let share = Self.share(power.seconds, of: workout)
        guard share >= Self.smallestShare else { return nil }
        let intensity = weighted / threshold
        let seconds = max(power.seconds - Double(WeightedPower.window - 1), 0)
        return WorkoutLoad(
            load: 100 * seconds * weighted * intensity / (threshold * 3600), method: .power, intensity: intensity,
            trimp: nil, confidence: Self.trust[.power, default: 0] * share, notes: [])
    }

    /// The same over the whole moving time, as some services have it.
    package static func loadOfMovingTime(_ workout: WorkoutFigures, thresholdPowerW: Double) -> Double? {
        guard let weighted = workout.power?.weightedW, thresholdPowerW > 0 else { return nil }
        let intensity = weighted / thresholdPowerW
        return 100 * workout.movingSeconds / 3600 * intensity * intensity
    }

    func pace(_ workout: WorkoutFigures, _ thresholds: TrainingThresholds) -> WorkoutLoad? {
        guard let threshold = thresholds.thresholdRunMps, threshold > 0, workout.movingSeconds > 0 else { return nil }
        let share = workout.speed.map { Self.share($0.seconds, of: workout) } ?? 0
        let graded = share >= Self.smallestShare ? workout.speed : nil
        guard
            let speed = graded?.weightedGradedMps ?? workout.distanceM.map({ $0 / workout.movingSeconds }), speed > 0
        else { return nil }
        let intensity = speed / threshold
        let isGraded = graded?.isGraded == true && graded?.weightedGradedMps != nil
        let trust = isGraded ? Self.trust[.pace, default: 0] : Self.ungradedPaceTrust
        return WorkoutLoad(
            load: 100 * workout.movingSeconds / 3600 * intensity * intensity, method: .pace, intensity: intensity,
            trimp: nil, confidence: trust * (graded == nil ? Self.smallestShare : share),
            notes: isGraded ? [] : [graded == nil ? "mean pace only" : "no altitude: the ground taken as flat"])
    }

    func swimPace(_ workout: WorkoutFigures, _ thresholds: TrainingThresholds) -> WorkoutLoad? {
        guard let threshold = thresholds.thresholdSwimMps, threshold > 0, workout.movingSeconds > 0,
            let distance = workout.distanceM, distance > 0
        else { return nil }
        let intensity = distance / workout.movingSeconds / threshold
        return WorkoutLoad(
            load: 100 * workout.movingSeconds / 3600 * intensity * intensity * intensity, method: .swimPace,
            intensity: intensity, trimp: nil, confidence: Self.trust[.swimPace, default: 0], notes: [])
    }

    /// 100 · TRIMP / TRIMP of an hour at the threshold heart rate.
    func heartRate(_ workout: WorkoutFigures, _ thresholds: TrainingThresholds) -> WorkoutLoad? {
        guard let heart = workout.heart, let impulse = impulse(thresholds) else { return nil }
        let share = Self.share(heart.seconds, of: workout)
        guard share >= Self.smallestShare else { return nil }
        let assumed =
            impulse.restingBpm + Self.usualThresholdReserve * (impulse.maximumBpm - impulse.restingBpm)
        let threshold = thresholds.thresholdBpm ?? assumed
        guard let load = impulse.load(heart.secondsByBpm, thresholdBpm: threshold) else { return nil }
        var trust = heart.isMeanOnly ? Self.meanHeartRateTrust : Self.trust[.heartRate, default: 0]
        var notes = heart.isMeanOnly ? ["from the mean heart rate"] : []
        if thresholds.thresholdBpm == nil {
            trust *= Self.assumedThreshold
            notes.append("threshold heart rate assumed at \(Int(assumed.rounded()))")
        }
        return WorkoutLoad(
            load: load, method: .heartRate, intensity: Self.intensity(load, heart.seconds), trimp: nil,
            confidence: trust * share, notes: notes)
    }

    func perceivedExertion(_ workout: WorkoutFigures) -> WorkoutLoad? {
        guard let exertion = workout.perceivedExertion, (0...10).contains(exertion), workout.movingSeconds > 0 else {
            return nil
        }
        let load = loadPerExertionMinute * exertion * workout.movingSeconds / 60
        return WorkoutLoad(
            load: load, method: .perceivedExertion, intensity: Self.intensity(load, workout.movingSeconds), trimp: nil,
            confidence: Self.trust[.perceivedExertion, default: 0], notes: [])
    }

    package func impulse(_ thresholds: TrainingThresholds) -> HeartRateImpulse? {
        guard let rest = thresholds.restingBpm, let maximum = thresholds.maximumBpm else { return nil }
        return HeartRateImpulse(restingBpm: rest, maximumBpm: maximum, sex: sex)
    }

    private static func share(_ seconds: Double, of workout: WorkoutFigures) -> Double {
        workout.movingSeconds > 0 ? min(seconds / workout.movingSeconds, 1) : 0
    }

    private static func intensity(_ load: Double, _ seconds: Double) -> Double? {
        seconds > 0 ? (load / 100 * 3600 / seconds).squareRoot() : nil
    }
}
