import Glibc

/// Numbers for byte sequences that come again and again: names of types, sources and units.
struct ByteInterner {
    /// More different ones than any export has; then all that is new shares no number.
    static let limit = 1 << 12
    /// A longer one has no number.
    static let longest = 1 << 10

    private(set) var words: [String] = []
    private var keys: [[UInt8]] = []
    private var slots = [Int32](repeating: -1, count: 1 << 9)
    private var last = -1

    /// The number of these bytes, from 0 in the order of first sight; nil for too long a one and when there are too many.
    mutating func index(of text: RawText) -> Int? {
        guard text.count <= Self.longest else { return nil }
        if last >= 0, matches(last, text) { return last }
        let mask = slots.count - 1
        var slot = Self.hash(text) & mask
        while slots[slot] >= 0 {
            let candidate = Int(slots[slot])
            if matches(candidate, text) {
                last = candidate
                return candidate
            }
            slot = (slot + 1) & mask
        }
        guard keys.count < Self.limit else { return nil }
        slots[slot] = Int32(keys.count)
        keys.append(Array(text.bytes))
        words.append(text.text)
        last = keys.count - 1
        if keys.count * 2 > slots.count { grow() }
        return last
    }

    private func matches(_ index: Int, _ text: RawText) -> Bool {
        guard keys[index].count == text.count else { return false }
        return keys[index].withUnsafeBytes { key in
            key.baseAddress.map { memcmp($0, text.start, key.count) == 0 } ?? true
        }
    }

    private mutating func grow() {
        slots = [Int32](repeating: -1, count: slots.count * 2)
        let mask = slots.count - 1
        for (index, key) in keys.enumerated() {
            var slot = key.withUnsafeBufferPointer { bytes in
                bytes.baseAddress.map { Self.hash(RawText(start: $0, count: bytes.count)) & mask } ?? 0
            }
            while slots[slot] >= 0 { slot = (slot + 1) & mask }
            slots[slot] = Int32(index)
        }
    }

    /// FNV-1a (Fowler, Noll, Vo).
    private static func hash(_ text: RawText) -> Int {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in text.bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        return Int(truncatingIfNeeded: hash ^ (hash >> 32))
    }
}
