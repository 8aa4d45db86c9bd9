import ArgumentParser
import Foundation
import Physiology
import Protocols

struct BodyBreatheCommand: BodyCommand {
    static let configuration = CommandConfiguration(
        commandName: "breathe", abstract: "A paced breathing session, with your heart before and after.",
        discussion: """
            Follow the bar. The pattern is in-out, in-hold-out or in-hold-out-hold in seconds. Ctrl-C ends it early and
            keeps what was done. Heart rate and HRV of the two minutes before and the last two minutes are told when a
            sensor measures them. Stop when you feel unwell.

            Example: resonance body breathe
            Example: resonance body breathe --minutes 5 --pattern 4-7-8
            Example: resonance body breathe --list --days 90
            """)

    private static let frame = Duration.milliseconds(100)

    @Option(help: "How long, 0.1…60.") var minutes = 3.0
    @Option(help: "Seconds of in-out, in-hold-out, or in-hold-out-hold.") var pattern = BreathingPattern.usual
    @Flag(help: "Show the sessions of the last 90 days (or of --days, --from) instead.") var list = false
    @OptionGroup var span: BodySpan
    @OptionGroup var output: OutputOptions
    @OptionGroup var place: BodyPlace

    var makesDatabase: Bool { !list }

    func validate() throws {
        guard (0.02...60).contains(minutes) else { throw ValidationError("--minutes \(minutes): must be 0.1…60") }
        if BreathingPattern(pattern) == nil {
            throw ValidationError("--pattern \(pattern): write seconds as 4-6, 4-7-8 or 4-4-4-4, each 0.5…30")
        }
    }

    func run(in household: any Household, on terminal: Terminal) async throws {
        if list { return try await showSessions(household, terminal) }
        guard let pattern = BreathingPattern(pattern) else { return }
        let breaths = max(1, Int((minutes * 60 / pattern.secondsPerBreath).rounded()))
        let seconds = Double(breaths) * pattern.secondsPerBreath
        // Where a sensor can, it measures every beat meanwhile; where it cannot, what comes anyway is used.
        _ = await household.attempt(SenseDensely(seconds: min(600, max(10, seconds))), deadline: .seconds(1))
        terminal.note(
            "\(Wording.count(breaths, "breath")) of \(Wording.decimal(pattern.secondsPerBreath, 0)) s, "
                + "\(Wording.age(seconds)); Ctrl-C ends it")
        let start = Timestamp(.now)
        try await untilInterrupted { try await Self.pace(pattern, breaths, on: terminal) }
        terminal.endProgress()
        let end = Timestamp(.now)
        let done = min(breaths, Int(end.seconds(since: start) / pattern.secondsPerBreath + 0.05))
        guard done > 0 else {
            throw CommandFailure(.finding, "ended before the first breath was over; nothing is kept")
        }
        let session = try await household.request(
            KeepBreathing(startAt: start, endAt: end, pattern: pattern.text, breaths: done))
        try terminal.answer(session, json: output.json) { session.lines(terminal) }
    }

    private static func pace(_ pattern: BreathingPattern, _ breaths: Int, on terminal: Terminal) async throws {
        let begin = ContinuousClock.now
        let total = Double(breaths) * pattern.secondsPerBreath
        while true {
            let elapsed = (ContinuousClock.now - begin) / .seconds(1)
            guard elapsed < total else { return }
            let (breath, phase, share) = pattern.moment(elapsed)
            let filled =
                switch phase {
                case .breatheIn: share
                case .holdFull: 1.0
                case .breatheOut: 1 - share
                case .holdEmpty: 0.0
                }
            terminal.progress(
                "\(Wording.pad(phase.rawValue, to: 11)) \(Wording.bar(filled, cells: 30))  \(breath)/\(breaths)")
            try await Task.sleep(for: frame)
        }
    }

    private func showSessions(_ household: any Household, _ terminal: Terminal) async throws {
        let (from, to) = try span.edges(usualDays: 90, now: Timestamp(.now), zone: terminal.timeZone)
        let page = try await household.request(ListBreathing(from: from, to: to))
        try terminal.answer(page, json: output.json) {
            guard !page.sessions.isEmpty else { return ["No breathing session in that time."] }
            return page.sessions.flatMap { $0.lines(terminal) }
        }
    }
}

extension BreathingSession {
    fileprivate func lines(_ terminal: Terminal) -> [String] {
        let length = BodyFigures.duration(minutes: endAt.seconds(since: startAt) / 60)
        var lines = [
            "\(Wording.moment(startAt, terminal.timeZone))  \(Wording.count(breaths, "breath")) of \(pattern), \(length)"
        ]
        func change(_ name: String, _ before: Double?, _ after: Double?, _ unit: String) {
            guard before != nil || after != nil else { return }
            let both = before.flatMap { before in after.map { $0 - before } }
            lines.append(
                "  \(name): \(Wording.decimal(before, 0)) → \(Wording.decimal(after, 0)) \(unit)"
                    + (both.map { " (\(Wording.signed($0, 0)))" } ?? ""))
        }
        change("heart rate", bpmBefore, bpmAfter, "BPM")
        change("HRV (RMSSD)", rmssdBeforeMs, rmssdAfterMs, "ms")
        if lines.count == 1 { lines.append("  no heart rate was measured before or meanwhile") }
        return lines
    }
}
