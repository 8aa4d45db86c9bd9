import GRDB
import Physiology
import Protocols
import Store

/// Mean of the stress readings that were kept, by local day.
struct StressStep: BodyStep {
    func run(_ view: inout LongView, _ inputs: BodyInputs) throws {
        let readings = try inputs.store.file.read { db in
            // A gated moment has no level and says nothing of stress.
            try Row.fetchAll(db, sql: "SELECT at, score FROM stressReading WHERE level IS NOT NULL ORDER BY at")
                .map { (at: Timestamp(milliseconds: $0[0]), score: $0[1] as Double) }
        }
        for (day, readings) in Dictionary(grouping: readings, by: { inputs.clock.day(of: $0.at) }) {
            view[day].stress = mean(of: readings.map(\.score))
            view[day].stressReadings = readings.count
        }
    }
}
