import Protocols

/// Makes up random values of any type that can be decoded: awkward numbers and texts, absent optionals, keys of all kinds.
struct RandomDecoder: Decoder {
    /// SplitMix64: the same values for the same seed, everywhere.
    ///
    /// Source: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014.
    final class Source {
        private var state: UInt64
        init(seed: UInt64) { state = seed }
        func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var z = state
            z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
            z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
            return z ^ (z >> 31)
        }
        func below(_ limit: Int) -> Int { Int(next() % UInt64(limit)) }
    }

    let source: Source
    var codingPath: [any CodingKey] = []
    let userInfo: [CodingUserInfoKey: Any] = [:]

    static func value<Value: Decodable>(_ type: Value.Type, _ source: Source) throws -> Value {
        try Value(from: RandomDecoder(source: source))
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(Keyed(decoder: self))
    }
    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { Unkeyed(decoder: self, count: source.below(4)) }
    func singleValueContainer() throws -> any SingleValueDecodingContainer { Single(decoder: self) }

    func number() -> Double {
        switch source.below(12) {
        case 0: Double(bitPattern: source.next())
        case 1: Double(Int64(truncatingIfNeeded: source.next()) >> source.below(64))
        case 2: Double(source.below(2_000_000) - 1_000_000) / 1000
        case 3: Double(source.below(200_000)) / 100
        case 4: Self.awkward[source.below(Self.awkward.count)]
        case 5: Double(source.below(1000)) / 3
        case 6: Double(source.next() >> 11) / 9_007_199_254_740_992
        default: Double(source.below(3000)) / 10
        }
    }

    private static let awkward: [Double] = [
        0, -0.0, 0.1, 1e-5, 1e-4, 123_456.789, 1e15, 1e16, 1e17, 1e21, .leastNonzeroMagnitude,
        .greatestFiniteMagnitude,
    ]

    func text() -> String {
        let parts = [
            "a", "B", "simulation", "é", "ß", "\u{1F3B5}", "/", "\\", "\"", "\n", "\t", "\u{8}", "\u{c}", "\r", "\u{0}",
            "\u{1f}",
            "\u{7f}", "\u{2028}", "\u{FFFD}", "\u{10FFFF}", "e\u{301}", " ", "0", "-", "bio/heart-rate/me",
        ]
        return (0..<source.below(6)).map { _ in parts[source.below(parts.count)] }.joined()
    }

    func make<Value: Decodable>(_ type: Value.Type) throws -> Value {
        func integer<Number: FixedWidthInteger>(_: Number.Type) -> Number {
            let bits = Number(truncatingIfNeeded: source.next())
            return source.below(4) == 0
                ? [Number.min, .max, 0, 1][source.below(4)] : bits >> Number(source.below(Number.bitWidth))
        }
        switch type {
        case is Double.Type: return try cast(number(), type)
        case is Int.Type: return try cast(integer(Int.self), type)
        case is Int64.Type: return try cast(integer(Int64.self), type)
        case is Int32.Type: return try cast(integer(Int32.self), type)
        case is UInt64.Type: return try cast(integer(UInt64.self), type)
        case is Bool.Type: return try cast(source.below(2) == 0, type)
        case is String.Type: return try cast(text(), type)
        default: return try Value(from: self)
        }
    }

    private func cast<Value>(_ made: Any, _ type: Value.Type) throws -> Value {
        guard let value = made as? Value else {
            throw DecodingError.typeMismatch(type, .init(codingPath: codingPath, debugDescription: "cannot make up"))
        }
        return value
    }

    struct Keyed<Key: CodingKey>: KeyedDecodingContainerProtocol {
        let decoder: RandomDecoder
        var codingPath: [any CodingKey] { decoder.codingPath }
        var allKeys: [Key] {
            Set((0..<decoder.source.below(5)).map { _ in decoder.text() }).compactMap { Key(stringValue: $0) }
        }
        func contains(_ key: Key) -> Bool { decoder.source.below(3) > 0 }
        func decodeNil(forKey key: Key) throws -> Bool { false }
        func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value { try decoder.make(type) }
        func nestedContainer<Nested: CodingKey>(
            keyedBy type: Nested.Type, forKey key: Key
        ) throws -> KeyedDecodingContainer<Nested> { try decoder.container(keyedBy: type) }
        func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
            try decoder.unkeyedContainer()
        }
        func superDecoder() throws -> any Decoder { decoder }
        func superDecoder(forKey key: Key) throws -> any Decoder { decoder }
    }

    struct Unkeyed: UnkeyedDecodingContainer {
        let decoder: RandomDecoder
        let count: Int?
        var codingPath: [any CodingKey] { decoder.codingPath }
        var currentIndex = 0
        var isAtEnd: Bool { currentIndex >= count ?? 0 }

        init(decoder: RandomDecoder, count: Int) {
            self.decoder = decoder
            self.count = count
        }

        mutating func decodeNil() throws -> Bool { false }
        mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
            currentIndex += 1
            return try decoder.make(type)
        }
        mutating func nestedContainer<Nested: CodingKey>(
            keyedBy type: Nested.Type
        ) throws -> KeyedDecodingContainer<Nested> {
            currentIndex += 1
            return try decoder.container(keyedBy: type)
        }
        mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
            currentIndex += 1
            return try decoder.unkeyedContainer()
        }
        mutating func superDecoder() throws -> any Decoder { decoder }
    }

    struct Single: SingleValueDecodingContainer {
        let decoder: RandomDecoder
        var codingPath: [any CodingKey] { decoder.codingPath }
        func decodeNil() -> Bool { false }
        func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try decoder.make(type) }
    }
}
