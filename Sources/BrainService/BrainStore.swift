import Foundation
import GRDB
import Learning
import Protocols

/// Reads and writes the rows of `brain.sqlite`; each call runs inside the caller's transaction.
package enum BrainStore {
    // MARK: - Plays

    /// Stores a play that is over; a second time changes nothing.
    ///
    /// - Returns: false when the play was there already.
    package static func insert(_ finished: FinishedPlay, sessionId: String?, in db: Database) throws -> Bool {
        let play = finished.play
        let pick = play.pick
        try db.execute(
            sql: """
                INSERT OR IGNORE INTO plays (id, songId, title, artist, album, songDurationMs, playlist, sessionId,
                    decisionId, startedAt, endedAt, listenedMs, outcome, wasRepeated, volumeAtStart, volumeAtEnd,
                    volumeAdjustments, pick, selectionScore, selectionReason, contextType, timeOfDaySlot, need)
                VALUES (?, ?, ?, ?, ?, ?, ?, (SELECT id FROM sessions WHERE id = ?),
                    (SELECT id FROM decisions WHERE id = ?), ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """,
            arguments: [
                pick.playId, pick.song.id, pick.song.title, pick.song.artist, pick.song.album, finished.durationMs,
                pick.playlist, sessionId, pick.decisionId, play.startedAt.milliseconds, finished.endedAt.milliseconds,
                finished.listenedMs, finished.outcome.rawValue, play.repeated, play.volumeStart, play.volumeNow,
                play.volumeAdjustments, pick.kind.rawValue, pick.why?.score, pick.why?.text,
                pick.activityContext.rawValue, pick.slot, pick.need.rawValue,
            ])
        return db.changesCount > 0
    }

    /// Stores what was learnt from a play.
    package static func store(
        _ observation: PlayObservation, lesson: Learner.Lesson?, learner: Learner, in db: Database
    ) throws {
        try db.execute(
            sql: "INSERT OR REPLACE INTO observations (playId, endedAt, body, undone) VALUES (?, ?, ?, 0)",
            arguments: [observation.playId, observation.endedAt.milliseconds, try json(observation)])
        try db.execute(
            sql: """
                UPDATE plays SET hrAtStart = ?, hrAtEnd = ?, hrvAtStart = ?, hrvAtEnd = ?, calmEffect = ?,
                    energyEffect = ? WHERE id = ?
                """,
            arguments: [
                observation.body?.bpmStart, observation.body?.bpmEnd, observation.body?.rmssdStartMs,
                observation.body?.rmssdEndMs, lesson?.impact.calm, lesson?.impact.energy, observation.playId,
            ])
        for key in lesson?.changed ?? [] {
            if let log = learner.effectLog(key) { try store(log, for: key, in: db) }
        }
    }

    private static func store(_ log: SongEffectLog, for key: Learner.EffectKey, in db: Database) throws {
        try db.execute(
            sql: """
                INSERT OR REPLACE INTO song_effects (songId, contextType, timeOfDaySlot, calmScore, focusScore,
                    energyScore, moodLiftScore, sampleCount, confidenceLevel, firstRecordedAt, lastUpdatedAt)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """,
            arguments: [
                key.songId, key.context, key.slot, log.calm, log.focus, log.energy, log.moodLift, log.plays,
                log.confidence, log.firstAt?.milliseconds, log.lastAt?.milliseconds,
            ])
    }

    /// Writes the visible log anew, after undoing.
    package static func replaceEffects(of learner: Learner, in db: Database) throws {
        try db.execute(sql: "DELETE FROM song_effects")
        for (key, log) in learner.effectLogs() { try store(log, for: key, in: db) }
    }

    /// All plays that still teach, oldest first.
    package static func observations(in db: Database) throws -> [PlayObservation] {
        try String.fetchAll(db, sql: "SELECT body FROM observations WHERE undone = 0 ORDER BY endedAt, playId")
            .compactMap { try? JSONDecoder().decode(PlayObservation.self, from: Data($0.utf8)) }
    }

    /// Marks plays as forgotten and clears the figures that they left on their rows.
    ///
    /// - Parameter since: plays that ended from then on; nil = the last play that still teaches.
    /// - Returns: how many plays that were.
    package static func undo(since: Timestamp?, in db: Database) throws -> Int {
        let ids =
            if let since {
                try String.fetchAll(
                    db, sql: "SELECT playId FROM observations WHERE undone = 0 AND endedAt >= ?",
                    arguments: [since.milliseconds])
            } else {
                try String.fetchAll(
                    db,
                    sql: "SELECT playId FROM observations WHERE undone = 0 ORDER BY endedAt DESC, playId DESC LIMIT 1")
            }
        for id in ids {
            try db.execute(sql: "UPDATE observations SET undone = 1 WHERE playId = ?", arguments: [id])
            try db.execute(sql: "UPDATE plays SET calmEffect = NULL, energyEffect = NULL WHERE id = ?", arguments: [id])
        }
        return ids.count
    }

    /// What the guards and familiarity need to know about a play.
    package struct PastPlay: Hashable, Sendable {
        package var song: SongRef
        package var startedAt: Timestamp
        package var endedAt: Timestamp
        package var listenedMs: Int64
        package var durationMs: Int64
        package var outcome: PlayOutcome
    }

    /// All plays, oldest first.
    package static func pastPlays(in db: Database) throws -> [PastPlay] {
        try Row.fetchAll(
            db,
            sql: """
                SELECT songId, title, artist, album, songDurationMs, startedAt, endedAt, listenedMs, outcome
                FROM plays ORDER BY startedAt, id
                """
        ).map { row in
            PastPlay(
                song: song(row), startedAt: Timestamp(milliseconds: row["startedAt"]),
                endedAt: Timestamp(milliseconds: row["endedAt"]), listenedMs: row["listenedMs"],
                durationMs: row["songDurationMs"], outcome: PlayOutcome(rawValue: row["outcome"]) ?? .stopped)
        }
    }

    /// Newest first.
    package static func history(limit: Int, before: Timestamp?, in db: Database) throws -> [PlayRow] {
        try Row.fetchAll(
            db,
            sql: "SELECT * FROM plays WHERE startedAt < ? ORDER BY startedAt DESC, id DESC LIMIT ?",
            arguments: [before?.milliseconds ?? Int64.max, max(0, min(limit, 1000))]
        ).map { row in
            PlayRow(
                playId: row["id"], song: song(row), playlist: row["playlist"],
                startedAt: Timestamp(milliseconds: row["startedAt"]),
                endedAt: Timestamp(milliseconds: row["endedAt"]), listenedMs: row["listenedMs"],
                outcome: row["outcome"], pick: row["pick"], score: row["selectionScore"], why: row["selectionReason"],
                activityContext: row["contextType"], need: row["need"], calmEffect: row["calmEffect"],
                energyEffect: row["energyEffect"])
        }
    }

    /// Every song that was ever played, by id.
    package static func songNames(in db: Database) throws -> [String: SongRef] {
        let rows = try Row.fetchAll(
            db,
            sql: "SELECT songId, title, artist, album, MAX(songDurationMs) AS songDurationMs FROM plays GROUP BY songId"
        )
        return Dictionary(rows.map { ($0["songId"], song($0)) }) { first, _ in first }
    }

    private static func song(_ row: Row) -> SongRef {
        SongRef(
            id: row["songId"], title: row["title"], artist: row["artist"], album: row["album"],
            durationMs: row["songDurationMs"])
    }

    // MARK: - Sessions

    package static func store(_ session: ListeningSession, endedAt: Timestamp?, in db: Database) throws {
        try db.execute(
            sql: """
                INSERT INTO sessions (id, startedAt, endedAt, playlist, contextType, timeOfDaySlot, dayOfWeek,
                    startingHeartRate, endingHeartRate, avgHeartRate, minHeartRate, maxHeartRate,
                    startingHRV, endingHRV, avgHRV, totalSteps, motionIntensity, workoutType, workoutCalories,
                    totalSongsPlayed, totalSkips, avgListenPercentage, overallImpactScore)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                ON CONFLICT (id) DO UPDATE SET endedAt = excluded.endedAt, playlist = excluded.playlist,
                    startingHeartRate = excluded.startingHeartRate, endingHeartRate = excluded.endingHeartRate,
                    avgHeartRate = excluded.avgHeartRate, minHeartRate = excluded.minHeartRate,
                    maxHeartRate = excluded.maxHeartRate, startingHRV = excluded.startingHRV,
                    endingHRV = excluded.endingHRV, avgHRV = excluded.avgHRV, totalSteps = excluded.totalSteps,
                    motionIntensity = excluded.motionIntensity, workoutType = excluded.workoutType,
                    workoutCalories = excluded.workoutCalories, totalSongsPlayed = excluded.totalSongsPlayed,
                    totalSkips = excluded.totalSkips, avgListenPercentage = excluded.avgListenPercentage,
                    overallImpactScore = excluded.overallImpactScore
                """,
            arguments: [
                session.id, session.startedAt.milliseconds, endedAt?.milliseconds, session.playlist,
                session.activityContext.rawValue, session.slot, session.dayOfWeek, session.bpm.first,
                session.bpm.last, session.bpm.mean, session.bpm.least, session.bpm.most, session.rmssdMs.first,
                session.rmssdMs.last, session.rmssdMs.mean, session.steps, session.motion.mean, session.workoutSport,
                session.workoutKcal, session.songs, session.skips, session.averageListenShare, session.quality,
            ])
    }

    /// Newest first.
    package static func sessions(limit: Int, in db: Database) throws -> [SessionSummary] {
        try Row.fetchAll(
            db, sql: "SELECT * FROM sessions ORDER BY startedAt DESC, id DESC LIMIT ?",
            arguments: [max(0, min(limit, 1000))]
        ).map { row in
            SessionSummary(
                id: row["id"], startedAt: Timestamp(milliseconds: row["startedAt"]),
                endedAt: (row["endedAt"] as Int64?).map { Timestamp(milliseconds: $0) }, playlist: row["playlist"],
                activityContext: row["contextType"], slot: row["timeOfDaySlot"], songs: row["totalSongsPlayed"],
                skips: row["totalSkips"], averageListenShare: row["avgListenPercentage"],
                quality: row["overallImpactScore"], startBpm: row["startingHeartRate"],
                endBpm: row["endingHeartRate"])
        }
    }

    // MARK: - Decisions and states

    package static func insert(_ decision: DecisionMade, in db: Database) throws {
        try db.execute(
            sql: "INSERT OR IGNORE INTO decisions (id, at, songId, body) VALUES (?, ?, ?, ?)",
            arguments: [decision.decisionId, decision.at.milliseconds, decision.songId, try json(decision)])
    }

    package static func insert(_ state: StateVector, in db: Database) throws {
        try db.execute(
            sql: "INSERT OR REPLACE INTO states VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            arguments: [
                state.at.milliseconds, state.arousal, state.energy, state.focus, state.stress, state.valence,
                state.activityContext.rawValue, state.need.rawValue, state.confidence,
            ])
    }

    /// Mean energy of each hour since `start`, oldest first; an hour counts from 10 states on.
    package static func hourlyEnergy(
        since start: Timestamp, in db: Database
    ) throws -> [(at: Timestamp, energy: Double)] {
        try Row.fetchAll(
            db,
            sql: """
                SELECT at / 3600000 AS hour, AVG(energy) AS energy FROM states WHERE at >= ? AND confidence > 0.2
                GROUP BY hour HAVING COUNT(*) >= 10 ORDER BY hour
                """,
            arguments: [start.milliseconds]
        ).map { (at: Timestamp(milliseconds: ($0["hour"] as Int64) * 3_600_000), energy: $0["energy"]) }
    }

    /// Deletes states older than the patterns reach, and everything older than the listener wants to keep.
    package static func prune(states: Timestamp, everything: Timestamp?, in db: Database) throws {
        try db.execute(sql: "DELETE FROM states WHERE at < ?", arguments: [states.milliseconds])
        guard let everything else { return }
        let limit = everything.milliseconds
        try db.execute(sql: "DELETE FROM plays WHERE endedAt < ?", arguments: [limit])
        try db.execute(sql: "DELETE FROM sessions WHERE endedAt < ?", arguments: [limit])
        try db.execute(sql: "DELETE FROM decisions WHERE at < ?", arguments: [limit])
        try db.execute(sql: "DELETE FROM moods WHERE at < ?", arguments: [limit])
    }

    // MARK: - What the listener set

    package static func insert(_ mood: MoodInput, in db: Database) throws {
        try db.execute(
            sql: "INSERT INTO moods (at, mood, energy, named, via) VALUES (?, ?, ?, ?, ?)",
            arguments: [mood.at.milliseconds, mood.mood, mood.energy, mood.named?.rawValue, mood.via])
    }

    /// By name; only what differs from its default is kept.
    package static func preferences(in db: Database) throws -> [(name: String, value: String)] {
        try Row.fetchAll(db, sql: "SELECT name, value FROM preferences ORDER BY name")
            .map { (name: $0["name"], value: $0["value"]) }
    }

    package static func setPreferences(_ all: [Preference], in db: Database) throws {
        try db.execute(sql: "DELETE FROM preferences")
        for preference in all where preference.value != preference.defaultValue {
            try db.execute(
                sql: "INSERT INTO preferences (name, value) VALUES (?, ?)",
                arguments: [preference.name, preference.value])
        }
    }

    package static func chosenPlaylists(in db: Database) throws -> [String] {
        try String.fetchAll(db, sql: "SELECT name FROM chosen_playlists ORDER BY position")
    }

    package static func setChosenPlaylists(_ names: [String], in db: Database) throws {
        try db.execute(sql: "DELETE FROM chosen_playlists")
        for (position, name) in names.enumerated() {
            try db.execute(
                sql: "INSERT INTO chosen_playlists (position, name) VALUES (?, ?)", arguments: [position, name])
        }
    }

    // MARK: - Resume

    package static func resume(in db: Database) throws -> ResumeState? {
        try String.fetchOne(db, sql: "SELECT body FROM resume WHERE id = 1")
            .flatMap { try? JSONDecoder().decode(ResumeState.self, from: Data($0.utf8)) }
    }

    package static func store(_ resume: ResumeState, in db: Database) throws {
        try db.execute(
            sql: "INSERT OR REPLACE INTO resume (id, body) VALUES (1, ?)", arguments: [try json(resume)])
    }

    // MARK: - Kept

    /// Keeps a value under its name, in place of the one before.
    package static func keep(_ value: some Encodable, as name: String, in db: Database) throws {
        try db.execute(
            sql: "INSERT OR REPLACE INTO kept (name, body) VALUES (?, ?)", arguments: [name, try json(value)])
    }

    /// nil when there is none, or one of another version.
    package static func kept<Value: Decodable>(_ type: Value.Type, _ name: String, in db: Database) throws -> Value? {
        try String.fetchOne(db, sql: "SELECT body FROM kept WHERE name = ?", arguments: [name])
            .flatMap { try? JSONDecoder().decode(type, from: Data($0.utf8)) }
    }

    private static func json(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }
}
