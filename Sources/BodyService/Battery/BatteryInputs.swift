import Foundation
import Physiology
import Protocols

/// What the battery is computed from, apart from workouts.
enum BatteryInputs {
    /// A night in a bed counts as such; a device's own record of a night is another origin and wins for all nights.
    static func signals(
        variability: [VariabilityRecord], resting: [RestingRecord], nights: [NightFigures], smallHours: [Night],
        clock: TravelClock
    ) -> [DaySignals] {
        let asleep = nights.reduce(into: [Int: Double]()) { $0[$1.day] = $1.asleepMinutes }
        var days = DaySignals.days(variability: variability, resting: resting, asleepMinutes: asleep, clock: clock)
            .reduce(into: [Int: DaySignals]()) { $0[$1.day] = $1 }
        let hasOwnNights = days.values.contains { $0.lnVariability[.night] != nil }
        func add(_ day: Int, lnRmssd: Double?, bpm: Double?) {
            var signals = days[day] ?? DaySignals(day: day)
            if !hasOwnNights, signals.lnVariability[.night] == nil { signals.lnVariability[.night] = lnRmssd }
            if signals.restingBpm[.night] == nil { signals.restingBpm[.night] = bpm }
            if signals != DaySignals(day: day) { days[day] = signals }
        }
        for night in nights { add(night.day, lnRmssd: night.rmssdMs.map { log($0) }, bpm: night.bpm) }
        for night in smallHours { add(night.night, lnRmssd: night.lnRmssd, bpm: night.bpm) }
        return days.values.sorted { $0.day < $1.day }
    }

    /// Thresholds as the listener said them; for resting and maximal heart rate the profile, else what was observed, else what
    /// is usual at that age.
    static func thresholds(
        _ said: [TrainingThresholds], profile: Profile, birthDate: String?, resting: [RestingRecord],
        workouts: [WorkoutFigures], today: Int, sex: String?
    ) -> ThresholdHistory {
        let age = profile.age ?? birthDate.flatMap { Self.age(bornOn: $0, today: today) }
        let usual = PopulationPrior.maximumBpm(age: age)
        let observed = workouts.compactMap { highest($0) }.max()
        let lowest =
            median(of: resting.suffix(60).map(\.bpm))
            ?? PopulationPrior.stillBpm(sex: sex) - PopulationPrior.stillAboveResting
        return ThresholdHistory(
            said,
            assumed: TrainingThresholds(
                since: 0, restingBpm: profile.restingBpm ?? lowest,
                maximumBpm: profile.maximumBpm ?? max(observed ?? 0, usual)),
            isGuess: profile.restingBpm == nil || profile.maximumBpm == nil)
    }

    /// Highest heart rate that was held for half a minute in all: a spike of the sensor is none.
    static func highest(_ workout: WorkoutFigures) -> Double? {
        guard let heart = workout.heart, !heart.isMeanOnly else { return nil }
        var seconds = 0.0
        for (bpm, count) in heart.secondsByBpm.enumerated().reversed() {
            seconds += count
            if seconds >= 30 { return Double(bpm) }
        }
        return nil
    }

    static func age(bornOn text: String, today: Int) -> Int? {
        guard let born = LocalDate(text) else { return nil }
        let now = LocalDate(number: today)
        let years = now.year - born.year - ((now.month, now.day) < (born.month, born.day) ? 1 : 0)
        return (5...120).contains(years) ? years : nil
    }

    /// Session RPE of the journal, each on the workout that it names, else on the newest one that began in the day before it.
    static func withExertions(_ workouts: [WorkoutFigures], _ entries: [JournalEntry]) -> [WorkoutFigures] {
        var workouts = workouts
        for entry in entries.sorted(by: { $0.at < $1.at }) {
            guard let exertion = entry.exertion else { continue }
            let named = entry.workoutAt.flatMap { at in workouts.first { $0.start == at } }
            let latest =
                entry.workoutAt == nil
                ? workouts.filter { $0.start <= entry.at && entry.at.seconds(since: $0.start) < 86_400 }
                    .max { ($0.start, $0.source) < ($1.start, $1.source) } : nil
            guard let meant = named ?? latest else { continue }
            // Another device's record of the same workout is meant, too.
            for index in workouts.indices
            where workouts[index].start == meant.start
                || (workouts[index].start < meant.end && meant.start < workouts[index].end)
            {
                workouts[index].perceivedExertion = exertion
            }
        }
        return workouts
    }
}
