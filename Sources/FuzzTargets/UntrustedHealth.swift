import Formats
import Foundation
import Physiology
import Protocols

/// Health files of others: whatever the bytes, records are sound, the same each time, and no more than the bytes can hold.
enum UntrustedHealth {
    /// 2030-01-01.
    private static let now = Timestamp(milliseconds: 1_893_456_000_000)

    private struct Outcome: Equatable {
        var records: [BodyRecord] = []
        var tally: HealthTally?
        var error: String?
    }

    private static func read(
        _ bytes: [UInt8], _ kind: HealthFile.Kind, piece: Int
    ) throws(BrokenPromise) -> Outcome {
        var outcome = Outcome()
        do {
            outcome.tally = try HealthFile.read(
                bytes: bytes, name: "fuzz", kind: kind, piece: piece, now: now, timeZone: .gmt
            ) { outcome.records.append($0) }
        } catch let error as FormatError {
            outcome.error = error.description
        } catch {
            throw BrokenPromise("\(kind): an error that names no file: \(error)")
        }
        return outcome
    }

    static func fit(_ bytes: [UInt8]) throws(BrokenPromise) { try judge(try read(bytes, .fit, piece: 1), bytes.count) }

    static func export(_ bytes: [UInt8]) throws(BrokenPromise) {
        try judge(try read(bytes, .healthAutoExport, piece: 1), bytes.count)
    }

    static func xml(_ bytes: [UInt8]) throws(BrokenPromise) {
        let told = HealthFile.kind(of: bytes)
        let kind = told == .tcx || told == .gpx ? told ?? .appleHealth : .appleHealth
        let whole = try read(bytes, kind, piece: 1 << 18)
        try judge(whole, bytes.count)
        guard try read(bytes, kind, piece: 1 + bytes.count % 97) == whole else {
            throw BrokenPromise("\(kind): the pieces that the bytes come in change what is read")
        }
    }

    /// Morning logs, and rides as tables.
    static func table(_ bytes: [UInt8]) throws(BrokenPromise) {
        try judge(try read(bytes, .morningLog, piece: 1), bytes.count)
        do {
            let ride = try RideTable.read(bytes: bytes, name: "fuzz")
            guard ride.samples.count <= bytes.count else { throw BrokenPromise("a ride longer than its table") }
        } catch let error as BrokenPromise {
            throw error
        } catch {
            // Refused with its line.
        }
    }

    // MARK: - What is promised

    private static func judge(_ outcome: Outcome, _ bytes: Int) throws(BrokenPromise) {
        guard outcome.records.count <= bytes else { throw BrokenPromise("more records than bytes") }
        for record in outcome.records {
            if let complaint = complaint(about: record) { throw BrokenPromise("\(record.kind): \(complaint)") }
        }
        guard let tally = outcome.tally else { return }
        guard tally.taken.values.reduce(0, +) == outcome.records.count else {
            throw BrokenPromise("the report counts other than what was taken")
        }
        guard tally.skipped.values.allSatisfy({ $0 > 0 }), tally.found.values.allSatisfy({ $0 > 0 }) else {
            throw BrokenPromise("the report counts nothing")
        }
    }

    private static func complaint(about record: BodyRecord) -> String? {
        let latest = now.adding(seconds: 3600)
        func span(_ start: Timestamp, _ end: Timestamp) -> String? {
            guard start <= end else { return "ends before it starts" }
            return end > latest ? "lies in the future" : nil
        }
        func sound(_ values: [Double?]) -> String? {
            values.allSatisfy { $0.map(\.isFinite) ?? true } ? nil : "a value is not finite"
        }
        switch record {
        case .heartRate(let rate):
            return (20...300).contains(rate.bpm) ? span(rate.at, rate.at) : "no heart beats so"
        case .restingHeartRate(let rate): return (20...200).contains(rate.bpm) ? nil : "no heart rests so"
        case .variability(let reading):
            return span(reading.start, reading.end)
                ?? sound([
                    reading.sdnnMs, reading.rmssdMs, reading.rebuiltSdnnMs, reading.rebuiltRmssdMs, reading.bpm,
                ]) ?? sound(reading.beats.map(\.bpm))
        case .sleep(let segment): return span(segment.start, segment.end)
        case .workout(let workout):
            if !(workout.movingSeconds >= 0 && workout.movingSeconds <= 14 * 86_400) { return "an impossible length" }
            return span(workout.start, workout.end)
                ?? sound([
                    workout.distanceM, workout.energyKcal, workout.meanBpm, workout.maximumBpm, workout.meanPowerW,
                    workout.ascentM, workout.deviceLoad,
                ])
                ?? sound(
                    workout.samples.flatMap {
                        [$0.bpm, $0.powerW, $0.speedMps, $0.altitudeM, $0.distanceM, $0.cadence]
                    })
        case .quantity(let quantity): return sound([quantity.value]) ?? span(quantity.start, quantity.end)
        case .person: return nil
        }
    }
}
