import GRDB
import Store

/// The tables of `body.sqlite`, oldest version first. A step that was ever released is never changed.
///
/// Times are Unix milliseconds. Raw series live here and nowhere else, for as long as the listener wants.
enum BodySchema {
    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("v1") { db in
            try db.execute(sql: version1)
            try HandledEvents.createTable(in: db)
        }
        migrator.registerMigration("v2") { db in try db.execute(sql: version2) }
        migrator.registerMigration("v3") { db in try db.execute(sql: version3) }
        migrator.registerMigration("v4") { db in try db.execute(sql: version4) }
        return migrator
    }

    private static let version1 = """
        CREATE TABLE heartRate (
            at INTEGER NOT NULL, source TEXT NOT NULL, bpm REAL NOT NULL, quality REAL NOT NULL,
            PRIMARY KEY (at, source)
        ) WITHOUT ROWID;
        CREATE TABLE rr (
            startAt INTEGER NOT NULL, source TEXT NOT NULL, intervalsMs TEXT NOT NULL, gapBefore INTEGER NOT NULL,
            quality REAL NOT NULL,
            PRIMARY KEY (startAt, source)
        ) WITHOUT ROWID;
        CREATE TABLE motion (
            at INTEGER NOT NULL PRIMARY KEY, intensity REAL NOT NULL, cadencePerMinute REAL, steps INTEGER NOT NULL,
            activity TEXT NOT NULL
        );
        CREATE TABLE workout (
            at INTEGER NOT NULL, phase TEXT NOT NULL, sport TEXT NOT NULL, energyKcal REAL,
            PRIMARY KEY (at, phase)
        ) WITHOUT ROWID;
        CREATE TABLE mood (
            at INTEGER NOT NULL, via TEXT NOT NULL, mood INTEGER NOT NULL, energy INTEGER NOT NULL, named TEXT,
            PRIMARY KEY (at, via)
        ) WITHOUT ROWID;
        CREATE TABLE desktopContext (
            at INTEGER NOT NULL PRIMARY KEY,
            focusActive INTEGER, focusName TEXT, app TEXT, appCategory TEXT,
            productivityMinutes REAL, entertainmentMinutes REAL, socialMinutes REAL, idleSeconds REAL,
            hasOngoingMeeting INTEGER, minutesToNext REAL, nextType TEXT, workState TEXT, confidence REAL NOT NULL
        );
        -- One row for each minute with a heart rate: what baselines are made of.
        CREATE TABLE minute (
            at INTEGER NOT NULL PRIMARY KEY, bpm REAL NOT NULL, samples INTEGER NOT NULL, still INTEGER NOT NULL,
            lnRmssd REAL, sdnnMs REAL
        );
        CREATE INDEX minuteStill ON minute(still, at);
        CREATE TABLE profile (name TEXT NOT NULL PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
        """
}
