import Physiology
import Protocols
import Store

/// What was drunk, by local day.
struct JournalStep: BodyStep {
    func run(_ view: inout LongView, _ inputs: BodyInputs) throws {
        let entries = try inputs.store.file.read { db in
            try JournalTable.entries(from: inputs.from, to: inputs.to, in: db)
        }
        for (day, entries) in Dictionary(grouping: entries, by: { inputs.clock.day(of: $0.at) }) {
            let amounts = entries.compactMap(\.amountMl)
            if !amounts.isEmpty { view[day].hydrationMl = amounts.reduce(0, +) }
            let doses = entries.compactMap(\.caffeineMg)
            if !doses.isEmpty { view[day].caffeineMg = doses.reduce(0, +) }
        }
    }
}
