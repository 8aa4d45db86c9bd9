import ArgumentParser
import Physiology
import Protocols

struct BodyBatteryCommand: BodyCommand {
    static let configuration = CommandConfiguration(
        commandName: "battery", abstract: "How ready you are today, 0…100, what suits the day, and why.",
        discussion: """
            Made of fitness and fatigue, HRV and resting heart rate; docs/training.md has the formulas. A bar is a day: the
            last 7 and the last 90, or as many as --days says. It is no diagnosis.

            Example: resonance body battery
            Example: resonance body battery --days 365 --json
            """)

    @Option(help: ArgumentHelp("The longer row of bars, in days, 1…400.", valueName: "number")) var days = 90
    @OptionGroup var output: OutputOptions
    @OptionGroup var place: BodyPlace

    func validate() throws {
        guard (1...400).contains(days) else { throw ValidationError("--days \(days): must be 1…400") }
    }

    func run(in household: any Household, on terminal: Terminal) async throws {
        let history = try await household.request(GetBattery(days: days), deadline: .seconds(60))
        try terminal.answer(history, json: output.json) { history.lines(terminal) }
        if history.latest == nil {
            throw CommandFailure(
                .finding, "there is no battery yet: no workout, night or morning reading is known",
                cure: "bring what you have with `resonance body import FILE`, or wear a sensor")
        }
    }
}

extension BatteryHistory {
    private static let week = 7

    func lines(_ terminal: Terminal) -> [String] {
        guard let latest else { return ["Nothing is known of your body yet."] }
        let style = terminal.style
        let title = latest.title ?? "Battery \(latest.battery)"
        var lines = [
            style.bold("\(latest.day)  \(title)") + style.dim("  confidence \(Wording.percent(latest.confidence))")
        ]
        if let text = latest.text { lines += Wording.wrap(text, to: terminal.width) }
        lines += latest.reasons.map { "  – \($0)" }
        lines.append(
            "fitness \(Wording.decimal(latest.fitness, 0)), fatigue \(Wording.decimal(latest.fatigue, 0))"
                + (latest.form.map { ", form \(Wording.signed($0, 0))" } ?? "")
                + (latest.formPercent.map { " (\(Wording.signed($0, 0)) %)" } ?? "")
                + (latest.rampPerWeek.map { ", \(Wording.signed($0, 1)) in a week" } ?? "")
                + style.dim(latest.convention.map { "  \($0)" } ?? ""))
        lines.append("HRV and resting heart rate: \(Wording.signed(latest.adjustment, 1)) points")
        if let vo2max = latest.vo2max {
            lines.append(
                "VO2max estimated at \(Wording.decimal(vo2max, 0)) ± \(Wording.decimal(latest.vo2maxError, 0)) ml/(kg·min)"
            )
        }
        let width = terminal.width.map { max(20, $0 - 20) } ?? .max
        for count in [Self.week, days.count] where count == Self.week || days.count > Self.week {
            let shown = bars(count).suffix(width)
            lines.append("\(Wording.pad("\(shown.count) days", to: 9))\(style.cyan(Sparkline.battery(Array(shown))))")
        }
        return lines
    }

    /// One value for every calendar day up to the newest.
    private func bars(_ count: Int) -> [Int?] {
        let byDay = days.reduce(into: [Int: Int]()) { bars, day in
            if let number = LocalDate(day.date)?.number { bars[number] = day.battery }
        }
        guard let last = byDay.keys.max(), let first = byDay.keys.min() else { return [] }
        return (max(first, last - count + 1)...last).map { byDay[$0] }
    }
}
