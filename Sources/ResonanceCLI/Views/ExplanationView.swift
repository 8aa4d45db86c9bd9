import Protocols

/// Shows why a song was picked, or was not.
struct ExplanationView {
    var terminal: Terminal

    func lines(_ why: Why) -> [String] {
        let style = terminal.style
        var lines = [style.bold(Wording.song(why.song).printable)]
        lines += indented(why.text) + [""]
        lines += terms(why.terms)
        lines += ["", "  score        \(Wording.decimal(why.score, 3))"]
        lines.append("  confidence   \(Wording.percent(why.confidence))")
        let drawn = why.random ? ", drawn at random to learn" : ""
        lines.append(
            "  probability  \(Wording.percent(why.probability)) among "
                + Wording.count(why.candidateCount, "song") + drawn)
        if !why.relaxations.isEmpty {
            lines.append("  gave way     \(why.relaxations.joined(separator: ", "))".printable)
        }
        let state = why.state
        lines.append(
            "  state        \(state.activityContext.rawValue) → \(state.need.rawValue)"
                + " (confidence \(Wording.percent(state.confidence)))")
        let ages = state.sources.map { "\($0.name) \(Wording.age($0.ageSeconds)) ago" }
        if !ages.isEmpty {
            let wrapped = Wording.wrap(ages.joined(separator: ", "), to: terminal.width.map { $0 - 15 })
            for (index, line) in wrapped.enumerated() {
                lines.append((index == 0 ? "  from         " : "               ") + line)
            }
        }
        return lines
    }

    func lines(_ answer: WhyNotAnswer) -> [String] {
        var lines = [terminal.style.bold(Wording.song(answer.song).printable)]
        lines += indented(answer.text)
        if !answer.blockedBy.isEmpty {
            lines.append("  kept out by: \(answer.blockedBy.joined(separator: ", "))".printable)
        }
        if let rank = answer.rank { lines.append("  rank \(rank) among the admissible") }
        guard !answer.terms.isEmpty else { return lines }
        var table = TextTable([.word("term"), .figure("this song"), .figure("the pick"), .figure("difference")])
        let chosen = Dictionary(answer.chosenTerms.map { ($0.name, $0) }) { first, _ in first }
        for term in answer.terms {
            let other = chosen[term.name]?.contribution
            table.add(
                term.name, Wording.decimal(term.contribution, 3), Wording.decimal(other, 3),
                Wording.signed(other.map { term.contribution - $0 }, 3))
        }
        let known = Set(answer.terms.map(\.name))
        for term in answer.chosenTerms where !known.contains(term.name) {
            table.add(term.name, "–", Wording.decimal(term.contribution, 3), "–")
        }
        if let score = answer.score {
            table.add(
                "score", Wording.decimal(score, 3), Wording.decimal(answer.chosenScore, 3),
                Wording.signed(answer.chosenScore.map { score - $0 }, 3))
        }
        return lines + [""] + table.lines(width: terminal.width, style: terminal.style).map { "  " + $0 }
    }

    private func terms(_ terms: [ScoreTerm]) -> [String] {
        var table = TextTable([
            .word("term"), .figure("value"), .figure("weight"), .figure("adds"), .text("from"),
        ])
        for term in terms {
            let (value, weight) = Self.figures(term)
            table.add(term.name, value, weight, Wording.decimal(term.contribution, 3), term.text ?? "")
        }
        return table.lines(width: terminal.width.map { $0 - 2 }, style: terminal.style).map { "  " + $0 }
    }

    /// Value and weight as they make what a term adds: a product; of a term that multiplies, the factor by which it
    /// changes the sum of those above it; of one that is added as it is, nothing.
    static func figures(_ term: ScoreTerm) -> (value: String, weight: String) {
        if ["timeOfDay", "transition"].contains(term.name) {
            return (Wording.decimal(term.value), "× \(Wording.decimal(1 - term.weight * (1 - term.value)))")
        }
        guard abs(term.value * term.weight - term.contribution) < 1e-6 else { return ("–", "–") }
        return (Wording.decimal(term.value), Wording.decimal(term.weight))
    }

    private func indented(_ text: String) -> [String] {
        Wording.wrap(text.printable, to: terminal.width.map { $0 - 2 }).map { "  " + $0 }
    }
}
