import Foundation
import Physiology
import Protocols

/// Writes a workout as a FIT activity: `file_id`, timer events, records, one lap, one session, `activity`.
///
/// Pauses in the samples become stops and starts of the timer. Times are whole seconds, as FIT has them. What is unknown is
/// marked invalid, never 0.
///
/// Source: Garmin FIT SDK, "Flexible & Interoperable Data Transfer (FIT) Protocol" and the activity file description.
package struct FITWriter {
    /// Seconds from 1970 to 1989-12-31T00:00:00Z, from where FIT counts.
    static let epoch: Int64 = 631_065_600
    private static let protocolVersion: UInt8 = 0x10
    private static let profileVersion: UInt16 = 2132
    /// "development": the number for those without one of their own.
    private static let manufacturer: UInt64 = 255
    private static let activityFile: UInt64 = 4

    private var bytes: [UInt8] = []

    /// The whole file.
    ///
    /// - Throws: ``FormatError`` when the workout lies before 1989 or beyond 2106, which FIT cannot tell, or ends before it
    ///   starts.
    package static func bytes(of workout: WorkoutRecord) throws(FormatError) -> [UInt8] {
        guard let start = time(workout.start), let end = time(workout.end), end >= start else {
            throw FormatError(
                file: workout.title ?? workout.source, cause: "has times that a FIT file cannot hold",
                cure: "correct the start and the end of the workout")
        }
        var writer = FITWriter()
        writer.write(workout, start: start, end: end)
        return writer.file()
    }

    /// Seconds since the FIT epoch; nil outside its range.
    static func time(_ at: Timestamp) -> UInt64? {
        let seconds = Int64((Double(at.milliseconds) / 1000).rounded()) - epoch
        // Values below 0x10000000 would be read as seconds since power-up.
        return (0x1000_0000..<0xFFFF_FFFF).contains(seconds) ? UInt64(seconds) : nil
    }

    /// One field: its number, its type and size, and its raw value; nil = invalid.
    private struct Field {
        var number: UInt8
        var type: UInt8
        var size: Int
        var raw: UInt64?

        var bytes: [UInt8] {
            let invalid: UInt64 = size == 8 ? .max : (1 << UInt64(size * 8)) - 1
            let value = raw.map { min($0, invalid) } ?? invalid
            return (0..<size).map { UInt8(truncatingIfNeeded: value >> UInt64($0 * 8)) }
        }

        static func enumeration(_ number: UInt8, _ raw: UInt64?) -> Field {
            .init(number: number, type: 0x00, size: 1, raw: raw)
        }
        static func byte(_ number: UInt8, _ raw: UInt64?) -> Field {
            .init(number: number, type: 0x02, size: 1, raw: raw)
        }
        static func short(_ number: UInt8, _ raw: UInt64?) -> Field {
            .init(number: number, type: 0x84, size: 2, raw: raw)
        }
        static func long(_ number: UInt8, _ raw: UInt64?) -> Field {
            .init(number: number, type: 0x86, size: 4, raw: raw)
        }
    }

    /// A value in the unit of a field; nil when unknown or beyond what the field holds.
    private static func scaled(_ value: Double?, _ scale: Double, offset: Double = 0, bits: Int) -> UInt64? {
        guard let value, value.isFinite else { return nil }
        let raw = ((value + offset) * scale).rounded()
        let invalid = Double((UInt64(1) << UInt64(bits)) - 1)
        return raw >= 0 && raw < invalid ? UInt64(raw) : nil
    }

    private enum Message {
        static let fileID: UInt16 = 0
        static let session: UInt16 = 18
        static let lap: UInt16 = 19
        static let record: UInt16 = 20
        static let event: UInt16 = 21
        static let activity: UInt16 = 34
    }

    private mutating func write(_ workout: WorkoutRecord, start: UInt64, end: UInt64) {
        let samples = workout.samples.filter { Self.time($0.at) != nil }.sorted { $0.at < $1.at }
        let gap = SecondSeries.gap(of: samples.map(\.at))
        put(
            Message.fileID, local: 0,
            [
                .enumeration(0, Self.activityFile), .short(1, Self.manufacturer), .short(2, 0), .long(4, start),
            ])
        timer(at: start, starts: true)
        var previous: Timestamp?
        for sample in samples {
            if let previous, sample.at.seconds(since: previous) > gap, let stopped = Self.time(previous),
                let started = Self.time(sample.at)
            {
                timer(at: stopped, starts: false)
                timer(at: started, starts: true)
            }
            put(Message.record, local: 2, Self.record(sample))
            previous = sample.at
        }
        timer(at: end, starts: false)
        func totals(isLap: Bool) -> [Field] {
            Self.totals(workout, samples, start: start, end: end, isLap: isLap)
        }
        put(Message.lap, local: 3, totals(isLap: true) + [.enumeration(0, 9), .enumeration(1, 1)])
        put(
            Message.session, local: 4,
            totals(isLap: false) + [
                .enumeration(0, 8), .enumeration(1, 1), .enumeration(5, UInt64(workout.sport.fitNumber)),
                .enumeration(6, 0), .short(25, 0), .short(26, 1),
            ])
        put(
            Message.activity, local: 5,
            [
                .long(253, end), .long(0, Self.scaled(workout.movingSeconds, 1000, bits: 32)), .short(1, 1),
                .enumeration(2, 0), .enumeration(3, 26), .enumeration(4, 1),
            ])
    }

    private static func record(_ sample: WorkoutSample) -> [Field] {
        [
            .long(253, time(sample.at)), .byte(3, scaled(sample.bpm, 1, bits: 8)),
            .byte(4, scaled(sample.cadence, 1, bits: 8)),
            .long(5, scaled(sample.distanceM, 100, bits: 32)), .short(7, scaled(sample.powerW, 1, bits: 16)),
            .long(73, scaled(sample.speedMps, 1000, bits: 32)),
            .long(78, scaled(sample.altitudeM, 5, offset: 500, bits: 32)),
        ]
    }

    /// What lap and session say alike; from the heart rate on their field numbers differ.
    private static func totals(
        _ workout: WorkoutRecord, _ samples: [WorkoutSample], start: UInt64, end: UInt64, isLap: Bool
    ) -> [Field] {
        let bpm = samples.compactMap(\.bpm)
        let power = samples.compactMap(\.powerW)
        let moving = workout.movingSeconds > 0 ? workout.movingSeconds : Double(end - start)
        return [
            .long(253, end), .long(2, start), .long(7, scaled(Double(end - start), 1000, bits: 32)),
            .long(8, scaled(moving, 1000, bits: 32)), .long(9, scaled(workout.distanceM, 100, bits: 32)),
            .short(11, scaled(workout.energyKcal, 1, bits: 16)),
            .byte(isLap ? 15 : 16, scaled(workout.meanBpm ?? mean(of: bpm), 1, bits: 8)),
            .byte(isLap ? 16 : 17, scaled(workout.maximumBpm ?? bpm.max(), 1, bits: 8)),
            .short(isLap ? 19 : 20, scaled(workout.meanPowerW ?? mean(of: power), 1, bits: 16)),
            .short(isLap ? 21 : 22, scaled(workout.ascentM, 1, bits: 16)),
        ]
    }

    private mutating func timer(at: UInt64, starts: Bool) {
        put(Message.event, local: 1, [.long(253, at), .enumeration(0, 0), .enumeration(1, starts ? 0 : 4)])
    }

    private var defined: [UInt8: [UInt8]] = [:]

    /// A message, with its definition before the first of its kind.
    private mutating func put(_ message: UInt16, local: UInt8, _ fields: [Field]) {
        var definition: [UInt8] = [0x40 | local, 0, 0]
        definition += [UInt8(truncatingIfNeeded: message), UInt8(truncatingIfNeeded: message >> 8)]
        definition.append(UInt8(fields.count))
        for field in fields { definition += [field.number, UInt8(field.size), field.type] }
        if defined[local] != definition {
            defined[local] = definition
            bytes += definition
        }
        bytes.append(local)
        for field in fields { bytes += field.bytes }
    }

    private func file() -> [UInt8] {
        var header: [UInt8] = [14, Self.protocolVersion]
        header += [UInt8(truncatingIfNeeded: Self.profileVersion), UInt8(truncatingIfNeeded: Self.profileVersion >> 8)]
        header += (0..<4).map { UInt8(truncatingIfNeeded: bytes.count >> ($0 * 8)) }
        header += Array(".FIT".utf8)
        let headerSum = FITDecoder.checksum(header)
        header += [UInt8(truncatingIfNeeded: headerSum), UInt8(truncatingIfNeeded: headerSum >> 8)]
        let sum = FITDecoder.checksum(header + bytes)
        return header + bytes + [UInt8(truncatingIfNeeded: sum), UInt8(truncatingIfNeeded: sum >> 8)]
    }
}
