import Bus
import Decisions
import Foundation
import Learning
import Logging
import Music
import Physiology
import Protocols
import ServiceKit

/// What the pick that waits at the player rests on.
struct ReadyDecision: Sendable {
    var basis: DecisionBasis
    /// When the player was last told.
    var sentAt: Timestamp?
}

/// The newest decision with its input, for "why not".
struct MadeDecision: Sendable {
    var decision: Decision
    var input: DecisionInput
}

/// Learnt effects by song position, as long as what they depend on stays the same.
struct CachedEffects: Sendable {
    struct Key: Hashable, Sendable {
        var need: MusicNeed
        var context: ActivityContext
        var slot: String
        var lessons: Int
        var pool: Int
    }
    var key: Key
    var dynamics: SongDynamics
}

extension BrainService {
    /// Decides what comes next, tells why, and keeps the decision.
    ///
    /// - Returns: nil when nothing can be played; ``notice`` then says why.
    func decide(_ bus: any BusPort, reason: String, proposal: Proposal? = nil) -> Pick? {
        let input = decisionInput(at: bus.now, proposal: proposal)
        let seed = decisionSeed(resume.counter + 1)
        var generator = SplitMix64(seed: seed)
        let decision = DecisionMaker.decide(input, using: &generator)
        emptyPool = decision.empty
        guard decision.proposalBlockedBy.isEmpty, let position = decision.position else {
            lastRefusal = decision.proposalBlockedBy
            lastLimits = decision.limits
            return nil
        }
        resume.counter += 1
        redecide = nil
        ready = ReadyDecision(
            basis: DecisionBasis(state: input.state, zone: environment.timeZone, preferences: preferences))
        lastDecision = MadeDecision(decision: decision, input: input)
        resume.breaches += decision.breaches.count
        resume.relaxations += decision.relaxations.count
        if !decision.breaches.isEmpty {
            logger.error(
                "a pick breaks a rule that was not relaxed",
                metadata: ["rules": "\(decision.breaches.map(\.rawValue).joined(separator: " "))"])
        }
        let id = "d-\(identity)-\(resume.counter)"
        let message = decision.message(decisionId: id, seed: seed, playlist: playlistName)
        bus.publish(message, on: Registry.decision(listener))
        save { db in try BrainStore.insert(message, in: db) }
        markDirty()
        let trend = heartRateTrend(at: bus.now)
        let explanation = Explanation(decision, input: input, evidence: ExplanationEvidence(heartRateSlope: trend))
        logger.debug("picked", metadata: ["decision": "\(id)", "reason": "\(reason)"])
        return pick(
            position, decisionId: id, kind: decision.pick, state: input.state, why: explanation?.why(decision),
            short: explanation?.short)
    }

    /// A pick of a song of the pool, with an id of its own.
    func pick(
        _ position: Int, decisionId: String?, kind: PickKind, state: StateVector, why: Why?, short: String?
    ) -> Pick {
        Pick(
            playId: "p-\(identity)-\(resume.counter)", decisionId: decisionId, song: pool.table.refs[position],
            location: pool.songs[position].location, playlist: playlistName, kind: kind,
            activityContext: state.activityContext.value ?? .unknown, need: state.need.value ?? .maintain,
            slot: LocalTime(state.at, in: environment.timeZone).slot.rawValue, features: pool.features[position],
            why: why, shortReason: short)
    }

    var playlistName: String? { chosen.isEmpty ? nil : chosen.joined(separator: ", ") }

    /// Ids are made of the seed and a counter that survives restarts: nothing random, nothing twice.
    private var identity: String { String(environment.seed, radix: 16) }

    /// Every decision has its own draw: two rounds of SplitMix64 apart from its neighbours.
    private func decisionSeed(_ counter: UInt64) -> UInt64 {
        var generator = SplitMix64(seed: environment.seed &+ counter &* 0xD134_2543_DE82_EF95)
        return generator.next()
    }

    private func decisionInput(at now: Timestamp, proposal: Proposal?) -> DecisionInput {
        let state = presentState(now)
        var plays = recent
        if let play = resume.turns.current {
            plays.append(RecentPlay(song: play.pick.song, startedAt: play.startedAt, endedAt: nil))
        }
        if let starting { plays.append(RecentPlay(song: starting.pick.song, startedAt: now, endedAt: nil)) }
        return DecisionInput(
            now: now, timeZone: environment.timeZone, state: state, table: pool.table,
            dynamics: dynamics(for: state, at: now), recent: plays, lastSong: songBefore(now), mood: resume.mood,
            nudges: resume.nudges, preferences: preferences, proposal: proposal, hasPlaylist: !chosen.isEmpty)
    }

    /// The song that the next one follows; nil at the start of a session.
    private func songBefore(_ now: Timestamp) -> Song? {
        if let play = resume.turns.current { return pool.song(play.pick.song.id) }
        guard let session = resume.session, session.continues(at: now), let last = resume.turns.latest.last else {
            return nil
        }
        return pool.song(last.play.pick.song.id)
    }

    /// What was learnt and played, in the order of the table.
    private func dynamics(for state: StateVector, at now: Timestamp) -> SongDynamics {
        let key = CachedEffects.Key(
            need: state.need.value ?? .maintain, context: state.activityContext.value ?? .unknown,
            slot: LocalTime(now, in: environment.timeZone).slot.rawValue, lessons: lessons, pool: poolGeneration)
        if effects?.key != key { effects = CachedEffects(key: key, dynamics: learntDynamics(key)) }
        var dynamics = effects?.dynamics ?? SongDynamics(count: pool.songs.count)
        for (id, known) in familiarity {
            if let position = pool.table.position(of: id) { dynamics.familiarity[position] = known.value(at: now) }
        }
        for (id, heard) in satiation {
            if let position = pool.table.position(of: id) { dynamics.satiation[position] = heard.value(at: now) }
        }
        return dynamics
    }

    private func learntDynamics(_ key: CachedEffects.Key) -> SongDynamics {
        var dynamics = SongDynamics(count: pool.songs.count)
        guard learner.plays > 0 else { return dynamics }
        // The need that the ranking asks for decides how sure the figures are; `maintain` reads calm and energy.
        let asked: MusicNeed = [.calm, .focus, .energize].contains(key.need) ? key.need : .calm
        for (position, song) in pool.songs.enumerated() {
            func effect(_ need: MusicNeed) -> Learner.SongEffect {
                learner.effect(
                    songId: song.id, features: pool.features[position], need: need, context: key.context,
                    slot: key.slot)
            }
            let main = effect(asked)
            switch asked {
            case .focus: dynamics.focus[position] = main.unshrunk(by: main.confidence)
            case .energize: dynamics.energy[position] = main.unshrunk(by: main.confidence)
            default:
                dynamics.calm[position] = main.unshrunk(by: main.confidence)
                if key.need == .maintain {
                    dynamics.energy[position] = effect(.energize).unshrunk(by: main.confidence)
                }
            }
            dynamics.effectConfidence[position] = main.confidence
            // Words are only for what has evidence, and evidence the other way is none for them.
            let agrees = main.claim > 0 ? main.value > 0.5 : main.claim < 0 && main.value < 0.5
            dynamics.effectPlays[position] = agrees ? Int32(clamping: main.plays) : 0
            dynamics.learned[position] = main.reception
        }
        return dynamics
    }

    private func heartRateTrend(at now: Timestamp) -> Double? {
        let samples = feed.heartRate(from: now.adding(seconds: -HeartScale.window), to: now)
        return HeartScale(baseline: presentBaseline(now)).arousal(of: samples, now: now).trendBpmPerMinute
    }
}
