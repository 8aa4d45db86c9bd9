import Bus
import Foundation
import Protocols
import Testing

struct OutboxTests {
    static func message(_ sequence: UInt64, body: [UInt8] = Array("{}".utf8)) -> Received {
        Received(
            topic: "bio/workout/me",
            header: Header(
                deliveryClass: .event, schema: SchemaVersion(major: 1, minor: 0), epoch: 77, sequence: sequence,
                wallNs: 1, monotonicNs: 2),
            body: body)
    }

    static func open(_ directory: URL, limit: Int = 1000) throws -> Outbox {
        try Outbox(name: .sensor, in: directory, eventLimit: limit)
    }

    @Test func `what was appended is there after the process died, with its first epoch and sequence`() throws {
        let directory = try TemporaryDirectory()
        do {
            let outbox = try Self.open(directory.url)
            for sequence in 1...3 { try outbox.append(Self.message(UInt64(sequence))) }
            outbox.acknowledge([EventID(Self.message(2))])
        }
        let again = try Self.open(directory.url)
        #expect(again.count == 2)
        #expect(again.take(limit: 1, nowNs: 0).map(\.header.sequence) == [1])
        let all = again.take(nowNs: 0)
        #expect(all.map(\.header.sequence) == [1, 3])
        #expect(all.allSatisfy { $0.header.epoch == 77 })
        #expect(all.map { $0.header.flags.contains(.redelivered) } == [true, false])
    }

    @Test func `a file torn at any byte of its last record keeps everything before it`() throws {
        let directory = try TemporaryDirectory()
        do {
            let outbox = try Self.open(directory.url)
            try outbox.append(Self.message(1))
            try outbox.append(Self.message(2))
        }
        let path = directory.url.appending(path: "outbox/sensor-emitter.outbox")
        let whole = try Data(contentsOf: path)
        let lastStart = whole.count / 2
        for length in lastStart..<whole.count {
            try whole.prefix(length).write(to: path)
            let outbox = try Self.open(directory.url)
            #expect(outbox.take(nowNs: 0).map(\.header.sequence) == [1], "torn at \(length)")
            try outbox.append(Self.message(3))
            #expect(outbox.count == 2)
        }
        for flipped in lastStart..<whole.count {
            var damaged = whole
            damaged[flipped] ^= 0x10
            try damaged.write(to: path)
            #expect(try Self.open(directory.url).take(nowNs: 0).map(\.header.sequence) == [1], "flipped at \(flipped)")
        }
    }

    @Test func `the file of a version in which consumers acknowledged to the sender still loads`() throws {
        let directory = try TemporaryDirectory()
        let folder = directory.url.appending(path: "outbox")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        // Record: u32 length, u64 FNV-1a of the payload, payload (1 = event, 2 = acknowledgement by a consumer).
        func record(_ payload: [UInt8]) -> [UInt8] {
            let sum = payload.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
            return Self.little(UInt32(payload.count)) + Self.little(sum) + payload
        }
        let topic = Array("bio/workout/me".utf8)
        var bytes: [UInt8] = []
        for sequence in 1...3 as ClosedRange<UInt64> {
            bytes += record(
                [1] + Self.little(UInt16(topic.count)) + topic + Self.message(sequence).header.bytes + [0x7B, 0x7D])
        }
        func acknowledge(_ sequence: UInt64, _ consumer: String) {
            bytes += record(
                [2] + Self.little(UInt16(topic.count)) + topic + Self.little(77 as UInt64) + Self.little(sequence)
                    + Array(consumer.utf8))
        }
        acknowledge(1, "brain")
        acknowledge(2, "brain")
        acknowledge(2, "body")
        try Data(bytes).write(to: folder.appending(path: "sensor-emitter.outbox"))
        let outbox = try Self.open(directory.url)
        // Number 1 still waited for the body: the hub gets it and asks both, who recognise what they have had.
        #expect(outbox.take(nowNs: 0).map(\.header.sequence) == [1, 3])
    }

    private static func little(_ value: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: value.littleEndian) { Array($0) }
    }

    @Test func `a full outbox refuses by name`() throws {
        let directory = try TemporaryDirectory()
        let outbox = try Self.open(directory.url, limit: 2)
        for sequence in 1...2 { try outbox.append(Self.message(UInt64(sequence))) }
        #expect(throws: OutboxError.self) { try outbox.append(Self.message(3)) }
        outbox.acknowledge([EventID(Self.message(1))])
        try outbox.append(Self.message(3))
    }

    @Test func `the file is private, has one owner, and shrinks when all is acknowledged`() throws {
        let directory = try TemporaryDirectory()
        let outbox = try Self.open(directory.url)
        let path = directory.url.appending(path: "outbox/sensor-emitter.outbox").path()
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        #expect(throws: OutboxError.taken(path: path)) { try Self.open(directory.url) }
        let big = [UInt8](repeating: 0x20, count: 100_000)
        for sequence in 1...30 {
            try outbox.append(Self.message(UInt64(sequence), body: big))
            if sequence < 30 { outbox.acknowledge([EventID(Self.message(UInt64(sequence)))]) }
        }
        outbox.acknowledge([EventID(Self.message(99))])
        let size = try #require(FileManager.default.attributesOfItem(atPath: path)[.size] as? Int)
        #expect(size < 1_500_000)
        #expect(outbox.take(nowNs: 0).map(\.header.sequence) == [30])
    }

    @Test func `removing all leaves no byte of an event`() throws {
        let directory = try TemporaryDirectory()
        let outbox = try Self.open(directory.url)
        try outbox.append(Self.message(1, body: Array("secret".utf8)))
        try outbox.removeAll()
        #expect(try Data(contentsOf: directory.url.appending(path: "outbox/sensor-emitter.outbox")).isEmpty)
        #expect(outbox.count == 0)
    }
}
