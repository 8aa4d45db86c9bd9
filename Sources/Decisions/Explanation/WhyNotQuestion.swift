import Foundation
import Music
import Protocols

extension Decision {
    /// Why a song was not picked, given the input that this decision was made from.
    ///
    /// - Returns: nil when the song is not in the pool (not in the chosen playlists) or nothing was picked.
    package func whyNot(songId: String, input: DecisionInput) -> WhyNotAnswer? {
        guard let chosen = position, let chosenScore = breakdown, let asked = input.table.position(of: songId) else {
            return nil
        }
        let moment = Moment(input)
        let table = input.table
        let score = moment.breakdown(asked, table)
        let blockedBy = GuardKind.names(in: moment.guards.blocked[asked])
        let words = SongWords(asked, of: table)
        func worded(_ terms: [ScoreTerm], _ song: SongWords) -> [ScoreTerm] {
            terms.map { term in
                var term = term
                term.text = TermWords.text(of: term, decision: self, words: song)
                return term
            }
        }
        var rank: Int?
        if blockedBy.isEmpty {
            let scores = moment.scores(table)
            rank =
                1
                + scores.indices.count {
                    moment.guards.blocked[$0] == 0
                        && (scores[$0] > scores[asked]
                            || scores[$0] == scores[asked] && table.idRank[$0] < table.idRank[asked])
                }
        }
        let text: String
        if asked == chosen {
            text = "It is the song that was picked."
        } else if !blockedBy.isEmpty {
            text = "\(words.quoted) was not allowed: \(Explanation.list(blockedBy.map { $0.reason(limits: limits) }))."
        } else {
            text = comparison(score, chosenScore, words, rank: rank ?? 0)
        }
        return WhyNotAnswer(
            song: table.refs[asked], text: text, admissible: blockedBy.isEmpty, blockedBy: blockedBy.map(\.rawValue),
            rank: rank, score: score.score, chosenScore: chosenScore.score, terms: worded(score.terms, words),
            chosenTerms: worded(chosenScore.terms, SongWords(chosen, of: table)))
    }

    private func comparison(_ score: ScoreBreakdown, _ chosen: ScoreBreakdown, _ words: SongWords, rank: Int) -> String
    {
        var text = "\(words.quoted) was number \(rank) of \(candidateCount)."
        let own = Dictionary(score.terms.map { ($0.name, $0.contribution) }, uniquingKeysWith: +)
        let theirs = Dictionary(chosen.terms.map { ($0.name, $0.contribution) }, uniquingKeysWith: +)
        let behind = Set(own.keys).union(theirs.keys)
            .map { (name: $0, gap: (theirs[$0] ?? 0) - (own[$0] ?? 0)) }
            .filter { $0.gap > 0.005 }.sorted { ($0.gap, $1.name) > ($1.gap, $0.name) }.prefix(2)
        if !behind.isEmpty {
            let reasons = behind.compactMap { entry in
                score.terms.first { $0.name == entry.name }
                    .map { TermWords.text(of: $0, decision: self, words: words) }
            }
            text += " It fell behind by \(Explanation.list(behind.map { Self.termName($0.name) }))"
            text += reasons.isEmpty ? "." : " (\(reasons.joined(separator: "; ")))."
        }
        if score.score >= chosen.score {
            text += random ? " The pick was drawn at random this time." : " It was as good; the draw fell on another."
        }
        return text
    }

    private static func termName(_ name: String) -> String {
        switch name {
        case "timeOfDay": "the hour"
        case "effect": "its effect on you"
        case "context": "what you do"
        case "recency": "being played lately"
        case "transition": "the step from the song before"
        case "learned": "what was learnt"
        case "variety": "having been heard a lot lately"
        default: name
        }
    }
}
