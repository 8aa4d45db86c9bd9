import Bus
import Physiology
import Protocols

/// What the body knows about the present.
struct LiveBody {
    /// What a restart must not forget.
    struct Kept: Codable {
        var stress = LiveStress()
        var alerts = StressAlertRules()
        var schedule = BodySchedule()
    }

    /// Questions for a measurement that runs.
    struct Measurement {
        var requests: [IncomingRequest]
        /// Known when the sensor has answered.
        var endAt: Timestamp?
    }

    /// Samples from further ahead than this, s, are a wrong clock; they would make all later ones look old.
    static let longestAhead = 60.0
    /// Seconds of stored samples that a restart reads again.
    static let restored = 1500.0
    /// Seconds between two looks at the settings.
    static let settingsEvery = 60.0

    var kept = Kept()
    /// True once the samples before a restart were read again.
    var isRestored = false
    var settings = BodySettings()
    var settingsReadAt: Timestamp?
    var cutPoints = StressCutPoints.common
    /// Local day that the cut points, nights and milestones were last looked at.
    var day: Int?
    /// Day buckets of all days before ``day``.
    var daily: [StressBucket] = []
    /// Nights of the last weeks, oldest first.
    var nights: [NightFigures] = []
    var saidSleep: SleepReport?
    /// Earned and not told yet.
    var achievements: [Achievement] = []
    var measurement: Measurement?

    func isSound(_ at: Timestamp, now: Timestamp) -> Bool { at.seconds(since: now) <= Self.longestAhead }

    mutating func add(_ batch: BioBatch, now: Timestamp) {
        kept.stress.add(
            BioBatch(
                heartRate: batch.heartRate.filter { isSound($0.at, now: now) },
                rr: batch.rr.filter { isSound($0.startAt, now: now) },
                motion: batch.motion.filter { isSound($0.at, now: now) }))
    }

    /// After the clock was set back nothing would ever be newer than what was heard before: the present begins anew.
    mutating func checkClock(_ now: Timestamp) {
        let newest = [
            kept.stress.estimator.newestHeartRateAt, kept.stress.estimator.stillness.newestAt, kept.stress.saidAt,
        ]
        if newest.contains(where: { $0.map { !isSound($0, now: now) } ?? false }) { kept.stress = LiveStress() }
    }

    /// The last night beside the usual ones, for the factors of a reading.
    func factors(today: Int) -> StressFactors {
        guard let last = nights.last, last.day == today || last.day == today - 1, let score = last.score else {
            return StressFactors()
        }
        return StressFactors(
            sleepScore: score,
            usualSleepScore: median(of: nights.dropLast().suffix(SleepScore.usualNights).compactMap(\.score)))
    }
}
