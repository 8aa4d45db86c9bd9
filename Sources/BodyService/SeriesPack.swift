import Foundation

/// Many samples of one day in few bytes: what makes millions of imported samples affordable.
///
/// A byte for the version (1), then for each sample, in the order of time: milliseconds since the one before (the first
/// since the begin of the day), duration in milliseconds where the series has durations, and the value times the scale
/// of the series, rounded; all as unsigned LEB128 numbers, values zigzag-coded.
///
/// There is one value for each moment and duration; of two, the larger one counts, so that packs merge to the same bytes
/// in whatever order they come.
struct SeriesPack: Equatable {
    struct Sample: Hashable {
        /// Since the begin of the UTC day, ms.
        var offset: Int64
        /// ms.
        var duration: Int64 = 0
        /// Value times the scale.
        var scaled: Int64

        /// Milliseconds and value as they come from a record.
        init(offset: Int64, duration: Int64 = 0, value: Double, scale: Double) {
            let scaled = (value * scale).rounded()
            self.init(offset: offset, duration: duration, scaled: abs(scaled) < 0x1p53 ? Int64(scaled) : 0)
        }

        init(offset: Int64, duration: Int64, scaled: Int64) {
            self.offset = offset
            self.duration = duration
            self.scaled = scaled
        }
    }

    /// Hundredths of a beat per minute.
    static let heartRateScale = 100.0
    /// Thousandths of the unit.
    static let quantityScale = 1000.0
    static let dayMilliseconds: Int64 = 86_400_000
    private static let version: UInt8 = 1

    /// In the order of time, no moment twice.
    private(set) var samples: [Sample] = []
    let hasDurations: Bool

    /// - Parameter samples: in any order.
    init(_ samples: [Sample] = [], hasDurations: Bool) {
        self.hasDurations = hasDurations
        self.samples = Self.ordered(samples)
    }

    /// - Throws: ``SeriesPackError`` for bytes that no pack has.
    init(_ data: Data, hasDurations: Bool) throws(SeriesPackError) {
        self.hasDurations = hasDurations
        var reader = PackReader(data)
        guard let first = reader.byte() else { throw .truncated }
        guard first == Self.version else { throw .unknownVersion(first) }
        samples.reserveCapacity(data.count / 4)
        var offset: Int64 = 0
        while !reader.isAtEnd {
            guard let step = reader.unsigned(), step < 1 << 48, let duration = hasDurations ? reader.unsigned() : 0,
                duration < 1 << 48, let value = reader.signed()
            else { throw .truncated }
            offset += Int64(step)
            guard offset < 1 << 50 else { throw .truncated }
            samples.append(Sample(offset: offset, duration: Int64(duration), scaled: value))
        }
    }

    var data: Data {
        var writer = PackWriter()
        writer.byte(Self.version)
        var before: Int64 = 0
        for sample in samples {
            writer.unsigned(UInt64(max(0, sample.offset - before)))
            if hasDurations { writer.unsigned(UInt64(max(0, sample.duration))) }
            writer.signed(sample.scaled)
            before = sample.offset
        }
        return Data(writer.bytes)
    }

    /// Takes more samples in, in any order.
    ///
    /// - Returns: how many were not there yet.
    mutating func merge(_ more: [Sample]) -> Int {
        let before = samples.count
        samples = Self.ordered(samples + more)
        return samples.count - before
    }

    private static func ordered(_ samples: [Sample]) -> [Sample] {
        func isBefore(_ a: Sample, _ b: Sample) -> Bool {
            if a.offset != b.offset { return a.offset < b.offset }
            if a.duration != b.duration { return a.duration < b.duration }
            return a.scaled > b.scaled
        }
        let isOrdered = zip(samples, samples.dropFirst()).allSatisfy { isBefore($0, $1) }
        var sorted = isOrdered ? samples : samples.sorted(by: isBefore)
        var kept = 0
        for index in sorted.indices {
            if kept > 0, sorted[kept - 1].offset == sorted[index].offset,
                sorted[kept - 1].duration == sorted[index].duration
            {
                continue
            }
            sorted[kept] = sorted[index]
            kept += 1
        }
        sorted.removeLast(sorted.count - kept)
        return sorted
    }
}

/// Why bytes are no pack.
enum SeriesPackError: Error, Equatable {
    case truncated
    case unknownVersion(UInt8)
}

/// Writes numbers as LEB128.
struct PackWriter {
    private(set) var bytes: [UInt8] = []

    mutating func byte(_ value: UInt8) { bytes.append(value) }

    mutating func unsigned(_ value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            bytes.append(UInt8(rest & 0x7F) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    mutating func signed(_ value: Int64) { unsigned(UInt64(bitPattern: (value << 1) ^ (value >> 63))) }
}

/// Reads what ``PackWriter`` wrote; nil where the bytes end.
struct PackReader {
    private let bytes: [UInt8]
    private var position = 0

    init(_ data: Data) { bytes = [UInt8](data) }

    var isAtEnd: Bool { position >= bytes.count }

    mutating func byte() -> UInt8? {
        guard position < bytes.count else { return nil }
        defer { position += 1 }
        return bytes[position]
    }

    mutating func unsigned() -> UInt64? {
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while let next = byte() {
            guard shift < 64 else { return nil }
            value |= UInt64(next & 0x7F) << shift
            if next < 0x80 { return value }
            shift += 7
        }
        return nil
    }

    mutating func signed() -> Int64? {
        unsigned().map { Int64(bitPattern: $0 >> 1) ^ -Int64(bitPattern: $0 & 1) }
    }
}
