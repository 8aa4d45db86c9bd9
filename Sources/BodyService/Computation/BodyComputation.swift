import Foundation
import GRDB
import Physiology
import Protocols
import Store

/// Computes what follows from stored records: days, nights, workouts. Runs beside the actor.
///
/// Everything is made anew by ``steps``, one after the other, and stored at once; the same records give the same figures,
/// whatever the order in which they came.
struct BodyComputation {
    let store: BodyStore
    let clock: LocalClock
    let scale: HeartScale

    /// In this order: a later step may use what an earlier one made.
    static let steps: [any BodyStep] = [
        NightStep(),
        MeasurementStep(),
        BatteryStep(),
        StressStep(),
        JournalStep(),
    ]

    /// - Parameter minutes: makes the minutes of imported heart rates anew, too: needed only when heart rates came.
    /// - Throws: `CancellationError`, ``StoreError``. Nothing is changed then but minutes.
    func run(at now: Timestamp, minutes: Bool, job: BodyImportJob) throws {
        if minutes {
            try ImportedMinutes.refresh(until: now, scale: scale, in: store, job: job)
            try ImportedStress.refresh(
                until: now, profile: store.profile(), clock: clock, in: store, job: job)
        }
        var view = LongView()
        let inputs = try inputs(at: now, job: job)
        for step in Self.steps {
            try job.checkCancelled()
            try step.run(&view, inputs)
        }
        let finished = view
        let mark = ComputationMark.text(at: now, clock: clock)
        try store.file.write { db in
            try BodyStore.replace(
                .day, with: finished.days.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }, in: db)
            try BodyStore.replace(.night, with: finished.nights.map { ($0.day, $0) }, in: db)
            try WorkoutTable.replaceFigures(finished.workouts, in: db)
            // Set in the same transaction: what changes meanwhile takes it away again.
            if try ComputationMark.read(in: db) == inputs.mark { try ComputationMark.set(mark, in: db) }
        }
        job.note(days: finished.days.count)
    }

    private func inputs(at now: Timestamp, job: BodyImportJob) throws -> BodyInputs {
        try store.file.read { db in
            BodyInputs(
                store: store, clock: clock, now: now, span: try BodyStore.span(in: db),
                settings: try BodySettings(stored: SettingTable.all(in: db)),
                thresholds: try BodyStore.thresholds(in: db),
                profile: try BodyStore.profile(in: db), imported: try BodyStore.importedPerson(in: db),
                mark: try ComputationMark.read(in: db))
        }
    }
}

/// What one computation makes of the long view.
struct LongView {
    /// By number of the local day; see ``subscript(_:)``.
    private(set) var days: [Int: DaySummary] = [:]
    /// Ascending.
    var nights: [NightFigures] = []
    var workouts: [WorkoutSummary] = []

    /// The summary of a local day; setting a part of it makes the day.
    subscript(_ day: Int) -> DaySummary {
        get { days[day] ?? DaySummary(date: "\(LocalDate(number: day))") }
        set { days[day] = newValue }
    }
}

/// What every step of a computation may use.
struct BodyInputs {
    let store: BodyStore
    let clock: LocalClock
    let now: Timestamp
    /// First and last moment of anything that was stored; nil for an empty database.
    let span: (first: Timestamp, last: Timestamp)?
    let settings: BodySettings
    let thresholds: [TrainingThresholds]
    let profile: Profile
    let imported: PersonRecord
    let mark: String?

    /// All of time: records are from 1970 on, and none is from the future.
    var from: Timestamp { Timestamp(milliseconds: 0) }
    var to: Timestamp { now.adding(seconds: BodyImport.futureTolerance) }
    /// What the person said counts more than what a file says.
    var sex: String? { profile.sex ?? imported.sex }
}

/// A part of the computation of the long view.
protocol BodyStep: Sendable {
    /// Reads what it needs, and fills in its own figures.
    ///
    /// - Throws: ``StoreError``.
    func run(_ view: inout LongView, _ inputs: BodyInputs) throws
}
