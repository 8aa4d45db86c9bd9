import Foundation
import Physiology
import Protocols

/// Computes anew what follows from everything that is stored: minutes, nights and days. Runs beside the actor.
struct BodyComputation {
    let store: BodyStore
    let clock: LocalClock
    let scale: HeartScale

    /// - Throws: `CancellationError`, ``StoreError``. Days that were computed by then stay.
    func run(at now: Timestamp, job: BodyImportJob) throws {
        try ImportedMinutes.refresh(until: now, scale: scale, in: store, job: job)
    }
}
