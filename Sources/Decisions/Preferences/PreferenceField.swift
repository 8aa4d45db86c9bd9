import Foundation
import Protocols

/// Why a preference was not set.
package enum PreferenceError: Error, Equatable, CustomStringConvertible {
    case unknownName(String, known: [String])
    case invalid(name: String, value: String, range: String)

    package var description: String {
        switch self {
        case .unknownName(let name, let known):
            "There is no preference \"\(name)\". Known: \(known.joined(separator: ", "))."
        case .invalid(let name, let value, let range): "\"\(value)\" is no value for \(name); give \(range)."
        }
    }
}

/// One preference by name: its range, its unit, and how it reads and writes as text.
package struct PreferenceField: Sendable {
    package let name: String
    package let range: String
    package let unit: String
    package let summary: String
    package let isWeight: Bool
    let read: @Sendable (Preferences) -> String
    /// Returns false when the text is outside the range.
    let write: @Sendable (inout Preferences, String) -> Bool

    /// All of them, in the order in which they are shown.
    package static let all: [PreferenceField] = [
        weight("bpmWeight", \.bpmWeight, "Share of tempo in the score"),
        weight("energyWeight", \.energyWeight, "Share of energy in the score"),
        weight("familiarityWeight", \.familiarityWeight, "Share of familiarity in the score"),
        weight("historicalWeight", \.historicalWeight, "Share of what songs did for you before in the score"),
        weight("contextWeight", \.contextWeight, "Share of fitting what you do in the score"),
        number("avoidRecentMinutes", 0...1440, "min", \.avoidRecentMinutes, "A song does not come back within"),
        whole(
            "maxSameArtistInRow", 1...10, "songs", \.maxSameArtistInRow, "At most so many songs of one artist in a row"),
        number("artistWindowMinutes", 0...240, "min", \.artistWindowMinutes, "An artist does not come back within"),
        flag("preferFamiliarInStress", \.preferFamiliarInStress, "Prefer familiar songs under stress"),
        number("morningMaxBPM", 60...200, "BPM", \.morningMaxBPM, "Fastest automatic pick in the morning"),
        number("nightMaxBPM", 60...200, "BPM", \.nightMaxBPM, "Fastest automatic pick at night"),
        whole("nightStartHour", 18...23, "hour", \.nightStartHour, "Night limits start at"),
        whole("morningEndHour", 6...12, "hour", \.morningEndHour, "Morning limits end at"),
        number("skipPenaltyWeight", 0...1, "", \.skipPenaltyWeight, "How much a skip counts when learning"),
        number(
            "hrvResponseWeight", 0...1, "", \.hrvResponseWeight, "Share of heart-rate variability in your body's answer"
        ),
        flag("shareAnalytics", \.shareAnalytics, "Nothing is sent anywhere; kept for compatibility"),
        flag("backupToiCloud", \.backupToiCloud, "Health data never goes to a cloud; use export instead"),
        number(
            "varietyWeight", 0...0.3, "score", \.varietyWeight,
            "What a song loses for having been heard a lot in the last days, 0 = off"),
        number("randomShare", 0...0.2, "share", \.randomShare, "Share of picks drawn at random, 0 = off"),
        flag("djMode", \.djMode, "The crown steers energy and intensity instead of volume"),
        PreferenceField(
            name: "neverPlay", range: "song ids or artist:Name, separated by ;", unit: "", summary: "Never played",
            isWeight: false, read: { $0.neverPlay.joined(separator: "; ") },
            write: {
                $0.neverPlay = list($1)
                return true
            }),
        whole("retentionDays", 0...3650, "days", \.retentionDays, "Plays and states are kept so long, 0 = for ever"),
        PreferenceField(
            name: "workFocusNames", range: "words separated by ;", unit: "",
            summary: "Focus modes with one of these words in the name mean work", isWeight: false,
            read: { $0.workFocusNames.joined(separator: "; ") },
            write: {
                $0.workFocusNames = list($1)
                return true
            }),
        clock("bedtime", \.bedtime, "Usual bedtime"),
        clock("wakeTime", \.wakeTime, "Usual wake time"),
    ]

    private static func weight(
        _ name: String, _ path: any WritableKeyPath<Preferences, Double> & Sendable, _ summary: String
    ) -> PreferenceField {
        let plain = number(name, 0...1, "share", path, summary)
        return PreferenceField(
            name: name, range: plain.range, unit: "share", summary: summary, isWeight: true, read: plain.read,
            write: plain.write)
    }

    private static func number(
        _ name: String, _ range: ClosedRange<Double>, _ unit: String,
        _ path: any WritableKeyPath<Preferences, Double> & Sendable, _ summary: String
    ) -> PreferenceField {
        PreferenceField(
            name: name, range: "\(text(range.lowerBound))…\(text(range.upperBound))", unit: unit, summary: summary,
            isWeight: false, read: { text($0[keyPath: path]) },
            write: {
                guard let value = Double($1), range.contains(value) else { return false }
                $0[keyPath: path] = value
                return true
            })
    }

    private static func whole(
        _ name: String, _ range: ClosedRange<Int>, _ unit: String,
        _ path: any WritableKeyPath<Preferences, Int> & Sendable,
        _ summary: String
    ) -> PreferenceField {
        PreferenceField(
            name: name, range: "\(range.lowerBound)…\(range.upperBound)", unit: unit, summary: summary,
            isWeight: false, read: { String($0[keyPath: path]) },
            write: {
                guard let value = Int($1), range.contains(value) else { return false }
                $0[keyPath: path] = value
                return true
            })
    }

    private static func flag(
        _ name: String, _ path: any WritableKeyPath<Preferences, Bool> & Sendable, _ summary: String
    ) -> PreferenceField {
        PreferenceField(
            name: name, range: "on or off", unit: "", summary: summary, isWeight: false,
            read: { $0[keyPath: path] ? "on" : "off" },
            write: {
                switch $1.lowercased() {
                case "on", "true", "yes", "1": $0[keyPath: path] = true
                case "off", "false", "no", "0": $0[keyPath: path] = false
                default: return false
                }
                return true
            })
    }

    private static func clock(
        _ name: String, _ path: any WritableKeyPath<Preferences, Int?> & Sendable, _ summary: String
    ) -> PreferenceField {
        PreferenceField(
            name: name, range: "HH:MM or unknown", unit: "local time", summary: summary, isWeight: false,
            read: { preferences in
                guard let minutes = preferences[keyPath: path] else { return "unknown" }
                let (hour, minute) = minutes.quotientAndRemainder(dividingBy: 60)
                return (hour < 10 ? "0" : "") + "\(hour):" + (minute < 10 ? "0" : "") + "\(minute)"
            },
            write: {
                if $1 == "unknown" {
                    $0[keyPath: path] = nil
                    return true
                }
                let parts = $1.split(separator: ":").map { Int($0) }
                guard parts.count == 2, let hour = parts[0], let minute = parts[1], (0...23).contains(hour),
                    (0...59).contains(minute)
                else { return false }
                $0[keyPath: path] = hour * 60 + minute
                return true
            })
    }

    private static func list(_ text: String) -> [String] {
        text.split(separator: ";").map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
    }

    /// At most four decimals, none for whole numbers.
    private static func text(_ value: Double) -> String {
        let rounded = (value * 10_000).rounded() / 10_000
        return rounded == rounded.rounded() ? String(Int(rounded)) : String(rounded)
    }
}

extension Preferences {
    /// Every preference as text with its range.
    package var list: [Preference] {
        let defaults = Preferences()
        return PreferenceField.all.map {
            Preference(
                name: $0.name, value: $0.read(self), defaultValue: $0.read(defaults), range: $0.range, unit: $0.unit,
                summary: $0.summary)
        }
    }

    /// Sets one preference from text; nil = back to its default.
    ///
    /// - Returns: a notice when other weights changed too, because the five sum to 1.
    /// - Throws: ``PreferenceError``; then nothing has changed.
    package mutating func set(_ name: String, to text: String?) throws(PreferenceError) -> String? {
        guard let field = PreferenceField.all.first(where: { $0.name.lowercased() == name.lowercased() }) else {
            throw .unknownName(name, known: PreferenceField.all.map(\.name))
        }
        let value = text?.trimmingCharacters(in: .whitespaces) ?? field.read(Preferences())
        var changed = self
        guard field.write(&changed, value) else {
            throw .invalid(
                name: field.name, value: value, range: field.range + (field.unit.isEmpty ? "" : " " + field.unit))
        }
        var notice: String?
        if field.isWeight {
            let before = changed
            changed.normaliseWeights()
            let shown = PreferenceField.all.filter(\.isWeight)
            if shown.contains(where: { $0.read(before) != $0.read(changed) }) {
                notice =
                    "Weights were scaled to sum 1: "
                    + shown.map { "\($0.name) \($0.read(changed))" }.joined(separator: ", ") + "."
            }
        }
        self = changed
        return notice
    }
}
