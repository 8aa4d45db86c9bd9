import Foundation
import Protocols

extension BodySettings {
    /// Every setting, in the order in which they are shown.
    package static let all: [Setting] = [
        .bool("alerts", \.alerts, "alerts of the body at all"),
        Setting(
            name: "alertLevel", range: "elevated high overload", meaning: "lowest stress level that is told",
            read: { $0.alertLevel.rawValue },
            write: { settings, text throws(Refusal) in
                guard let level = StressLevel(rawValue: text.lowercased()), level.rank >= StressLevel.elevated.rank
                else { throw refusal("alertLevel", "elevated, high or overload") }
                settings.alertLevel = level
            }),
        .bool("alertHigh", \.alertHigh, "tell of High Stress"),
        .bool("alertOverload", \.alertOverload, "tell of Overload"),
        .whole("alertCooldownMinutes", \.alertCooldownMinutes, 5...1440, "minutes between two stress alerts"),
        Setting(
            name: "alertConfidence", range: "0…1", meaning: "confidence below which no stress is told",
            read: { "\($0.alertConfidence)" },
            write: { settings, text throws(Refusal) in
                guard let number = Double(text), (0...1).contains(number) else {
                    throw refusal("alertConfidence", "a number 0…1")
                }
                settings.alertConfidence = number
            }),
        .bool("quietHours", \.quietHours, "no stress alerts and milestones in the quiet hours"),
        .time("quietFrom", \.quietFrom, "begin of the quiet hours, local time"),
        .time("quietTo", \.quietTo, "end of the quiet hours, local time; may lie after midnight"),
        .bool("dailySummary", \.dailySummary, "a summary each day"),
        .time("dailySummaryAt", \.dailySummaryAt, "when, local time"),
        .bool("weeklyInsight", \.weeklyInsight, "the week beside the weeks before"),
        Setting(
            name: "weeklyDay", range: weekdays.joined(separator: " "), meaning: "on which day",
            read: { weekdays[min(max($0.weeklyDay, 1), 7) - 1] },
            write: { settings, text throws(Refusal) in
                guard let day = weekdays.firstIndex(of: text.lowercased()) else {
                    throw refusal("weeklyDay", "a day of the week, such as monday")
                }
                settings.weeklyDay = day + 1
            }),
        .time("weeklyAt", \.weeklyAt, "when, local time"),
        .bool("achievements", \.achievements, "tell of milestones"),
        .whole("sleepGoalMinutes", \.sleepGoalMinutes, 240...720, "minutes of sleep wanted a night"),
        Setting(
            name: "wakeAt", range: "HH:MM or auto",
            meaning: "when to get up, local time; auto = learnt from the nights",
            read: { $0.wakeAt.map { clockText($0) } ?? "auto" },
            write: { settings, text throws(Refusal) in
                if text.lowercased() == "auto" || text.isEmpty {
                    settings.wakeAt = nil
                } else {
                    guard let minute = minute(text) else { throw refusal("wakeAt", "HH:MM or auto") }
                    settings.wakeAt = minute
                }
            }),
        .bool("bedtimeReminder", \.bedtimeReminder, "remind of bedtime"),
        .whole("bedtimeLeadMinutes", \.bedtimeLeadMinutes, 0...180, "minutes before bedtime"),
        .choice("units", \.units, "units on screens; everything is kept in metric ones"),
        .choice("loadConvention", \.loadConvention, "how fitness and fatigue are computed"),
        Setting(
            name: "startFitness", range: "0…300 or auto",
            meaning: "load per day that fitness begins with; auto = the mean of the first weeks",
            read: { $0.startFitness.map { "\($0)" } ?? "auto" },
            write: { settings, text throws(Refusal) in
                if text.lowercased() == "auto" || text.isEmpty {
                    settings.startFitness = nil
                } else {
                    guard let number = Double(text), (0...300).contains(number) else {
                        throw refusal("startFitness", "a number 0…300, or auto")
                    }
                    settings.startFitness = number
                }
            }),
        Setting(
            name: "rampCap", range: "3…8", meaning: "what fitness may rise by in a week",
            read: { "\($0.rampCap)" },
            write: { settings, text throws(Refusal) in
                guard let number = Double(text), (3...8).contains(number) else {
                    throw refusal("rampCap", "a number 3…8")
                }
                settings.rampCap = number
            }),
        .bool("morningMessage", \.morningMessage, "battery and the day's target each morning"),
        .time("morningAt", \.morningAt, "when, local time"),
        .choice("theme", \.theme, "colours of the report"),
        .choice("hrvFigure", \.hrvFigure, "which HRV figure is shown; rules always use RMSSD"),
    ]

    static let weekdays = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]

    /// Minutes since midnight of `HH:MM`, 0…1439; nil for anything else.
    package static func minute(_ text: String) -> Int? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, (1...2).contains(parts[0].count), parts[1].count == 2,
            parts.allSatisfy({ $0.allSatisfy(\.isASCIIDigit) }), let hour = Int(parts[0]), let minute = Int(parts[1]),
            hour < 24, minute < 60
        else { return nil }
        return hour * 60 + minute
    }

    /// `22:05` of minutes since midnight.
    package static func clockText(_ minute: Int) -> String {
        let wrapped = ((minute % 1440) + 1440) % 1440
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return "\(two(wrapped / 60)):\(two(wrapped % 60))"
    }

    static func refusal(_ name: String, _ wanted: String) -> Refusal {
        Refusal(code: "invalid", message: "\(name) must be \(wanted)")
    }
}

extension Character {
    fileprivate var isASCIIDigit: Bool { ("0"..."9").contains(self) }
}

extension BodySettings.Setting {
    fileprivate typealias Path<Value> = any WritableKeyPath<BodySettings, Value> & Sendable

    fileprivate static func bool(_ name: String, _ path: Path<Bool>, _ meaning: String) -> Self {
        Self(
            name: name, range: "on off", meaning: meaning, read: { $0[keyPath: path] ? "on" : "off" },
            write: { settings, text throws(Refusal) in
                switch text.lowercased() {
                case "on", "true", "yes", "1": settings[keyPath: path] = true
                case "off", "false", "no", "0": settings[keyPath: path] = false
                default: throw BodySettings.refusal(name, "on or off")
                }
            })
    }

    fileprivate static func whole(_ name: String, _ path: Path<Int>, _ range: ClosedRange<Int>, _ meaning: String)
        -> Self
    {
        let text = "\(range.lowerBound)…\(range.upperBound)"
        return Self(
            name: name, range: text, meaning: meaning, read: { "\($0[keyPath: path])" },
            write: { settings, value throws(Refusal) in
                guard let number = Int(value), range.contains(number) else {
                    throw BodySettings.refusal(name, "a whole number \(text)")
                }
                settings[keyPath: path] = number
            })
    }

    fileprivate static func time(_ name: String, _ path: Path<Int>, _ meaning: String) -> Self {
        Self(
            name: name, range: "HH:MM", meaning: meaning, read: { BodySettings.clockText($0[keyPath: path]) },
            write: { settings, value throws(Refusal) in
                guard let minute = BodySettings.minute(value) else { throw BodySettings.refusal(name, "HH:MM") }
                settings[keyPath: path] = minute
            })
    }

    fileprivate static func choice<Value: RawRepresentable<String> & CaseIterable & SendableMetatype>(
        _ name: String, _ path: Path<Value>, _ meaning: String
    ) -> Self {
        let cases = Value.allCases.map(\.rawValue)
        return Self(
            name: name, range: cases.joined(separator: " "), meaning: meaning,
            read: { $0[keyPath: path].rawValue },
            write: { settings, value throws(Refusal) in
                guard let choice = Value(rawValue: value.lowercased()) else {
                    throw BodySettings.refusal(name, cases.joined(separator: " or "))
                }
                settings[keyPath: path] = choice
            })
    }
}
