import Bus
import Decisions
import Foundation
import Learning
import Music
import Physiology
import Protocols
import Store

extension BrainService {
    /// Answers a question, or refuses it with cause and cure.
    func answer(_ request: IncomingRequest, _ bus: any BusPort) {
        do {
            if try control(request, bus) { return }
            if try ask(request, bus) { return }
            if try set(request, bus) { return }
            if try keep(request, bus) { return }
            throw Refusal(code: "unknown-request", message: "the brain does not know '\(request.name)'")
        } catch let refusal as Refusal {
            request.refuse(refusal)
        } catch let error as StoreError {
            request.refuse(Refusal(code: "unavailable", message: error.description))
        } catch {
            request.refuse(Refusal(code: "internal", message: "\(request.name): \(error)"))
        }
    }

    // MARK: - Controls

    private func control(_ request: IncomingRequest, _ bus: any BusPort) throws -> Bool {
        switch request.name {
        case Play.name: try play(request.decodeBody(Play.self), request, bus)
        case Pause.name:
            noteControl(bus)
            resume.wantsMusic = false
            markDirty()
            tellPlayer(PlayerPause(), bus, for: request, done: "paused")
        case Resume.name: try play(Play(), request, bus)
        case Skip.name:
            noteControl(bus)
            guard resume.turns.current != nil else { throw Self.nothingPlays }
            tellPlayer(PlayerSkip(), bus, for: request, done: "skipped")
        case Previous.name: try previous(request, bus)
        case Seek.name:
            guard resume.turns.current != nil else { throw Self.nothingPlays }
            let seek = try request.decodeBody(Seek.self)
            tellPlayer(PlayerSeek(positionMs: seek.positionMs), bus, for: request)
        case SetVolume.name:
            let command = try request.decodeBody(SetVolume.self)
            guard (0...1).contains(command.volume) else {
                throw Refusal(code: "invalid", message: "volume is \(command.volume), must be 0…1")
            }
            noteControl(bus)
            tellPlayer(PlayerVolume(volume: command.volume), bus, for: request)
        case PickNext.name:
            guard resume.turns.current != nil, pool.playable > 0 else { throw Self.nothingPlays }
            queueNext(bus, reason: "asked for")
            request.reply(musicQueue)
        case Propose.name: try propose(request.decodeBody(Propose.self), request, bus)
        case UsePlaylists.name: use(try request.decodeBody(UsePlaylists.self).playlists, for: request, bus)
        default: return false
        }
        return true
    }

    static let nothingPlays = Refusal(code: "nothing-plays", message: "nothing plays; start with `resonance play`")

    private func noteControl(_ bus: any BusPort) {
        isFirstStart = false
        resume.synthesis.context.observeControl(at: bus.now)
        markDirty()
    }

    private func play(_ command: Play, _ request: IncomingRequest, _ bus: any BusPort) throws {
        noteControl(bus)
        if let id = command.songId {
            let pick = try userPick(id, bus)
            resume.wantsMusic = true
            start(pick, bus, for: request)
            return
        }
        if let play = resume.turns.current {
            resume.wantsMusic = true
            guard !play.playing else {
                request.reply(Done(note: "it plays already"))
                return
            }
            tellPlayer(PlayerResume(), bus, for: request, done: "playing")
            return
        }
        guard pool.playable > 0 || resume.turns.queued != nil, let pick = nextPick(bus, reason: "asked for") else {
            throw Refusal(code: "unavailable", message: notice ?? "there is nothing to play")
        }
        resume.wantsMusic = true
        start(pick, bus, for: request)
    }

    /// A song of the chosen playlists that the listener asks for: repeat windows do not bind their own wish, the source
    /// playlists and the never-play list do.
    private func userPick(_ songId: String, _ bus: any BusPort) throws -> Pick {
        let position = try position(of: songId)
        let id = pool.table.refs[position].id
        if let pick = decide(bus, reason: "asked for", proposal: Proposal(songId: id, from: "user")) { return pick }
        if lastRefusal.contains(.neverPlay) {
            throw Refusal(
                code: "not-allowed", message: "it is on your never-play list; see `resonance prefs get neverPlay`")
        }
        if lastRefusal.contains(.unplayable) {
            throw Refusal(code: "unavailable", message: "its file cannot be played")
        }
        resume.counter += 1
        markDirty()
        return pick(
            position, decisionId: nil, kind: .user, state: presentState(bus.now), why: nil, short: "Your request")
    }

    /// A song of the pool by id, or by part of its title when that is clear.
    private func position(of text: String) throws -> Int {
        if let position = pool.table.position(of: text) { return position }
        let found = pool.songs.indices.filter { pool.songs[$0].title.localizedCaseInsensitiveContains(text) }
        let exact = found.filter { pool.songs[$0].title.lowercased() == text.lowercased() }
        if exact.count == 1, let position = exact.first { return position }
        if found.count == 1, let position = found.first { return position }
        guard !found.isEmpty else {
            throw Refusal(code: "not-found", message: "'\(text)' is not in the chosen playlists")
        }
        let names = found.prefix(5).map { "\(pool.songs[$0].title) by \(pool.songs[$0].artist) (\(pool.songs[$0].id))" }
        throw Refusal(code: "invalid", message: "'\(text)' may be: \(names.joined(separator: "; ")). Give the id.")
    }

    private func previous(_ request: IncomingRequest, _ bus: any BusPort) throws {
        noteControl(bus)
        guard let play = resume.turns.current else { throw Self.nothingPlays }
        let backToTheOneBefore: Int64 = 5_000
        if play.position(at: bus.now) < backToTheOneBefore, let last = resume.turns.latest.last,
            let position = pool.table.position(of: last.play.pick.song.id)
        {
            resume.counter += 1
            let pick = pick(
                position, decisionId: nil, kind: .user, state: presentState(bus.now), why: nil, short: "Once more")
            start(pick, bus, for: request)
        } else {
            tellPlayer(PlayerPrevious(), bus, for: request, done: "from the start")
        }
    }

    private func propose(_ proposal: Propose, _ request: IncomingRequest, _ bus: any BusPort) throws {
        guard resume.turns.current != nil else { throw Self.nothingPlays }
        let position = try position(of: proposal.songId)
        let song = pool.table.refs[position]
        guard let pick = decide(bus, reason: "proposed", proposal: Proposal(songId: song.id, from: proposal.from))
        else {
            let reasons = lastRefusal.map { $0.reason(limits: lastLimits) }.joined(separator: ", and ")
            let cure = lastRefusal.first.map { "; \($0.cure)" } ?? ""
            throw Refusal(
                code: "not-allowed", message: "\(song.title) by \(song.artist) cannot come next: \(reasons)\(cure)")
        }
        queue(pick, bus)
        request.reply(Done(note: "\(song.title) by \(song.artist) comes next"))
    }

    // MARK: - Settings

    private func set(_ request: IncomingRequest, _ bus: any BusPort) throws -> Bool {
        switch request.name {
        case SetMood.name: try setMood(request.decodeBody(SetMood.self), request, bus)
        case ClearMood.name:
            resume.mood = nil
            redecide = "mood"
            markDirty()
            keepReady(bus)
            request.reply(Done(note: "back to what the sensors say"))
        case SayContext.name: try sayContext(request.decodeBody(SayContext.self), request, bus)
        case SendNudge.name:
            let nudge = try request.decodeBody(SendNudge.self)
            guard let kind = NudgeKind(rawValue: nudge.kind), (-1...1).contains(nudge.delta) else {
                throw Refusal(code: "invalid", message: "nudge: delta is −1…1, kind is energy or intensity")
            }
            guard preferences.djMode else {
                throw Refusal(
                    code: "not-allowed", message: "nudges need DJ mode; turn it on with `resonance dj-mode on`")
            }
            // Through the bus, like the turn of any other crown: kept, acknowledged, handled once.
            bus.publish(Nudge(at: bus.now, delta: nudge.delta, kind: kind), on: Registry.nudge(listener))
            request.reply(Done())
        case SetDJMode.name:
            if let on = try request.decodeBody(SetDJMode.self).on { try setDJMode(on, bus) }
            request.reply(djMode(at: bus.now))
        case GetPreferences.name: request.reply(PreferenceList(preferences: preferences.list))
        case SetPreference.name:
            let wish = try request.decodeBody(SetPreference.self)
            var changed = preferences
            do {
                let notice = try changed.set(wish.name, to: wish.value)
                try adopt(changed, bus)
                request.reply(PreferenceList(preferences: changed.list, notice: notice))
            } catch let error as PreferenceError {
                throw Refusal(code: "invalid", message: error.description)
            }
        case ResetPreferences.name:
            try adopt(Preferences(), bus)
            request.reply(PreferenceList(preferences: preferences.list))
        default: return false
        }
        return true
    }

    private func setMood(_ wish: SetMood, _ request: IncomingRequest, _ bus: any BusPort) throws {
        let input: MoodInput
        if let name = wish.named {
            guard let named = NamedMood(rawValue: name) else {
                let names = NamedMood.allCases.map(\.rawValue).joined(separator: ", ")
                throw Refusal(code: "invalid", message: "no mood is named '\(name)'; choose from \(names)")
            }
            let (valence, energy, _) = Mood.scales(of: named)
            input = MoodInput(
                at: bus.now, mood: Int((valence * 4).rounded()) + 1, energy: Int((energy * 4).rounded()) + 1,
                named: named, via: wish.via)
        } else {
            guard let mood = wish.mood, let energy = wish.energy, (1...5).contains(mood), (1...5).contains(energy)
            else {
                throw Refusal(code: "invalid", message: "give mood and energy, 1…5 each, or a named mood")
            }
            input = MoodInput(at: bus.now, mood: mood, energy: energy, via: wish.via)
        }
        // Through the bus, since the body keeps moods too.
        bus.publish(input, on: Registry.mood(listener))
        request.reply(Done(note: "noted for 15 min"))
    }

    private func sayContext(_ wish: SayContext, _ request: IncomingRequest, _ bus: any BusPort) throws {
        noteControl(bus)
        if let name = wish.context {
            guard let context = ActivityContext(rawValue: name), context != .unknown else {
                let names = ActivityContext.allCases.filter { $0 != .unknown }.map(\.rawValue).joined(separator: ", ")
                throw Refusal(code: "invalid", message: "nobody does '\(name)'; choose from \(names)")
            }
            guard (1...1440).contains(wish.minutes) else {
                throw Refusal(code: "invalid", message: "minutes is \(wish.minutes), must be 1…1440")
            }
            resume.synthesis.context.say(context, at: bus.now, for: wish.minutes * 60)
        } else {
            resume.synthesis.context.unsay()
        }
        redecide = "context"
        keepReady(bus)
        request.reply(
            Done(
                note: wish.context.map { "\($0) for \(Int(wish.minutes.rounded())) min" }
                    ?? "back to what the sensors say"
            ))
    }

    private func setDJMode(_ on: Bool, _ bus: any BusPort) throws {
        guard on != preferences.djMode else { return }
        var changed = preferences
        changed.djMode = on
        if !on { resume.nudges.clear() }
        try adopt(changed, bus)
    }

    private func adopt(_ changed: Preferences, _ bus: any BusPort) throws {
        let weightsChanged = changed.learningWeights != preferences.learningWeights
        let list = changed.list
        try disk.write { db in try BrainStore.setPreferences(list, in: db) }
        preferences = changed
        if !changed.djMode { resume.nudges.clear() }
        if weightsChanged {
            let observations = try disk.read { db in try BrainStore.observations(in: db) }
            learner = Learner(replaying: observations, weights: changed.learningWeights)
            lessons += 1
            let learner = learner
            try disk.write { db in try BrainStore.replaceEffects(of: learner, in: db) }
        }
        redecide = "preferences"
        markDirty()
        keepReady(bus)
    }

    func djMode(at now: Timestamp) -> DJMode {
        DJMode(
            on: preferences.djMode, energyNudge: resume.nudges.energy(at: now), tempoNudge: resume.nudges.tempo(at: now)
        )
    }

    // MARK: - Data

    private func keep(_ request: IncomingRequest, _ bus: any BusPort) throws -> Bool {
        switch request.name {
        case Undo.name:
            let wish = try request.decodeBody(Undo.self)
            // What still waits for its last samples belongs to what is forgotten.
            settleLearning(bus, atOnce: true)
            flush(bus)
            let count = try undo(since: wish.minutes.map { bus.now.adding(seconds: -$0 * 60) })
            keepReady(bus)
            request.reply(
                Done(note: count == 0 ? "nothing was learnt in that time" : "forgot what \(count) plays taught"))
        case ExportData.name:
            flush(bus)
            let path = try request.decodeBody(ExportData.self).path
            request.reply(Exported(path: path, rows: try disk.file.exportRows(to: path)))
        case BackUpData.name:
            flush(bus)
            let path = try request.decodeBody(BackUpData.self).path
            guard path.hasPrefix("/") else {
                throw Refusal(code: "invalid", message: "\(path.prefix(200)): give an absolute path")
            }
            try disk.file.backup(to: path)
            request.reply(BackedUp(path: path))
        case DeleteData.name:
            guard try request.decodeBody(DeleteData.self).confirmation == DeleteData.phrase else {
                throw Refusal(code: "invalid", message: "the confirmation must read '\(DeleteData.phrase)'")
            }
            try deleteAll(bus)
            request.reply(Done(note: "the brain has forgotten everything"))
        default: return false
        }
        return true
    }

    /// Forgets everything, on disk and in memory, and tells the bus to forget it too.
    private func deleteAll(_ bus: any BusPort) throws {
        if resume.turns.current != nil { tellPlayer(PlayerStop(), bus) }
        try disk.file.wipe()
        // The counter goes on: an id that was used once must not come back while its events are on their way.
        let counter = resume.counter
        resume = ResumeState()
        resume.counter = counter
        preferences = Preferences()
        chosen = []
        feed = BodyFeed()
        stress = .init()
        (baseline, stressReading, desktop, calendar) = (nil, nil, nil, nil)
        (battery, sleep) = (nil, nil)
        moods = []
        patterns = EnergyPatterns()
        pool = .empty
        poolGeneration += 1
        loadGeneration += 1
        (loader, poolStale, librarianTrouble) = (nil, true, nil)
        learner = Learner()
        lessons += 1
        familiarity = [:]
        satiation = [:]
        recent = []
        (ready, lastDecision, redecide, starting, emptyPool, effects) = (nil, nil, nil, nil, nil, nil)
        isFirstStart = false
        unsaved = UnsavedWrites()
        markDirty()
        published = LastPublished()
        bus.withdraw(Registry.state(listener))
        bus.withdraw(Registry.why(listener))
        bus.withdraw(Registry.glance(listener))
        bus.withdraw(Registry.queue(listener))
        publishMusic(bus)
    }
}
