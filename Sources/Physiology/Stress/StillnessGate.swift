import Foundation
import Protocols

/// Knows whether the body moves, has just trained, or is still: heart rate says something about stress only then.
///
/// Feed it in the order of time; it keeps a quarter of an hour. Source of the idea: Firstbeat gives no stress above
/// 20 % of the maximal oxygen uptake; 15 min of recovery as in `resonance.md` 5.1.3.
package struct StillnessGate: Hashable, Codable, Sendable {
    /// Share of moving samples of the last minute from which the listener counts as moving.
    package static let movingShare = 1.0 / 3
    /// Intensity 0…1 and steps in one sample (5 s) from which a sample counts as moving.
    package static let movingIntensity = 0.15
    package static let movingSteps = 3
    /// Intensity from which movement is exercise when it lasts.
    package static let vigorousIntensity = 0.5
    /// Seconds of vigorous movement within the last 5 min that make it exercise without a workout being started.
    package static let exerciseSeconds = 120.0
    /// Seconds after exercise without a stress level.
    package static let recovery = 900.0
    /// Seconds after any other movement until the heart has settled.
    package static let settling = 120.0
    /// Without a motion sample for this long nothing is known about movement.
    package static let stale = 300.0
    /// Share of the heart-rate reserve that counts as movement when nothing is known about movement.
    package static let activeReserve = 0.4
    /// A workout that nobody ended is over after this.
    package static let longestWorkout = 6 * 3600.0

    private struct Sample: Hashable, Codable, Sendable {
        var at: Timestamp
        var moving: Bool
        var vigorous: Bool
    }

    private var recent: [Sample] = []
    private var workoutSince: Timestamp?
    /// End of the last exercise, or the newest moment of one that goes on.
    package private(set) var exercisedAt: Timestamp?
    /// Last moment with movement that was more than a twitch.
    package private(set) var movedAt: Timestamp?

    package init() {}

    /// Newest motion sample.
    package var newestAt: Timestamp? { recent.last?.at }

    /// True while a workout runs.
    package func isInWorkout(at now: Timestamp) -> Bool {
        workoutSince.map { (0...Self.longestWorkout).contains(now.seconds(since: $0)) } ?? false
    }

    package mutating func add(_ motion: Motion) {
        // A sample that comes again, or late, changes nothing.
        if let newestAt, motion.at <= newestAt { return }
        let activity = motion.activity.value
        let onFoot = activity == .walking || activity == .running || activity == .cycling
        let moving =
            activity != .vehicle
            && (onFoot || motion.intensity >= Self.movingIntensity || motion.steps >= Self.movingSteps)
        let vigorous =
            activity == .running || activity == .cycling
            || (moving && motion.intensity >= Self.vigorousIntensity)
        recent.append(Sample(at: motion.at, moving: moving, vigorous: vigorous))
        let old = recent.prefix { motion.at.seconds(since: $0.at) > Self.stale }.count
        recent.removeFirst(old)
        if moving, isMoving(at: motion.at) { movedAt = motion.at }
        if vigorous, vigorousSeconds >= Self.exerciseSeconds { exercisedAt = motion.at }
    }

    /// Seconds of vigorous movement among the samples that are kept; a hole counts for half a minute at most.
    private var vigorousSeconds: Double {
        zip(recent.dropFirst(), recent).reduce(0) { sum, pair in
            pair.0.vigorous ? sum + min(pair.0.at.seconds(since: pair.1.at), 30) : sum
        }
    }

    package mutating func add(_ workout: Workout) {
        switch workout.phase.value {
        case .started, .resumed, .paused: workoutSince = workoutSince ?? workout.at
        case .ended:
            workoutSince = nil
            exercisedAt = max(exercisedAt ?? workout.at, workout.at)
        case nil: break
        }
    }

    /// - Parameter reserve: share of the heart-rate reserve now, 0…1; stands in while nothing is known about movement.
    package func gate(at now: Timestamp, reserve: Double? = nil) -> StressGate {
        if isInWorkout(at: now) || isMoving(at: now) { return .active }
        if !knowsMotion(at: now), let reserve, reserve >= Self.activeReserve { return .active }
        if let exercisedAt, (0..<Self.recovery).contains(now.seconds(since: exercisedAt)) { return .recovering }
        if let movedAt, (0..<Self.settling).contains(now.seconds(since: movedAt)) { return .recovering }
        return .none
    }

    /// True when a motion sample is younger than five minutes.
    package func knowsMotion(at now: Timestamp) -> Bool {
        newestAt.map { now.seconds(since: $0) <= Self.stale } ?? false
    }

    /// Share of moving samples of the last five minutes; nil when nothing is known about movement.
    package func movingShare(at now: Timestamp) -> Double? {
        guard knowsMotion(at: now) else { return nil }
        let near = recent.filter { (0...Self.stale).contains(now.seconds(since: $0.at)) }
        return near.isEmpty ? nil : Double(near.count(where: \.moving)) / Double(near.count)
    }

    private func isMoving(at now: Timestamp) -> Bool {
        let lastMinute = recent.filter { (0..<60).contains(now.seconds(since: $0.at)) }
        guard !lastMinute.isEmpty else { return false }
        return Double(lastMinute.count(where: \.moving)) / Double(lastMinute.count) >= Self.movingShare
    }
}
