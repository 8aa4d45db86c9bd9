import Foundation
import Protocols

/// Makes up a value of any type that can be decoded: every optional present, every array with one element.
///
/// The values depend on the key only, so that a vector is written the same way again.
struct SampleDecoder: Decoder {
    var codingPath: [any CodingKey] = []
    let userInfo: [CodingUserInfoKey: Any] = [:]

    static func sample<Value: Decodable>(_ type: Value.Type) throws -> Value { try Value(from: SampleDecoder()) }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(Keyed(codingPath: codingPath))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { Unkeyed(codingPath: codingPath) }
    func singleValueContainer() throws -> any SingleValueDecodingContainer { Single(codingPath: codingPath) }

    var number: Int { codingPath.last.map { $0.stringValue.utf8.reduce(7) { ($0 * 31 + Int($1)) % 97 } } ?? 1 }
    var text: String { codingPath.last?.intValue == nil ? codingPath.last?.stringValue ?? "text" : "element" }

    func make<Value: Decodable>(_ type: Value.Type) throws -> Value {
        switch type {
        case is Timestamp.Type: try cast(Timestamp(milliseconds: 1_700_000_000_000 + Int64(number) * 1000), type)
        case is Double.Type: try cast(Double(number) / 128, type)
        case is Int.Type: try cast(number, type)
        case is Int64.Type: try cast(Int64(number), type)
        case is Int32.Type: try cast(Int32(number), type)
        case is UInt64.Type: try cast(UInt64(number), type)
        case is UInt32.Type: try cast(UInt32(number), type)
        case is UInt16.Type: try cast(UInt16(number), type)
        case is Bool.Type: try cast(true, type)
        case is String.Type: try cast(text, type)
        default: try Value(from: self)
        }
    }

    private func cast<Value>(_ made: Any, _ type: Value.Type) throws -> Value {
        guard let value = made as? Value else {
            throw DecodingError.typeMismatch(type, .init(codingPath: codingPath, debugDescription: "cannot make up"))
        }
        return value
    }

    struct Keyed<Key: CodingKey>: KeyedDecodingContainerProtocol {
        let codingPath: [any CodingKey]
        // The one key of a dictionary; types with coding keys ask for their own.
        var allKeys: [Key] { Key(stringValue: "key").map { [$0] } ?? [] }
        func contains(_ key: Key) -> Bool { true }
        func decodeNil(forKey key: Key) throws -> Bool { false }
        func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
            try SampleDecoder(codingPath: codingPath + [key]).make(type)
        }
        func nestedContainer<Nested: CodingKey>(
            keyedBy type: Nested.Type, forKey key: Key
        ) throws -> KeyedDecodingContainer<Nested> {
            try SampleDecoder(codingPath: codingPath + [key]).container(keyedBy: type)
        }
        func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
            try SampleDecoder(codingPath: codingPath + [key]).unkeyedContainer()
        }
        func superDecoder() throws -> any Decoder { SampleDecoder(codingPath: codingPath) }
        func superDecoder(forKey key: Key) throws -> any Decoder { SampleDecoder(codingPath: codingPath + [key]) }
    }

    struct Unkeyed: UnkeyedDecodingContainer {
        let codingPath: [any CodingKey]
        let count: Int? = 1
        var currentIndex = 0
        var isAtEnd: Bool { currentIndex >= 1 }
        mutating func decodeNil() throws -> Bool { false }
        mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
            currentIndex += 1
            return try SampleDecoder(codingPath: codingPath).make(type)
        }
        mutating func nestedContainer<Nested: CodingKey>(
            keyedBy type: Nested.Type
        ) throws -> KeyedDecodingContainer<Nested> {
            currentIndex += 1
            return try SampleDecoder(codingPath: codingPath).container(keyedBy: type)
        }
        mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
            currentIndex += 1
            return Unkeyed(codingPath: codingPath)
        }
        mutating func superDecoder() throws -> any Decoder { SampleDecoder(codingPath: codingPath) }
    }

    struct Single: SingleValueDecodingContainer {
        let codingPath: [any CodingKey]
        func decodeNil() -> Bool { false }
        func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
            try SampleDecoder(codingPath: codingPath).make(type)
        }
    }
}
