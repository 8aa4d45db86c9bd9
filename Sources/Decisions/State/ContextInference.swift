import Foundation
import Physiology
import Protocols

/// What the listener is doing, inferred from motion, workout, desktop, calendar and the hour.
///
/// It remembers what single messages do not say (still since, end of the last workout, whether the main sleep is over)
/// and is kept over a restart.
package struct ContextInference: Codable, Hashable, Sendable {
    /// Seconds after a workout that still count as recovering from it.
    package static let recovery = 15.0 * 60
    /// Seconds of low activity that make a rest.
    package static let restAfter = 30.0 * 60
    /// Seconds without a motion sample after which nobody knows whether the listener moves.
    package static let motionTimeout = 120.0
    /// Seconds in which the worth of a motion sample halves.
    static let motionHalfLife = 60.0
    /// Seconds without input after which the desk says nothing about work.
    package static let idleAfter = 300.0
    /// Seconds of movement that are needed to end a rest; less is a stretch.
    static let shortBout = 60.0
    /// Seconds without a sign of being awake that make a main sleep, when they lie in the night.
    static let mainSleep = 3.0 * 3600
    /// Seconds without motion samples after which low activity has to be seen anew.
    static let coverageGap = 600.0
    /// Confidence below which the desktop is not asked: half-life 2 min, so about 5 min of silence.
    static let desktopFloor = 0.2
    /// Bedtime and wake time that are assumed, minutes after midnight; 5.1.3's hours (22, 7, 6…10) follow from them.
    static let usualBedtime = 23 * 60
    static let usualWakeTime = 7 * 60

    package private(set) var workoutActive = false
    package private(set) var workoutSport: String?
    package private(set) var workoutEndedAt: Timestamp?
    package private(set) var stillSince: Timestamp?
    private var workoutSeenAt: Timestamp?
    private var activity: MotionActivity?
    private var motionAt: Timestamp?
    private var firstMotionAt: Timestamp?
    private var boutStart: Timestamp?
    private var lastActiveSample: Timestamp?
    private var lastActiveAt: Timestamp?
    private var awakeAt: Timestamp?
    private var coveredSince: Timestamp?
    private var lastSilence: Silence?
    private var mainSleepEndedAt: Timestamp?
    /// What the listener said they are doing, and until when.
    private var said: ActivityContext?
    private var saidUntil: Timestamp?

    package init() {}

    /// Takes in how the body moves.
    package mutating func observe(_ motion: Motion) {
        guard motionAt.map({ motion.at > $0 }) ?? true else { return }
        let activity = motion.activity.value ?? .unknown
        let isMoving = motion.intensity >= 0.2 || [.walking, .running, .cycling].contains(activity)
        let gap = motionAt.map { motion.at.seconds(since: $0) } ?? .infinity
        if gap >= 24 * 3600 {
            firstMotionAt = motion.at
            awakeAt = nil
        } else if gap >= Self.mainSleep {
            noteAwake(at: motion.at, since: motionAt)
        }
        if gap >= Self.coverageGap {
            coveredSince = motion.at
            stillSince = nil
        }
        if isMoving || activity == .vehicle {
            stillSince = nil
            if let last = lastActiveSample, motion.at.seconds(since: last) > 30 { boutStart = nil }
            let start = boutStart ?? motion.at
            boutStart = start
            lastActiveSample = motion.at
            if motion.at.seconds(since: start) >= Self.shortBout {
                lastActiveAt = motion.at
                noteAwake(at: motion.at)
            }
        } else if stillSince == nil {
            stillSince = motion.at
        }
        self.activity = isMoving && activity == .stationary ? .unknown : activity
        motionAt = motion.at
    }

    /// Takes in the start, pause or end of a workout.
    package mutating func observe(_ workout: Workout) {
        guard workoutSeenAt.map({ workout.at >= $0 }) ?? true, let phase = workout.phase.value else { return }
        workoutSeenAt = workout.at
        noteAwake(at: workout.at)
        switch phase {
        case .started, .resumed, .paused:
            workoutActive = true
            workoutSport = workout.sport
            workoutEndedAt = nil
        case .ended:
            workoutActive = false
            workoutEndedAt = workout.at
        }
    }

    /// Takes in that somebody used the desk.
    package mutating func observe(_ desktop: DesktopContext) {
        if let idle = desktop.idleSeconds, idle < 60 { noteAwake(at: desktop.at) }
    }

    /// Takes in that the listener used a control (mood, crown, playback).
    package mutating func observeControl(at moment: Timestamp) { noteAwake(at: moment) }

    /// Takes in the end of the main sleep as the body knows it.
    package mutating func observeMainSleep(endedAt end: Timestamp) {
        if mainSleepEndedAt.map({ end > $0 }) ?? true { mainSleepEndedAt = end }
    }

    /// The listener says what they are doing, for so many seconds.
    package mutating func say(_ context: ActivityContext, at moment: Timestamp, for seconds: Double = 7200) {
        said = context
        saidUntil = moment.adding(seconds: seconds)
    }

    /// Back to what the sensors say.
    package mutating func unsay() { (said, saidUntil) = (nil, nil) }

    /// True while a workout runs; one that nobody ended is over some time.
    package func isInWorkout(at now: Timestamp) -> Bool {
        workoutActive && (workoutSeenAt.map { now.seconds(since: $0) < StillnessGate.longestWorkout } ?? false)
    }

    /// True when the newest motion says so and is not older than two minutes; nil when nobody knows.
    package func isStill(at now: Timestamp) -> Bool? {
        guard let motionAt, now.seconds(since: motionAt) <= Self.motionTimeout else { return nil }
        return stillSince != nil
    }

    /// The context at `now`; `desktop` and `calendar` may be stale, their age is judged here.
    package func infer(
        now: Timestamp, in zone: TimeZone, desktop: DesktopContext?, calendar: CalendarContext?,
        preferences: Preferences = Preferences()
    ) -> ActivityContext {
        if isInWorkout(at: now) { return .workout }
        if let end = workoutEndedAt, now >= end, now.seconds(since: end) < Self.recovery { return .postWorkout }
        if let said, let saidUntil, now < saidUntil { return said }

        let desk = desktop.flatMap { desktopIsFresh($0, at: now) ? $0 : nil }
        if let found = signalled(by: desk, calendar, at: now, preferences) { return found }

        let motion = motionAt.map { now.seconds(since: $0) <= Self.motionTimeout } == true ? activity : nil
        if motion == .vehicle { return .commute }
        let still = isStill(at: now)
        if let found = byHour(LocalTime(now, in: zone), still: still, now: now, in: zone, preferences) { return found }

        if showsWork(desk) { return .work }
        if still == true, restedSince(now) { return .relaxation }
        return .unknown
    }

    // MARK: - Signals

    private func desktopIsFresh(_ desktop: DesktopContext, at now: Timestamp) -> Bool {
        SourceConfidence.decayed(
            quality: desktop.confidence, age: now.seconds(since: desktop.at),
            halfLife: SourceConfidence.HalfLife.desktopContext) >= Self.desktopFloor
    }

    private func signalled(
        by desktop: DesktopContext?, _ calendar: CalendarContext?, at now: Timestamp, _ preferences: Preferences
    ) -> ActivityContext? {
        let ongoing = calendar?.ongoing.flatMap { $0.endsAt > now ? $0.type.value : nil }
        if ongoing == .meeting || desktop?.workState?.value == .meetings { return .work }
        if let desktop {
            if desktop.focusActive == true, let name = desktop.focusName, preferences.isWorkFocus(name) {
                return .deepWork
            }
            if desktop.workState?.value == .deepWork { return .deepWork }
        }
        return ongoing == .personal ? .social : nil
    }

    /// A working app in front that somebody is using.
    private func showsWork(_ desktop: DesktopContext?) -> Bool {
        guard let desktop, desktop.workState?.value != .idle, let category = desktop.appCategory else { return false }
        return ["productivity", "creative", "communication", "meeting"].contains(category)
            && desktop.idleSeconds ?? 0 < Self.idleAfter
    }

    /// The hours of 5.1.3, moved by the listener's own bedtime and wake time: morning for three hours after waking,
    /// `preSleep` from an hour before bedtime. In the early hours it is still yesterday until the main sleep is over.
    private func byHour(
        _ local: LocalTime, still: Bool?, now: Timestamp, in zone: TimeZone, _ preferences: Preferences
    ) -> ActivityContext? {
        let night = Night(preferences)
        let sinceWake = Night.minutes(from: night.wakeTime, to: local.minutes)
        if sinceWake < 180 { return still == true ? .morning : nil }
        if sinceWake < night.wakingDay - 60 { return nil }
        if sinceWake < night.wakingDay + 60 { return .preSleep }
        if sleptTonight(sinceWake, night, now: now, in: zone) { return .morning }
        return still == false ? nil : .preSleep
    }

    /// Whether the main sleep of this night is over. Without any memory of the evening the listener is taken to have
    /// slept from two hours before the wake time on.
    private func sleptTonight(_ sinceWake: Int, _ night: Night, now: Timestamp, in zone: TimeZone) -> Bool {
        if let end = mainSleepEndedAt, end <= now, now.seconds(since: end) < 12 * 3600 { return true }
        if let silence = lastSilence, silence.to <= now, now.seconds(since: silence.to) < 12 * 3600,
            night.sleptSeconds(from: silence.from, to: silence.to, in: zone) >= Self.mainSleep
        {
            return true
        }
        let knownSince = [firstMotionAt, awakeAt].compactMap(\.self).min()
        let remembersEvening = knownSince.map { now.seconds(since: $0) > Self.mainSleep } ?? false
        return !remembersEvening && sinceWake >= Night.day - 120
    }

    private func restedSince(_ now: Timestamp) -> Bool {
        guard let start = [lastActiveAt, coveredSince].compactMap(\.self).max() else { return false }
        return now.seconds(since: start) >= Self.restAfter
    }

    /// A sign of being awake at `moment`; a long silence before it may have been the main sleep.
    private mutating func noteAwake(at moment: Timestamp, since silence: Timestamp? = nil) {
        if let before = silence ?? awakeAt, moment.seconds(since: before) >= Self.mainSleep,
            moment.seconds(since: before) < 24 * 3600
        {
            lastSilence = Silence(from: before, to: moment)
        }
        awakeAt = max(awakeAt ?? moment, moment)
    }
}

/// A stretch of time without a sign of being awake.
private struct Silence: Codable, Hashable, Sendable {
    let from: Timestamp
    let to: Timestamp
}

/// The hours in which the listener usually sleeps.
private struct Night {
    static let day = 24 * 60
    /// Minutes after local midnight.
    let wakeTime: Int
    /// Minutes from the wake time to bedtime.
    let wakingDay: Int

    init(_ preferences: Preferences) {
        let wake = preferences.wakeTime ?? ContextInference.usualWakeTime
        let length = Self.minutes(from: wake, to: preferences.bedtime ?? ContextInference.usualBedtime)
        // A waking day of less than 8 or more than 22 hours is a slip of the keyboard.
        if (8 * 60...22 * 60).contains(length) {
            (wakeTime, wakingDay) = (wake, length)
        } else {
            wakeTime = ContextInference.usualWakeTime
            wakingDay = Self.minutes(from: wakeTime, to: ContextInference.usualBedtime)
        }
    }

    static func minutes(from start: Int, to end: Int) -> Int { ((end - start) % day + day) % day }

    /// Seconds of a silence that lie between an hour before bedtime and three hours after the wake time.
    func sleptSeconds(from start: Timestamp, to end: Timestamp, in zone: TimeZone) -> Double {
        var moment = start
        var seconds = 0.0
        while moment < end {
            let step = min(900, end.seconds(since: moment))
            let sinceWake = Self.minutes(from: wakeTime, to: LocalTime(moment, in: zone).minutes)
            if sinceWake < 180 || sinceWake >= wakingDay - 60 { seconds += step }
            moment = moment.adding(seconds: 900)
        }
        return seconds
    }
}
