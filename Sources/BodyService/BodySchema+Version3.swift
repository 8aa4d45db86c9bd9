extension BodySchema {
    /// What a workout's samples come down to, kept beside it so that years of load are computed without reading samples.
    ///
    /// The triggers let nothing of a workout outlive it or its change, or that of the heart rates of its day: a workout without
    /// samples of its own has those.
    static let version3 = """
        CREATE TABLE workoutEssence (
            startAt INTEGER NOT NULL, source TEXT NOT NULL, sport TEXT NOT NULL, version INTEGER NOT NULL,
            essence BLOB NOT NULL,
            PRIMARY KEY (startAt, source, sport)
        ) WITHOUT ROWID;
        CREATE TRIGGER workoutRecordUpdated AFTER UPDATE ON workoutRecord BEGIN
            DELETE FROM workoutEssence WHERE startAt = old.startAt AND source = old.source AND sport = old.sport;
        END;
        CREATE TRIGGER workoutRecordDeleted AFTER DELETE ON workoutRecord BEGIN
            DELETE FROM workoutEssence WHERE startAt = old.startAt AND source = old.source AND sport = old.sport;
        END;
        CREATE TRIGGER heartRateDayInserted AFTER INSERT ON heartRateDay BEGIN
            DELETE FROM workoutEssence WHERE startAt >= (new.day - 1) * 86400000 AND startAt < (new.day + 1) * 86400000;
        END;
        CREATE TRIGGER heartRateDayUpdated AFTER UPDATE ON heartRateDay BEGIN
            DELETE FROM workoutEssence WHERE startAt >= (new.day - 1) * 86400000 AND startAt < (new.day + 1) * 86400000;
        END;
        CREATE TRIGGER heartRateDayDeleted AFTER DELETE ON heartRateDay BEGIN
            DELETE FROM workoutEssence WHERE startAt >= (old.day - 1) * 86400000 AND startAt < (old.day + 1) * 86400000;
        END;
        """
}
