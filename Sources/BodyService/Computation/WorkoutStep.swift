import Physiology
import Protocols
import Store

/// Workouts as they were recorded, and how many there were by day.
struct WorkoutStep: BodyStep {
    func run(_ view: inout LongView, _ inputs: BodyInputs) throws {
        view.workouts = try inputs.store.file.read { db in
            try WorkoutTable.recorded(from: inputs.from, to: inputs.to, in: db)
        }
        for workout in view.workouts { view[inputs.clock.day(of: workout.startAt)].workouts += 1 }
    }
}
