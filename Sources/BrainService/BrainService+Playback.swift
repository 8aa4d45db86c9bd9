import Bus
import Decisions
import Foundation
import Learning
import Logging
import Protocols
import ServiceKit

extension BrainService {
    /// Seconds after which a song that was asked for and has not started is asked for again.
    private static let startPatience = 5.0

    // MARK: - What the player says

    func take(_ event: PlayerEvent, _ bus: any BusPort) {
        watch.heard(at: bus.now)
        volume = event.volume
        handle(resume.turns.apply(event), bus)
    }

    /// Follows from what happened to plays: session, history, learning, messages.
    func handle(_ changes: [Turns.Change], _ bus: any BusPort) {
        guard !changes.isEmpty else { return }
        for change in changes {
            switch change {
            case .started(let play): started(play, bus)
            case .ended(let finished): ended(finished, bus)
            case .updated: continueSession(bus)
            }
        }
        markDirty()
        keepReady(bus)
        publishMusic(bus)
    }

    private func started(_ play: CurrentPlay, _ bus: any BusPort) {
        if starting?.pick.playId == play.pick.playId { starting = nil }
        continueSession(at: play.startedAt, play)
        if let why = play.pick.why {
            bus.publish(why, on: Registry.why(listener))
        } else {
            bus.withdraw(Registry.why(listener))
        }
        // What waits behind it was chosen for another song: it has to be chosen after this one.
        if let next = resume.turns.queued, next.song.id == play.pick.song.id, next.kind == .ai {
            redecide = "the same song has started"
        }
        logger.info("song started", metadata: ["play": "\(play.pick.playId)", "pick": "\(play.pick.kind.rawValue)"])
    }

    private func ended(_ finished: FinishedPlay, _ bus: any BusPort) {
        let pick = finished.play.pick
        if starting?.pick.playId == pick.playId { starting = nil }
        if finished.outcome == .failed { markUnplayable(pick.song.id) }
        count(finished)
        resume.session?.add(finished)
        let sessionId = resume.session?.id
        if let session = resume.session { save { db in try BrainStore.store(session, endedAt: nil, in: db) } }
        save { db in _ = try BrainStore.insert(finished, sessionId: sessionId, in: db) }
        var lesson = finished
        lesson.play.pick.why = nil
        resume.unlearnt.append(lesson)
        bus.publish(finished.message, on: Registry.played(listener))
        logger.info(
            "song over",
            metadata: [
                "play": "\(pick.playId)", "outcome": "\(finished.outcome.rawValue)",
                "listenedMs": "\(finished.listenedMs)",
            ])
    }

    // MARK: - Sessions

    /// Music after a pause that was long enough to end the session begins a new one.
    private func continueSession(_ bus: any BusPort) {
        guard let play = resume.turns.current, play.playing, resume.session == nil else { return }
        continueSession(at: bus.now, play)
    }

    private func continueSession(at moment: Timestamp, _ play: CurrentPlay) {
        if let session = resume.session, session.continues(at: moment) {
            resume.session?.lastMusicAt = max(session.lastMusicAt, moment)
            return
        }
        if let session = resume.session { close(session) }
        let local = Int64(environment.timeZone.secondsFromGMT(for: moment.date)) * 1000 + moment.milliseconds
        let day = Int((Double(local) / 86_400_000).rounded(.down))
        let session = ListeningSession(
            id: "s-\(String(environment.seed, radix: 16))-\(moment.milliseconds)", startedAt: moment,
            playlist: play.pick.playlist, activityContext: play.pick.activityContext, slot: play.pick.slot,
            dayOfWeek: ((day + 4) % 7 + 7) % 7 + 1)
        resume.session = session
        save { db in try BrainStore.store(session, endedAt: nil, in: db) }
    }

    func endSessionIfOver(_ bus: any BusPort) {
        guard let session = resume.session, resume.turns.current?.playing != true,
            !session.continues(at: bus.now)
        else { return }
        close(session)
        resume.session = nil
        markDirty()
    }

    private func close(_ session: ListeningSession) {
        save { db in try BrainStore.store(session, endedAt: session.lastMusicAt, in: db) }
    }

    // MARK: - Commands

    /// Tells the player something and takes its word for how it stands then.
    func tellPlayer<Command: Request>(
        _ command: Command, _ bus: any BusPort, for request: IncomingRequest? = nil, done: String? = nil
    ) where Command.Reply == PlayerStatus {
        bus.ask(command, deadline: .seconds(3)) { [weak self] result in
            await self?.playerAnswered(result, to: Command.name, bus, for: request, done: done)
        }
    }

    private func playerAnswered(
        _ result: Result<PlayerStatus, Refusal>, to command: String, _ bus: any BusPort,
        for request: IncomingRequest?, done: String?
    ) {
        switch result {
        case .success(let status):
            playerIsThere(bus)
            watch.heard(at: bus.now)
            volume = status.volume
            if let waiting = resume.turns.queued, status.nextPlayId == waiting.playId {
                queueAcknowledged = waiting.playId
            }
            request?.reply(Done(note: done))
        case .failure(let refusal):
            playerFailed(refusal, command, bus)
            request?.refuse(refusal)
        }
        flush(bus)
    }

    private func playerIsThere(_ bus: any BusPort) {
        guard playerTrouble != nil else { return }
        playerTrouble = nil
        logger.notice("the player answers again")
        publishMusic(bus)
    }

    private func playerFailed(_ refusal: Refusal, _ command: String, _ bus: any BusPort) {
        guard ["unknown-process", "deadline", "unavailable"].contains(refusal.code) else {
            logger.warning("the player refused", metadata: ["command": "\(command)", "code": "\(refusal.code)"])
            return
        }
        if refusal.code == "unknown-process" { watch.miss() } else { watch.detach() }
        if playerTrouble == nil {
            playerTrouble = refusal.code
            logger.warning(
                "the player does not answer", metadata: ["command": "\(command)", "code": "\(refusal.code)"])
            publishMusic(bus)
        }
    }

    // MARK: - Watching

    /// Asks the player when it has been silent, after a start of either, and when its word differs from ours.
    func watchPlayer(_ bus: any BusPort) {
        let expects = resume.turns.current?.playing == true || (resume.wantsMusic && starting != nil)
        guard watch.shouldAsk(expectsMusic: expects, at: bus.now) else { return }
        bus.ask(PlayerStatusQuery(), deadline: .seconds(2)) { [weak self] result in
            await self?.playerTold(result, bus)
        }
    }

    private func playerTold(_ result: Result<PlayerStatus, Refusal>, _ bus: any BusPort) {
        switch result {
        case .failure(let refusal): playerFailed(refusal, PlayerStatusQuery.name, bus)
        case .success(let status):
            playerIsThere(bus)
            volume = status.volume
            if let waiting = resume.turns.queued {
                queueAcknowledged = status.nextPlayId == waiting.playId ? waiting.playId : nil
            }
            judge(status, bus)
        }
        flush(bus)
    }

    private func judge(_ status: PlayerStatus, _ bus: any BusPort) {
        let current = resume.turns.current?.pick.playId
        switch watch.judge(status, current: current, at: bus.now) {
        case .doubtful: break
        case .agrees:
            if current != nil {
                resume.turns.follow(playing: status.playing, at: bus.now)
                resume.turns.progress(
                    Progress(positionMs: status.positionMs, playing: status.playing, volume: status.volume),
                    at: bus.now)
            }
        case .lost:
            logger.notice("the player lost the song")
            handle(resume.turns.lose(at: bus.now), bus)
        case .plays(let playId):
            let changes = resume.turns.adopt(
                playId, positionMs: status.positionMs, volume: status.volume, at: bus.now)
            if changes.isEmpty, resume.turns.current != nil {
                // Nothing that this brain ever offered: somebody else drives the player. Ours is over.
                handle(resume.turns.lose(at: bus.now), bus)
            } else {
                handle(changes, bus)
            }
        }
    }

    // MARK: - Music goes on

    /// Starts music when it is wanted and none plays.
    func keepPlaying(_ bus: any BusPort) {
        if isFirstStart, options.autoplay, pool.playable > 0 {
            isFirstStart = false
            resume.wantsMusic = true
            markDirty()
        }
        // A pick that waits can be played even while the librarian is away after a restart.
        guard resume.wantsMusic, watch.attached, resume.turns.current == nil,
            pool.playable > 0 || resume.turns.queued != nil || starting != nil
        else { return }
        if let starting {
            guard let answered = starting.answeredAt, bus.now.seconds(since: answered) >= Self.startPatience else {
                return
            }
            start(starting.pick, bus)
        } else if let pick = nextPick(bus, reason: "music is wanted") {
            start(pick, bus)
        }
    }

    /// What waits, unless the moment has changed since it was chosen; else a new decision.
    func nextPick(_ bus: any BusPort, reason: String) -> Pick? {
        guard let waiting = resume.turns.queued else { return decide(bus, reason: reason) }
        guard waiting.kind == .ai, pool.playable > 0, let change = reasonToDecideAgain(bus) else { return waiting }
        return decide(bus, reason: change) ?? waiting
    }

    /// Plays a pick now. The same pick twice does no harm: the player knows it by its play id.
    func start(_ pick: Pick, _ bus: any BusPort, for request: IncomingRequest? = nil) {
        starting = StartingPick(pick: pick)
        resume.turns.offer(pick)
        // The player forgets what waited behind the song before.
        resume.turns.queue(nil)
        markDirty()
        let command = PlayerPlay(playId: pick.playId, song: pick.song, location: pick.location)
        bus.ask(command, deadline: .seconds(3)) { [weak self] result in
            await self?.startAnswered(result, pick, bus, for: request)
        }
    }

    private func startAnswered(
        _ result: Result<PlayerStatus, Refusal>, _ pick: Pick, _ bus: any BusPort, for request: IncomingRequest?
    ) {
        if starting?.pick.playId == pick.playId { starting?.answeredAt = bus.now }
        playerAnswered(
            result, to: PlayerPlay.name, bus, for: request,
            done: "playing \(pick.song.title) by \(pick.song.artist)")
    }

    /// Has the next song waiting at the player while one plays, and makes it again when the moment has changed.
    func keepReady(_ bus: any BusPort) {
        guard let play = resume.turns.current, pool.playable > 0 else { return }
        let isLate = play.secondsLeft(at: bus.now).map { $0 <= DecisionBasis.lastSeconds } ?? false
        guard let waiting = resume.turns.queued else {
            queueNext(bus, reason: "nothing is ready")
            return
        }
        if !isLate, waiting.kind == .ai, let reason = reasonToDecideAgain(bus) {
            queueNext(bus, reason: reason)
        } else if queueAcknowledged != waiting.playId, watch.attached, queueSentIsOld(bus) {
            send(waiting, bus)
        }
        redecide = nil
    }

    private func reasonToDecideAgain(_ bus: any BusPort) -> String? {
        if let redecide { return redecide }
        guard let ready, let state = resume.lastState else { return "restart" }
        return ready.basis.outdated(
            by: DecisionBasis(state: state, zone: environment.timeZone, preferences: preferences))
    }

    /// Decides the next song and puts it behind the current one.
    func queueNext(_ bus: any BusPort, reason: String) {
        guard let pick = decide(bus, reason: reason) else { return }
        queue(pick, bus)
    }

    func queue(_ pick: Pick, _ bus: any BusPort) {
        resume.turns.queue(pick)
        markDirty()
        send(pick, bus)
        publishMusic(bus)
    }

    private func send(_ pick: Pick, _ bus: any BusPort) {
        queueAcknowledged = nil
        ready?.sentAt = bus.now
        tellPlayer(PlayerQueueNext(playId: pick.playId, song: pick.song, location: pick.location), bus)
    }

    private func queueSentIsOld(_ bus: any BusPort) -> Bool {
        ready?.sentAt.map { bus.now.seconds(since: $0) >= Self.startPatience } ?? true
    }
}
