import Foundation
import Physiology

extension InspectionReport {
    /// The report for a person: a few lines, long lists cut.
    package var text: String { fields.text(detail?.lines ?? []) }
}

extension InspectionReport.Fields {
    /// - Parameter detail: lines of what only this kind of file has.
    fileprivate func text(_ detail: [String]) -> String {
        var lines = ["\(file): \(kind)" + (title.map { " “\($0)”" } ?? "")]
        lines += rrLines + listLines + recordingLines + detail
        if !wouldTake.isEmpty {
            let parts = wouldTake.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
            lines.append("An import would take \(parts.joined(separator: ", ")).")
        }
        lines += refused.map { "Left out: \($0.count) × \($0.reason)." }
        lines += notes.map { "Note: \($0)." }
        return lines.joined(separator: "\n")
    }

    private static let longest = 20

    private static func cut<Item>(_ items: [Item], _ line: (Item) -> String) -> [String] {
        let shown = items.prefix(longest).map { "  " + line($0) }
        return items.count > longest ? shown + ["  … \(items.count - longest) more (see --json)"] : shown
    }

    private static func figure(_ value: Double?, _ unit: String) -> String {
        value.map { "\(($0 * 10).rounded() / 10) \(unit)" } ?? "not enough data"
    }

    private var rrLines: [String] {
        guard let n else { return [] }
        var lines = [
            "  \(n) intervals, mean \(Self.figure(meanNnMs, "ms")), written in \(unit ?? "ms"), \(gaps ?? 0) gaps",
            "  SDNN \(Self.figure(sdnnMs, "ms")), RMSSD \(Self.figure(rmssdMs, "ms")), pNN50 \(Self.figure(pnn50Percent, "%"))",
        ]
        if let artefacts {
            let share = Self.figure(correctedShare.map { $0 * 100 }, "%")
            lines.append(
                "  artefacts: \(artefacts.ectopic.count) ectopic, \(artefacts.missed.count) missed, \(artefacts.extra.count) extra, "
                    + "\(artefacts.longshort.count) long or short; corrected \(share), RMSSD then \(Self.figure(correctedRmssdMs, "ms"))"
            )
        }
        return lines
    }

    private var listLines: [String] {
        var lines: [String] = []
        if let occurrences {
            lines += Self.cut(occurrences) { event in
                let status =
                    event.status.isEmpty || event.status == "CONFIRMED" ? "" : " (\(event.status.lowercased()))"
                return "\(event.start) – \(event.end)  \(event.summary)\(status)"
            }
        }
        if let playlists, kind == "library" {
            lines += Self.cut(playlists) { "playlist \($0.name): \($0.tracks) tracks\($0.builtIn ? ", built in" : "")" }
        }
        if let tracks {
            lines += Self.cut(tracks) { track in
                let name = [track.artist, track.title].compactMap(\.self).joined(separator: " – ")
                let reason = track.leftOut.map { " (left out: \($0))" } ?? ""
                return (name.isEmpty ? track.location ?? "?" : name) + reason
            }
        }
        if let days {
            lines += Self.cut(days) { day in
                let apps = day.secondsPerApp.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(5)
                    .map { "\($0.key) \(Int($0.value / 60)) min" }
                return "\(day.day): active \(Int(day.activeSeconds / 60)) min, away \(Int(day.afkSeconds / 60)) min; "
                    + apps.joined(separator: ", ")
            }
        }
        if let focus {
            lines += Self.cut(focus) {
                "\($0.at.map { $0 + " " } ?? "")\($0.active ? "on: \($0.name ?? "unnamed")" : "off")"
            }
        }
        return lines
    }

    private var recordingLines: [String] {
        var lines: [String] = []
        if let messages {
            lines += Self.cut(messages.sorted { ($1.value, $0.key) < ($0.value, $1.key) }) { "\($0.value) × \($0.key)" }
        }
        if let samples { lines.append("  \(samples) samples, \(from ?? "?") – \(to ?? "?")") }
        return lines
    }
}
