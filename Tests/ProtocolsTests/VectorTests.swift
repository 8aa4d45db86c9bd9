import Foundation
import Protocols
import Testing

/// The bytes we sent once, read again.
struct VectorTests {
    static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Protocols/Vectors", directoryHint: .isDirectory)

    static func encode(_ value: any Encodable) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes, .prettyPrinted]
        return try encoder.encode(value) + Data("\n".utf8)
    }

    static func file(_ type: any Message.Type) -> URL {
        folder.appending(path: "\(type.schema)/\(type).json")
    }

    @Test(.enabled(if: ProcessInfo.processInfo.environment["RESONANCE_WRITE_VECTORS"] != nil, "writes missing vectors"))
    func `writes the vectors that are missing`() throws {
        for type in EveryMessage.types where !FileManager.default.fileExists(atPath: Self.file(type).path()) {
            try FileManager.default.createDirectory(
                at: Self.file(type).deletingLastPathComponent(), withIntermediateDirectories: true)
            try Self.encode(try SampleDecoder.sample(type)).write(to: Self.file(type))
        }
    }

    @Test func `every vector of every version is still read, and written back as it was`() throws {
        let types = Dictionary(uniqueKeysWithValues: EveryMessage.types.map { ("\($0)", $0) })
        let versions = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path())
            .filter { Int($0.prefix(1)) != nil }
        #expect(versions.contains("1.0"))
        for version in versions {
            let folder = Self.folder.appending(path: version)
            for name in try FileManager.default.contentsOfDirectory(atPath: folder.path()) {
                let data = try Data(contentsOf: folder.appending(path: name))
                let type = try #require(types[name.replacing(".json", with: "")], "\(name) belongs to no message type")
                let value = try JSONDecoder().decode(type, from: data)
                #expect(try Self.encode(value) == data, "\(version)/\(name)")
            }
        }
    }

    @Test func `every message type has a vector of its present version`() {
        for type in EveryMessage.types {
            #expect(
                FileManager.default.fileExists(atPath: Self.file(type).path()),
                "write it with RESONANCE_WRITE_VECTORS=1: \(type)")
        }
        let names = Set(EveryMessage.types.map { "\($0)" })
        for spec in Registry.all { #expect(names.contains(spec.type), "\(spec.family)") }
    }

    @Test func `the header is read and written byte for byte as another implementation packs it`() throws {
        let bytes = try Data(contentsOf: Self.folder.appending(path: "header-1.bin"))
        let fields = try JSONDecoder().decode(
            [String: String].self, from: Data(contentsOf: Self.folder.appending(path: "header-1.json")))
        func number<Value: FixedWidthInteger>(_ key: String, _ type: Value.Type = Value.self) throws -> Value {
            try #require(fields[key].flatMap { Value($0) }, "\(key)")
        }
        let header = try Header(bytes: Array(bytes))
        #expect(header.deliveryClass == .event)
        #expect(header.schema == SchemaVersion(major: try number("schemaMajor"), minor: try number("schemaMinor")))
        #expect(header.flags == [.redelivered, .virtualTime])
        #expect(header.ttlMs == (try number("ttlMs")))
        #expect(header.epoch == (try number("epoch")))
        #expect(header.sequence == (try number("sequence")))
        #expect(header.wallNs == (try number("wallNs")))
        #expect(header.monotonicNs == (try number("monotonicNs")))
        #expect(header.traceHigh == (try number("traceHigh")))
        #expect(header.traceLow == (try number("traceLow")))
        #expect(header.span == (try number("span")))
        #expect(header.hubEpoch == (try number("hubEpoch")))
        #expect(header.hubSequence == (try number("hubSequence")))
        #expect(header.correlation == (try number("correlation")))
        #expect(Data(header.bytes) == bytes)
    }

    @Test func `what is no header is refused with its reason`() throws {
        let good = Array(try Data(contentsOf: Self.folder.appending(path: "header-1.bin")))
        for count in 0..<96 {
            #expect(throws: HeaderError.wrongLength(got: count)) { try Header(bytes: Array(good.prefix(count))) }
        }
        #expect(throws: HeaderError.wrongLength(got: 97)) { try Header(bytes: good + [0]) }
        var bytes = good
        bytes[0] = 0
        #expect(throws: HeaderError.wrongMagic(0x314E_5300)) { try Header(bytes: bytes) }
        bytes = good
        bytes[4] = 2
        #expect(throws: HeaderError.newerVersion(2)) { try Header(bytes: bytes) }
        bytes = good
        bytes[5] = 9
        #expect(throws: HeaderError.unknownClass(9)) { try Header(bytes: bytes) }
    }

    @Test func `an old reader survives a new optional key and a new case of an enumeration`() throws {
        let newer = #"{"at":1,"intensity":0.5,"steps":3,"activity":"swimming","depthM":2.5,"more":{"a":[1]}}"#
        let motion = try JSONDecoder().decode(Motion.self, from: Data(newer.utf8))
        #expect(motion.steps == 3)
        #expect(motion.activity == .unknown("swimming"))
        #expect(motion.activity.value == nil)
        let again = try JSONDecoder().decode(Motion.self, from: JSONEncoder().encode(motion))
        #expect(again == motion)
    }

    @Test func `a missing optional key is unknown, a missing required one is an error`() throws {
        let bare = try JSONDecoder().decode(
            DesktopContext.self, from: Data(#"{"at":1,"confidence":1,"sources":[]}"#.utf8))
        #expect(bare.app == nil && bare.idleSeconds == nil && bare.workState == nil)
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(HeartRate.self, from: Data(#"{"at":1,"quality":1,"source":"x"}"#.utf8))
        }
    }

    @Test func `the registry is a contract without holes`() {
        let families = Registry.all.map(\.family)
        #expect(Set(families).count == families.count)
        for spec in Registry.all {
            #expect(spec.family.allSatisfy { $0.isLowercase || $0 == "-" || $0 == "/" }, "\(spec.family)")
            #expect(Registry.spec(of: "\(spec.family)/me")?.family == spec.family)
            #expect(spec.depth > 0 && (spec.ttl ?? 1) > 0 && (spec.period ?? 1) > 0, "\(spec.family)")
            #expect(
                spec.deliveryClass == .event || spec.consumers.isEmpty, "\(spec.family): only events are acknowledged")
            if let period = spec.period, let ttl = spec.ttl { #expect(ttl > period, "\(spec.family)") }
        }
        #expect(Registry.spec(of: "bio/heart-rate2/me") == nil)
    }
}
