import Foundation
import GRDB
import Physiology
import Protocols
import Store

/// Loads of the workouts, and battery, fitness and guidance of every local day.
struct BatteryStep: BodyStep {
    /// Days whose reasons are kept: what screens show.
    private static let reasonDays = 400
    /// Days of workouts that an estimate of the oxygen uptake rests on.
    private static let uptakeDays = 90

    func run(_ view: inout LongView, _ inputs: BodyInputs) throws {
        let stored = try EssenceTable.workouts(from: inputs.from, to: inputs.to, in: inputs.store)
        let (readings, resting, entries, masses, smallHours) = try inputs.store.file.read { db in
            (
                try BodyStore.variability(from: inputs.from, to: inputs.to, in: db),
                try BodyStore.restingHeartRates(from: inputs.from, to: inputs.to, in: db),
                try JournalTable.entries(from: inputs.from, to: inputs.to, kind: JournalKind.exertion.rawValue, in: db),
                try BodyStore.quantities(.bodyMass, from: inputs.from, to: inputs.to, in: db),
                try SmallHours.nights(from: inputs.from, to: inputs.to, clock: inputs.clock, in: db)
            )
        }
        let clock = TravelClock(home: inputs.clock)
        let today = inputs.clock.day(of: inputs.now)
        let workouts = BatteryInputs.withExertions(stored.map(\.figures), entries)
        let thresholds = BatteryInputs.thresholds(
            inputs.thresholds, profile: inputs.profile, birthDate: inputs.imported.birthDate, resting: resting,
            workouts: workouts, today: today, sex: inputs.sex)
        let loads = DailyLoads(workouts, thresholds: thresholds, sex: inputs.sex, clock: clock)
        let signals = BatteryInputs.signals(
            variability: readings, resting: resting, nights: view.nights, smallHours: smallHours, clock: clock)
        let days = BodyDayEngine(
            loads: loads, signals: signals, settings: inputs.settings.days(sex: inputs.sex), today: today
        ).days()
        for day in days { view[day.day].take(day, withReasons: day.day > today - Self.reasonDays) }
        for entry in loads.entries { view[entry.day].workouts += 1 }
        view.workouts = WorkoutSummaries.all(stored, loads, thresholds)
        guard !days.isEmpty else { return }
        let uptake = Self.uptake(loads, thresholds.on(today).thresholds, today: today, massKg: masses.last?.value)
        view[today].vo2max = uptake?.maximum
        view[today].vo2maxError = uptake?.standardError
    }

    /// From efforts where there are enough, else from two heart rates.
    private static func uptake(
        _ loads: DailyLoads, _ thresholds: TrainingThresholds, today: Int, massKg: Double?
    ) -> OxygenUptake? {
        guard let rest = thresholds.restingBpm, let maximum = thresholds.maximumBpm else { return nil }
        let recent = loads.entries.filter { $0.day > today - uptakeDays && $0.day <= today }.map(\.workout)
        return OxygenUptake(workouts: recent, massKg: massKg, restingBpm: rest, maximumBpm: maximum)
            ?? OxygenUptake(restingBpm: rest, maximumBpm: maximum)
    }
}

extension BodySettings {
    /// What days are computed with.
    func days(sex: String?) -> BodyDaySettings {
        BodyDaySettings(
            convention: FitnessConvention(rawValue: loadConvention.rawValue) ?? .exponential,
            start: startFitness.map { .own(fitness: $0, fatigue: $0) } ?? .usualLoad, rampCap: rampCap, sex: sex)
    }
}
