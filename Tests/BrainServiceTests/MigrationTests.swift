import BrainService
import Bus
import Foundation
import GRDB
import Protocols
import Store
import Testing

struct MigrationTests {
    /// The database as version 1 left it, with one play in it. Written down once; never to be changed.
    private static let version1 = """
        CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY);
        INSERT INTO grdb_migrations VALUES ('v1');
        CREATE TABLE sessions (id TEXT NOT NULL PRIMARY KEY, startedAt INTEGER NOT NULL, endedAt INTEGER, playlist TEXT,
            contextType TEXT NOT NULL, timeOfDaySlot TEXT NOT NULL, dayOfWeek INTEGER NOT NULL, startingHeartRate REAL,
            endingHeartRate REAL, avgHeartRate REAL, minHeartRate REAL, maxHeartRate REAL, startingHRV REAL,
            endingHRV REAL, avgHRV REAL, totalSteps INTEGER NOT NULL DEFAULT 0, motionIntensity REAL, workoutType TEXT,
            workoutCalories REAL, totalSongsPlayed INTEGER NOT NULL DEFAULT 0, totalSkips INTEGER NOT NULL DEFAULT 0,
            avgListenPercentage REAL NOT NULL DEFAULT 0, overallImpactScore REAL);
        CREATE TABLE decisions (id TEXT NOT NULL PRIMARY KEY, at INTEGER NOT NULL, songId TEXT, body TEXT NOT NULL);
        CREATE TABLE plays (id TEXT NOT NULL PRIMARY KEY, songId TEXT NOT NULL, title TEXT NOT NULL, artist TEXT NOT NULL,
            album TEXT, songDurationMs INTEGER NOT NULL, playlist TEXT,
            sessionId TEXT REFERENCES sessions(id) ON DELETE SET NULL,
            decisionId TEXT REFERENCES decisions(id) ON DELETE SET NULL, startedAt INTEGER NOT NULL,
            endedAt INTEGER NOT NULL, listenedMs INTEGER NOT NULL, outcome TEXT NOT NULL, wasRepeated INTEGER NOT NULL,
            volumeAtStart REAL NOT NULL, volumeAtEnd REAL NOT NULL, volumeAdjustments INTEGER NOT NULL, hrAtStart REAL,
            hrAtEnd REAL, hrvAtStart REAL, hrvAtEnd REAL, pick TEXT NOT NULL, selectionScore REAL, selectionReason TEXT,
            contextType TEXT NOT NULL, timeOfDaySlot TEXT NOT NULL, need TEXT NOT NULL, calmEffect REAL,
            energyEffect REAL);
        CREATE TABLE observations (playId TEXT NOT NULL PRIMARY KEY REFERENCES plays(id) ON DELETE CASCADE,
            endedAt INTEGER NOT NULL, body TEXT NOT NULL);
        CREATE TABLE song_effects (songId TEXT NOT NULL, contextType TEXT NOT NULL, timeOfDaySlot TEXT NOT NULL,
            calmScore REAL NOT NULL, focusScore REAL NOT NULL, energyScore REAL NOT NULL, moodLiftScore REAL NOT NULL,
            sampleCount INTEGER NOT NULL, confidenceLevel REAL NOT NULL, firstRecordedAt INTEGER,
            lastUpdatedAt INTEGER, PRIMARY KEY (songId, contextType, timeOfDaySlot));
        CREATE TABLE states (at INTEGER NOT NULL PRIMARY KEY, arousal REAL NOT NULL, energy REAL NOT NULL,
            focus REAL NOT NULL, stress REAL NOT NULL, valence REAL NOT NULL, activityContext TEXT NOT NULL,
            need TEXT NOT NULL, confidence REAL NOT NULL);
        CREATE TABLE preferences (name TEXT NOT NULL PRIMARY KEY, value TEXT NOT NULL);
        CREATE TABLE chosen_playlists (position INTEGER NOT NULL PRIMARY KEY, name TEXT NOT NULL);
        CREATE TABLE resume (id INTEGER NOT NULL PRIMARY KEY CHECK (id = 1), body TEXT NOT NULL);
        CREATE TABLE handled (id INTEGER PRIMARY KEY AUTOINCREMENT, epoch INTEGER NOT NULL, topic TEXT NOT NULL,
            sequence INTEGER NOT NULL, UNIQUE (epoch, topic, sequence));
        INSERT INTO plays VALUES ('p-1', 'song-1', 'Old Song', 'Old Artist', NULL, 200000, 'All', NULL, NULL,
            1772000000000, 1772000200000, 200000, 'finished', 0, 0.5, 0.5, 0, 70, 66, 40, 44, 'ai', 0.7, 'because',
            'work', 'morning', 'calm', 0.6, 0.4);
        INSERT INTO observations VALUES ('p-1', 1772000200000,
            '{"activityContext":"work","body":{"bpmEnd":66,"bpmStart":70,"motionEnd":0,"motionMean":0,"motionStart":0,"rmssdEndMs":44,"rmssdStartMs":40,"seconds":200},"durationMs":200000,"endedAt":1772000200000,"features":{"bpm":80,"energy":0.3},"listenedMs":200000,"need":"calm","outcome":"finished","playId":"p-1","slot":"morning","songId":"song-1","volumeAdjustments":0,"workContextKept":true}');
        INSERT INTO chosen_playlists VALUES (0, 'All');
        """

    @Test func `a database of version 1 keeps its plays and what they taught`() async throws {
        let house = try House(at: "14:00")
        let path = house.directory.appending(path: "brain.sqlite").path(percentEncoded: false)
        let old = try DatabaseQueue(path: path)
        try await old.write { db in try db.execute(sql: Self.version1) }
        try old.close()

        try await house.moveIn(playlists: [], autoplay: false)
        await house.live(minutes: 1)
        let history = try await house.bus.request(ListHistory())
        #expect(history.plays.map(\.song.title) == ["Old Song"])
        let effects = try await house.bus.request(ListEffects(songId: "song-1"))
        #expect(effects.effects.map(\.plays) == [1, 1, 1])
        #expect(try await house.status().playlists == ["All"])
        _ = try await house.bus.request(Undo())
        #expect(try await house.bus.request(ListEffects()).effects.isEmpty)
    }

    @Test func `a database of a newer version is refused by name`() async throws {
        let house = try House(at: "14:00")
        let path = house.directory.appending(path: "brain.sqlite").path(percentEncoded: false)
        do {
            let disk = try BrainDisk(directory: house.directory)
            try disk.write { db in try db.execute(sql: "INSERT INTO grdb_migrations VALUES ('v99')") }
            try disk.file.close()
        }
        #expect(throws: StoreError.self) { try BrainDisk(directory: house.directory) }
        #expect(FileManager.default.fileExists(atPath: path))
    }

    @Test func `the schema has its foreign keys and nothing points nowhere`() throws {
        let disk = try BrainDisk(directory: nil)
        try disk.read { db in
            #expect(try db.foreignKeys(on: "plays").count == 2)
            #expect(try db.foreignKeys(on: "observations").count == 1)
            try db.checkForeignKeys()
        }
    }
}
