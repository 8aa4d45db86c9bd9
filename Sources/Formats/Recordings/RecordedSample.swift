import Protocols

/// One thing that a sensor or its wearer said, at its time.
package enum RecordedSample: Equatable, Sendable {
    case heartRate(HeartRate)
    case rr(RRIntervals)
    case motion(Motion)
    case workout(Workout)
    case mood(MoodInput)

    /// When it was said: for intervals the end of the last one, because nobody knows them before.
    package var at: Timestamp {
        switch self {
        case .heartRate(let sample): sample.at
        case .rr(let sample): sample.startAt.adding(milliseconds: Int64(sample.rrMs.reduce(0, +).rounded()))
        case .motion(let sample): sample.at
        case .workout(let sample): sample.at
        case .mood(let sample): sample.at
        }
    }

    /// The same sample, so much later.
    package func shifted(byMs ms: Int64) -> RecordedSample {
        switch self {
        case .heartRate(var sample):
            sample.at = sample.at.adding(milliseconds: ms)
            return .heartRate(sample)
        case .rr(var sample):
            sample.startAt = sample.startAt.adding(milliseconds: ms)
            return .rr(sample)
        case .motion(var sample):
            sample.at = sample.at.adding(milliseconds: ms)
            return .motion(sample)
        case .workout(var sample):
            sample.at = sample.at.adding(milliseconds: ms)
            return .workout(sample)
        case .mood(var sample):
            sample.at = sample.at.adding(milliseconds: ms)
            return .mood(sample)
        }
    }
}
