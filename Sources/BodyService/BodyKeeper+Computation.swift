import Bus
import Foundation
import Logging
import Physiology
import Protocols
import Store

/// Keeping days and nights in step with the records.
extension BodyKeeper {
    /// Live samples move the figures of today slowly.
    private static let liveSeconds = 3600.0
    /// After a computation that failed, as it does on a full disk.
    private static let patience = 60.0

    /// What every computation of the long view works with.
    var computation: BodyComputation {
        BodyComputation(
            store: store, clock: clock, scale: baseline.map { HeartScale(baseline: $0) } ?? priorScale)
    }

    /// Computes days and nights if records, settings, zone or day changed since; an import does so itself at its end.
    ///
    /// - Throws: ``StoreError``.
    func computeIfStale(bus: any BusPort) async throws {
        guard !importState.isRunning, try isStale(at: bus.now) else { return }
        let (computation, now) = (computation, bus.now)
        computedAt = now
        let result: Result<Void, any Error> = await withCheckedContinuation { continuation in
            imports.async {
                continuation.resume(
                    returning: Result { try computation.run(at: now, minutes: false, job: BodyImportJob()) })
            }
        }
        try result.get()
        try publishLongView(bus: bus)
    }

    /// The same between two requests: what goes wrong is logged, and tried again later.
    func computeInPassing(bus: any BusPort) async {
        if let computationFailedAt, abs(bus.now.seconds(since: computationFailedAt)) < Self.patience { return }
        do {
            try await computeIfStale(bus: bus)
            computationFailedAt = nil
        } catch {
            computationFailedAt = bus.now
            logger.error("days were not computed", metadata: ["error": "\(type(of: error))"])
        }
    }

    private func isStale(at now: Timestamp) throws -> Bool {
        let wanted = ComputationMark.text(at: now, clock: clock)
        let (mark, isEmpty) = try store.file.read { db in
            (try ComputationMark.read(in: db), try BodyStore.isEmpty(in: db))
        }
        if mark == nil, isEmpty { return false }
        if mark != wanted { return true }
        guard hasLiveRecords, let computedAt else { return false }
        let elapsed = now.seconds(since: computedAt)
        return elapsed < 0 || elapsed >= Self.liveSeconds
    }

    /// Says again what follows from the stored days.
    func publishLongView(bus: any BusPort) throws {
        hasLiveRecords = false
        try publishBaseline(bus: bus)
        try publishBattery(bus: bus)
        try publishSleep(bus: bus)
    }
}
