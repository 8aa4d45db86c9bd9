import Bus
import Decisions
import Foundation
import Learning
import Logging
import Physiology
import Protocols
import ServiceKit

extension BrainService {
    /// Milliseconds between two states of the grid, which begins at 1970.
    private static let grid: Int64 = 30_000
    /// Milliseconds of the grid at which the estimator is kept.
    private static let keepEvery: Int64 = 60_000
    /// States of a pause (sleeping machine) that are not made up afterwards.
    private static let missedAtMost: Int64 = 20

    /// Makes the states of the 30-s grid that are due.
    func makeDueStates(_ bus: any BusPort) {
        let newest = bus.now.milliseconds / Self.grid * Self.grid
        var next = resume.lastState.map { $0.at.milliseconds / Self.grid * Self.grid + Self.grid } ?? newest
        if newest - next > Self.missedAtMost * Self.grid || next > newest + Self.grid { next = newest }
        while next <= newest {
            makeState(at: Timestamp(milliseconds: next), bus)
            next += Self.grid
        }
    }

    private func makeState(at moment: Timestamp, _ bus: any BusPort) {
        refreshPatterns(at: moment)
        let state = resume.synthesis.state(inputs(at: moment, estimator: &stress))
        let before = resume.lastState
        resume.lastState = state
        bus.publish(state, on: Registry.state(listener))
        save { db in try BrainStore.insert(state, in: db) }
        markDirty()
        feed.trim(now: moment)
        if moment.milliseconds % Self.keepEvery == 0 { keepBody() }

        let context = state.activityContext.value ?? .unknown
        resume.turns.note(context: context)
        if resume.turns.current?.playing == true {
            if let bpm = state.bpm { resume.session?.bpm.add(bpm) }
            if let rmssd = rmssd(around: moment.adding(seconds: -30), halfWindow: 30) {
                resume.session?.rmssdMs.add(rmssd)
            }
            if let motion = mean(of: feed.motion(from: moment.adding(seconds: -30), to: moment).map(\.intensity)) {
                resume.session?.motion.add(motion)
            }
        }
        if before?.activityContext != state.activityContext || before?.need != state.need {
            logger.debug(
                "state changed",
                metadata: ["context": "\(state.activityContext.rawValue)", "need": "\(state.need.rawValue)"])
        }
        publishGlance(bus)
    }

    /// The state of this very moment, without remembering it: what a decision rests on.
    func presentState(_ now: Timestamp) -> StateVector {
        var copy = resume.synthesis
        var estimator = stress
        return copy.state(inputs(at: now, estimator: &estimator))
    }

    private func inputs(at moment: Timestamp, estimator: inout StressEstimator) -> StateInputs {
        let baseline = presentBaseline(moment)
        let heart = feed.heartRate(from: moment.adding(seconds: -HeartScale.window), to: moment)
        let arousal = HeartScale(baseline: baseline.lowered(to: heart)).arousal(of: heart, now: moment)
        let beats = feed.beats(from: moment.adding(seconds: -600), to: moment).last
        let live = estimator.estimate(
            at: moment, baseline: baseline, clock: LocalClock(timeZone: environment.timeZone))
        return StateInputs(
            now: moment, timeZone: environment.timeZone,
            arousal: arousal.confidence > 0 ? Estimate(arousal) : nil,
            stress: StressInput(reading: stressReading, live: live, now: moment), bpm: arousal.bpm,
            hrv: beats.map { (at: $0.startAt, quality: $0.quality) },
            motionAt: feed.motion.last { $0.at <= moment }?.at, desktop: desktop, calendar: calendar,
            mood: resume.mood, patterns: patterns,
            reserve: EnergyReserve(battery: battery, sleep: sleep, now: moment), preferences: preferences)
    }

    /// Remembers what the stress of the next minutes rests on: gate, last still value, baseline.
    func keepBody() {
        let kept = KeptBody(stress: stress, baseline: baseline)
        save { db in try BrainStore.keep(kept, as: KeptBody.name, in: db) }
    }

    /// What is usual for this body; for somebody of whom nothing is known yet, what is usual for people.
    func presentBaseline(_ now: Timestamp) -> Baseline {
        baseline
            ?? BaselineBuilder(profile: Profile(), clock: LocalClock(timeZone: environment.timeZone))
            .baseline(at: now, minutes: [])
    }

    /// RMSSD of the clean beats around a moment, milliseconds; nil when too few or too many had to be corrected.
    func rmssd(around moment: Timestamp, halfWindow: Double) -> Double? {
        let start = moment.adding(seconds: -halfWindow)
        let end = moment.adding(seconds: halfWindow)
        var rr: [Double] = []
        var gaps: [Int] = []
        for message in feed.beats(from: start.adding(seconds: -10), to: end) {
            var at = message.startAt
            var isFirst = true
            for interval in message.rrMs {
                at = at.adding(milliseconds: Int64(interval.rounded()))
                guard at >= start, at <= end else { continue }
                if isFirst, message.gapBefore, !rr.isEmpty { gaps.append(rr.count) }
                isFirst = false
                rr.append(interval)
            }
        }
        guard rr.count > HRVAnalysis.minimumPairs else { return nil }
        let report = HRVAnalysis.report(BeatSeries(rrMs: rr, gapsBefore: gaps))
        return report.isUsable ? report.correctedRmssdMs : nil
    }

    /// Once an hour: what is usual at this hour changes slowly.
    private func refreshPatterns(at now: Timestamp) {
        if let patternsAt, now.seconds(since: patternsAt) < 3600, now >= patternsAt { return }
        patternsAt = now
        let zone = environment.timeZone
        let start = now.adding(seconds: -EnergyPatterns.window)
        // The present hour is what is being measured, so it must not be its own pattern.
        let hours = (try? disk.read { db in try BrainStore.hourlyEnergy(since: start, in: db) }) ?? []
        let past = hours.filter { now.seconds(since: $0.at) > 3600 }
        patterns = EnergyPatterns(hours: past, now: now, in: zone)
    }
}
