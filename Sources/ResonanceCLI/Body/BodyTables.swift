import Formats
import Protocols

/// What the body answers, as comma-separated text. Times are RFC 3339 in UTC, units metric.
enum BodyTables {
    static func days(_ days: [DaySummary]) -> String {
        var table = CSVTable([
            "date", "restingBpm", "rmssdMs", "sdnnMs", "asleepMinutes", "sleepScore", "stress", "stressReadings",
            "battery", "zone", "fitness", "fatigue", "form", "load", "rampPerWeek", "guidanceLow", "guidanceHigh",
            "illness", "calibratingDays", "workouts", "steps", "activeEnergyKcal", "hydrationMl", "caffeineMg",
        ])
        for day in days {
            let heart: [CSVTable.Cell] = [
                .text(day.date), .init(day.restingBpm), .init(day.rmssdMs), .init(day.sdnnMs),
                .init(day.asleepMinutes), .init(day.sleepScore), .init(day.stress), .init(day.stressReadings),
            ]
            let training: [CSVTable.Cell] = [
                .init(day.battery), .init(day.zone), .init(day.fitness), .init(day.fatigue), .init(day.form),
                .init(day.load), .init(day.rampPerWeek), .init(day.guidanceLow), .init(day.guidanceHigh),
                .init(day.illness), .init(day.calibratingDays),
            ]
            table.add(
                heart + training + [
                    .whole(day.workouts), .init(day.steps), .init(day.activeEnergyKcal), .init(day.hydrationMl),
                    .init(day.caffeineMg),
                ])
        }
        return table.text
    }

    static func workouts(_ workouts: [WorkoutSummary]) -> String {
        var table = CSVTable([
            "startAt", "endAt", "sport", "title", "source", "movingSeconds", "distanceM", "energyKcal", "meanBpm",
            "maximumBpm", "meanPowerW", "weightedPowerW", "intensity", "load", "method", "ascentM", "exertion",
            "deviceLoad", "decouplingPercent", "decouplingError", "samples", "countsAs",
        ])
        for workout in workouts {
            let said: [CSVTable.Cell] = [
                .text(workout.startAt.description), .text(workout.endAt.description), .text(workout.sport),
                .init(workout.title), .text(workout.source), .number(workout.movingSeconds), .init(workout.distanceM),
                .init(workout.energyKcal), .init(workout.meanBpm), .init(workout.maximumBpm),
            ]
            let computed: [CSVTable.Cell] = [
                .init(workout.meanPowerW), .init(workout.weightedPowerW), .init(workout.intensity),
                .init(workout.load), .init(workout.method), .init(workout.ascentM), .init(workout.exertion),
                .init(workout.deviceLoad), .init(workout.decouplingPercent), .init(workout.decouplingError),
                .whole(workout.samples), .init(workout.countsAs),
            ]
            table.add(said + computed)
        }
        return table.text
    }

    static func readings(_ readings: [ReadingPage.Reading]) -> String {
        var table = CSVTable([
            "startAt", "endAt", "kind", "sdnnMs", "rmssdMs", "rebuiltSdnnMs", "rebuiltRmssdMs", "bpm", "source",
        ])
        for reading in readings {
            table.add([
                .text(reading.startAt.description), .text(reading.endAt.description), .text(reading.kind),
                .init(reading.sdnnMs), .init(reading.rmssdMs), .init(reading.rebuiltSdnnMs),
                .init(reading.rebuiltRmssdMs), .init(reading.bpm), .text(reading.source),
            ])
        }
        return table.text
    }

    static func journal(_ entries: [JournalEntry]) -> String {
        var table = CSVTable([
            "at", "kind", "mood", "energy", "stress", "amountMl", "drink", "caffeineMg", "source", "exertion",
            "workoutAt", "note",
        ])
        for entry in entries {
            table.add([
                .text(entry.at.description), .text(entry.kind.rawValue), .init(entry.mood?.rawValue),
                .init(entry.energy), .init(entry.stress), .init(entry.amountMl), .init(entry.drink?.rawValue),
                .init(entry.caffeineMg), .init(entry.source), .init(entry.exertion),
                .init(entry.workoutAt?.description), .init(entry.note),
            ])
        }
        return table.text
    }

    static func breathing(_ sessions: [BreathingSession]) -> String {
        var table = CSVTable([
            "startAt", "endAt", "pattern", "breaths", "bpmBefore", "bpmAfter", "rmssdBeforeMs", "rmssdAfterMs",
        ])
        for session in sessions {
            table.add([
                .text(session.startAt.description), .text(session.endAt.description), .text(session.pattern),
                .whole(session.breaths), .init(session.bpmBefore), .init(session.bpmAfter),
                .init(session.rmssdBeforeMs), .init(session.rmssdAfterMs),
            ])
        }
        return table.text
    }

    static func points(_ points: [SeriesPoint]) -> String {
        var table = CSVTable(["at", "bpm"])
        for point in points { table.add([.text(point.at.description), .number(point.value)]) }
        return table.text
    }
}
