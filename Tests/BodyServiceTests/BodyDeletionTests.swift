import Bus
import Foundation
import GRDB
import Physiology
import Protocols
import Store
import Testing

@testable import BodyService

struct BodyDeletionTests {
    /// Files of a database that hold a text.
    private static func files(with text: String, in folder: URL) throws -> [String] {
        try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            .filter { $0.lastPathComponent.hasPrefix("body.sqlite") }
            .filter { try Data(contentsOf: $0).range(of: Data(text.utf8)) != nil }.map(\.lastPathComponent)
    }

    private static let secret = "Watch-4711"

    /// Every kind of record of two days, told by a source that can be found again in bytes, and a journal.
    private static func filled(_ workshop: ImportWorkshop) async throws -> (LockStep, BodyStore) {
        let encoder = JSONEncoder()
        let lines = try ImportWorkshop.records().map { record in
            String(decoding: try encoder.encode(record), as: UTF8.self)
                .replacing("\"Watch\"", with: "\"\(secret)\"").replacing("\"Phone\"", with: "\"\(secret)\"")
        }
        let file = workshop.url.appending(path: "\(secret).jsonl")
        try Data(lines.joined(separator: "\n").utf8).write(to: file)
        let store = try workshop.store()
        let bus = LockStep(start: ImportWorkshop.now)
        bus.add(try BodyKeeperTests.keeper(store: store), as: .body)
        _ = try await bus.request(StartBodyImport(paths: [file.path(percentEncoded: false)]))
        #expect(try await BodyImportTests.end(of: bus).phase == .done)
        _ = try await bus.request(
            AddJournal(
                entry: JournalEntry(
                    at: ImportWorkshop.now, kind: .caffeine, caffeineMg: 80, source: secret, note: secret)))
        return (bus, store)
    }

    @Test func `a deleted stretch is gone from the disk, and computed figures with it`() async throws {
        let workshop = try ImportWorkshop()
        let (bus, store) = try await Self.filled(workshop)
        #expect(try !Self.files(with: Self.secret, in: workshop.url).isEmpty)
        let begin = ImportWorkshop.now.adding(seconds: -10 * 86_400)
        let removed = try await bus.request(
            DeleteBodyRange(
                kind: "all", from: begin, to: ImportWorkshop.now.adding(seconds: 1), confirmed: true)
        ).removed
        #expect(removed["heartRateDay"] == 576)
        // An hour of steps each, two days; watch and phone have the same name here.
        #expect(removed["quantityDay"] == 48)
        #expect(removed["journal"] == 1)
        #expect(try Self.files(with: Self.secret, in: workshop.url) == [])
        #expect(try await bus.request(ListDays(from: begin, to: ImportWorkshop.now)).days.isEmpty)
        withExtendedLifetime(store) {}
    }

    @Test func `a part of a packed day is cut out, the rest of it stays`() async throws {
        let workshop = try ImportWorkshop()
        let (bus, store) = try await Self.filled(workshop)
        // One heart rate each 5 min: 12 in an hour in the middle of a day.
        let from = ImportWorkshop.now.adding(seconds: -30 * 3600)
        let removed = try await bus.request(
            DeleteBodyRange(kind: "heartRate", from: from, to: from.adding(seconds: 3600), confirmed: true)
        ).removed
        #expect(removed["heartRateDay"] == 12)
        let left = try await bus.request(
            GetSeries(kind: "heartRate", from: Timestamp(milliseconds: 0), to: ImportWorkshop.now))
        #expect(left.points.count == 576 - 12)
        #expect(left.points.allSatisfy { !(from..<from.adding(seconds: 3600)).contains($0.at) })
        // Imported again, the same file brings it back.
        let path = workshop.url.appending(path: "\(Self.secret).jsonl").path(percentEncoded: false)
        _ = try await bus.request(StartBodyImport(paths: [path]))
        #expect(try await BodyImportTests.end(of: bus).report?.files.first?.added == ["heartRate": 12])
        withExtendedLifetime(store) {}
    }

    @Test func `a deletion must be confirmed`() async throws {
        let workshop = try ImportWorkshop()
        let (bus, store) = try await Self.filled(workshop)
        let refusal = await #expect(throws: Refusal.self) {
            try await bus.request(
                DeleteBodyRange(
                    kind: "all", from: Timestamp(milliseconds: 0), to: ImportWorkshop.now, confirmed: false))
        }
        #expect(refusal?.code == "not-allowed")
        #expect(try ImportWorkshop.content(store)["heartRateDay"]?.isEmpty == false)
    }
}
