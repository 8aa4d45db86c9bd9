import ArgumentParser
import Foundation
import Protocols

struct BodyAlertsCommand: BodyCommand {
    static let configuration = CommandConfiguration(
        commandName: "alerts", abstract: "List what the body told you, and say what it may tell.",
        discussion: """
            Without options: the last alerts. Options change settings and then show those of the alerts; the whole list
            of settings is in docs/stress-sleep.md.

            Example: resonance body alerts
            Example: resonance body alerts --level overload
            Example: resonance body alerts --quiet 22:30-06:30
            Example: resonance body alerts --off
            """)

    @Option(help: "At most so many.") var limit = 20
    @Flag(help: "Tell nothing of the body any more.") var off = false
    @Flag(help: "Tell again.") var on = false
    @Option(help: "Lowest stress level that is told: elevated, high or overload.") var level: String?
    @Option(help: "Tell of High Stress: on or off.") var high: String?
    @Option(help: "Tell of Overload: on or off.") var overload: String?
    @Option(help: "Quiet hours as 22:00-07:00, or off.") var quiet: String?
    @Option(help: "Minutes between two stress alerts.") var cooldown: Int?
    @Option(help: "Time of the daily summary as 20:00, or off.") var daily: String?
    @Option(help: "Weekly insight: on or off.") var weekly: String?
    @Option(help: "Milestones: on or off.") var achievements: String?
    @Flag(help: "Show the settings of the alerts.") var settings = false
    @OptionGroup var output: OutputOptions
    @OptionGroup var place: BodyPlace

    func validate() throws {
        guard limit > 0 else { throw ValidationError("--limit must be above 0") }
        if on, off { throw ValidationError("--on and --off: choose one") }
        if let quiet, quiet != "off", quiet.split(separator: "-").count != 2 {
            throw ValidationError("--quiet takes 22:00-07:00, or off")
        }
    }

    /// Names of settings and what they become.
    private var changes: [(name: String, value: String)] {
        var changes: [(String, String)] = []
        if on || off { changes.append(("alerts", on ? "on" : "off")) }
        if let level { changes.append(("alertLevel", level)) }
        if let high { changes.append(("alertHigh", high)) }
        if let overload { changes.append(("alertOverload", overload)) }
        if let quiet {
            changes.append(("quietHours", quiet == "off" ? "off" : "on"))
            let times = quiet.split(separator: "-").map(String.init)
            if times.count == 2 { changes += [("quietFrom", times[0]), ("quietTo", times[1])] }
        }
        if let cooldown { changes.append(("alertCooldownMinutes", "\(cooldown)")) }
        if let daily {
            changes.append(("dailySummary", daily == "off" ? "off" : "on"))
            if daily != "off", daily != "on" { changes.append(("dailySummaryAt", daily)) }
        }
        if let weekly { changes.append(("weeklyInsight", weekly)) }
        if let achievements { changes.append(("achievements", achievements)) }
        return changes
    }

    private static let shown: Set = [
        "alerts", "alertLevel", "alertHigh", "alertOverload", "alertCooldownMinutes", "alertConfidence", "quietHours",
        "quietFrom", "quietTo", "dailySummary", "dailySummaryAt", "weeklyInsight", "weeklyDay", "weeklyAt",
        "achievements", "bedtimeReminder", "bedtimeLeadMinutes",
    ]

    func run(in household: any Household, on terminal: Terminal) async throws {
        for change in changes {
            _ = try await household.request(SetBodySetting(setting: change.name, value: change.value))
        }
        if settings || !changes.isEmpty {
            var list = try await household.request(GetBodySettings())
            list.rows.removeAll { !Self.shown.contains($0.name) }
            try terminal.answer(list, json: output.json) {
                var table = TextTable([.word("setting"), .word("value"), .word("range"), .text("meaning")])
                for row in list.rows { table.add(row.name, row.value, row.range, row.meaning) }
                return table.lines(width: terminal.width, style: terminal.style)
            }
            return
        }
        let page = try await household.request(
            ListAlerts(from: Timestamp(milliseconds: 0), to: BodyStressCommand.ever, limit: limit))
        try terminal.answer(page, json: output.json) { page.lines(terminal) }
    }
}

extension AlertPage {
    func lines(_ terminal: Terminal) -> [String] {
        guard !alerts.isEmpty else { return ["Nothing was told yet."] }
        return alerts.flatMap { alert in
            let when = Wording.moment(alert.at, terminal.timeZone)
            var lines = ["\(when)  \(terminal.style.bold(alert.title.printable))", "  \(alert.text)".printable]
            if let detail = alert.detail {
                lines += Wording.wrap(detail.printable, to: terminal.width.map { $0 - 2 }).map {
                    terminal.style.dim("  \($0)")
                }
            }
            return lines
        }
    }
}
