import Physiology
import Protocols

/// A `Workout` element as its attributes and children tell it.
struct AppleWorkout {
    private let start: Timestamp
    private let end: Timestamp
    private let source: String
    private let activity: String
    /// Without pauses, s, as the watch counted.
    private var duration: Double?
    private var distanceM: Double?
    private var energyKcal: Double?
    private var meanBpm: Double?
    private var maximumBpm: Double?
    private var meanPowerW: Double?
    private var ascentM: Double?
    private var pausedSeconds = 0.0
    private var pausedAt: Timestamp?
    /// Statistics win over the older attributes.
    private var attributeDistanceM: Double?
    private var attributeEnergyKcal: Double?

    init(_ tag: RawTag, start: Timestamp, end: Timestamp, source: String) {
        self.start = start
        self.end = end
        self.source = source
        let type = tag["workoutActivityType"]?.text ?? ""
        activity = type.hasPrefix("HKWorkoutActivityType") ? String(type.dropFirst(21)) : type
        duration = Self.value(tag["duration"], tag["durationUnit"], .seconds)
        attributeDistanceM = Self.value(tag["totalDistance"], tag["totalDistanceUnit"], .length)
        attributeEnergyKcal = Self.value(tag["totalEnergyBurned"], tag["totalEnergyBurnedUnit"], .energy)
    }

    private static func value(_ text: RawText?, _ unit: RawText?, _ dimension: HealthDimension) -> Double? {
        guard let number = text?.number, number >= 0, let factor = unit.flatMap({ dimension.factor($0.text) }) else {
            return nil
        }
        return number * factor
    }

    /// - Returns: false for statistics of something that is not kept.
    mutating func statistics(_ tag: RawTag) -> Bool {
        guard let type = tag["type"]?.text else { return false }
        let unit = tag["unit"]
        switch type {
        case "HKQuantityTypeIdentifierHeartRate":
            meanBpm = Self.value(tag["average"], unit, .rate) ?? meanBpm
            maximumBpm = Self.value(tag["maximum"], unit, .rate) ?? maximumBpm
        case "HKQuantityTypeIdentifierActiveEnergyBurned":
            energyKcal = Self.value(tag["sum"], unit, .energy) ?? energyKcal
        case "HKQuantityTypeIdentifierCyclingPower", "HKQuantityTypeIdentifierRunningPower":
            meanPowerW = Self.value(tag["average"], unit, .power) ?? meanPowerW
        case _ where AppleType.isDistance(type):
            if let metres = Self.value(tag["sum"], unit, .length) { distanceM = (distanceM ?? 0) + metres }
        default: return false
        }
        return true
    }

    mutating func metadata(_ key: RawText, _ value: RawText) {
        guard key == "HKElevationAscended" else { return }
        // "11800 cm"
        let parts = value.text.split(whereSeparator: \.isWhitespace)
        if parts.count == 2, let number = Double(parts[0].replacing(",", with: ".")),
            let factor = HealthDimension.length.factor(String(parts[1]))
        {
            ascentM = number * factor
        }
    }

    mutating func event(_ type: RawText?, at moment: Timestamp?) {
        guard let type, let moment else { return }
        if type == "HKWorkoutEventTypePause" || type == "HKWorkoutEventTypeMotionPaused" {
            pausedAt = pausedAt ?? moment
        } else if type == "HKWorkoutEventTypeResume" || type == "HKWorkoutEventTypeMotionResumed", let from = pausedAt {
            pausedSeconds += max(0, moment.seconds(since: from))
            pausedAt = nil
        }
    }

    /// The whole workout; nil when it has no length.
    var record: WorkoutRecord? {
        let elapsed = end.seconds(since: start)
        let paused = pausedSeconds + (pausedAt.map { max(0, end.seconds(since: $0)) } ?? 0)
        let moving = duration ?? max(0, elapsed - paused)
        guard moving > 0, moving <= 14 * 86_400 else { return nil }
        return WorkoutRecord(
            start: start, end: end, sport: Sport(named: activity), movingSeconds: moving,
            distanceM: distanceM ?? attributeDistanceM, energyKcal: energyKcal ?? attributeEnergyKcal,
            meanBpm: meanBpm, maximumBpm: maximumBpm, meanPowerW: meanPowerW, ascentM: ascentM,
            title: activity.isEmpty ? nil : activity, source: source)
    }
}
