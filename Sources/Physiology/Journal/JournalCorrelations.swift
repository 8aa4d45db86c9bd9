import Foundation
import Protocols

/// What the journal says of each day, beside HRV and stress.
package struct JournalCorrelations {
    /// One question: a factor of a day against an outcome.
    package struct Row: Hashable, Sendable {
        package var factor: Factor
        package var outcome: Outcome
        package var correlation: Correlation
        package var text: String
    }

    package enum Factor: String, CaseIterable, Sendable {
        case mood, energy, saidStress, hydration, caffeine, caffeineAtNight, exertion

        /// What a person calls it.
        package var title: String {
            switch self {
            case .mood: "mood"
            case .energy: "energy"
            case .saidStress: "the stress you said"
            case .hydration: "what you drank"
            case .caffeine: "caffeine"
            case .caffeineAtNight: "caffeine left at \(JournalCorrelations.bedtimeHour):00"
            case .exertion: "exertion"
            }
        }

        /// True for what is said of the night behind, not of what may act on the night ahead.
        var looksBack: Bool { self == .mood || self == .energy || self == .saidStress }
    }

    package enum Outcome: String, CaseIterable, Sendable {
        case hrv, stress

        package var title: String { self == .hrv ? "HRV at night" : "measured stress" }
    }

    /// Local hour at which the rest of the day's caffeine is taken.
    package static let bedtimeHour = 23

    /// - Parameters:
    ///   - entries: of the journal, any order.
    ///   - hrvByDay: ln of the night's HRV in ms, by the local day on which the night ends. One kind of figure only.
    ///   - stressByDay: mean score 0…1 of the local day.
    package static func rows(
        entries: [JournalEntry], hrvByDay: [Int: Double], stressByDay: [Int: Double], clock: LocalClock
    ) -> [Row] {
        let questions = Factor.allCases.flatMap { factor in Outcome.allCases.map { (factor, $0) } }
        let byFactor = Dictionary(
            uniqueKeysWithValues: Factor.allCases.map { ($0, values(of: $0, entries, clock)) })
        let asked = questions.map { factor, outcome in
            (factor, outcome, pairs(byFactor[factor] ?? [:], factor, outcome, hrvByDay, stressByDay))
        }
        // Only what is looked at counts as a comparison.
        let comparisons = asked.count { $0.2.count >= Correlation.minimumDays }
        return asked.map { factor, outcome, pairs in
            let correlation = Correlation(pairs, comparisons: comparisons)
            return Row(
                factor: factor, outcome: outcome, correlation: correlation, text: text(factor, outcome, correlation))
        }
    }

    private static func pairs(
        _ values: [Int: Double], _ factor: Factor, _ outcome: Outcome, _ hrv: [Int: Double], _ stress: [Int: Double]
    ) -> [(day: Int, x: Double, y: Double)] {
        values.compactMap { day, x in
            let y =
                switch outcome {
                case .hrv: hrv[factor.looksBack ? day : day + 1]
                case .stress: stress[day]
                }
            return y.map { (day, x, $0) }
        }
    }

    /// One value for each local day that says something; a day without an entry is unknown, not 0.
    private static func values(_ factor: Factor, of entries: [JournalEntry], _ clock: LocalClock) -> [Int: [Double]] {
        entries.reduce(into: [:]) { values, entry in
            let value: Double? =
                switch factor {
                case .mood: entry.mood?.value.map(JournalRules.valence)
                case .energy: entry.energy.map(Double.init)
                case .saidStress: entry.stress.map(Double.init)
                case .hydration: entry.amountMl
                case .caffeine, .caffeineAtNight: entry.caffeineMg
                case .exertion: entry.exertion
                }
            if let value { values[clock.day(of: entry.at), default: []].append(value) }
        }
    }

    private static func values(of factor: Factor, _ entries: [JournalEntry], _ clock: LocalClock) -> [Int: Double] {
        let byDay = values(factor, of: entries, clock)
        switch factor {
        case .mood, .energy, .saidStress: return byDay.compactMapValues { mean(of: $0) }
        case .hydration, .caffeine: return byDay.mapValues { $0.reduce(0, +) }
        case .exertion: return byDay.compactMapValues { $0.max() }
        case .caffeineAtNight:
            let doses = entries.compactMap { entry in entry.caffeineMg.map { (at: entry.at, mg: $0) } }
            return Dictionary(
                uniqueKeysWithValues: byDay.keys.map { day in
                    let bedtime = clock.start(ofDay: day).adding(seconds: Double(bedtimeHour) * 3600)
                    let today = doses.filter { (-86_400...0).contains($0.at.seconds(since: bedtime)) }
                    return (day, Caffeine.remaining(at: bedtime, of: today))
                })
        }
    }

    private static func text(_ factor: Factor, _ outcome: Outcome, _ correlation: Correlation) -> String {
        let subject = "\(factor.title) and \(outcome.title)"
        switch correlation.verdict {
        case .notEnoughData:
            let why =
                correlation.n < Correlation.minimumDays
                ? "\(correlation.n) of \(Correlation.minimumDays) days" : "\(correlation.n) days that change too little"
            return "\(subject): not enough data (\(why))"
        case .noEvidence:
            return "\(subject): no evidence that they go together (\(figures(correlation)))"
        case .higherTogether:
            return "\(subject): higher together (\(figures(correlation))); which causes which is not said by that"
        case .lowerTogether:
            return
                "\(subject): one is higher when the other is lower (\(figures(correlation))); which causes which is not "
                + "said by that"
        }
    }

    private static func figures(_ correlation: Correlation) -> String {
        func number(_ value: Double?) -> String {
            guard let value else { return "–" }
            return String(format: "%.2f", locale: Locale(identifier: "en_US_POSIX"), value)
        }
        return "rank correlation \(number(correlation.coefficient)), 95 % \(number(correlation.low)) … "
            + "\(number(correlation.high)), \(correlation.n) days"
    }

    /// How rows are to be read.
    package static func notes(of rows: [Row]) -> [String] {
        let looked = rows.count { $0.correlation.verdict != .notEnoughData }
        guard looked > 0 else {
            return [
                "Nothing is said below \(Correlation.minimumDays) days that have both an entry and a measurement."
            ]
        }
        return [
            "\(looked) comparisons are made side by side. About one in twenty would show an interval without 0 by chance, "
                + "so one is called evidence only where an interval widened for all of them excludes 0.",
            "Mood, energy and stress are compared with the night before, drinks and exertion with the night after.",
        ]
    }
}
