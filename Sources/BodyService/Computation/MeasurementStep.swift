import Foundation
import GRDB
import Physiology
import Protocols
import Store

/// What devices measured by day: resting heart rate, HRV, steps, energy.
struct MeasurementStep: BodyStep {
    /// Best first; figures of different origin are never mixed within a day.
    private static let origins: [SignalSource] = [.night, .morning, .spot]

    func run(_ view: inout LongView, _ inputs: BodyInputs) throws {
        let (readings, resting) = try inputs.store.file.read { db in
            (
                try BodyStore.variability(from: inputs.from, to: inputs.to, in: db),
                try BodyStore.restingHeartRates(from: inputs.from, to: inputs.to, in: db)
            )
        }
        let signals = DaySignals.days(
            variability: readings, resting: resting, clock: TravelClock(home: inputs.clock))
        for day in signals {
            // A device's own figure first: it looks at the whole day.
            view[day.day].restingBpm = day.restingBpm[.device] ?? day.restingBpm[.morning]
            if let logarithm = Self.origins.lazy.compactMap({ day.lnVariability[$0] }).first {
                view[day.day].rmssdMs = exp(logarithm)
            }
        }
        let given = Dictionary(grouping: readings.filter { $0.kind != .activity }) { inputs.clock.day(of: $0.end) }
        for (day, readings) in given {
            let values = readings.compactMap { $0.sdnnMs ?? $0.rebuiltSdnnMs }
            if let middle = median(of: values) { view[day].sdnnMs = middle }
        }
        for (day, steps) in try totals(.steps, inputs) { view[day].steps = steps }
        for (day, energy) in try totals(.activeEnergy, inputs) { view[day].activeEnergyKcal = energy }
    }

    /// Sums by local day. A watch and a phone count the same steps, so the source with the most counts, not their sum.
    private func totals(_ kind: QuantityRecord.Kind, _ inputs: BodyInputs) throws -> [Int: Double] {
        let records = try inputs.store.file.read { db in
            try BodyStore.quantities(kind, from: inputs.from, to: inputs.to, in: db)
        }
        var sums: [Int: [String: Double]] = [:]
        for record in records {
            sums[inputs.clock.day(of: record.start), default: [:]][record.source, default: 0] += record.value
        }
        return sums.compactMapValues { $0.values.max() }
    }
}
