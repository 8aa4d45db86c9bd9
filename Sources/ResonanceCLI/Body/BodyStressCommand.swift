import ArgumentParser
import Foundation
import Physiology
import Protocols

/// How long one row of a trend is.
enum TrendStep: String, ExpressibleByArgument, CaseIterable {
    case hour, day, week, month

    var period: String {
        switch self {
        case .hour: "hourly"
        case .day: "daily"
        case .week: "weekly"
        case .month: "monthly"
        }
    }

    /// Days back that are shown when nothing else is said.
    var days: Double {
        switch self {
        case .hour: 2
        case .day: 30
        case .week: 182
        case .month: 730
        }
    }
}

struct BodyStressCommand: BodyCommand {
    static let configuration = CommandConfiguration(
        commandName: "stress", abstract: "Show your stress now, today's course, trends and the calendar.",
        discussion: """
            A reading is made every six minutes while you are still; it compares you with yourself at this time of the
            day. Levels: Relaxed, Normal, Elevated, High Stress, Overload. Caffeine, heat, a cold and joy raise it, too.

            Example: resonance body stress
            Example: resonance body stress --trend week
            Example: resonance body stress --calendar --days 90
            """)

    /// Later than any reading.
    static let ever = Timestamp(milliseconds: 4_102_444_800_000)
    /// More than a day has.
    private static let dayReadings = 2000

    @Option(help: "Rows of this length: hour, day, week or month.") var trend: TrendStep?
    @Flag(help: "A level for each day.") var calendar = false
    @Option(help: "So many days back from the newest reading.") var days: Int?
    @OptionGroup var output: OutputOptions
    @OptionGroup var place: BodyPlace

    func validate() throws {
        if let days, !(1...3660).contains(days) { throw ValidationError("--days must be 1…3660") }
        if calendar, trend != nil { throw ValidationError("--calendar and --trend are two views: choose one") }
        if days != nil, !calendar, trend == nil { throw ValidationError("--days goes with --trend or --calendar") }
    }

    func run(in household: any Household, on terminal: Terminal) async throws {
        let newest = try await household.request(
            ListStress(from: Timestamp(milliseconds: 0), to: Self.ever, limit: 1)
        ).readings.first
        let clock = LocalClock(timeZone: terminal.timeZone)
        let end = (newest?.at ?? Timestamp(.now)).adding(milliseconds: 1)
        func since(_ days: Double) -> Timestamp { end.adding(seconds: -days * 86_400) }
        if let trend {
            let report = try await household.request(
                GetStressTrend(period: trend.period, from: since(days.map(Double.init) ?? trend.days), to: end))
            try terminal.answer(report, json: output.json) { report.lines(terminal) }
        } else if calendar {
            let report = try await household.request(
                GetStressCalendar(from: since(days.map(Double.init) ?? 56), to: end))
            try terminal.answer(report, json: output.json) { report.lines(terminal) }
        } else {
            var view = StressView(now: newest)
            if let newest {
                let begin = clock.start(ofDay: clock.day(of: newest.at))
                view.today = try await household.request(
                    ListStress(from: begin, to: end, limit: Self.dayReadings)
                ).readings.reversed()
            }
            try terminal.answer(view, json: output.json) { view.lines(terminal, at: Timestamp(.now)) }
        }
    }
}

/// The newest reading and the day that it belongs to.
struct StressView: Encodable {
    var now: StressReading?
    /// Oldest first.
    var today: [StressReading] = []

    /// Readings without a newer one for this long are of the past, s.
    private static let fresh = 900.0

    func lines(_ terminal: Terminal, at moment: Timestamp) -> [String] {
        guard let now else {
            return ["No stress reading yet: one is made when a sensor tells a heart rate while you are still."]
        }
        var lines = now.lines(terminal)
        let age = moment.seconds(since: now.at)
        if age > Self.fresh { lines.append(terminal.style.dim("(\(Wording.age(age)) ago)")) }
        lines += course(terminal)
        return lines
    }

    /// One bar an hour, and how the day was shared out.
    private func course(_ terminal: Terminal) -> [String] {
        let clock = LocalClock(timeZone: terminal.timeZone)
        let buckets = StressTrend.buckets(of: today, .hourly, clock: clock)
        let byHour = Dictionary(buckets.compactMap { bucket in bucket.hour.map { ($0, bucket) } }) { first, _ in first }
        guard let last = byHour.keys.max() else { return [] }
        let bars = Sparkline.text((0...last).map { byHour[$0]?.score }, range: 0...1)
        var lines = ["", "that day, by hour  0h \(bars) \(last)h"]
        let measured = today.filter(\.isMeasured)
        if !measured.isEmpty {
            let shares = StressLevel.allCases.compactMap { level -> String? in
                let count = measured.count { $0.level?.value == level }
                guard count > 0 else { return nil }
                return "\(level.title) \(Wording.percent(Double(count) / Double(measured.count)))"
            }
            lines.append("\(Wording.count(measured.count, "reading")): \(shares.joined(separator: ", "))")
        }
        return lines
    }
}

extension StressReading {
    func lines(_ terminal: Terminal) -> [String] {
        let style = terminal.style
        let title = level?.value.map { style.bold($0.title) } ?? gateWords
        let when = Wording.moment(at, terminal.timeZone)
        var lines = [
            "\(title)   score \(Wording.decimal(score)), confidence \(Wording.percent(confidence)), \(when)"
        ]
        var made: [String] = []
        if isHeld == true { made.append("nothing new was measured; the last still value, fading") }
        if let quality = quality?.rawValue { made.append("quality \(quality)") }
        if let source = source?.rawValue { made.append(source) }
        if let bpm { made.append(Wording.bpm(bpm)) }
        if let rmssdMs { made.append("RMSSD \(Wording.decimal(rmssdMs, 0)) ms") }
        made.append(isPersonal == true ? "your own scale" : "the scale of everybody until 14 days are there")
        lines.append(style.dim(made.joined(separator: ", ").printable))
        for factor in factors {
            let name = Self.names[factor.name] ?? factor.name.printable
            let place = factor.isContext == true ? "beside the score" : "in the score"
            lines.append(
                "  \(Wording.pad(name, to: 24)) \(Wording.signed(factor.impact)) \(style.dim(place))")
        }
        return lines
    }

    private var gateWords: String {
        switch gate.value {
        case .active: "No level: you are moving"
        case .recovering: "No level: your heart recovers from movement"
        default: "No level"
        }
    }

    private static let names = [
        "rhrElevation": "heart rate", "hrvDeviation": "heart-rate variability", "activityLevel": "movement",
        "sleepQuality": "last night", "timeOfDay": "this hour of the day",
    ]
}

extension StressTrendReport {
    func lines(_ terminal: Terminal) -> [String] {
        guard !buckets.isEmpty else { return ["No stress reading in this span."] }
        var table = TextTable([
            .word(period), .word("score"), .word(""), .word("level"), .figure("readings"), .figure("high"),
            .figure("RMSSD"), .figure("heart"),
        ])
        for bucket in buckets {
            let high = ["high", "overload"].reduce(0) { $0 + bucket.levels[$1, default: 0] }
            table.add(
                bucket.label, Wording.decimal(bucket.score),
                bucket.score.map { Wording.bar($0, cells: 10) } ?? "",
                bucket.level?.value?.title ?? StressLevel.undefinedTitle, "\(bucket.readings)",
                bucket.readings > 0 ? Wording.percent(Double(high) / Double(bucket.readings)) : "–",
                bucket.rmssdMs.map { "\(Wording.decimal($0, 0)) ms" } ?? "–", Wording.decimal(bucket.bpm, 0))
        }
        return [Sparkline.text(buckets.map(\.score), range: 0...1), ""]
            + table.lines(width: terminal.width, style: terminal.style)
    }
}

extension StressCalendarReport {
    /// Weeks from Monday, a letter for each day.
    func lines(_ terminal: Terminal) -> [String] {
        guard days.contains(where: { $0.readings > 0 }) else { return ["No stress reading in this span."] }
        let numbered = days.compactMap { day in LocalDate(day.date).map { (number: $0.number, day: day) } }
        let weeks = Dictionary(grouping: numbered) { LocalDate.weekStart(of: $0.number) }
        var lines = [terminal.style.dim("WEEK OF     Mo Tu We Th Fr Sa Su")]
        for (start, days) in weeks.sorted(by: { $0.key < $1.key }) {
            let byDay = Dictionary(days.map { ($0.number - start, $0.day) }) { first, _ in first }
            let cells = (0..<7).map { index in byDay[index].map { cell($0, terminal.style) } ?? "  " }
            var line = "\(LocalDate(number: start))  \(cells.joined(separator: " "))"
            while line.last == " " { line.removeLast() }
            lines.append(line)
        }
        lines.append("")
        lines.append("R relaxed, N normal, E elevated, H high stress, O overload, · too few readings")
        if days.contains(where: { $0.isProvisional && $0.level != nil }) {
            lines.append("? judged by the scale of moments: 14 days are needed to compare days with days")
        }
        return lines
    }

    private func cell(_ day: Day, _ style: TextStyle) -> String {
        guard let level = day.level?.value else { return " ·" }
        let letter = level.rawValue.prefix(1).uppercased()
        let mark = day.isProvisional ? "\(letter)?" : " \(letter)"
        return switch level {
        case .relaxed: style.green(mark)
        case .normal: style.cyan(mark)
        case .elevated: style.yellow(mark)
        case .high, .overload: style.red(mark)
        }
    }
}
