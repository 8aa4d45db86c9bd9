/// Changes inputs as libFuzzer does, but from a seed, so that a run can be repeated.
struct Mutator {
    private var state: UInt64
    private static let numbers: [[UInt8]] = [
        [0, 0, 0, 0], [255, 255, 255, 255], [127, 255, 255, 255], [0, 0, 0, 128], [0, 1], [255, 255],
    ]
    private static let words = [
        "{", "}", "[", "\"", "\\u0000", "1e309", "-0", "null", "\n", "-> ", "~", "/", "\u{0}",
        "<", "/>", "</", "=\"", "&#x", "<!--", "-->", "]]>", ",", "NaN", "-1", "99999999999999999999", " PM", "+9999",
    ]

    init(seed: UInt64) { state = seed }

    /// SplitMix64 (Steele, Lea, Flood, OOPSLA 2014).
    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var word = state
        word = (word ^ (word >> 30)) &* 0xbf58_476d_1ce4_e5b9
        word = (word ^ (word >> 27)) &* 0x94d0_49bb_1331_11eb
        return word ^ (word >> 31)
    }

    mutating func number(below limit: Int) -> Int { Int(next() % UInt64(max(1, limit))) }

    /// One to four changes of one of the seeds.
    mutating func input(from seeds: [[UInt8]]) -> [UInt8] {
        var bytes = seeds.isEmpty ? [] : seeds[number(below: seeds.count)]
        for _ in 0...number(below: 4) { change(&bytes, seeds) }
        return Array(bytes.prefix(1 << 16))
    }

    private mutating func change(_ bytes: inout [UInt8], _ seeds: [[UInt8]]) {
        let place = number(below: bytes.count)
        switch number(below: 9) {
        case 0 where !bytes.isEmpty: bytes[place] ^= 1 << number(below: 8)
        case 1 where !bytes.isEmpty: bytes[place] = UInt8(truncatingIfNeeded: next())
        case 2 where !bytes.isEmpty: bytes.removeSubrange(place..<min(bytes.count, place + 1 + number(below: 32)))
        case 3 where !bytes.isEmpty: bytes = Array(bytes.prefix(place))
        case 4 where !bytes.isEmpty:
            let piece = Array(bytes[place..<min(bytes.count, place + 1 + number(below: 64))])
            bytes.insert(contentsOf: piece, at: number(below: bytes.count))
        case 5 where !seeds.isEmpty:
            let other = seeds[number(below: seeds.count)]
            bytes = Array(bytes.prefix(place)) + other.dropFirst(number(below: other.count))
        case 6: bytes.insert(contentsOf: Self.numbers[number(below: Self.numbers.count)], at: min(place, bytes.count))
        case 7: bytes.insert(contentsOf: Self.words[number(below: Self.words.count)].utf8, at: min(place, bytes.count))
        default:
            let count = 1 + number(below: 64)
            for _ in 0..<count { bytes.insert(UInt8(truncatingIfNeeded: next()), at: min(place, bytes.count)) }
        }
    }
}
