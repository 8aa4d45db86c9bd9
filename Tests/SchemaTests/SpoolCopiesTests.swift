import Backup
import Bus
import Foundation
import GRDB
import HubService
import Protocols
import Testing

/// Two copies of a real spool made one.
struct SpoolCopiesTests {
    private static let noon = Timestamp(milliseconds: 1_767_268_800_000)

    /// A spool in use, and copies of it.
    private final class House {
        let url = FileManager.default.temporaryDirectory.appending(
            path: "spool-\(UUID().uuidString)", directoryHint: .isDirectory)
        let spool: SpoolFile
        var early: String { url.appending(path: "early").path(percentEncoded: false) }
        var late: String { url.appending(path: "late").path(percentEncoded: false) }

        init(_ limits: SpoolLimits = SpoolLimits()) throws { spool = try SpoolFile(directory: url, limits: limits) }
        deinit { try? FileManager.default.removeItem(at: url) }

        func id(_ sequence: UInt64) -> EventID { EventID(event(sequence)) }

        func event(_ sequence: UInt64) -> Received {
            Received(
                topic: "bio/workout/me",
                header: Header(
                    deliveryClass: .event, schema: SchemaVersion(major: 1, minor: 0), epoch: 77, sequence: sequence,
                    wallNs: 1, monotonicNs: 2),
                body: Array("{}".utf8))
        }

        func keep(_ sequences: ClosedRange<UInt64>) {
            _ = spool.run(
                sequences.map { .append(event($0), consumers: [.brain, .body], at: SpoolCopiesTests.noon) })
        }

        func handle(_ sequences: ClosedRange<UInt64>, by consumer: ProcessName) {
            _ = spool.run(sequences.map { .acknowledge(id($0), by: consumer) })
        }

        func copy(to path: String) {
            _ = spool.run([.ask(.copy(path: path), id: 1, at: SpoolCopiesTests.noon)])
        }

        /// Numbers that wait for a consumer in the later copy.
        func waiting(for consumer: ProcessName) throws -> [Int64] {
            try DatabaseQueue(path: late).read { db in
                try Int64.fetchAll(
                    db, sql: "SELECT number FROM pending WHERE consumer = ? ORDER BY number",
                    arguments: [consumer.rawValue])
            }
        }
    }

    @Test func `what was handled or came while databases were copied waits again, and nothing older`() throws {
        let house = try House()
        house.keep(1...10)
        house.handle(1...6, by: .brain)
        house.handle(1...8, by: .body)
        house.copy(to: house.early)
        // Databases are copied now. The brain goes on; the body handles all, also what is new.
        house.handle(7...9, by: .brain)
        house.keep(11...13)
        house.handle(9...13, by: .body)
        house.copy(to: house.late)
        // Without the cure, the later copy alone would have lost what was handled in between.
        #expect(try house.waiting(for: .body) == [])
        try SpoolCopies.join(early: house.early, late: house.late)
        #expect(try house.waiting(for: .brain) == Array(7...13))
        #expect(try house.waiting(for: .body) == Array(9...13))
    }

    @Test func `an event that was forgotten between the copies is taken from the earlier one`() throws {
        var limits = SpoolLimits()
        limits.keepSeconds = 0
        let house = try House(limits)
        house.keep(1...3)
        house.copy(to: house.early)
        house.handle(1...3, by: .brain)
        house.handle(1...3, by: .body)
        _ = house.spool.run([.prune(at: Self.noon.adding(seconds: 60))])
        house.copy(to: house.late)
        try SpoolCopies.join(early: house.early, late: house.late)
        #expect(try house.waiting(for: .brain) == [1, 2, 3])
        let sequences = try DatabaseQueue(path: house.late).read { db in
            try Int64.fetchAll(db, sql: "SELECT sequence FROM event ORDER BY number")
        }
        #expect(sequences == [1, 2, 3])
    }

    @Test func `events that came and were forgotten in between are missed, and said so`() throws {
        var limits = SpoolLimits()
        limits.keepSeconds = 0
        let house = try House(limits)
        house.keep(1...3)
        house.copy(to: house.early)
        house.keep(4...6)
        house.handle(4...6, by: .brain)
        house.handle(4...6, by: .body)
        _ = house.spool.run([.prune(at: Self.noon.adding(seconds: 60))])
        house.copy(to: house.late)
        #expect(throws: BackupError.eventsPassed) { try SpoolCopies.join(early: house.early, late: house.late) }
    }

    @Test func `a dead letter stays one, and a tool gets what it registered for`() throws {
        let house = try House()
        house.keep(1...2)
        _ = house.spool.run([
            .ask(.add(AddConsumer(name: "diary", topics: ["bio/workout"])), id: 1, at: Self.noon)
        ])
        house.copy(to: house.early)
        _ = house.spool.run([
            .bury(house.id(1), of: .body, reason: "failed", deliveries: 5, at: Self.noon)
        ])
        house.keep(3...3)
        house.copy(to: house.late)
        try SpoolCopies.join(early: house.early, late: house.late)
        #expect(try house.waiting(for: .body) == [2, 3])
        #expect(try house.waiting(for: .brain) == [1, 2, 3])
        #expect(try house.waiting(for: "diary") == [3])
    }
}
