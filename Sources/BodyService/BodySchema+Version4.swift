extension BodySchema {
    /// What trends need of a stress reading without reading all of it, and what the present needs to go on after a restart.
    static let version4 = """
        ALTER TABLE stressReading ADD COLUMN z REAL;
        ALTER TABLE stressReading ADD COLUMN isHeld INTEGER;
        ALTER TABLE stressReading ADD COLUMN source TEXT;
        ALTER TABLE stressReading ADD COLUMN bpm REAL;
        ALTER TABLE stressReading ADD COLUMN rmssdMs REAL;
        -- Values of ours by name, as JSON.
        CREATE TABLE kept (name TEXT NOT NULL PRIMARY KEY, json TEXT NOT NULL) WITHOUT ROWID;
        """
}
