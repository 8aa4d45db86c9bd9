import Foundation
import Protocols
import Testing

/// The coding by hand beside Foundation's: both must say the same.
struct FastMessageTests {
    static let types = EveryMessage.types.compactMap { $0 as? any FastMessage.Type }

    private static func encode(_ value: any Encodable) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return Array(try encoder.encode(value))
    }

    private static func decode<Value: Decodable>(_ type: Value.Type, _ bytes: [UInt8]) throws -> Value {
        try JSONDecoder().decode(type, from: Data(bytes))
    }

    /// What the cursor makes of a text, or nil; Foundation must then make the same of it.
    private static func agrees<Value: FastMessage>(_ type: Value.Type, _ text: [UInt8]) throws -> Bool? {
        guard let fast = Value.fromFastJSON(text) else { return nil }
        let slow: Value
        do {
            slow = try decode(type, text)
        } catch {
            return false
        }
        return try encode(fast) == encode(slow)
    }

    /// A value as it is written by hand, or nil when that refuses it. Called through the general protocol, as the bus does.
    private static func write(_ message: some Message) -> [UInt8]? { message.fastJSON() }

    @Test func `the messages of every second are coded by hand`() {
        let names = Set(Self.types.map { "\($0)" })
        #expect(
            names == [
                "HeartRate", "RRIntervals", "Motion", "BioBatch", "Progress", "StateVector", "Heartbeat", "VirtualNow",
                "ClockStep", "EventAck",
            ])
    }

    @Test(arguments: types.map { "\($0)" })
    func `golden vectors are read and written as Foundation does`(name: String) throws {
        let type = try #require(Self.types.first { "\($0)" == name })
        func check<Value: FastMessage>(_ type: Value.Type) throws {
            let text = Array(try Data(contentsOf: VectorTests.file(type)))
            let value = try Self.decode(type, text)
            #expect(Value.fromFastJSON(text) == value)
            #expect(try Self.write(value) == Self.encode(value))
        }
        try check(type)
    }

    @Test(arguments: types.map { "\($0)" })
    func `random values give the bytes of Foundation, or none where it gives none`(name: String) throws {
        let type = try #require(Self.types.first { "\($0)" == name })
        func check<Value: FastMessage>(_ type: Value.Type) throws {
            let source = RandomDecoder.Source(seed: 20_261_121)
            var refused = 0
            for round in 0..<1500 {
                let value = try RandomDecoder.value(type, source)
                guard let slow = try? Self.encode(value) else {
                    refused += 1
                    #expect(Self.write(value) == nil, "round \(round)")
                    continue
                }
                guard let fast = Self.write(value), fast == slow else {
                    Issue.record("round \(round): \(String(decoding: slow, as: UTF8.self)) is written otherwise")
                    return
                }
                if try Self.agrees(type, slow) == false {
                    Issue.record("round \(round): \(String(decoding: slow, as: UTF8.self)) is read otherwise")
                    return
                }
            }
            #expect(refused < 700)
        }
        try check(type)
    }

    @Test(arguments: types.map { "\($0)" })
    func `what the cursor reads from a damaged text is what Foundation reads`(name: String) throws {
        let type = try #require(Self.types.first { "\($0)" == name })
        let tokens = [
            "{", "}", "[", "]", ",", ":", "\"", "\\", "\\u0041", "\\ud83c\\udfb5", "\\ud83c", "\\u0000", "null", "true",
            "false", "0", "-", ".", "e5", "1e400", "1E-400", "01", "-0", "1.0", "9007199254740993", "1e2", " ", "\n",
            "\u{1}", "\"at\":1", "\"x\":{\"y\":[1,2,{\"z\":null}]},", "\"at\":1,", "é", "18446744073709551616",
            "0.1234567890123456789", "\"\\/\\b\\f\\n\\r\\t\\\"\\\\\"",
        ].map { Array($0.utf8) }
        func check<Value: FastMessage>(_ type: Value.Type) throws {
            let source = RandomDecoder.Source(seed: 7)
            let golden = Array(try Data(contentsOf: VectorTests.file(type)))
            var accepted = 0
            for round in 0..<6000 {
                var text = golden
                if round % 2 == 0, let other = try? Self.encode(RandomDecoder.value(type, source)) { text = other }
                for _ in 0...source.below(3) {
                    let place = source.below(text.count + 1)
                    switch source.below(5) {
                    case 0: text.insert(contentsOf: tokens[source.below(tokens.count)], at: place)
                    case 1 where place < text.count: text[place] = UInt8(truncatingIfNeeded: source.next())
                    case 2: text.removeSubrange(place..<min(text.count, place + source.below(8)))
                    case 3 where place < text.count:
                        text.insert(contentsOf: text[place..<min(text.count, place + 12)], at: place)
                    default: if place < text.count { text.swapAt(place, source.below(text.count)) }
                    }
                }
                switch try Self.agrees(type, text) {
                case true?: accepted += 1
                case false?:
                    Issue.record("round \(round): \(String(decoding: text, as: UTF8.self)) is read otherwise")
                    return
                case nil: break
                }
            }
            #expect(accepted > 50, "the cursor must have something to say")
        }
        try check(type)
    }

    @Test func `any order of keys, unknown keys, white space and escapes take the fast way`() {
        let text =
            #" { "source" : "a\u00e9\ud83c\udfb5\/\n", "new" : {"deep":[1,-2.5e3,{"x":null}],"t":"\\\""}, "quality":1 , "#
            + #""bpm": 61.25,"at":-1700 } "#
        let rate = HeartRate.fromFastJSON(Array(text.utf8))
        #expect(rate?.source == "aé\u{1F3B5}/\n")
        #expect(rate?.bpm == 61.25 && rate?.at.milliseconds == -1700)
    }

    @Test(arguments: [
        #"{"at":1,"bpm":1,"quality":1}"#, #"{"at":1,"bpm":1,"quality":1,"source":null}"#,
        #"{"at":1,"bpm":NaN,"quality":1,"source":"x"}"#, #"{"at":1,"bpm":1e999,"quality":1,"source":"x"}"#,
        #"{"at":9223372036854775808,"bpm":1,"quality":1,"source":"x"}"#,
        #"{"at":1.5,"bpm":1,"quality":1,"source":"x"}"#,
        #"{"at":1,"bpm":1,"quality":1,"source":"x"} x"#, #"{"at":1,"bpm":01,"quality":1,"source":"x"}"#,
        #"{"at":1,"bpm":1,"quality":1,"source":"\ud83c"}"#, #"{"at":1,"bpm":1,"quality":1,"source":"x",}"#, "", "[]",
        "{",
        #"{"at":1,"bpm":1,"quality":1,"source":"x","y":"# + String(repeating: "[", count: 70)
            + String(repeating: "]", count: 70) + "}",
    ])
    func `a surprise is left to Foundation`(text: String) { #expect(HeartRate.fromFastJSON(Array(text.utf8)) == nil) }

    @Test func `bad UTF-8 and a bare control character are left to Foundation`() {
        for byte in [0x80, 0xC3, 0xFF, 0x00, 0x1F] as [UInt8] {
            let text = Array(#"{"at":1,"bpm":1,"quality":1,"source":""#.utf8) + [byte] + Array(#""}"#.utf8)
            #expect(HeartRate.fromFastJSON(text) == nil)
        }
    }
}
