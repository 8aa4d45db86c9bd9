import Bus
import Foundation
import GRDB
import Physiology
import Protocols
import Store

/// Stress as it goes on: readings and what is told of them.
extension BodyKeeper {
    static let keptName = "live"

    /// Takes a live sample; true when the message was one.
    func takeLive(_ message: Received, bus: any BusPort) throws -> Bool {
        if let sample = try message.decode(Registry.heartRate) {
            if live.isSound(sample.at, now: bus.now) { live.kept.stress.add(sample) }
        } else if let beats = try message.decode(Registry.rr) {
            if live.isSound(beats.startAt, now: bus.now) { live.kept.stress.add(beats) }
        } else if let motion = try message.decode(Registry.motion) {
            if live.isSound(motion.at, now: bus.now) { live.kept.stress.add(motion) }
        } else {
            return false
        }
        return true
    }

    /// What is due at a tick. The baseline is published before.
    func tickLive(bus: any BusPort) throws {
        guard let baseline else { return }
        let now = bus.now
        if !live.isRestored { try restoreLive(at: now) }
        live.checkClock(now)
        let settingsAge = live.settingsReadAt.map { now.seconds(since: $0) }
        if settingsAge.map({ !(0..<LiveBody.settingsEvery).contains($0) }) ?? true {
            live.settings = try settings()
            live.settingsReadAt = now
        }
        if live.day != clock.day(of: now) { try beginDay(bus: bus) }
        if live.kept.stress.isDue(at: now, baseline: baseline) { try sayStress(baseline, bus: bus) }
        try sayWhatIsDue(bus: bus)
        try finishMeasurement(baseline, bus: bus)
    }

    /// Goes on where the process before ended: its last word, and what was stored since.
    private func restoreLive(at now: Timestamp) throws {
        let (kept, workouts, samples) = try store.file.read { db in
            (
                try StressTable.kept(Self.keptName, as: LiveBody.Kept.self, in: db),
                try StressTable.workouts(
                    from: now.adding(seconds: -StillnessGate.longestWorkout - StillnessGate.recovery), to: now, in: db),
                try StressTable.samples(from: now.adding(seconds: -LiveBody.restored), to: now, in: db)
            )
        }
        // Live samples may have come before the first tick: they come again with the stored ones, or in a batch.
        if let kept { live.kept = kept }
        for workout in workouts { live.kept.stress.add(workout) }
        live.add(samples, now: now)
        live.isRestored = true
    }

    private func sayStress(_ baseline: Baseline, bus: any BusPort) throws {
        guard let reading = makeReading(baseline, source: .automatic, bus: bus) else {
            bus.say(.idle, of: Registry.stress(listener))
            return
        }
        let verdict = live.kept.alerts.judge(reading, settings: live.settings, clock: clock)
        bus.publish(reading, on: Registry.stress(listener))
        bus.say(nil, of: Registry.stress(listener))
        var alert: BodyAlert?
        if case .tell(let told) = verdict {
            alert = told
            bus.publish(told, on: Registry.alert(listener))
        }
        try keepReading(reading, alert: alert)
        if try isFirstReading() { try lookForAchievements(at: bus.now) }
    }

    func makeReading(_ baseline: Baseline, source: ReadingSource, bus: any BusPort) -> StressReading? {
        live.kept.stress.reading(
            at: bus.now, baseline: baseline, clock: clock, cutPoints: live.cutPoints,
            factors: live.factors(today: clock.day(of: bus.now)), source: source)
    }

    func keepReading(_ reading: StressReading, alert: BodyAlert?) throws {
        let kept = live.kept
        try store.file.write { db in
            try StressTable.keep(reading, in: db)
            if let alert { try StressTable.keep(alert, in: db) }
            try StressTable.keep(kept, as: Self.keptName, in: db)
        }
    }

    private func isFirstReading() throws -> Bool {
        try store.file.read { db in
            try Int.fetchOne(db, sql: "SELECT count(*) FROM (SELECT 1 FROM stressReading LIMIT 2)") == 1
        }
    }

    // MARK: Once a day

    /// A new local day: cut points from the days before, nights, milestones.
    private func beginDay(bus: any BusPort) throws {
        let now = bus.now
        live.day = clock.day(of: now)
        let from = now.adding(seconds: -Double(StressCutPoints.windowDays + 2) * 86_400)
        let readings = try store.file.read { db in try StressTable.figures(from: from, to: now, in: db) }
        live.cutPoints = StressCutPoints(readings: readings, at: now, clock: clock)
        try publishSleep(bus: bus)
        try lookForAchievements(at: now)
    }

    /// Milestones that were earned and not told yet wait for a moment outside of the quiet hours.
    func lookForAchievements(at now: Timestamp) throws {
        let today = clock.day(of: now)
        // Days that are over do not change any more: after the first time one day is read.
        let knownThrough = live.daily.last.map(\.day)
        if let knownThrough, knownThrough >= today { live.daily = [] }
        let from =
            live.daily.isEmpty
            ? Timestamp(milliseconds: 0) : clock.start(ofDay: (knownThrough ?? today - 1) + 1)
        let (readings, known, deeds) = try store.file.read { db in
            (
                try StressTable.figures(from: from, to: now.adding(seconds: 1), in: db),
                try StressTable.achievements(in: db), try StressTable.deeds(in: db)
            )
        }
        let daily = live.daily + StressTrend.buckets(of: readings, .daily, clock: clock)
        live.daily = daily.filter { $0.day < today }
        let facts = AchievementFacts(
            daily: daily, sleep: Dictionary(live.nights.map { ($0.day, $0.asleepMinutes) }) { first, _ in first },
            goalMinutes: Double(live.settings.sleepGoalMinutes), breathing: deeds.breathing.map(clock.day),
            journal: deeds.journal.map(clock.day), workouts: deeds.workouts.map(clock.day))
        live.achievements = Achievements.earned(by: facts, today: today).filter { !known.contains($0.id) }
    }

    /// Summaries, bedtime, milestones.
    private func sayWhatIsDue(bus: any BusPort) throws {
        let now = bus.now
        let bedtime =
            live.settings.bedtimeReminder
            ? BedtimePlan.next(after: now, nights: live.nights, settings: live.settings, clock: clock) : nil
        let due = live.kept.schedule.due(at: now, settings: live.settings, bedtime: bedtime?.at, clock: clock)
        var alerts: [BodyAlert] = []
        for item in due {
            switch item {
            case .dailySummary: alerts += try dailySummary(at: now).map { [BodyAlerts.daily($0, at: now)] } ?? []
            case .weeklyInsight: alerts += try weeklyInsight(at: now).map { [BodyAlerts.weekly($0, at: now)] } ?? []
            case .bedtime: alerts += bedtime.map { [BodyAlerts.bedtime($0, at: now, clock: clock)] } ?? []
            }
        }
        if due.contains(.dailySummary) { try lookForAchievements(at: now) }
        var earned: [Achievement] = []
        if !live.achievements.isEmpty, QuietHours(live.settings)?.contains(now, clock: clock) != true {
            earned = live.achievements
            live.achievements = []
            if live.settings.alerts, live.settings.achievements {
                // One event each, a millisecond apart: the table of alerts tells them by their time.
                alerts += earned.enumerated().map {
                    BodyAlerts.achievement($1, at: now.adding(milliseconds: Int64($0)))
                }
            }
        }
        guard !due.isEmpty || !earned.isEmpty else { return }
        for alert in alerts { bus.publish(alert, on: Registry.alert(listener)) }
        let kept = live.kept
        try store.file.write { [alerts, earned] db in
            for alert in alerts { try StressTable.keep(alert, in: db) }
            for achievement in earned { try StressTable.keep(achievement, at: now, in: db) }
            try StressTable.keep(kept, as: Self.keptName, in: db)
        }
    }

    /// The local day so far, beside the days before it; nil without a reading.
    private func dailySummary(at now: Timestamp) throws -> DailyStressSummary? {
        let today = clock.day(of: now)
        let from = now.adding(seconds: -Double(DailyStressSummary.comparedDays + 2) * 86_400)
        let readings = try store.file.read { db in
            try StressTable.figures(from: from, to: now.adding(seconds: 1), in: db)
        }
        let night = live.nights.last { $0.day == today }
        return DailyStressSummary(
            day: today, readings: readings, sleepScore: night?.score.map { Int($0.rounded()) }, clock: clock)
    }

    /// The week of yesterday: on a Monday the one that is over; nil when nothing was measured in it.
    private func weeklyInsight(at now: Timestamp) throws -> WeeklyInsight? {
        let readings = try store.file.read { db in
            try StressTable.figures(from: now.adding(seconds: -90 * 86_400), to: now.adding(seconds: 1), in: db)
        }
        let insight = WeeklyInsight(
            week: clock.day(of: now) - 1, daily: StressTrend.buckets(of: readings, .daily, clock: clock),
            sleep: Dictionary(live.nights.map { ($0.day, $0.asleepMinutes) }) { first, _ in first },
            goalMinutes: Double(live.settings.sleepGoalMinutes))
        return insight.days > 0 ? insight : nil
    }
}
