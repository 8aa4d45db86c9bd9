import Foundation
import Protocols

/// Figures as a person reads them.
enum Wording {
    /// `3:07`, `1:02:03`.
    static func clock(_ milliseconds: Int64) -> String {
        let seconds = max(0, milliseconds) / 1000
        let (hours, minutes, rest) = (seconds / 3600, seconds / 60 % 60, seconds % 60)
        return hours > 0 ? "\(hours):\(two(minutes)):\(two(rest))" : "\(minutes):\(two(rest))"
    }

    /// How long ago, in the unit that says most: `12 s`, `5 min`, `3 h`, `4 d`.
    static func age(_ seconds: Double) -> String {
        guard seconds.isFinite else { return "–" }
        return switch seconds {
        case ..<90: "\(Int(max(0, seconds).rounded())) s"
        case ..<5400: "\(Int((seconds / 60).rounded())) min"
        case ..<129_600: "\(Int((seconds / 3600).rounded())) h"
        default: "\(Int((seconds / 86400).rounded())) d"
        }
    }

    /// A fraction 0…1 as `42 %`.
    static func percent(_ fraction: Double?) -> String {
        guard let fraction, fraction.isFinite else { return "–" }
        let value = fraction * 100
        return value > 0 && value < 1 ? "\(decimal(value, 1)) %" : "\(Int(value.rounded())) %"
    }

    /// A number with so many digits behind the point; `–` when unknown.
    static func decimal(_ value: Double?, _ digits: Int = 2) -> String {
        guard let value, value.isFinite else { return "–" }
        let text = String(format: "%.\(digits)f", locale: Locale(identifier: "en_US_POSIX"), value)
        // What rounds to nothing has no sign.
        return text.hasPrefix("-") && !text.contains { ("1"..."9").contains($0) } ? String(text.dropFirst()) : text
    }

    /// With its sign: `+0.12`.
    static func signed(_ value: Double?, _ digits: Int = 2) -> String {
        guard let value, value.isFinite else { return "–" }
        let text = decimal(abs(value), digits)
        let isNothing = !text.contains { ("1"..."9").contains($0) }
        return (value < 0 && !isNothing ? "−" : "+") + text
    }

    static func bpm(_ value: Double?) -> String { value.map { "\(decimal($0, 0)) BPM" } ?? "–" }

    /// `2026-11-21 05:15` in the given zone.
    static func moment(_ at: Timestamp?, _ zone: TimeZone, seconds: Bool = false) -> String {
        guard let at else { return "–" }
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = zone
        let part = calendar.dateComponents([.year, .month, .day, .hour, .minute, .second], from: at.date)
        let day = "\(part.year ?? 0)-\(two(Int64(part.month ?? 0)))-\(two(Int64(part.day ?? 0)))"
        let time = "\(two(Int64(part.hour ?? 0))):\(two(Int64(part.minute ?? 0)))"
        return "\(day) \(time)" + (seconds ? ":\(two(Int64(part.second ?? 0)))" : "")
    }

    /// `05:15:30`.
    static func timeOfDay(_ at: Timestamp, _ zone: TimeZone) -> String {
        String(moment(at, zone, seconds: true).suffix(8))
    }

    /// `1 song`, `2 songs`.
    static func count(_ number: Int, _ noun: String, _ plural: String? = nil) -> String {
        "\(number) \(number == 1 ? noun : plural ?? noun + "s")"
    }

    static func bytes(_ count: Int64) -> String {
        let units = ["B", "kB", "MB", "GB", "TB"]
        var value = Double(count)
        var unit = 0
        while value >= 1000, unit < units.count - 1 {
            value /= 1000
            unit += 1
        }
        return unit == 0 ? "\(count) B" : "\(decimal(value, value < 10 ? 1 : 0)) \(units[unit])"
    }

    static func song(_ song: SongRef?) -> String { song.map { "\($0.title) — \($0.artist)" } ?? "nothing" }

    /// A bar of `cells` cells for a value of 0…1.
    static func bar(_ value: Double, cells: Int) -> String {
        let filled = Int((min(1, max(0, value.isFinite ? value : 0)) * Double(cells)).rounded())
        return String(repeating: "█", count: filled) + String(repeating: "░", count: max(0, cells - filled))
    }

    /// Cuts to so many columns, with `…` where something is missing.
    static func fit(_ text: String, to columns: Int) -> String {
        guard displayWidth(text) > columns else { return text }
        guard columns > 0 else { return "" }
        var width = 0
        var kept = ""
        for character in text {
            let next = displayWidth(character)
            if width + next > columns - 1 { break }
            width += next
            kept.append(character)
        }
        return kept + "…"
    }

    /// Breaks at spaces so that no line is wider than `columns` unless one word is.
    static func wrap(_ text: String, to columns: Int?) -> [String] {
        guard let columns, columns > 0 else { return [text] }
        var lines: [String] = []
        var line = ""
        for word in text.split(separator: " ") {
            if !line.isEmpty, displayWidth(line) + 1 + displayWidth(String(word)) > columns {
                lines.append(line)
                line = ""
            }
            line += line.isEmpty ? String(word) : " " + word
        }
        return line.isEmpty ? lines : lines + [line]
    }

    static func pad(_ text: String, to columns: Int, right: Bool = false) -> String {
        let space = String(repeating: " ", count: max(0, columns - displayWidth(text)))
        return right ? space + text : text + space
    }

    /// Columns that a terminal gives a text: none for combining marks, two for East Asian wide characters and emoji.
    static func displayWidth(_ text: String) -> Int {
        if text.utf8.allSatisfy({ $0 < 0x80 }) { return text.utf8.count }
        return text.reduce(0) { $0 + displayWidth($1) }
    }

    private static func displayWidth(_ character: Character) -> Int {
        guard let scalar = character.unicodeScalars.first else { return 0 }
        if scalar.properties.isEmojiPresentation || character.unicodeScalars.contains("\u{FE0F}") { return 2 }
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format, .control: return 0
        default: break
        }
        // Unicode Standard Annex 11, the blocks that are Wide or Fullwidth throughout.
        switch scalar.value {
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xA000...0xA4CF,
            0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x20000...0x3FFFD:
            return 2
        default: return 1
        }
    }

    private static func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
