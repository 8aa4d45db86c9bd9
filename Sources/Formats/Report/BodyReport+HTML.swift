import Foundation
import Physiology
import Protocols

extension BodyReport {
    /// One file that holds everything: no script, no font, no picture from elsewhere.
    package func html() -> String {
        let sections = [
            overview, stressSection, calendarSection, sleepSection, chartSections, insightSection, achievementSection,
            tableSections,
        ].filter { !$0.isEmpty }
        return """
            <!DOCTYPE html>
            <html lang="en" data-theme="\(theme.rawValue)">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
            <meta name="robots" content="noindex">
            <title>Body report \(date(from)) to \(date(to))</title>
            <style>\(ReportStyle.css)</style>
            </head>
            <body>
            <main>
            <h1>Body report</h1>
            <p>\(date(from)) to \(date(to)), times in \(escaped(timeZone)). Made \(escaped(generatedAt.description)).</p>
            \(sections.joined(separator: "\n"))
            <footer><p>Levels compare you with yourself: High Stress means a heart that beats faster, and beats that vary
            less, than usual for you at this time of the day while you were still. Coffee, heat, a cold or joy do the same.
            No figure here is a diagnosis.</p></footer>
            </main>
            </body>
            </html>

            """
    }

    private func escaped(_ text: String) -> String { ReportChart.escaped(text) }
    private func date(_ day: Int) -> String { "\(LocalDate(number: day))" }
    private func section(_ title: String, _ inside: String) -> String {
        inside.isEmpty ? "" : "<section>\n<h2>\(escaped(title))</h2>\n\(inside)\n</section>"
    }

    // MARK: - Stress

    private var overview: String {
        var tiles: [(String, String)] = []
        let readings = days.reduce(0) { $0 + $1.readings }
        if readings > 0 {
            let high = days.reduce(0.0) { $0 + ($1.share(from: .high) ?? 0) * Double($1.readings) } / Double(readings)
            tiles.append(("Stress readings", "\(readings) on \(days.count { $0.readings > 0 }) days"))
            tiles.append(("High Stress or Overload", "\(ReportChart.number(high * 100)) % of them"))
        }
        if let asleep = mean(of: nights.map(\.asleepMinutes)) {
            tiles.append(
                ("Sleep a night", "\(Int(asleep) / 60) h \(Int(asleep) % 60) min, \(nights.count) nights"))
        }
        if let score = mean(of: nights.compactMap(\.score)) {
            tiles.append(("Mean sleep score", ReportChart.number(score, 0)))
        }
        if let bedtime {
            let clock = LocalClock(timeZone: TimeZone(identifier: timeZone) ?? .gmt)
            tiles.append(
                ("Proposed bedtime", BodySettings.clockText(clock.minuteOfDay(of: bedtime.at))))
        }
        guard !tiles.isEmpty else { return "<p>There are no data in this span.</p>" }
        return "<dl class=\"tiles\">"
            + tiles.map { "<div><dt>\(escaped($0.0))</dt><dd>\(escaped($0.1))</dd></div>" }.joined() + "</dl>"
    }

    private var stressSection: String {
        var figures: [String] = []
        let scored = days.compactMap { day in day.score.map { (day: day.day, value: $0) } }
        if !scored.isEmpty {
            figures.append(
                ReportChart.figure(
                    id: "score", title: "Stress score by day (0 to 1; 0.40 is an average moment)",
                    description: "A line of the mean stress score of each day.",
                    svg: ReportChart.lines([scored], from: from, to: to, digits: 2),
                    header: ["Day", "Score", "Readings"],
                    rows: days.map { [$0.label, $0.score.map { ReportChart.number($0, 2) } ?? "–", "\($0.readings)"] }))
            let bars = days.map { day in
                (
                    x: Double(day.day),
                    parts: StressLevel.allCases.map {
                        (
                            style: "l-\($0.rawValue)",
                            value: 100 * Double(day.levels[$0.rawValue, default: 0]) / Double(max(day.readings, 1))
                        )
                    }
                )
            }
            figures.append(
                ReportChart.figure(
                    id: "levels", title: "Levels by day, percent of the readings",
                    description: "Stacked bars: relaxed at the bottom, overload at the top.",
                    svg: ReportChart.bars(
                        bars, from: Double(from), to: Double(to), top: 100, labels: ReportChart.dayLabels(from, to),
                        digits: 0),
                    header: ["Day"] + StressLevel.allCases.map(\.title),
                    rows: days.map { day in
                        [day.label] + StressLevel.allCases.map { "\(day.levels[$0.rawValue, default: 0])" }
                    }) + legend)
        }
        let hrv = days.compactMap { day in day.rmssdMs.map { (day: day.day, value: $0) } }
        if !hrv.isEmpty {
            figures.append(
                ReportChart.figure(
                    id: "hrv", title: "HRV of still moments by day (RMSSD, ms)",
                    description: "A line of RMSSD of each day.",
                    svg: ReportChart.lines([hrv], from: from, to: to, digits: 0), header: ["Day", "RMSSD (ms)"],
                    rows: hrv.map { [date($0.day), ReportChart.number($0.value)] }))
        }
        let hours = typicalDay.filter { $0.readings > 0 }
        if !hours.isEmpty {
            figures.append(
                ReportChart.figure(
                    id: "hours", title: "The usual day: stress score by local hour",
                    description: "Bars of the mean stress score by hour of the day.",
                    svg: ReportChart.bars(
                        hours.map {
                            (Double($0.hour ?? 0), [(style: "l-\($0.level?.rawValue ?? "none")", value: $0.score ?? 0)])
                        }, from: 0, to: 23, top: 1,
                        labels: stride(from: 0, through: 21, by: 3).map {
                            (Double($0), BodySettings.clockText($0 * 60))
                        },
                        digits: 2, mark: StressScale.personalMean),
                    header: ["Hour", "Score", "Readings"],
                    rows: hours.map { [$0.label, $0.score.map { ReportChart.number($0, 2) } ?? "–", "\($0.readings)"] })
            )
        }
        return section("Stress", figures.joined(separator: "\n"))
    }

    private var legend: String {
        "<ul class=\"legend\">"
            + StressLevel.allCases.map { "<li><span class=\"key l-\($0.rawValue)\"></span>\(escaped($0.title))</li>" }
            .joined() + "</ul>"
    }

    private var calendarSection: String {
        guard let first = calendar.first else { return "" }
        var cells = String(repeating: "<td></td>", count: LocalDate.weekday(of: first.day) - 1)
        var rows: [String] = []
        for day in calendar {
            let title = day.level?.title ?? StressLevel.undefinedTitle
            // The initial stands beside the colour, for those who do not see it.
            cells +=
                "<td class=\"l-\(day.level?.rawValue ?? "none")\"><abbr title=\"\(day.date): \(escaped(title)), \(day.readings) readings\">\(day.date.suffix(2)) \(day.level == nil ? "–" : String(title.prefix(1)))</abbr></td>"
            if LocalDate.weekday(of: day.day) == 7 {
                rows.append("<tr><th scope=\"row\">\(date(day.day - 6).dropFirst(5))</th>\(cells)</tr>")
                cells = ""
            }
        }
        if !cells.isEmpty, let last = calendar.last {
            rows.append(
                "<tr><th scope=\"row\">\(date(LocalDate.weekStart(of: last.day)).dropFirst(5))</th>\(cells)</tr>")
        }
        let head = LocalDate.weekdayNames.map { "<th scope=\"col\">\($0.prefix(2))</th>" }.joined()
        let note =
            calendar.contains(where: \.isProvisional)
            ? "<p>Days are judged by the scale of single moments until 14 days are known.</p>" : ""
        return section(
            "Calendar",
            "<div class=\"scroll\"><table class=\"calendar\"><caption>Level of each day among your days: R Relaxed, N Normal, E Elevated, H High Stress, O Overload.</caption><thead><tr><th scope=\"col\">Week of</th>\(head)</tr></thead><tbody>\(rows.joined(separator: "\n"))</tbody></table></div>\(note)"
        )
    }

    // MARK: - Sleep

    private var sleepSection: String {
        guard !nights.isEmpty else { return "" }
        let bars = nights.map { night -> (x: Double, parts: [(style: String, value: Double)]) in
            guard let stages = night.stages else {
                return (Double(night.day), [("s-asleep", night.asleepMinutes / 60)])
            }
            return (
                Double(night.day),
                [
                    ("s-deep", stages.deepMinutes / 60), ("s-core", stages.coreMinutes / 60),
                    ("s-rem", stages.remMinutes / 60), ("s-asleep", stages.unspecifiedMinutes / 60),
                ]
            )
        }
        let goal = (nights.last?.goalMinutes ?? 480) / 60
        let top = max(nights.map(\.asleepMinutes).max() ?? 0, goal * 60) / 60 * 1.1
        let figure = ReportChart.figure(
            id: "sleep", title: "Sleep by night (hours; the line is the goal)",
            description: "Stacked bars of deep, core and REM sleep.",
            svg: ReportChart.bars(
                bars, from: Double(from), to: Double(to), top: top, labels: ReportChart.dayLabels(from, to), digits: 1,
                mark: goal), header: ["Night", "Asleep (min)", "Deep", "Core", "REM", "Awake", "Score", "RMSSD (ms)"],
            rows: nights.map { night in
                let minutes = { (value: Double?) in value.map { ReportChart.number($0, 0) } ?? "–" }
                return [
                    night.date, minutes(night.asleepMinutes), minutes(night.stages?.deepMinutes),
                    minutes(night.stages?.coreMinutes), minutes(night.stages?.remMinutes), minutes(night.awakeMinutes),
                    minutes(night.score), minutes(night.rmssdMs),
                ]
            })
        let legend =
            "<ul class=\"legend\"><li><span class=\"key s-deep\"></span>Deep</li><li><span class=\"key s-core\"></span>Core</li><li><span class=\"key s-rem\"></span>REM</li><li><span class=\"key s-asleep\"></span>Asleep, stage not told</li></ul>"
        let reasons = bedtime.map { "<p>\(escaped($0.reasons.joined(separator: " ")))</p>" } ?? ""
        return section("Sleep", figure + legend + reasons)
    }

    // MARK: - The rest

    private var chartSections: String {
        charts.enumerated().map { index, chart in
            let points = chart.lines.map { $0.points.map { (day: $0.day, value: $0.value) } }
            guard !points.allSatisfy(\.isEmpty) else { return "" }
            let days = Set(points.flatMap { $0.map(\.day) }).sorted()
            let values = chart.lines.map { line in
                Dictionary(line.points.map { ($0.day, $0.value) }) { first, _ in first }
            }
            let legend =
                "<ul class=\"legend\">"
                + chart.lines.enumerated().map {
                    "<li><span class=\"key f\($0 % 5)\"></span>\(escaped($1.name))</li>"
                }.joined() + "</ul>"
            let title = chart.unit.isEmpty ? chart.title : "\(chart.title) (\(chart.unit))"
            return section(
                chart.title,
                ReportChart.figure(
                    id: "chart\(index)", title: title,
                    description: "Lines: " + chart.lines.map(\.name).joined(separator: ", "),
                    svg: ReportChart.lines(points, from: from, to: to, digits: 1),
                    header: ["Day"] + chart.lines.map(\.name),
                    rows: days.map { day in
                        [date(day)] + values.map { $0[day].map { ReportChart.number($0) } ?? "–" }
                    }) + legend + (chart.note.map { "<p>\(escaped($0))</p>" } ?? ""))
        }.filter { !$0.isEmpty }.joined(separator: "\n")
    }

    private var insightSection: String {
        guard !insights.isEmpty else { return "" }
        let sorted = insights.filter(\.isClear) + insights.filter { !$0.isClear }
        return section(
            WeeklyInsight.title, "<ul>" + sorted.map { "<li>\(escaped($0.sentence))</li>" }.joined() + "</ul>")
    }

    private var achievementSection: String {
        guard !achievements.isEmpty else { return "" }
        return section(
            "Milestones",
            "<ul>"
                + achievements.map {
                    "<li><strong>\(escaped($0.title))</strong> (\(date($0.day))): \(escaped($0.text))</li>"
                }.joined() + "</ul>")
    }

    private var tableSections: String {
        tables.map { section($0.title, $0.rows.isEmpty ? "" : ReportChart.table(header: $0.header, rows: $0.rows)) }
            .filter { !$0.isEmpty }.joined(separator: "\n")
    }
}
