import Foundation
import Music
import Physiology
import Protocols

/// Decides what plays next: targets, scores, guards, draw.
package enum DecisionMaker {
    /// Makes one decision. Pure: the same input and generator give the same decision, however the table is ordered.
    package static func decide(_ input: DecisionInput, using generator: inout some RandomNumberGenerator) -> Decision {
        let moment = Moment(input)
        let table = input.table
        guard moment.guards.admissibleCount > 0 else { return moment.emptyDecision(input) }

        let scores = moment.scores(table)
        let top = TopSongs(
            of: scores, blocked: moment.guards.blocked, limit: max(input.reported, SelectionPolicy.breadth),
            table: table)
        let policy = SelectionPolicy(
            preferences: input.preferences, state: input.state, local: LocalTime(input.now, in: input.timeZone))
        let admissible = moment.guards.admissibleCount
        let shares = policy.probabilities(of: top.entries, admissible: admissible)
        let drawn = policy.draw(
            from: top.entries, blocked: moment.guards.blocked, admissible: admissible, table: table, using: &generator)

        var chosen = drawn
        var pick = PickKind.ai
        var refusedBy: [GuardKind] = []
        if let proposal = input.proposal {
            if let position = table.position(of: proposal.songId) {
                if moment.guards.blocked[position] == 0 {
                    chosen = (position, false, 1)
                    pick = proposal.isFromUser ? .user : .adviser
                } else {
                    refusedBy = GuardKind.names(in: moment.guards.blocked[position])
                }
            } else {
                refusedBy = [.sourcePlaylists]
            }
        }
        let position = chosen?.position
        return Decision(
            at: input.now, state: input.state, targets: moment.rules.targets, position: position,
            song: position.map { table.refs[$0] }, empty: nil, pick: pick,
            breakdown: position.map { moment.breakdown($0, table) },
            candidates: zip(top.entries, shares).prefix(max(1, input.reported)).map {
                Decision.Candidate(
                    position: $0.position, songId: table.refs[$0.position].id, score: $0.score, probability: $1)
            },
            candidateCount: admissible, candidatesHash: hash(table, moment.guards.blocked),
            policy: pick == .ai ? policy.name : "proposal", random: chosen?.random ?? false,
            probability: chosen?.probability ?? 0, guardsApplied: moment.guards.applied,
            relaxations: moment.guards.relaxationNames,
            breaches: position.map { moment.guards.breaches(of: $0, in: table) } ?? [], limits: moment.rules.limits,
            waiver: moment.waiver, proposalBlockedBy: refusedBy)
    }

    /// SHA-256 over the ids of the admissible songs in sorted order, each followed by a newline.
    static func hash(_ table: SongTable, _ blocked: [UInt8]) -> String {
        var hash = SHA256()
        for position in table.byId where blocked[Int(position)] == 0 {
            hash.update(table.refs[Int(position)].id.utf8)
            hash.update(CollectionOfOne(UInt8(ascii: "\n")))
        }
        return hash.finish()
    }
}

/// The rules and guards of one decision, put together once for the pick and for every later question about it.
struct Moment {
    let rules: ScoreRules
    let guards: GuardPass
    let recent: RecentPlays
    let dynamics: SongDynamics
    let waiver: LimitsWaiver?

    init(_ input: DecisionInput) {
        let given = input.dynamics.flatMap { $0.fits(input.table.count) ? $0 : nil }
        dynamics = given ?? SongDynamics(count: input.table.count)
        waiver = input.waiver
        let hourly = DayLimits(at: input.now, in: input.timeZone, preferences: input.preferences)
        let limits = waiver == nil ? hourly : nil
        recent = RecentPlays(input.recent, in: input.table, now: input.now, preferences: input.preferences)
        rules = ScoreRules(
            state: input.state,
            targets: Targets(
                state: input.state, lastEnergy: input.lastSong?.energy, energyNudge: input.nudges.energy(at: input.now),
                tempoNudge: input.nudges.tempo(at: input.now), limits: limits),
            preferences: input.preferences, limits: limits,
            transition: input.lastSong.map { Transition(from: $0) })
        guards = GuardPass(table: input.table, recent: recent, preferences: input.preferences, limits: limits)
    }

    /// One score per song.
    func scores(_ table: SongTable) -> [Double] {
        var scores = [Double](repeating: 0, count: table.count)
        RankingKernel.score(table, dynamics: dynamics, rules: rules, into: &scores)
        for position in recent.penalised { scores[position] = breakdown(position, table).score }
        return scores
    }

    func breakdown(_ position: Int, _ table: SongTable) -> ScoreBreakdown {
        ScoreBreakdown(
            position, of: table, dynamics: dynamics, recency: recent.recency(of: position), rules: rules)
    }

    func emptyDecision(_ input: DecisionInput) -> Decision {
        let reason: EmptyPool
        if !input.hasPlaylist {
            reason = .noPlaylist
        } else if input.table.count == 0 {
            reason = .emptyPlaylist
        } else if guards.masks.allSatisfy({ $0 & GuardKind.neverPlay.bit != 0 }) {
            reason = .allNeverPlay
        } else {
            reason = .nothingPlayable
        }
        return Decision(
            at: input.now, state: input.state, targets: rules.targets, position: nil, song: nil, empty: reason,
            pick: .ai, breakdown: nil, candidates: [], candidateCount: 0,
            candidatesHash: DecisionMaker.hash(input.table, guards.blocked), policy: "none", random: false,
            probability: 0, guardsApplied: guards.applied, relaxations: [], breaches: [], limits: rules.limits,
            waiver: waiver, proposalBlockedBy: [])
    }
}
