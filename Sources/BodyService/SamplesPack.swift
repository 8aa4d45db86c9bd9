import Foundation
import Physiology
import Protocols

/// The samples of a workout in few bytes.
///
/// A byte for the version (1), then for each sample: milliseconds since the one before (the first since the start of the
/// workout; signed), a byte that says which values there are, and these as signed LEB128 numbers: heart rate in
/// hundredths of a beat per minute, power in tenths of a watt, speed in mm/s, altitude and distance in cm, cadence in
/// hundredths per minute.
enum SamplesPack {
    private static let version: UInt8 = 1
    private static let scales: [(path: any WritableKeyPath<WorkoutSample, Double?> & Sendable, scale: Double)] = [
        (\.bpm, 100), (\.powerW, 10), (\.speedMps, 1000), (\.altitudeM, 100), (\.distanceM, 100), (\.cadence, 100),
    ]

    static func pack(_ samples: [WorkoutSample], since start: Timestamp) -> Data {
        guard !samples.isEmpty else { return Data() }
        var writer = PackWriter()
        writer.byte(version)
        var before = start
        for sample in samples {
            writer.signed(sample.at.milliseconds - before.milliseconds)
            before = sample.at
            let values = scales.map { scale in
                sample[keyPath: scale.path].flatMap { value -> Int64? in
                    let scaled = (value * scale.scale).rounded()
                    return abs(scaled) < 0x1p53 ? Int64(scaled) : nil
                }
            }
            writer.byte(values.enumerated().reduce(0) { $1.element == nil ? $0 : $0 | 1 << UInt8($1.offset) })
            for value in values { if let value { writer.signed(value) } }
        }
        return Data(writer.bytes)
    }

    /// - Throws: ``SeriesPackError`` for bytes that no pack has.
    static func unpack(_ data: Data, since start: Timestamp) throws(SeriesPackError) -> [WorkoutSample] {
        guard !data.isEmpty else { return [] }
        var reader = PackReader(data)
        guard let first = reader.byte() else { throw .truncated }
        guard first == version else { throw .unknownVersion(first) }
        var samples: [WorkoutSample] = []
        var at = start
        while !reader.isAtEnd {
            guard let step = reader.signed(), abs(step) < 1 << 48, let present = reader.byte() else { throw .truncated }
            at = at.adding(milliseconds: step)
            guard abs(at.milliseconds) < 1 << 52 else { throw .truncated }
            var sample = WorkoutSample(at: at)
            for (index, scale) in scales.enumerated() where present & 1 << UInt8(index) != 0 {
                guard let value = reader.signed() else { throw .truncated }
                sample[keyPath: scale.path] = Double(value) / scale.scale
            }
            samples.append(sample)
        }
        return samples
    }
}
