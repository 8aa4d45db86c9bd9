import Decisions
import Foundation
import Protocols
import Testing

struct ContextInferenceTests {
    private func still(_ from: Double, _ to: Double, in context: inout ContextInference) {
        move(.stationary, 0.02, from, to, in: &context)
    }

    /// A motion sample every 30 s.
    private func move(
        _ activity: MotionActivity, _ intensity: Double, _ from: Double, _ to: Double,
        in context: inout ContextInference
    ) {
        var at = monday(from)
        while at <= monday(to) {
            context.observe(Motion(at: at, intensity: intensity, steps: 0, activity: activity))
            at = at.adding(seconds: 30)
        }
    }

    private func infer(
        _ context: ContextInference, _ hour: Double, _ desktop: DesktopContext? = nil,
        _ calendar: CalendarContext? = nil,
        _ preferences: Preferences = Preferences()
    ) -> ActivityContext {
        context.infer(now: monday(hour), in: utc, desktop: desktop, calendar: calendar, preferences: preferences)
    }

    @Test func `a workout that nobody ended is over after six hours`() {
        var context = ContextInference()
        context.observe(Workout(phase: .started, sport: "running", at: monday(8)))
        #expect(infer(context, 13.9) == .workout)
        #expect(infer(context, 14.1) == .unknown)
    }

    @Test func `a workout comes first, then its recovery for 15 min`() {
        var context = ContextInference()
        context.observe(Workout(phase: .started, sport: "running", at: monday(14)))
        let meeting = CalendarContext(at: monday(14), ongoing: .init(type: .meeting, endsAt: monday(16)))
        #expect(infer(context, 14.1, nil, meeting) == .workout)
        context.observe(Workout(phase: .paused, sport: "running", at: monday(14.3)))
        #expect(infer(context, 14.4) == .workout)
        context.observe(Workout(phase: .ended, sport: "running", at: monday(14.5)))
        #expect(infer(context, 14.74, nil, meeting) == .postWorkout)
        #expect(infer(context, 14.76, nil, meeting) == .work)
    }

    @Test func `a meeting counts until it ends, however old the calendar message is`() {
        let calendar = CalendarContext(at: monday(13), ongoing: .init(type: .meeting, endsAt: monday(15.5)))
        #expect(infer(ContextInference(), 15.4, nil, calendar) == .work)
        #expect(infer(ContextInference(), 15.6, nil, calendar) == .unknown)
    }

    @Test(arguments: ["Work", "Deep Work", "Arbeit", "Travail", "coding"])
    func `work-like focus names mean deep work`(name: String) {
        let desktop = DesktopContext(at: monday(14), focusActive: true, focusName: name)
        #expect(infer(ContextInference(), 14, desktop) == .deepWork)
    }

    @Test func `other focus names, focus that is off, and a desktop that fell silent do not`() {
        #expect(infer(.init(), 14, DesktopContext(at: monday(14), focusActive: true, focusName: "Gaming")) == .unknown)
        #expect(infer(.init(), 14, DesktopContext(at: monday(14), focusActive: false, focusName: "Work")) == .unknown)
        #expect(infer(.init(), 14.2, DesktopContext(at: monday(14), focusActive: true, focusName: "Work")) == .unknown)
    }

    @Test func `the list of work-like names can be edited`() throws {
        var preferences = Preferences()
        _ = try preferences.set("workFocusNames", to: "Atelier; Bureau")
        let desktop = DesktopContext(at: monday(14), focusActive: true, focusName: "atelier du soir")
        #expect(infer(.init(), 14, desktop, nil, preferences) == .deepWork)
    }

    @Test func `an ongoing personal event is social, also at seven in the evening`() {
        let calendar = CalendarContext(at: monday(19.5), ongoing: .init(type: .personal, endsAt: monday(21)))
        #expect(infer(.init(), 19.6, nil, calendar) == .social)
    }

    @Test func `a vehicle is a commute, also before seven`() {
        var context = ContextInference()
        move(.vehicle, 0.1, 6.7, 7.4, in: &context)
        #expect(infer(context, 6.9) == .commute)
        #expect(infer(context, 7.4) == .commute)
    }

    @Test func `before seven it is morning after the main sleep, moving or not`() {
        var context = ContextInference()
        still(-3, -1, in: &context)
        // The watch is off from 23:00 to 6:00.
        still(6, 6.2, in: &context)
        #expect(infer(context, 6.2) == .morning)
        move(.walking, 0.4, 6.21, 6.4, in: &context)
        #expect(infer(context, 6.4) == .morning)
    }

    @Test func `before seven it is preSleep for somebody who is still up and sits still`() {
        var context = ContextInference()
        move(.walking, 0.4, -3, -2.9, in: &context)
        still(-2.89, -1.5, in: &context)
        move(.walking, 0.4, -1.4, -1.2, in: &context)
        still(-1.19, 1, in: &context)
        #expect(infer(context, 1) == .preSleep)
        move(.walking, 0.4, 1.01, 1.2, in: &context)
        #expect(infer(context, 1.2) == .unknown)
    }

    @Test func `from 22 on it is preSleep, moving or not`() {
        var context = ContextInference()
        move(.walking, 0.4, 22, 22.2, in: &context)
        #expect(infer(context, 22.2) == .preSleep)
        #expect(infer(.init(), 23.5) == .preSleep)
    }

    @Test func `the listener's own hours move the evening and the morning`() throws {
        var preferences = Preferences()
        _ = try preferences.set("bedtime", to: "01:00")
        _ = try preferences.set("wakeTime", to: "09:00")
        var context = ContextInference()
        still(9, 12.1, in: &context)
        #expect(infer(context, 11, nil, nil, preferences) == .morning)
        #expect(infer(context, 11) == .relaxation)
        #expect(infer(.init(), 22.5, nil, nil, preferences) == .unknown)
        #expect(infer(.init(), 24.5, nil, nil, preferences) == .preSleep)
    }

    @Test func `seven to ten is morning while still`() {
        var context = ContextInference()
        still(6.95, 8, in: &context)
        #expect(infer(context, 7.2) == .morning)
        #expect(infer(context, 8) == .morning)
        move(.walking, 0.4, 8.01, 8.2, in: &context)
        #expect(infer(context, 8.2) == .unknown)
    }

    @Test func `half an hour of rest without a sign of work is relaxation`() {
        var context = ContextInference()
        move(.walking, 0.4, 12.5, 12.9, in: &context)
        still(12.91, 13.3, in: &context)
        #expect(infer(context, 13.3) == .unknown)
        still(13.31, 13.5, in: &context)
        #expect(infer(context, 13.5) == .relaxation)
        let working = DesktopContext(at: monday(13.5), appCategory: "productivity", idleSeconds: 5, workState: .casual)
        #expect(infer(context, 13.5, working) == .work)
        let idle = DesktopContext(at: monday(13.5), appCategory: "productivity", idleSeconds: 900, workState: .idle)
        #expect(infer(context, 13.5, idle) == .relaxation)
        let film = DesktopContext(at: monday(13.5), appCategory: "entertainment", idleSeconds: 5, workState: .casual)
        #expect(infer(context, 13.5, film) == .relaxation)
    }

    @Test func `a stretch of half a minute does not end a rest, a walk does`() {
        var context = ContextInference()
        still(13, 13.6, in: &context)
        context.observe(Motion(at: monday(13.61), intensity: 0.4, steps: 5, activity: .walking))
        still(13.62, 13.7, in: &context)
        #expect(infer(context, 13.7) == .relaxation)
        move(.walking, 0.4, 13.71, 13.75, in: &context)
        still(13.76, 13.9, in: &context)
        #expect(infer(context, 13.9) == .unknown)
    }

    @Test func `stillness and the end of a workout are kept over a restart`() throws {
        var context = ContextInference()
        still(13, 13.6, in: &context)
        context.observe(Workout(phase: .ended, sport: "running", at: monday(13.5)))
        let stored = try JSONDecoder().decode(ContextInference.self, from: try JSONEncoder().encode(context))
        #expect(stored == context)
        #expect(infer(stored, 13.6) == .postWorkout)
        #expect(stored.stillSince == monday(13))
    }

    @Test func `what the listener says they do counts before the sensors, not before a workout`() {
        var context = ContextInference()
        context.say(.social, at: monday(14))
        #expect(infer(context, 14.5, DesktopContext(at: monday(14.5), focusActive: true, focusName: "Work")) == .social)
        context.observe(Workout(phase: .started, sport: "running", at: monday(14.6)))
        #expect(infer(context, 14.7) == .workout)
    }
}
