/// A set of sequences, kept as ranges: a gap of a million costs as much as one of two.
struct SequenceSet: Sendable, Equatable {
    /// Ascending, not touching.
    private(set) var ranges: [ClosedRange<UInt64>]

    init(_ range: ClosedRange<UInt64>) { ranges = [range] }

    var count: UInt64 { ranges.reduce(0) { $0 + ($1.upperBound - $1.lowerBound) + 1 } }

    /// Adds sequences that are all above those in the set.
    mutating func append(_ range: ClosedRange<UInt64>) { ranges.append(range) }

    /// - Returns: true when the sequence was in the set.
    mutating func remove(_ sequence: UInt64) -> Bool {
        guard let index = ranges.firstIndex(where: { $0.contains(sequence) }) else { return false }
        let range = ranges[index]
        var rest: [ClosedRange<UInt64>] = []
        if range.lowerBound < sequence { rest.append(range.lowerBound...(sequence - 1)) }
        if sequence < range.upperBound { rest.append((sequence + 1)...range.upperBound) }
        ranges.replaceSubrange(index...index, with: rest)
        return true
    }

    /// Removes everything from a sequence on.
    mutating func remove(from sequence: UInt64) {
        ranges = ranges.compactMap { range in
            if range.lowerBound >= sequence { return nil }
            return range.lowerBound...min(range.upperBound, sequence - 1)
        }
    }

    /// Removes everything up to a sequence.
    mutating func remove(through sequence: UInt64) {
        ranges = ranges.compactMap { range in
            if range.upperBound <= sequence { return nil }
            return max(range.lowerBound, sequence + 1)...range.upperBound
        }
    }
}
