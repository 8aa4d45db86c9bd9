import ArgumentParser
import Physiology
import Protocols

struct BodyLoadCommand: BodyCommand {
    static let configuration = CommandConfiguration(
        commandName: "load", abstract: "Training load: fitness, fatigue, form and ramp, day by day.",
        discussion: """
            Every calendar day counts, a day of rest with 0. exponential is the default; trainingpeaks and intervals are
            how these services compute the same figures. `resonance body settings set loadConvention NAME` makes one yours.

            Example: resonance body load
            Example: resonance body load --convention trainingpeaks --days 180 --json
            """)

    @Option(help: "exponential, trainingpeaks or intervals (default: what is set).")
    var convention: TrainingArguments.FitnessConventionArgument?
    @Option(help: ArgumentHelp("The last so many days, 1…3000.", valueName: "number")) var days = 90
    @OptionGroup var output: OutputOptions
    @OptionGroup var place: BodyPlace

    func validate() throws {
        guard (1...3000).contains(days) else { throw ValidationError("--days \(days): must be 1…3000") }
    }

    func run(in household: any Household, on terminal: Terminal) async throws {
        let report = try await household.request(
            GetLoad(convention: convention?.rawValue, days: days), deadline: .seconds(60))
        try terminal.answer(report, json: output.json) { report.lines(terminal) }
        if report.days.isEmpty {
            throw CommandFailure(
                .finding, "no workout is known yet",
                cure: "bring what you have with `resonance body import FILE`")
        }
    }
}

extension LoadReport {
    /// Days of the table; the bars show all.
    private static let rows = 14

    func lines(_ terminal: Terminal) -> [String] {
        guard let first = days.first, let last = days.last else { return ["No workout is known yet."] }
        let style = terminal.style
        var lines = [style.bold("\(first.date) … \(last.date)") + style.dim("  \(convention), form \(formWords)")]
        let width = terminal.width.map { max(20, $0 - 30) } ?? .max
        let shown = days.suffix(width)
        func fromZero(_ values: [Double]) -> ClosedRange<Double> { 0...max(1, values.max() ?? 1) }
        let (loads, fitness, fatigue) = (shown.map(\.load), shown.map(\.fitness), shown.map(\.fatigue))
        let figures: [(String, [Double], ClosedRange<Double>?)] = [
            ("load", loads, fromZero(loads)), ("fitness", fitness, fromZero(fitness)),
            ("fatigue", fatigue, fromZero(fatigue)), ("form", shown.map(\.form), nil),
        ]
        for (name, values, range) in figures {
            let ends = "\(Wording.decimal(values.first, 0))→\(Wording.decimal(values.last, 0))"
            lines.append("\(Wording.pad(name, to: 9))\(style.cyan(Sparkline.text(values, range: range)))  \(ends)")
        }
        if let calibratingDays {
            lines.append(
                "Calibrating: \(Wording.count(calibratingDays, "more day", "more days")) until form means something.")
        }
        var table = TextTable([
            .word("day"), .figure("load"), .figure("fitness"), .figure("fatigue"), .figure("form"),
            .figure("ramp a week"),
        ])
        for day in days.suffix(Self.rows) {
            table.add(
                day.date, Wording.decimal(day.load, 0), Wording.decimal(day.fitness, 1),
                Wording.decimal(day.fatigue, 1), Wording.signed(day.form, 1), Wording.signed(day.rampPerWeek, 1))
        }
        return lines + table.lines(width: terminal.width, style: style)
    }

    private var formWords: String { formOfTheMorning ? "before the day's training" : "after the day's training" }
}
