import Bus
import Decisions
import Foundation
import Learning
import Protocols

extension BrainService {
    /// Seconds after the end of a play until the last samples of its window have come.
    private static let settling = BodyWindow.halfWindowSeconds + 1

    /// Learns from plays whose samples are complete.
    ///
    /// - Parameter atOnce: the process ends: what is not there now will never come.
    func settleLearning(_ bus: any BusPort, atOnce: Bool) {
        let due = resume.unlearnt.filter { atOnce || bus.now.seconds(since: $0.endedAt) >= Self.settling }
        guard !due.isEmpty else { return }
        resume.unlearnt.removeAll { due.contains($0) }
        for finished in due { learn(from: finished) }
        markDirty()
    }

    private func learn(from finished: FinishedPlay) {
        let play = finished.play
        let observation = PlayObservation(
            playId: play.pick.playId, songId: play.pick.song.id, features: play.pick.features,
            activityContext: play.pick.activityContext, slot: play.pick.slot, need: play.pick.need,
            endedAt: finished.endedAt, listenedMs: finished.listenedMs, durationMs: finished.durationMs,
            outcome: finished.outcome, volumeAdjustments: play.volumeAdjustments,
            workContextKept: play.workContextKept, moodChange: moodChange(during: finished),
            body: window(of: finished))
        let lesson = learner.learn(observation)
        guard lesson != nil else { return }
        lessons += 1
        let learner = learner
        save { db in try BrainStore.store(observation, lesson: lesson, learner: learner, in: db) }
    }

    private func window(of finished: FinishedPlay) -> BodyWindow? {
        let start = finished.play.startedAt
        let end = finished.endedAt
        let from = start.adding(seconds: -BodyWindow.halfWindowSeconds)
        let to = end.adding(seconds: BodyWindow.halfWindowSeconds)
        return BodyWindow.measure(
            heartRate: feed.heartRate(from: from, to: to).map { .init(at: $0.at, value: $0.bpm) },
            motion: feed.motion(from: from, to: to).map { .init(at: $0.at, value: $0.intensity) },
            rmssdStartMs: rmssd(around: start, halfWindow: BodyWindow.halfWindowSeconds),
            rmssdEndMs: rmssd(around: end, halfWindow: BodyWindow.halfWindowSeconds), from: start, to: end)
    }

    /// What the listener said during the song against what they said before it, −1…1.
    private func moodChange(during finished: FinishedPlay) -> Double? {
        let early = finished.play.startedAt.adding(seconds: 30)
        guard let before = moods.last(where: { $0.at < early && $0.isActive(at: early) }),
            let after = moods.last(where: { $0.at >= early && finished.endedAt.seconds(since: $0.at) >= -Self.settling }
            )
        else { return nil }
        return after.valence - before.valence
    }

    /// Forgets what was learnt since a moment, or from the last play.
    func undo(since: Timestamp?) throws -> Int {
        let count = try disk.write { db in try BrainStore.undo(since: since, in: db) }
        let observations = try disk.read { db in try BrainStore.observations(in: db) }
        learner = Learner(replaying: observations, weights: preferences.learningWeights)
        lessons += 1
        let learner = learner
        try disk.write { db in try BrainStore.replaceEffects(of: learner, in: db) }
        redecide = "undo"
        return count
    }

    /// Deletes what is older than it is wanted, once a day.
    func prune(_ bus: any BusPort) {
        let day = bus.now.milliseconds / 86_400_000
        guard day != prunedDay else { return }
        prunedDay = day
        // Patterns reach back 8 weeks.
        let states = bus.now.adding(seconds: -60 * 86_400)
        let everything =
            preferences.retentionDays > 0
            ? bus.now.adding(seconds: -Double(preferences.retentionDays) * 86_400) : nil
        save { db in try BrainStore.prune(states: states, everything: everything, in: db) }
    }
}
