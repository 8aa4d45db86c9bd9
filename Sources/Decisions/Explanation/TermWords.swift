import Foundation
import Music
import Protocols

/// The known features of a song in words.
struct SongWords {
    let quoted: String
    let bpm: Double?
    let energy: Double?

    init(_ position: Int, of table: SongTable) {
        quoted = "\"\(table.refs[position].title)\""
        bpm = table.bpm[position].isNaN ? nil : table.bpm[position]
        energy = table.energy[position].isNaN ? nil : table.energy[position]
    }

    /// "72 BPM, low energy", as far as known.
    var features: String {
        [bpm.map { "\(Int($0.rounded())) BPM" }, energy.map { "\(Self.level($0)) energy" }].compactMap(\.self)
            .joined(separator: ", ")
    }

    static func level(_ energy: Double) -> String { energy < 0.35 ? "low" : energy < 0.7 ? "medium" : "high" }
}

/// One term of a score in words, with the figures that made it.
enum TermWords {
    static func text(of term: ScoreTerm, decision: Decision, words: SongWords) -> String {
        switch term.name {
        case "tempo":
            let target = "wanted about \(Int(decision.targets.bpm.rounded()))"
            return words.bpm.map { "\(Int($0.rounded())) BPM, \(target)" } ?? "tempo unknown, counted as neutral"
        case "energy":
            return words.energy.map { "energy \(two($0)), wanted about \(two(decision.targets.energy))" }
                ?? "energy unknown, counted as neutral"
        case "familiarity":
            return term.value < 0.05 ? "hardly ever played" : "familiar to \(percent(term.value))"
        case "effect":
            return abs(term.value - 0.5) < 0.005
                ? "not enough evidence of what it does for you"
                : "what it did for you before: \(two(term.value)), 0.5 is nothing"
        case "context":
            let name = decision.state.activityContext.value ?? .unknown
            return name == .unknown
                ? "nothing known about what you do" : "suits \(name.rawValue) to \(percent(term.value))"
        case "recency":
            return term.value > 0 ? "played lately" : "not played lately"
        case "timeOfDay":
            return term.value >= 1 ? "fits the hour" : "a bit much for this hour: \(percent(term.value))"
        case "transition":
            return "follows the song before to \(percent(term.value))"
        case "learned":
            return term.contribution >= 0
                ? "you tend to hear it to the end" : "you tend to skip it"
        case "variety":
            return term.value < 0.25 ? "not heard much lately" : "heard a lot lately"
        default:
            return term.name
        }
    }

    private static func percent(_ share: Double) -> String { "\(Int((share * 100).rounded())) %" }

    private static func two(_ value: Double) -> String {
        let hundredths = Int((abs(value) * 100).rounded())
        let (whole, rest) = hundredths.quotientAndRemainder(dividingBy: 100)
        return (value < 0 && hundredths > 0 ? "−" : "") + "\(whole)." + (rest < 10 ? "0" : "") + "\(rest)"
    }
}
