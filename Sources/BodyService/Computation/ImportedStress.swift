import Foundation
import GRDB
import Physiology
import Protocols
import Store

/// Stress of the weeks before, from imported still minutes: what the wrist measured before the body listened.
///
/// Each is judged by the days before it, and stands only where no live reading does.
enum ImportedStress {
    /// Makes the readings of imported minutes anew.
    static func refresh(
        until now: Timestamp, profile: Profile, clock: LocalClock, in store: BodyStore, job: BodyImportJob
    ) throws {
        let from = now.adding(seconds: -Double(ImportedMinutes.days + 1) * 86_400)
        let (minutes, imported, taken) = try store.file.read { db in
            (
                try BodyStore.stillMinutes(since: from, in: db),
                try Int64.fetchSet(
                    db, sql: "SELECT at FROM minute WHERE imported AND still AND at >= ?",
                    arguments: [from.milliseconds]),
                try Int64.fetchSet(
                    db, sql: "SELECT at / ? FROM stressReading WHERE at >= ? AND source IS NOT ?",
                    arguments: [slot, from.milliseconds, ReadingSource.watch.rawValue])
            )
        }
        var readings: [StressReading] = []
        if !imported.isEmpty {
            try job.checkCancelled()
            readings = StressHistory.readings(from: minutes, profile: profile, clock: clock)
                .filter { imported.contains($0.at.milliseconds) && !taken.contains($0.at.milliseconds / slot) }
        }
        let finished = readings
        try store.file.write { db in
            try db.execute(
                sql: "DELETE FROM stressReading WHERE source = ? AND at >= ?",
                arguments: [ReadingSource.watch.rawValue, from.milliseconds])
            for reading in finished { try StressTable.keep(reading, in: db) }
        }
    }

    /// Milliseconds of the rhythm of readings.
    private static let slot = Int64(LiveStress.period * 1000)
}
