import Protocols

/// What an entry of the journal may say.
package enum JournalRules {
    /// 1 (low) … 5 (high), for energy and stress.
    package static let scale = 1...5
    /// ml of one drink.
    package static let amountMl = 1.0...3000.0
    /// mg at once. 0 is allowed: "none today" is an answer, a missing entry is not.
    ///
    /// Source for what is usual: European Food Safety Authority, "Scientific Opinion on the safety of caffeine", EFSA
    /// Journal 13(5):4102 (2015): single doses up to 200 mg, 400 mg a day; tablets and mistakes reach higher.
    package static let caffeineMg = 0.0...1000.0
    /// Session RPE (Foster).
    package static let exertion = 0.0...10.0
    package static let longestNote = 2000
    package static let longestSource = 80
    /// An entry may be for later by this much, s: clocks of two devices differ.
    package static let futureTolerance = 300.0

    /// The entry with only what its kind may hold, trimmed.
    ///
    /// - Throws: ``Refusal`` `invalid` that says what would be right.
    package static func checked(_ entry: JournalEntry, now: Timestamp) throws(Refusal) -> JournalEntry {
        guard let kind = entry.kind.value else {
            let kinds = JournalKind.allCases.map(\.rawValue).joined(separator: ", ")
            throw invalid("there is no kind “\(entry.kind.rawValue.prefix(40))”; there are \(kinds)")
        }
        guard entry.at.milliseconds > 0, entry.at.seconds(since: now) <= futureTolerance else {
            throw invalid("an entry cannot be for later than now")
        }
        let note = entry.note.flatMap { trimmed($0).isEmpty ? nil : trimmed($0) }
        guard (note?.count ?? 0) <= longestNote else { throw invalid("a note has at most \(longestNote) characters") }
        var result = JournalEntry(at: entry.at, kind: kind, note: note)
        switch kind {
        case .mood:
            guard entry.mood != nil || entry.energy != nil || entry.stress != nil else {
                throw invalid("say a mood, or energy and stress 1…5")
            }
            if let mood = entry.mood, mood.value == nil {
                let names = NamedMood.allCases.map(\.rawValue).joined(separator: ", ")
                throw invalid("there is no mood “\(mood.rawValue.prefix(40))”; there are \(names)")
            }
            for (name, value) in [("energy", entry.energy), ("stress", entry.stress)] {
                if let value, !scale.contains(value) { throw invalid("\(name) must be 1…5") }
            }
            (result.mood, result.energy, result.stress) = (entry.mood, entry.energy, entry.stress)
        case .hydration:
            guard let amount = entry.amountMl, amountMl.contains(amount) else {
                throw invalid("an amount must be \(Int(amountMl.lowerBound))…\(Int(amountMl.upperBound)) ml")
            }
            if let drink = entry.drink, drink.value == nil {
                let names = Drink.allCases.map(\.rawValue).joined(separator: ", ")
                throw invalid("there is no drink “\(drink.rawValue.prefix(40))”; there are \(names)")
            }
            (result.amountMl, result.drink) = (amount, entry.drink ?? Open(.water))
        case .caffeine:
            guard let amount = entry.caffeineMg, caffeineMg.contains(amount) else {
                throw invalid("caffeine must be 0…\(Int(caffeineMg.upperBound)) mg")
            }
            let source = entry.source.flatMap { trimmed($0).isEmpty ? nil : trimmed($0) }
            guard (source?.count ?? 0) <= longestSource else {
                throw invalid("a source has at most \(longestSource) characters")
            }
            (result.caffeineMg, result.source) = (amount, source)
        case .exertion:
            guard let value = entry.exertion, exertion.contains(value) else {
                throw invalid("exertion must be 0…10")
            }
            (result.exertion, result.workoutAt) = (value, entry.workoutAt)
        }
        return result
    }

    /// 0 (very sad) … 1 (very happy), as the model of the state has it.
    package static func valence(of mood: NamedMood) -> Double {
        switch mood {
        case .veryHappy: 1
        case .happy: 0.8
        case .calm: 0.7
        case .neutral: 0.5
        case .anxious, .stressed: 0.3
        case .sad: 0.2
        case .verySad: 0
        }
    }

    private static func trimmed(_ text: String) -> String {
        let isSpace: (Character) -> Bool = { $0.isWhitespace }
        return String(text.drop(while: isSpace).reversed().drop(while: isSpace).reversed())
    }

    private static func invalid(_ message: String) -> Refusal { Refusal(code: "invalid", message: message) }
}
