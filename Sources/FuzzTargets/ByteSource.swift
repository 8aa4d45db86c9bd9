/// Arbitrary bytes, taken for numbers, texts and choices; zeros when they have run out.
package struct ByteSource {
    private var bytes: ArraySlice<UInt8>

    package init(_ bytes: some Collection<UInt8>) { self.bytes = Array(bytes)[...] }

    package var isEmpty: Bool { bytes.isEmpty }

    package mutating func byte() -> UInt8 { bytes.popFirst() ?? 0 }

    /// Less than `limit`.
    package mutating func number(below limit: Int) -> Int {
        limit <= 256 ? Int(byte()) % limit : (Int(byte()) << 8 | Int(byte())) % limit
    }

    package mutating func word() -> UInt64 { (0..<8).reduce(0) { sum, _ in sum << 8 | UInt64(byte()) } }

    package mutating func take(_ count: Int) -> [UInt8] {
        defer { bytes = bytes.dropFirst(count) }
        return Array(bytes.prefix(count))
    }

    package mutating func rest() -> [UInt8] { take(bytes.count) }
}
