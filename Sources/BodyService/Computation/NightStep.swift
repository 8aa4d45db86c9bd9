import Physiology
import Protocols
import Store

/// Nights, and what a day's summary says of the night that begins it.
struct NightStep: BodyStep {
    func run(_ view: inout LongView, _ inputs: BodyInputs) throws {
        let (segments, minutes) = try inputs.store.file.read { db in
            (
                try BodyStore.sleepSegments(from: inputs.from, to: inputs.to, in: db),
                try BodyStore.stillMinutes(since: inputs.from, in: db)
            )
        }
        let nights = SleepNights.nights(from: segments, timeZone: inputs.clock.timeZone)
        view.nights = NightFigures.all(
            nights, minutes: minutes, goal: Double(inputs.settings.sleepGoalMinutes), timeZone: inputs.clock.timeZone)
        for night in view.nights {
            view[night.day].asleepMinutes = night.asleepMinutes
            view[night.day].sleepScore = night.score.map { Int($0.rounded()) }
            view[night.day].rmssdMs = night.rmssdMs
        }
    }
}
