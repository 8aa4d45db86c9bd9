extension BodySchema {
    /// The long view: what was imported, what was computed from it, and the journal.
    ///
    /// Natural keys make an import that comes again add nothing, and let files come in any order. What may have millions
    /// of rows is packed, one row for each UTC day and source (``SeriesPack``): a year of heart rates every five seconds
    /// takes some 30 MB. Figures that only screens read are JSON.
    static let version2 = """
        -- Heart rates that were imported: blob of (time, bpm).
        CREATE TABLE heartRateDay (
            day INTEGER NOT NULL, source TEXT NOT NULL, samples INTEGER NOT NULL, pack BLOB NOT NULL,
            UNIQUE (day, source)
        );
        -- Amounts by kind, UTC day of their begin, and source: blob of (time, duration, value), and their sum.
        CREATE TABLE quantityDay (
            kind TEXT NOT NULL, day INTEGER NOT NULL, source TEXT NOT NULL, samples INTEGER NOT NULL,
            total REAL NOT NULL, pack BLOB NOT NULL,
            UNIQUE (kind, day, source)
        );
        CREATE TABLE variability (
            startAt INTEGER NOT NULL, source TEXT NOT NULL, kind TEXT NOT NULL, endAt INTEGER NOT NULL,
            sdnnMs REAL, rmssdMs REAL, rebuiltSdnnMs REAL, rebuiltRmssdMs REAL, bpm REAL, beats BLOB NOT NULL,
            PRIMARY KEY (startAt, source, kind)
        ) WITHOUT ROWID;
        CREATE TABLE restingHeartRate (
            at INTEGER NOT NULL, createdAt INTEGER NOT NULL, source TEXT NOT NULL, bpm REAL NOT NULL,
            PRIMARY KEY (at, createdAt, source)
        ) WITHOUT ROWID;
        CREATE TABLE sleepSegment (
            startAt INTEGER NOT NULL, endAt INTEGER NOT NULL, stage TEXT NOT NULL, source TEXT NOT NULL,
            isWatch INTEGER NOT NULL, timeZone TEXT,
            PRIMARY KEY (startAt, endAt, stage, source)
        ) WITHOUT ROWID;
        CREATE INDEX sleepSegmentEnd ON sleepSegment(endAt);
        -- Whole workouts; `workout` holds the live events that some of them are made of.
        CREATE TABLE workoutRecord (
            startAt INTEGER NOT NULL, source TEXT NOT NULL, sport TEXT NOT NULL, endAt INTEGER NOT NULL,
            movingSeconds REAL NOT NULL, distanceM REAL, energyKcal REAL, meanBpm REAL, maximumBpm REAL,
            meanPowerW REAL, ascentM REAL, perceivedExertion REAL, deviceLoad REAL, title TEXT,
            samples INTEGER NOT NULL, pack BLOB NOT NULL,
            UNIQUE (startAt, source, sport)
        );
        -- What was computed of a workout; made anew by every computation of the days.
        CREATE TABLE workoutFigures (
            startAt INTEGER NOT NULL, source TEXT NOT NULL, sport TEXT NOT NULL, figures TEXT NOT NULL,
            PRIMARY KEY (startAt, source, sport)
        ) WITHOUT ROWID;
        CREATE TABLE importedPerson (name TEXT NOT NULL PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
        -- Valid from a local day (number since 1970-01-01) until the next row.
        CREATE TABLE threshold (
            since INTEGER NOT NULL PRIMARY KEY, thresholdPowerW REAL, thresholdRunMps REAL, thresholdSwimMps REAL,
            restingBpm REAL, maximumBpm REAL, thresholdBpm REAL
        );
        CREATE TABLE stressReading (
            at INTEGER NOT NULL PRIMARY KEY, level TEXT, score REAL NOT NULL, gate TEXT NOT NULL,
            confidence REAL NOT NULL, reading TEXT NOT NULL
        );
        -- Computed figures by local day, and by night (the local day on which it ends).
        CREATE TABLE day (day INTEGER NOT NULL PRIMARY KEY, figures TEXT NOT NULL);
        CREATE TABLE night (night INTEGER NOT NULL PRIMARY KEY, figures TEXT NOT NULL);
        CREATE TABLE alert (
            at INTEGER NOT NULL, kind TEXT NOT NULL, level TEXT, title TEXT NOT NULL, text TEXT NOT NULL,
            detail TEXT, action TEXT,
            PRIMARY KEY (at, kind)
        ) WITHOUT ROWID;
        CREATE TABLE journal (
            at INTEGER NOT NULL, kind TEXT NOT NULL, addedAt INTEGER NOT NULL,
            mood TEXT, energy INTEGER, stress INTEGER, amountMl REAL, drink TEXT, caffeineMg REAL, source TEXT,
            exertion REAL, workoutAt INTEGER, note TEXT,
            PRIMARY KEY (at, kind)
        ) WITHOUT ROWID;
        CREATE TABLE breathingSession (
            startAt INTEGER NOT NULL PRIMARY KEY, endAt INTEGER NOT NULL, pattern TEXT NOT NULL, breaths INTEGER NOT NULL,
            bpmBefore REAL, bpmAfter REAL, rmssdBeforeMs REAL, rmssdAfterMs REAL
        );
        CREATE TABLE achievement (kind TEXT NOT NULL PRIMARY KEY, at INTEGER NOT NULL, detail TEXT) WITHOUT ROWID;
        CREATE TABLE setting (name TEXT NOT NULL PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
        -- Files by the digest of their bytes. `committed` records are stored, so that a killed import goes on there.
        CREATE TABLE importFile (
            digest TEXT NOT NULL PRIMARY KEY, name TEXT NOT NULL, kind TEXT, bytes INTEGER NOT NULL,
            startedAt INTEGER NOT NULL, finishedAt INTEGER, committed INTEGER NOT NULL, version TEXT NOT NULL,
            report TEXT NOT NULL
        );
        -- A minute made of imported samples; live samples of that minute replace it.
        ALTER TABLE minute ADD COLUMN imported INTEGER NOT NULL DEFAULT 0;
        """
}
