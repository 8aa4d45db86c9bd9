import Bus
import Foundation
import Physiology
import Protocols
import Testing

@testable import BodyService

struct LiveWorkoutTests {
    private static let start = BodyKeeperTests.start

    private static func event(_ phase: WorkoutPhase, _ seconds: Double, kcal: Double? = nil) -> Workout {
        Workout(phase: phase, sport: "Outdoor Run", energyKcal: kcal, at: start.adding(seconds: seconds))
    }

    @Test(arguments: [false, true])
    func `a live workout becomes a whole one, with heart rates that come after its end`(late: Bool) async throws {
        let store = try BodyStore(directory: nil)
        let bus = LockStep(start: Self.start)
        bus.add(try BodyKeeperTests.keeper(store: store), as: .body)
        let batches = (0..<10).map { BodyKeeperTests.batch(at: Self.start.adding(seconds: Double($0) * 30), bpm: 140) }
        let events = [
            Self.event(.started, 0), Self.event(.paused, 60), Self.event(.resumed, 120),
            Self.event(.ended, 300, kcal: 55),
        ]
        if late {
            for event in events { bus.publish(event, on: Registry.workout()) }
            for batch in batches { bus.publish(batch, on: Registry.bioBatch()) }
        } else {
            for batch in batches { bus.publish(batch, on: Registry.bioBatch()) }
            for event in events { bus.publish(event, on: Registry.workout()) }
        }
        await bus.advance(by: .seconds(330), step: .seconds(30))
        let page = try await bus.request(
            ListWorkouts(from: Self.start, to: Self.start.adding(seconds: 3600)))
        let workout = try #require(page.workouts.first)
        #expect(page.workouts.count == 1)
        #expect(workout.sport == "running")
        // Five minutes of which one was a pause; one heart rate a second.
        #expect(workout.movingSeconds == 240)
        #expect(workout.meanBpm == 140 && workout.maximumBpm == 140)
        #expect(workout.energyKcal == 55)
        #expect(workout.samples == 300)
    }

    @Test func `one that never ended is none, and an end without a start neither`() {
        #expect(LiveWorkout.workouts(of: [Self.event(.ended, 0), Self.event(.started, 10)]).isEmpty)
        let again = LiveWorkout.workouts(
            of: [Self.event(.started, 0), Self.event(.started, 100), Self.event(.ended, 160)])
        #expect(again.map(\.movingSeconds) == [60])
    }

    @Test func `a clock that is set back does not silence the baseline`() {
        var schedule = BaselineSchedule()
        let clock = LocalClock(timeZone: .gmt)
        let later = Self.start.adding(seconds: 7200)
        let baseline = BaselineBuilder(profile: Profile(), clock: clock).baseline(at: later, minutes: [])
        schedule.computed(at: later, clock: clock)
        let isDue = schedule.isDue(at: Self.start, last: baseline, isNew: true, clock: clock)
        #expect(isDue)
    }
}
