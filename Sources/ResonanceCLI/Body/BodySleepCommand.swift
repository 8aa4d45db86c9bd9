import ArgumentParser
import Foundation
import Physiology
import Protocols

struct BodySleepCommand: BodyCommand {
    static let configuration = CommandConfiguration(
        commandName: "sleep", abstract: "Show your last night, its stages and score, bedtime and trends.",
        discussion: """
            Nights come from imports. The score is 0…100: duration against your goal 50, efficiency 20, deep and REM
            20, regularity 10; what is not known is left out, and the confidence says so.

            Example: resonance body sleep
            Example: resonance body sleep --nights 14
            Example: resonance body sleep --trend month
            """)

    @Option(help: "Means over each day, week or month.") var trend: TrendStep?
    @Option(help: "So many nights, newest first.") var nights = 1
    @OptionGroup var output: OutputOptions
    @OptionGroup var place: BodyPlace

    func validate() throws {
        guard (1...3660).contains(nights) else { throw ValidationError("--nights must be 1…3660") }
        if trend == .hour { throw ValidationError("nights have no hours: choose day, week or month") }
    }

    func run(in household: any Household, on terminal: Terminal) async throws {
        let page = try await household.request(
            ListNights(from: Timestamp(milliseconds: 0), to: BodyStressCommand.ever, limit: nights))
        guard let trend else {
            try terminal.answer(page, json: output.json) { page.lines(terminal) }
            return
        }
        let end = (page.nights.first?.endAt ?? Timestamp(.now)).adding(milliseconds: 1)
        let report = try await household.request(
            GetSleepTrend(period: trend.period, from: end.adding(seconds: -trend.days * 86_400), to: end))
        try terminal.answer(report, json: output.json) { report.lines(terminal) }
    }
}

extension NightPage {
    func lines(_ terminal: Terminal) -> [String] {
        guard let last = nights.first else {
            return ["No night is known yet: import one with `resonance body import export.zip`."]
        }
        var lines = nights.count == 1 ? last.lines(terminal) : table(terminal)
        if let bedtime {
            let time = { (at: Timestamp) in String(Wording.moment(at, terminal.timeZone).suffix(5)) }
            lines += ["", terminal.style.bold("Bedtime \(time(bedtime.at)), to wake at \(time(bedtime.wakeAt))")]
            lines += bedtime.reasons.map { "  \($0)".printable }
        }
        return lines
    }

    private func table(_ terminal: Terminal) -> [String] {
        var table = TextTable([
            .word("morning"), .word("asleep"), .word("from"), .word("to"), .figure("score"), .word("quality"),
            .figure("deep"), .figure("REM"), .figure("RMSSD"), .figure("heart"),
        ])
        for night in nights {
            table.add(
                night.night, Wording.hours(night.asleepMinutes),
                String(Wording.moment(night.startAt, terminal.timeZone).suffix(5)),
                String(Wording.moment(night.endAt, terminal.timeZone).suffix(5)),
                night.score.map { "\($0)" } ?? "–", night.quality?.rawValue ?? "–",
                night.stages.map { Wording.hours($0.deepMinutes) } ?? "–",
                night.stages.map { Wording.hours($0.remMinutes) } ?? "–",
                night.rmssdMs.map { "\(Wording.decimal($0, 0)) ms" } ?? "–", Wording.decimal(night.bpm, 0))
        }
        let asleep = Sparkline.text(nights.reversed().map(\.asleepMinutes))
        return ["asleep, oldest first  \(asleep)", ""] + table.lines(width: terminal.width, style: terminal.style)
    }
}

extension SleepReport {
    func lines(_ terminal: Terminal) -> [String] {
        let time = { (at: Timestamp) in String(Wording.moment(at, terminal.timeZone).suffix(5)) }
        let score = score.map { "score \($0)\(quality.map { " (\($0.rawValue))" } ?? "")" } ?? "no score"
        var lines = [
            terminal.style.bold("Night to \(night): \(Wording.hours(asleepMinutes)) asleep, \(score)").printable,
            "\(time(startAt)) – \(time(endAt)), goal \(Wording.hours(goalMinutes)), confidence "
                + Wording.percent(confidence),
        ]
        if let inBedMinutes {
            lines.append("in bed \(Wording.hours(inBedMinutes)), awake \(Wording.hours(awakeMinutes))")
        }
        if let stages {
            let sum = max(asleepMinutes, 1)
            for (name, minutes) in [
                ("deep", stages.deepMinutes), ("REM", stages.remMinutes), ("core", stages.coreMinutes),
                ("not told", stages.unspecifiedMinutes),
            ] where minutes > 0 {
                lines.append(
                    "  \(Wording.pad(name, to: 10)) \(Wording.bar(minutes / sum, cells: 20)) \(Wording.hours(minutes))")
            }
        } else {
            lines.append("  the source tells no stages")
        }
        let known = parts.map { "\($0.name) \($0.value.map { Wording.percent($0) } ?? "unknown")" }
        lines.append(terminal.style.dim("parts of the score: \(known.joined(separator: ", "))").printable)
        if let rmssdMs { lines.append("RMSSD asleep \(Wording.decimal(rmssdMs, 0)) ms over \(hrvMinutes ?? 0) min") }
        if let bpm { lines.append("heart rate asleep \(Wording.bpm(bpm))") }
        return lines
    }
}

extension SleepTrendReport {
    func lines(_ terminal: Terminal) -> [String] {
        guard !buckets.isEmpty else { return ["No night in this span."] }
        var table = TextTable([
            .word(period), .figure("nights"), .figure("goal met"), .word("asleep"), .figure("score"),
            .figure("efficiency"), .figure("deep"), .figure("REM"), .figure("RMSSD"), .figure("shifts by"),
        ])
        for bucket in buckets {
            table.add(
                bucket.label, "\(bucket.nights)", "\(bucket.nightsMetGoal)", Wording.hours(bucket.asleepMinutes),
                Wording.decimal(bucket.score, 0), Wording.percent(bucket.efficiency),
                bucket.deepMinutes.map { Wording.hours($0) } ?? "–", bucket.remMinutes.map { Wording.hours($0) } ?? "–",
                bucket.rmssdMs.map { "\(Wording.decimal($0, 0)) ms" } ?? "–",
                bucket.middleSpreadMinutes.map { "\(Wording.decimal($0, 0)) min" } ?? "–")
        }
        var lines =
            [Sparkline.text(buckets.map(\.asleepMinutes)), ""]
            + table.lines(width: terminal.width, style: terminal.style)
        if let change {
            let isClear = change.low > 0 || change.high < 0
            lines += [
                "",
                "last \(Wording.count(change.nights, "night")) beside the \(change.nightsBefore) before: "
                    + "\(Wording.signed(change.difference, 0)) min asleep (95 % interval "
                    + "\(Wording.signed(change.low, 0)) to \(Wording.signed(change.high, 0))), "
                    + (isClear ? "a clear difference" : "no clear difference"),
            ]
        }
        return lines
    }
}

extension Wording {
    /// `7 h 05 min` of minutes.
    static func hours(_ minutes: Double) -> String {
        guard minutes.isFinite else { return "–" }
        let whole = Int(max(0, minutes).rounded())
        guard whole >= 60 else { return "\(whole) min" }
        return "\(whole / 60) h \(whole % 60 < 10 ? "0" : "")\(whole % 60) min"
    }
}
