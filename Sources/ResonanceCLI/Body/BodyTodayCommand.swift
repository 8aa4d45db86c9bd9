import ArgumentParser
import Foundation
import Physiology
import Protocols

struct BodyTodayCommand: BodyCommand {
    static let configuration = CommandConfiguration(
        commandName: "today", abstract: "Your day: heart, HRV, sleep, battery, stress, training, what you drank.",
        discussion: """
            Each figure stands beside the week before it. Where today has no measurement yet, the newest day that has one
            is shown and named.

            Example: resonance body today
            Example: resonance body today --date 2026-01-31 --json
            Example: resonance body today --units imperial
            """)

    @Option(help: "Another day, as 2026-01-31.") var date: String?
    @OptionGroup var units: UnitsOption
    @OptionGroup var output: OutputOptions
    @OptionGroup var place: BodyPlace

    func validate() throws {
        if let date, LocalDate(date) == nil {
            throw ValidationError("--date \(date): write a day as 2026-01-31")
        }
    }

    func run(in household: any Household, on terminal: Terminal) async throws {
        let clock = LocalClock(timeZone: terminal.timeZone)
        let now = Timestamp(.now)
        let wanted = date.flatMap { LocalDate($0)?.number }
        let end = wanted.map { clock.start(ofDay: $0 + 1) } ?? now.adding(seconds: 60)
        let page = try await household.request(ListDays(from: Timestamp(milliseconds: 0), to: end, limit: 800))
        let journal = try await household.request(
            ListJournal(from: clock.start(ofDay: clock.day(of: now)), to: now.adding(seconds: 600), limit: 200))
        let today = BodyToday(
            days: page.days, wanted: "\(LocalDate(number: wanted ?? clock.day(of: now)))", isExact: wanted != nil,
            journal: wanted == nil ? journal : nil)
        let figures = await units.figures(in: household)
        try terminal.answer(today, json: output.json) { today.lines(figures, terminal) }
        if today.day == nil {
            throw CommandFailure(
                .finding, "there is no measurement\(wanted == nil ? "" : " on that day")",
                cure: "wear a sensor, or bring what you have with `resonance body import FILE`")
        }
    }
}

/// A day beside the week before it.
struct BodyToday: Encodable, Equatable {
    /// The day that was asked for.
    var wanted: String
    /// That day, or the newest with a measurement; absent when there is none.
    var day: DaySummary?
    /// Days before it, up to seven, oldest first.
    var before: [DaySummary]
    var caffeineNowMg: Double?
    var caffeineClearsAt: Timestamp?

    /// - Parameters:
    ///   - days: oldest first, up to the wanted one.
    ///   - isExact: no other day stands in for the wanted one.
    init(days: [DaySummary], wanted: String, isExact: Bool, journal: JournalPage?) {
        self.wanted = wanted
        let index = days.lastIndex { isExact ? $0.date == wanted : $0.hasMeasurement }
        day = index.map { days[$0] }
        let number = day.flatMap { LocalDate($0.date)?.number }
        before = days.filter { other in
            guard let number, let day = LocalDate(other.date)?.number else { return false }
            return (number - 7..<number).contains(day)
        }
        caffeineNowMg = journal.flatMap { $0.caffeineNowMg > 0 ? $0.caffeineNowMg : nil }
        caffeineClearsAt = journal?.caffeineClearsAt
    }

    func lines(_ figures: BodyFigures, _ terminal: Terminal) -> [String] {
        guard let day else { return ["Nothing is known about \(wanted) yet."] }
        let title = day.date == wanted ? day.date : "\(day.date) (the newest day with a measurement)"
        var rows: [(String, String)] = []
        func row(_ name: String, _ path: KeyPath<DaySummary, Double?>, _ digits: Int, _ unit: String) {
            guard let value = day[keyPath: path] else { return }
            rows.append((name, "\(Wording.decimal(value, digits)) \(unit)" + week(path, digits)))
        }
        row("resting heart rate", \.restingBpm, 0, "BPM")
        row("HRV (RMSSD)", \.rmssdMs, 0, "ms")
        row("HRV (SDNN)", \.sdnnMs, 0, "ms")
        if let asleep = day.asleepMinutes {
            let score = day.sleepScore.map { ", score \($0)" } ?? ""
            rows.append(("asleep", BodyFigures.duration(minutes: asleep) + score))
        }
        rows += day.batteryRows
        if let stress = day.stress {
            rows.append(
                ("stress", "\(Wording.decimal(stress)) over \(Wording.count(day.stressReadings ?? 0, "reading"))"))
        }
        rows += day.trainingRows
        row("steps", \.steps, 0, "")
        row("active energy", \.activeEnergyKcal, 0, "kcal")
        if let ml = day.hydrationMl { rows.append(("drunk", figures.volume(ml))) }
        if day.caffeineMg != nil || caffeineNowMg != nil {
            var text = "\(Wording.decimal(day.caffeineMg ?? 0, 0)) mg"
            if let left = caffeineNowMg { text += ", some \(Wording.decimal(left, 0)) mg left" }
            if let caffeineClearsAt {
                text += ", below 25 mg at \(Wording.moment(caffeineClearsAt, terminal.timeZone).suffix(5))"
            }
            rows.append(("caffeine", text))
        }
        return [terminal.style.bold(title)]
            + rows.map { Wording.pad($0.0, to: 20) + $0.1.trimmingCharacters(in: .whitespaces) }
    }

    /// The mean of the week before, where there is one.
    private func week(_ path: KeyPath<DaySummary, Double?>, _ digits: Int) -> String {
        let known = before.compactMap { $0[keyPath: path] }
        guard known.count >= 3, let mean = mean(of: known) else { return "" }
        return "  (week before: \(Wording.decimal(mean, digits)))"
    }
}

extension DaySummary {
    /// True when anything of that day was measured or said.
    var hasMeasurement: Bool {
        workouts > 0
            || [restingBpm, rmssdMs, sdnnMs, asleepMinutes, stress, steps, activeEnergyKcal, hydrationMl, caffeineMg]
                .contains { $0 != nil }
    }

    fileprivate var batteryRows: [(String, String)] {
        guard let battery else { return [] }
        let zoneName = zone.map { " (\(BatteryZone(rawValue: $0)?.name ?? $0))" } ?? ""
        var rows = [("battery", Wording.decimal(battery, 0) + zoneName)]
        if let guidanceLow, let guidanceHigh {
            rows.append(
                (
                    "guidance",
                    "a load of \(Wording.decimal(guidanceLow, 0))…\(Wording.decimal(guidanceHigh, 0)) suits today"
                ))
        }
        if let illness, illness != "none" {
            rows.append(("unusual", "\(illness): heart rate and HRV are unusual; no diagnosis, a reason to go easy"))
        }
        return rows
    }

    fileprivate var trainingRows: [(String, String)] {
        var rows: [(String, String)] = []
        if workouts > 0 {
            let load = load.map { ", load \(Wording.decimal($0, 0))" } ?? ""
            rows.append(("training", Wording.count(workouts, "workout") + load))
        }
        if let fitness, let fatigue {
            let form = form.map { ", form \(Wording.signed($0, 0))" } ?? ""
            let calibrating = calibratingDays.map { ", calibrating for \(Wording.count($0, "day")) more" } ?? ""
            rows.append(
                (
                    "fitness",
                    "\(Wording.decimal(fitness, 0)), fatigue \(Wording.decimal(fatigue, 0))" + form + calibrating
                ))
        }
        return rows
    }
}
