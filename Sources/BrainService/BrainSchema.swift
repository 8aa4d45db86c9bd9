import GRDB
import Store

/// The tables of `brain.sqlite`, oldest version first. A step that was ever released is never changed.
///
/// Owned here by the stated departures: plays, sessions, effects, decisions; songs and playlists live with the
/// librarian, raw samples with the body. A play keeps only the few body figures that learning needs; beside it only the minutes that
/// the stress estimate is made of are kept, each time in place of the ones before.
package enum BrainSchema {
    package static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("v1") { db in
            try db.execute(sql: version1)
            try HandledEvents.createTable(in: db)
        }
        migrator.registerMigration("v2") { db in try db.execute(sql: version2) }
        migrator.registerMigration("v3") { db in try db.execute(sql: version3) }
        return migrator
    }

    static let version1 = """
        CREATE TABLE sessions (
            id TEXT NOT NULL PRIMARY KEY,
            startedAt INTEGER NOT NULL,
            endedAt INTEGER,
            playlist TEXT,
            contextType TEXT NOT NULL,
            timeOfDaySlot TEXT NOT NULL,
            dayOfWeek INTEGER NOT NULL,
            startingHeartRate REAL, endingHeartRate REAL, avgHeartRate REAL, minHeartRate REAL, maxHeartRate REAL,
            startingHRV REAL, endingHRV REAL, avgHRV REAL,
            totalSteps INTEGER NOT NULL DEFAULT 0,
            motionIntensity REAL,
            workoutType TEXT,
            workoutCalories REAL,
            totalSongsPlayed INTEGER NOT NULL DEFAULT 0,
            totalSkips INTEGER NOT NULL DEFAULT 0,
            avgListenPercentage REAL NOT NULL DEFAULT 0,
            overallImpactScore REAL
        );
        CREATE INDEX sessionsByStart ON sessions(startedAt);
        CREATE TABLE decisions (
            id TEXT NOT NULL PRIMARY KEY,
            at INTEGER NOT NULL,
            songId TEXT,
            body TEXT NOT NULL
        );
        CREATE INDEX decisionsByTime ON decisions(at);
        CREATE TABLE plays (
            id TEXT NOT NULL PRIMARY KEY,
            songId TEXT NOT NULL,
            title TEXT NOT NULL,
            artist TEXT NOT NULL,
            album TEXT,
            songDurationMs INTEGER NOT NULL,
            playlist TEXT,
            sessionId TEXT REFERENCES sessions(id) ON DELETE SET NULL,
            decisionId TEXT REFERENCES decisions(id) ON DELETE SET NULL,
            startedAt INTEGER NOT NULL,
            endedAt INTEGER NOT NULL,
            listenedMs INTEGER NOT NULL,
            outcome TEXT NOT NULL,
            wasRepeated INTEGER NOT NULL,
            volumeAtStart REAL NOT NULL,
            volumeAtEnd REAL NOT NULL,
            volumeAdjustments INTEGER NOT NULL,
            hrAtStart REAL, hrAtEnd REAL,
            hrvAtStart REAL, hrvAtEnd REAL,
            pick TEXT NOT NULL,
            selectionScore REAL,
            selectionReason TEXT,
            contextType TEXT NOT NULL,
            timeOfDaySlot TEXT NOT NULL,
            need TEXT NOT NULL,
            calmEffect REAL,
            energyEffect REAL
        );
        CREATE INDEX playsByEnd ON plays(endedAt);
        CREATE INDEX playsBySong ON plays(songId);
        CREATE INDEX playsBySession ON plays(sessionId);
        CREATE INDEX playsByDecision ON plays(decisionId);
        CREATE TABLE observations (
            playId TEXT NOT NULL PRIMARY KEY REFERENCES plays(id) ON DELETE CASCADE,
            endedAt INTEGER NOT NULL,
            body TEXT NOT NULL
        );
        CREATE INDEX observationsByEnd ON observations(endedAt, playId);
        CREATE TABLE song_effects (
            songId TEXT NOT NULL,
            contextType TEXT NOT NULL,
            timeOfDaySlot TEXT NOT NULL,
            calmScore REAL NOT NULL,
            focusScore REAL NOT NULL,
            energyScore REAL NOT NULL,
            moodLiftScore REAL NOT NULL,
            sampleCount INTEGER NOT NULL,
            confidenceLevel REAL NOT NULL,
            firstRecordedAt INTEGER,
            lastUpdatedAt INTEGER,
            PRIMARY KEY (songId, contextType, timeOfDaySlot)
        );
        CREATE TABLE states (
            at INTEGER NOT NULL PRIMARY KEY,
            arousal REAL NOT NULL, energy REAL NOT NULL, focus REAL NOT NULL, stress REAL NOT NULL,
            valence REAL NOT NULL,
            activityContext TEXT NOT NULL,
            need TEXT NOT NULL,
            confidence REAL NOT NULL
        );
        CREATE TABLE preferences (name TEXT NOT NULL PRIMARY KEY, value TEXT NOT NULL);
        CREATE TABLE chosen_playlists (position INTEGER NOT NULL PRIMARY KEY, name TEXT NOT NULL);
        CREATE TABLE resume (id INTEGER NOT NULL PRIMARY KEY CHECK (id = 1), body TEXT NOT NULL);
        """

    /// Adds what undo needs, the moods that were told, and room for the night after a session.
    static let version2 = """
        ALTER TABLE observations ADD COLUMN undone INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE sessions ADD COLUMN nextNightSleepScore REAL;
        ALTER TABLE sessions ADD COLUMN nextNightSleepDuration REAL;
        ALTER TABLE sessions ADD COLUMN nextNightDeepSleepPct REAL;
        CREATE TABLE moods (
            at INTEGER NOT NULL,
            mood INTEGER NOT NULL,
            energy INTEGER NOT NULL,
            named TEXT,
            via TEXT NOT NULL
        );
        CREATE INDEX moodsByTime ON moods(at);
        """

    /// Room for what a new start needs before the others have answered: the last minutes of the body, the last pool.
    static let version3 = "CREATE TABLE kept (name TEXT NOT NULL PRIMARY KEY, body TEXT NOT NULL);"
}
