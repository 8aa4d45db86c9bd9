import Foundation

/// How daily loads become fitness, fatigue and form.
///
/// Fitness forgets with 42 days, fatigue with 7; form is their difference. Known from training software as "CTL", "ATL" and
/// "TSB".
package enum FitnessConvention: String, Codable, Hashable, Sendable, CaseIterable {
    /// X = x(1 − e^(−1/N)) + X·e^(−1/N); form is yesterday's, so that it speaks of the morning, before today's training.
    /// Default; what GoldenCheetah does.
    case exponential
    /// X += (x − X)/N; form is yesterday's. What TrainingPeaks does.
    case trainingpeaks
    /// As `exponential`, but form is today's, after training. What intervals.icu does.
    case intervals

    package static let fitnessDays = 42.0
    package static let fatigueDays = 7.0

    /// Share of the way to today's load that a figure goes in a day.
    package func rate(days: Double) -> Double {
        switch self {
        case .exponential, .intervals: -expm1(-1 / days)
        case .trainingpeaks: 1 / days
        }
    }

    package var formIsOfTheMorning: Bool { self != .intervals }
}

/// One local day.
package struct FitnessDay: Hashable, Codable, Sendable {
    /// Number of the local day, see ``LocalClock/day(of:)``.
    package var day: Int
    /// Sum of the day's loads; 0 on a rest day.
    package var load: Double
    package var fitness: Double
    package var fatigue: Double
    package var form: Double
    /// Change of fitness over seven days; nil in the first week.
    package var rampPerWeek: Double?

    package init(
        day: Int, load: Double, fitness: Double, fatigue: Double, form: Double, rampPerWeek: Double?
    ) {
        self.day = day
        self.load = load
        self.fitness = fitness
        self.fatigue = fatigue
        self.form = form
        self.rampPerWeek = rampPerWeek
    }
}

/// The recurrence over every calendar day.
package struct FitnessModel: Hashable, Codable, Sendable {
    /// Where the recurrence begins.
    package enum Start: Hashable, Codable, Sendable {
        /// Both figures at 0.
        case zero
        /// Both at the mean load per calendar day of the first 28 to 42 days; of fewer days, their sum over 28, so that a day
        /// of rest more never raises it. (Workouts alone, without the days between them, would begin twice too high.)
        case usualLoad
        /// The listener's own figures.
        case own(fitness: Double, fatigue: Double)
    }

    package var convention: FitnessConvention
    package var start: Start

    /// Days after which form is told; before that the figures still find their level.
    package static let calibrationDays = 42
    /// Days whose mean is a start.
    package static let startDays = 28...42

    package init(convention: FitnessConvention = .exponential, start: Start = .usualLoad) {
        self.convention = convention
        self.start = start
    }

    /// Days before form is told; nil when it is told.
    package static func calibrating(daysKnown: Int) -> Int? {
        daysKnown < calibrationDays ? calibrationDays - daysKnown : nil
    }

    func beginning(_ loads: [Double]) -> (fitness: Double, fatigue: Double) {
        switch start {
        case .zero: return (0, 0)
        case .own(let fitness, let fatigue): return (fitness, fatigue)
        case .usualLoad:
            let first = loads.prefix(Self.startDays.upperBound)
            let usual = first.reduce(0, +) / Double(max(first.count, Self.startDays.lowerBound))
            return (usual, usual)
        }
    }

    /// - Parameters:
    ///   - loads: of every calendar day without a hole, oldest first; 0 on a rest day.
    ///   - firstDay: number of the local day of the first one.
    /// - Returns: one entry a day.
    package func days(_ loads: [Double], firstDay: Int) -> [FitnessDay] {
        let fitnessRate = convention.rate(days: FitnessConvention.fitnessDays)
        let fatigueRate = convention.rate(days: FitnessConvention.fatigueDays)
        var (fitness, fatigue) = beginning(loads)
        var days: [FitnessDay] = []
        days.reserveCapacity(loads.count)
        for (index, load) in loads.enumerated() {
            let morning = fitness - fatigue
            fitness += (load - fitness) * fitnessRate
            fatigue += (load - fatigue) * fatigueRate
            days.append(
                FitnessDay(
                    day: firstDay + index, load: load, fitness: fitness, fatigue: fatigue,
                    form: convention.formIsOfTheMorning ? morning : fitness - fatigue,
                    rampPerWeek: index >= 7 ? fitness - days[index - 7].fitness : nil))
        }
        return days
    }
}
