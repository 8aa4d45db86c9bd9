/// What a workout's load was told from, best first.
package enum LoadMethod: String, Codable, Hashable, Sendable, CaseIterable {
    case power, pace, swimPace, heartRate, perceivedExertion
    /// Nothing that a load could be told from.
    case unknown

    /// For screens: an estimate is called one.
    package var label: String {
        switch self {
        case .power: "power"
        case .pace: "pace"
        case .swimPace: "swim pace"
        case .heartRate: "HR estimate"
        case .perceivedExertion: "RPE estimate"
        case .unknown: "not enough data"
        }
    }
}

/// The load of one workout: 100 is an hour at the threshold. Known from training software as "training stress score".
package struct WorkoutLoad: Hashable, Codable, Sendable {
    /// nil when nothing says.
    package var load: Double?
    package var method: LoadMethod
    /// Share of the threshold: power, speed; for the others the square root of the load per hour.
    package var intensity: Double?
    /// Training impulse of the heart, where rest and maximum are known.
    package var trimp: Double?
    /// 0…1: how far the method is trusted, times the covered share of the workout.
    package var confidence: Double
    /// What was assumed, for the reader.
    package var notes: [String]

    package init(
        load: Double?, method: LoadMethod, intensity: Double?, trimp: Double?, confidence: Double, notes: [String]
    ) {
        self.load = load
        self.method = method
        self.intensity = intensity
        self.trimp = trimp
        self.confidence = confidence
        self.notes = notes
    }
}

/// Chooses how the load of a workout is told, and tells it: of what can be told, what is trusted most.
package struct LoadRules: Hashable, Sendable {
    /// `female` or `male`; nil = unknown.
    package var sex: String?
    /// Load of one minute at RPE 1.
    package var loadPerExertionMinute: Double

    /// An hour at RPE 7, about what an hour at the threshold feels like, is a load of 100.
    package static let usualLoadPerExertionMinute = 100.0 / (7 * 60)
    /// Below this share of the workout a signal does not speak for it.
    package static let smallestShare = 0.5
    /// Without a threshold heart rate: as far up the reserve as trained people have it (assumed, said so).
    package static let usualThresholdReserve = 0.85
    static let thresholdsBeforeFirst = 0.8
    static let assumedThreshold = 0.7
    /// Resting and maximal heart rate guessed from age: an hour's load may be off by a third.
    static let assumedReserve = 0.7
    /// A session that comes with both an effort and a measured load teaches the scale of efforts; as many are needed.
    package static let sessionsForScale = 5

    package init(sex: String? = nil, loadPerExertionMinute: Double = usualLoadPerExertionMinute) {
        self.sex = sex
        self.loadPerExertionMinute = loadPerExertionMinute
    }

    /// The load under the thresholds of its day.
    ///
    /// - Parameters:
    ///   - later: methods whose thresholds are younger than the workout.
    ///   - isAssumed: resting or maximal heart rate was not said by the listener.
    package func load(
        of workout: WorkoutFigures, _ thresholds: TrainingThresholds, later: Set<LoadMethod> = [],
        isAssumed: Bool = false
    ) -> WorkoutLoad {
        var best = WorkoutLoad(
            load: nil, method: .unknown, intensity: nil, trimp: nil, confidence: 0, notes: [])
        for method in Self.methods(for: workout.sport) {
            let told =
                switch method {
                case .power: power(workout, thresholds)
                case .pace: pace(workout, thresholds)
                case .swimPace: swimPace(workout, thresholds)
                case .heartRate: heartRate(workout, thresholds)
                case .perceivedExertion: perceivedExertion(workout)
                case .unknown: nil as WorkoutLoad?
                }
            guard var candidate = told else { continue }
            if method == .heartRate, isAssumed {
                candidate.confidence *= Self.assumedReserve
                candidate.notes.append("resting and maximal heart rate assumed")
            } else if later.contains(method) {
                candidate.confidence *= Self.thresholdsBeforeFirst
                candidate.notes.append("thresholds of a later day")
            }
            if candidate.confidence > best.confidence { best = candidate }
        }
        best.trimp = impulse(thresholds).flatMap { impulse in workout.heart.map { impulse.total($0.secondsByBpm) } }
        return best
    }

    /// In order of preference. Power counts where the threshold was measured: on the bike. A wrist under water measures no heart rate worth the name.
    static func methods(for sport: Sport) -> [LoadMethod] {
        switch sport {
        case .cycling: [.power, .heartRate, .perceivedExertion]
        case .running: [.pace, .heartRate, .perceivedExertion]
        case .swimming: [.swimPace, .perceivedExertion, .heartRate]
        case .other: [.power, .heartRate, .perceivedExertion]
        case .rowing, .walking, .strength: [.heartRate, .perceivedExertion]
        }
    }

    /// Personal scale of session RPE: the median of load per RPE and minute over sessions that have both.
    ///
    /// - Returns: ``usualLoadPerExertionMinute`` below ``sessionsForScale`` sessions.
    package static func scale(of sessions: [(workout: WorkoutFigures, load: WorkoutLoad)]) -> Double {
        let ratios = sessions.compactMap { session -> Double? in
            guard let load = session.load.load, session.load.method != .perceivedExertion,
                let exertion = session.workout.perceivedExertion, exertion > 0, session.workout.movingSeconds > 0
            else { return nil }
            return load / (exertion * session.workout.movingSeconds / 60)
        }
        guard ratios.count >= sessionsForScale, let middle = median(of: ratios) else {
            return usualLoadPerExertionMinute
        }
        return middle
    }
}
