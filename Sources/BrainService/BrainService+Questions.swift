import Bus
import Decisions
import Foundation
import Learning
import Music
import Protocols

extension BrainService {
    /// Questions that change nothing.
    func ask(_ request: IncomingRequest, _ bus: any BusPort) throws -> Bool {
        switch request.name {
        case ShowQueue.name: request.reply(musicQueue)
        case Explain.name:
            guard let play = resume.turns.current else {
                guard let notice else { throw Self.nothingPlays }
                throw Refusal(code: "nothing-plays", message: "nothing plays: \(notice)")
            }
            guard let why = play.pick.why else {
                throw Refusal(code: "not-found", message: "you asked for this song yourself")
            }
            request.reply(why)
        case WhyNot.name: request.reply(try whyNot(request.decodeBody(WhyNot.self).song))
        case ListSessions.name: request.reply(try sessions(limit: request.decodeBody(ListSessions.self).limit, bus))
        case ListHistory.name:
            let wish = try request.decodeBody(ListHistory.self)
            flush(bus)
            let plays = try disk.read { db in
                try BrainStore.history(limit: wish.limit, before: wish.before, in: db)
            }
            request.reply(History(plays: plays))
        case ListEffects.name: request.reply(try effects(of: request.decodeBody(ListEffects.self).songId))
        case BrainStatus.name: request.reply(status(bus))
        default: return false
        }
        return true
    }

    private func whyNot(_ text: String) throws -> WhyNotAnswer {
        guard let lastDecision else {
            let start = "nothing has been decided since the start; begin with `resonance play`"
            throw Refusal(code: "nothing-plays", message: notice ?? start)
        }
        let meant = SongsMeant(text, in: lastDecision.input.table)
        guard let id = meant.first?.id,
            var answer = lastDecision.decision.whyNot(songId: id, input: lastDecision.input)
        else {
            throw Refusal(
                code: "not-found",
                message: "'\(text)' is not in the chosen playlists, and nothing else is ever picked")
        }
        if let others = meant.others { answer.text += " \(others)" }
        return answer
    }

    /// The running session first, as it stands.
    private func sessions(limit: Int, _ bus: any BusPort) throws -> SessionList {
        flush(bus)
        let stored = try disk.read { db in try BrainStore.sessions(limit: limit, in: db) }
        guard let running = resume.session else { return SessionList(sessions: stored) }
        return SessionList(sessions: stored.map { $0.id == running.id ? running.summary : $0 })
    }

    private func effects(of songId: String?) throws -> EffectList {
        let names = try disk.read { db in try BrainStore.songNames(in: db) }
        let rows = learner.effectLogs(songId: songId).map { key, log in
            let song = pool.song(key.songId)?.ref ?? names[key.songId]
            let features = pool.song(key.songId).map { SongFeatures($0) } ?? SongFeatures()
            return EffectRow(
                songId: key.songId, title: song?.title ?? "", artist: song?.artist ?? "",
                activityContext: key.context, slot: key.slot, calm: log.calm, focus: log.focus, energy: log.energy,
                moodLift: log.moodLift, plays: log.plays, confidence: log.confidence,
                evidence: learner.evidence(songId: key.songId, features: features))
        }
        return EffectList(effects: rows)
    }

    private func status(_ bus: any BusPort) -> BrainStatusReply {
        let heard = pool.table.refs.count { familiarity[$0.id] != nil }
        return BrainStatusReply(
            state: resume.lastState, now: nowPlaying, playlists: chosen, pool: pool.playable,
            sessionId: resume.session?.id, decisions: Int(clamping: resume.counter), breaches: resume.breaches,
            relaxations: resume.relaxations, djMode: djMode(at: bus.now),
            moodUntilAt: resume.mood.flatMap {
                $0.isActive(at: bus.now) ? $0.at.adding(seconds: Mood.duration) : nil
            }, coverage: pool.songs.isEmpty ? 0 : Double(heard) / Double(pool.songs.count))
    }

    /// What would leave the machine if its owner let it: nothing else fits into the type.
    package func shareable() -> Shareable {
        let scores = learner.effectLogs().filter {
            $0.key.context == Learner.EffectKey.any && $0.key.slot == Learner.EffectKey.any
        }
        let settings: [(name: String, value: Double)] = preferences.list.compactMap { preference in
            switch preference.value {
            case "on": (name: preference.name, value: 1)
            case "off": (name: preference.name, value: 0)
            default: Double(preference.value).map { (name: preference.name, value: $0) }
            }
        }
        return Shareable(
            playlistIds: pool.playlistIds, effects: scores.map { (songId: $0.key.songId, log: $0.log) },
            preferences: settings)
    }
}
