import Bus
import Decisions
import Foundation
import Learning
import Logging
import Music
import Physiology
import Protocols
import ServiceKit
import Store

/// What the brain is told at its start, beyond what every process is told.
package struct BrainOptions: Sendable {
    /// Playlists to choose at the start; empty = what was chosen before.
    package var playlists: [String]
    /// Begins to play by itself the first time that a playlist is chosen.
    package var autoplay: Bool

    package init(playlists: [String] = [], autoplay: Bool = false) {
        self.playlists = playlists
        self.autoplay = autoplay
    }
}

/// Decides what to play for how the listener is now, and learns from what it did.
///
/// The rules live in `Decisions`, `Learning` and the plain structs of this module; this actor moves data between them,
/// the bus and `brain.sqlite`. Nothing here asks the system for time or chance.
package actor BrainService: BusService {
    package nonisolated let subscriptions = [
        "bio/heart-rate", "bio/rr", "bio/motion", "bio/workout", "input/mood", "input/nudge", "context/desktop",
        "context/calendar", "body/baseline", "body/stress", "body/battery", "body/sleep", "library/revision",
        "player/event", "music/progress",
    ]
    package nonisolated let tick = Duration.milliseconds(500)

    let environment: ServiceEnvironment
    let options: BrainOptions
    let disk: BrainDisk
    var logger: Logger { environment.logger }
    var listener: String { environment.listener }

    // What is kept over a restart.
    var resume: ResumeState
    var preferences = Preferences()
    var chosen: [String] = []

    // Kept each minute.
    var stress = StressEstimator()
    var baseline: Baseline?

    // What comes back by itself after a restart.
    var feed = BodyFeed()
    var stressReading: StressReading?
    var battery: BatteryReading?
    var sleep: SleepReport?
    var desktop: DesktopContext?
    var calendar: CalendarContext?
    var moods: [Mood] = []
    var patterns = EnergyPatterns()
    var patternsAt: Timestamp?

    // The library.
    var pool = SongPool.empty
    var loader: PoolLoader?
    /// Bumped whenever another selection or revision is wanted: answers to older questions are dropped.
    var loadGeneration = 0
    var poolStale = true
    /// The newest revision that the librarian has announced.
    var libraryRevision: Int64?
    var nextLoadAt: Timestamp?
    var librarianTrouble: String?

    // What was learnt and played.
    var learner = Learner()
    var familiarity: [String: Familiarity] = [:]
    var satiation: [String: Satiation] = [:]
    var recent: [RecentPlay] = []

    // The decision.
    var ready: ReadyDecision?
    var lastDecision: MadeDecision?
    var redecide: String?
    var watch = PlayerWatch()
    /// What the player was told to play, until it has started.
    var starting: StartingPick?
    var queueAcknowledged: String?
    var playerTrouble: String?
    var volume = 0.6
    var lastRefusal: [GuardKind] = []
    var lastLimits: DayLimits?
    var emptyPool: EmptyPool?
    /// What was learnt, as columns; computed again when something it depends on changes.
    var effects: CachedEffects?
    var lessons = 0
    var poolGeneration = 0
    var prunedDay: Int64?

    // Health.
    var brokenMessages = 0
    var published = LastPublished()
    var unsaved = UnsavedWrites()

    package init(environment: ServiceEnvironment, options: BrainOptions, disk: BrainDisk) throws {
        self.environment = environment
        self.options = options
        self.disk = disk
        let stored = try disk.read { db in try StoredBrain(in: db) }
        resume = stored.resume ?? ResumeState()
        chosen = options.playlists.isEmpty ? stored.chosen : options.playlists
        for (name, value) in stored.preferences { _ = try? preferences.set(name, to: value) }
        learner = Learner(replaying: stored.observations, weights: preferences.learningWeights)
        for play in stored.plays { Self.count(play, in: &familiarity, &satiation) }
        recent = stored.plays.suffix(Self.recentKept).map {
            RecentPlay(song: $0.song, startedAt: $0.startedAt, endedAt: $0.endedAt)
        }
        moods = resume.mood.map { [$0] } ?? []
        if let body = stored.body { (stress, baseline) = (body.stress, body.baseline) }
        if let kept = stored.pool, kept.playlists == chosen { pool = kept.pool }
        isFirstStart = stored.resume == nil
        if let state = resume.turns.queued?.why?.state {
            ready = ReadyDecision(
                basis: DecisionBasis(state: state, zone: environment.timeZone, preferences: preferences))
        }
    }

    /// True until music was wanted for the first time: only then may `--autoplay` begin by itself.
    var isFirstStart: Bool

    /// Plays that repeat windows can look back on: a day of short songs.
    static let recentKept = 600

    package func receive(_ event: BusEvent, bus: any BusPort) async throws {
        switch event {
        case .message(let message): try hear(message, bus)
        case .request(let request): answer(request, bus)
        case .tick: beat(bus)
        case .joined: join(bus)
        case .lost: break
        }
        flush(bus)
        // Not acknowledged while its effect is in memory alone; it comes again, and then it is written or still is not.
        if case .message(let message) = event, unsaved.events.contains(EventID(message)) {
            throw StoreError.diskFull(path: disk.file.path)
        }
    }

    package func finish(bus: any BusPort) async {
        settleLearning(bus, atOnce: true)
        keepBody()
        markDirty()
        flush(bus)
    }

    /// Everything that is due: called about twice a second, or each step of virtual time.
    private func beat(_ bus: any BusPort) {
        makeDueStates(bus)
        loadPoolIfNeeded(bus)
        settleLearning(bus, atOnce: false)
        endSessionIfOver(bus)
        watchPlayer(bus)
        keepReady(bus)
        keepPlaying(bus)
        prune(bus)
    }

    /// The hub is there: say what is known, and ask the player what it does.
    private func join(_ bus: any BusPort) {
        watch.detach()
        published = LastPublished()
        makeDueStates(bus)
        loadPoolIfNeeded(bus)
        watchPlayer(bus)
        publishMusic(bus)
        if let why = resume.turns.current?.pick.why { bus.publish(why, on: Registry.why(listener)) }
    }

    // MARK: - Disk

    /// Remembers a write for the end of this call: all of one call go into one transaction.
    func save(_ work: @escaping BrainDisk.Work) { unsaved.add(work) }

    /// The resume state has changed.
    func markDirty() { unsaved.resumeIsDirty = true }

    /// Writes what this call brought about. A disk that is full loses nothing at first: the writes wait, up to a
    /// bound, and the music goes on.
    func flush(_ bus: any BusPort) {
        guard unsaved.isDue(at: bus.now) else { return }
        let resume = unsaved.resumeIsDirty ? resume : nil
        let works = unsaved.works
        do {
            try disk.write { db in
                for work in works { try work(db) }
                if let resume { try BrainStore.store(resume, in: db) }
            }
            if unsaved.troubleSince != nil {
                logger.notice("the database can be written again", metadata: ["givenUp": "\(unsaved.lost)"])
            }
            unsaved = UnsavedWrites()
        } catch {
            let isNew = unsaved.troubleSince == nil
            unsaved.failed(at: bus.now)
            if isNew {
                logger.error(
                    "the database cannot be written; the music goes on and writing is tried again",
                    metadata: ["error": "\(error)", "waiting": "\(works.count)"])
            }
        }
    }

    private static func count(
        _ play: BrainStore.PastPlay, in familiarity: inout [String: Familiarity],
        _ satiation: inout [String: Satiation]
    ) {
        guard play.listenedMs >= PlayObservation.browsingMs else { return }
        let share = play.durationMs > 0 ? Double(play.listenedMs) / Double(play.durationMs) : 0
        familiarity[play.song.id, default: Familiarity(at: play.endedAt)]
            .add(completed: share >= Self.completeShare, at: play.endedAt)
        satiation[play.song.id, default: Satiation(at: play.endedAt)].add(at: play.endedAt)
    }

    /// Share of a song from which it counts as heard.
    static let completeShare = 0.9

    /// Counts a play for repeat windows, familiarity and satiation.
    func count(_ finished: FinishedPlay) {
        let play = BrainStore.PastPlay(
            song: finished.play.pick.song, startedAt: finished.play.startedAt, endedAt: finished.endedAt,
            listenedMs: finished.listenedMs, durationMs: finished.durationMs, outcome: finished.outcome)
        Self.count(play, in: &familiarity, &satiation)
        recent.append(RecentPlay(song: play.song, startedAt: play.startedAt, endedAt: play.endedAt))
        if recent.count > Self.recentKept { recent.removeFirst(recent.count - Self.recentKept) }
    }
}

extension Preferences {
    package var learningWeights: LearningWeights {
        LearningWeights(skipPenalty: skipPenaltyWeight, hrvShare: hrvResponseWeight)
    }
}
