import Bus
import Formats
import Foundation
import GRDB
import Physiology
import Protocols
import Store
import Synchronization
import Testing

@testable import BodyService

struct BodyImportTests {
    @Test func `a file that is imported again adds nothing, read or not`() throws {
        let workshop = try ImportWorkshop()
        let store = try workshop.store()
        let file = try workshop.write("a.jsonl", ImportWorkshop.records())
        let first = try #require(ImportWorkshop.take([file], into: store).first)
        // 2 days: a heart rate each 5 min, 2 · 24 hours of steps of two sources, and one of each other kind a day.
        #expect(first.taken["heartRate"] == 576 && first.taken["steps"] == 96 && first.taken["workout"] == 2)
        #expect(first.added["heartRate"] == 576 && first.added["person"] == 1)
        let content = try ImportWorkshop.content(store)
        #expect(try #require(ImportWorkshop.take([file], into: store).first).unchanged)
        let again = try #require(ImportWorkshop.take([file], into: store, again: true).first)
        #expect(again.taken == first.taken)
        #expect(again.added.isEmpty)
        #expect(try ImportWorkshop.content(store) == content)
    }

    @Test func `the order of files, overlaps and duplicates make no difference`() throws {
        let workshop = try ImportWorkshop()
        let records = ImportWorkshop.records()
        var generator = SplitMix64(seed: 7)
        let shuffled = records.shuffled(using: &generator)
        // The same moment told twice with different figures, too.
        let at = ImportWorkshop.now.adding(seconds: -3000)
        let (low, high) = (
            BodyRecord.heartRate(HeartRateRecord(at: at, bpm: 61, source: "Watch")),
            BodyRecord.heartRate(HeartRateRecord(at: at, bpm: 64, source: "Watch"))
        )
        let parts = [
            try workshop.write("1", records + [low]), try workshop.write("2", shuffled + [high]),
            try workshop.write("3", Array(shuffled.prefix(300)) + Array(records.suffix(200))),
        ]
        var contents: [[String: [String]]] = []
        for (index, order) in [[0, 1, 2], [2, 1, 0], [1, 2, 0]].enumerated() {
            let store = try workshop.store("order-\(index)")
            try ImportWorkshop.take(order.map { parts[$0] }, into: store, batchRecords: 37 * (index + 1))
            contents.append(try ImportWorkshop.content(store))
        }
        #expect(contents[0] == contents[1])
        #expect(contents[0] == contents[2])
        #expect(contents[0]["heartRateDay"]?.isEmpty == false)
    }

    @Test func `a killed import goes on behind what was stored, and ends as if nothing had been`() throws {
        let workshop = try ImportWorkshop()
        let file = try workshop.write("a.jsonl", ImportWorkshop.records())
        let whole = try workshop.store("whole")
        let expected = try #require(ImportWorkshop.take([file], into: whole).first)

        struct Killed: Error {}
        let store = try workshop.store("killed")
        let stored = 4 * 50
        let dying: HealthReader = { file, zone, progress, take in
            var count = 0
            return try LineReader.read(file, zone, progress) { record in
                count += 1
                // In the middle of the fifth batch.
                if count > stored + 20 { throw Killed() }
                try take(record)
            }
        }
        #expect(throws: Killed.self) { try ImportWorkshop.take([file], into: store, reader: dying) }
        let half = try store.file.read { db in
            try Int.fetchOne(db, sql: "SELECT committed FROM importFile WHERE finishedAt IS NULL")
        }
        #expect(half == stored)
        let resumed = try #require(ImportWorkshop.take([file], into: store).first)
        #expect(resumed.resumedAt == stored)
        #expect(resumed.taken == expected.taken)
        #expect(resumed.added == expected.added)
        #expect(try ImportWorkshop.content(store) == (try ImportWorkshop.content(whole)))
        #expect(try #require(ImportWorkshop.take([file], into: store).first).unchanged)
    }

    @Test func `what another version has read is read again`() throws {
        let workshop = try ImportWorkshop()
        let store = try workshop.store()
        let file = try workshop.write("a.jsonl", ImportWorkshop.records(days: 1))
        try ImportWorkshop.take([file], into: store, version: "1")
        let newer = try #require(ImportWorkshop.take([file], into: store, version: "2").first)
        #expect(!newer.unchanged && newer.resumedAt == 0 && newer.added.isEmpty)
    }

    @Test func `samples from the future and impossible ones are left out by name`() throws {
        let workshop = try ImportWorkshop()
        let store = try workshop.store()
        let now = ImportWorkshop.now
        let file = try workshop.write(
            "a.jsonl",
            [
                .heartRate(HeartRateRecord(at: now.adding(seconds: 3 * 86_400), bpm: 60, source: "w")),
                .heartRate(HeartRateRecord(at: now.adding(seconds: 30), bpm: 60, source: "w")),
                .heartRate(HeartRateRecord(at: now.adding(seconds: -60), bpm: 800, source: "w")),
                .sleep(SleepSegment(start: now, end: now.adding(seconds: -60), stage: .core, source: "w")),
                .restingHeartRate(
                    RestingRecord(at: Timestamp(milliseconds: -1), createdAt: now, bpm: 50, source: "w")),
            ])
        let report = try #require(ImportWorkshop.take([file], into: store).first)
        #expect(report.taken == ["heartRate": 1])
        #expect(
            report.skipped == [
                "in the future": 1, "heart rate outside 20…300 beats per minute": 1, "end before start": 1,
                "before 1970": 1,
            ])
    }

    @Test func `what a clock that was set back kept out is taken once it is right`() throws {
        let workshop = try ImportWorkshop()
        let store = try workshop.store()
        let file = try workshop.write("a.jsonl", ImportWorkshop.records())
        // A day and an hour behind: the second day lies in the future.
        let early = ImportWorkshop.now.adding(seconds: -90_000)
        let first = try #require(ImportWorkshop.take([file], into: store, now: early).first)
        #expect((first.skipped["in the future"] ?? 0) > 300)
        let second = try #require(ImportWorkshop.take([file], into: store).first)
        #expect(!second.unchanged && second.skipped.isEmpty)
        let right = try workshop.store("right")
        try ImportWorkshop.take([file], into: right)
        #expect(try ImportWorkshop.content(store) == (try ImportWorkshop.content(right)))
        #expect(try #require(ImportWorkshop.take([file], into: store).first).unchanged)
    }

    @Test func `a computation that was killed over is made up for`() async throws {
        let workshop = try ImportWorkshop()
        let store = try workshop.store()
        // An import whose process dies before anything is computed.
        try ImportWorkshop.take([try workshop.write("a.jsonl", ImportWorkshop.records())], into: store)
        let bus = LockStep(start: ImportWorkshop.now)
        bus.add(try BodyKeeperTests.keeper(store: store), as: .body)
        let begin = ImportWorkshop.now.adding(seconds: -3 * 86_400)
        let page = try await bus.request(ListDays(from: begin, to: ImportWorkshop.now))
        // Asleep from 8 h to 2 h before 09:00 of two days, readings at 09:00; steps until 09:00 of the third.
        #expect(page.days.map(\.date) == ["2026-03-01", "2026-03-02", "2026-03-03"])
        #expect(page.days.map(\.asleepMinutes) == [360, 360, nil])
        #expect(page.days.map(\.restingBpm) == [52, 52, nil])
        #expect(page.days.map(\.sdnnMs) == [41.5, 41.5, nil])
        #expect(page.days.map(\.workouts) == [1, 1, 0])
    }

    @Test func `an answer is never larger than a message may be, and says that there is more`() async throws {
        let workshop = try ImportWorkshop()
        let store = try workshop.store()
        let now = ImportWorkshop.now
        let note = String(repeating: "x", count: 2000)
        try store.file.write { db in
            for index in 0..<1000 {
                let at = now.adding(seconds: -Double(index))
                try JournalTable.add(JournalEntry(at: at, kind: .mood, mood: .calm, note: note), addedAt: at, in: db)
            }
        }
        let seconds = (0..<20_000).map {
            BodyRecord.heartRate(
                HeartRateRecord(at: now.adding(seconds: Double($0) - 20_000), bpm: 61.25, source: "w"))
        }
        try ImportWorkshop.take([try workshop.write("a", seconds)], into: store, batchRecords: 20_000)
        let bus = LockStep(start: now)
        bus.add(try BodyKeeperTests.keeper(store: store), as: .body)
        // 1 MiB is the largest message of the bus.
        let page = try await bus.request(
            ListJournal(from: Timestamp(milliseconds: 0), to: now.adding(seconds: 1), limit: 1000))
        #expect(page.truncated && page.entries.count > 400)
        #expect(try JSONEncoder().encode(page).count < 1 << 20)
        let series = try await bus.request(
            GetSeries(kind: "heartRate", from: Timestamp(milliseconds: 0), to: now, limit: 100_000))
        #expect(series.truncated && series.points.count == 16_000)
        #expect(try JSONEncoder().encode(series).count < 1 << 20)
    }

    @Test func `a full disk is named, keeps what was stored, and the import goes on when there is room`() throws {
        let workshop = try ImportWorkshop()
        let store = try workshop.store()
        let file = try workshop.write("a.jsonl", ImportWorkshop.records(days: 20))
        let pages = try store.file.write { db in try Int.fetchOne(db, sql: "PRAGMA page_count") ?? 0 }
        try store.file.write { db in try db.execute(sql: "PRAGMA max_page_count = \(pages + 4)") }
        let error = #expect(throws: StoreError.self) { try ImportWorkshop.take([file], into: store) }
        guard case .diskFull = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        let committed = try store.file.read { db in try Int.fetchOne(db, sql: "SELECT committed FROM importFile") }
        #expect((committed ?? 0) > 0)
        try store.file.write { db in try db.execute(sql: "PRAGMA max_page_count = 1000000") }
        let resumed = try #require(ImportWorkshop.take([file], into: store).first)
        #expect(resumed.resumedAt == committed)
        let whole = try workshop.store("whole")
        try ImportWorkshop.take([file], into: whole)
        #expect(try ImportWorkshop.content(store) == (try ImportWorkshop.content(whole)))
    }

    @Test func `a damaged file is named and the others are taken`() throws {
        let workshop = try ImportWorkshop()
        let store = try workshop.store()
        let bad = workshop.url.appending(path: "bad")
        try Data("nonsense\n".utf8).write(to: bad)
        let good = try workshop.write("good", ImportWorkshop.records(days: 1))
        let missing = workshop.url.appending(path: "missing").path(percentEncoded: false)
        let files = try ImportWorkshop.take([bad.path(percentEncoded: false), missing, good], into: store)
        #expect(files.map { $0.error != nil } == [true, true, false])
        #expect(files[2].added["heartRate"] == 288)
    }

    @Test func `a second import is refused by name while live events are kept and questions answered`() async throws {
        let workshop = try ImportWorkshop()
        let file = try workshop.write("slow.jsonl", ImportWorkshop.records(days: 1))
        let (store, begun, goOn) = (try workshop.store(), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let slow: HealthReader = { file, zone, progress, take in
            begun.signal()
            goOn.wait()
            return try LineReader.read(file, zone, progress, take)
        }
        let bus = LockStep(start: ImportWorkshop.now)
        bus.add(try BodyKeeperTests.keeper(store: store, reader: slow), as: .body)
        let state = try await bus.request(StartBodyImport(paths: [file]))
        #expect(state.isRunning)
        await Task.detached { Self.wait(begun) }.value
        let refusal = await #expect(throws: Refusal.self) {
            try await bus.request(StartBodyImport(paths: [file]))
        }
        #expect(refusal?.code == "busy")
        #expect(refusal?.message.contains("slow.jsonl") == true)
        bus.publish(BodyKeeperTests.batch(at: ImportWorkshop.now, bpm: 61.125), on: Registry.bioBatch())
        await bus.advance(by: .seconds(10), step: .seconds(5))
        let series = try await bus.request(
            GetSeries(kind: "heartRate", from: ImportWorkshop.now, to: ImportWorkshop.now.adding(seconds: 60)))
        #expect(series.points.count == 30)
        goOn.signal()
        let done = try await Self.end(of: bus)
        #expect(done.phase == .done)
        #expect(done.report?.files.first?.added["heartRate"] == 288)
        // A day of still heart rates is a baseline of its own.
        #expect(try await bus.request(GetBaseline()).stillMinutes > 100)
        _ = try await bus.request(StartBodyImport(paths: [file]))
        #expect(try await Self.end(of: bus).report?.files.first?.unchanged == true)
    }

    @Test func `deleting everything ends the import first`() async throws {
        let workshop = try ImportWorkshop()
        let file = try workshop.write("a.jsonl", ImportWorkshop.records(days: 30))
        let store = try workshop.store()
        let bus = LockStep(start: ImportWorkshop.now)
        bus.add(try BodyKeeperTests.keeper(store: store), as: .body)
        _ = try await bus.request(StartBodyImport(paths: [file]))
        let _: Done = try await bus.request(.body, DeleteData.name, DeleteData(confirmation: DeleteData.phrase))
        #expect(try await bus.request(GetBodyImport()).phase == .idle)
        #expect(try ImportWorkshop.content(store).values.allSatisfy(\.isEmpty))
    }

    @Test func `a database that another process has open is refused by its process`() throws {
        let workshop = try ImportWorkshop()
        let store = try workshop.store()
        let error = #expect(throws: StoreError.self) { try workshop.store() }
        #expect(error == .taken(path: store.file.path, pid: "\(getpid())"))
    }

    /// Blocks a thread of its own, not one of the pool of tasks that the import needs.
    private static func wait(_ semaphore: DispatchSemaphore) { semaphore.wait() }

    static func end(of bus: LockStep) async throws -> BodyImportState {
        while true {
            let state = try await bus.request(GetBodyImport())
            if !state.isRunning { return state }
            try await Task.sleep(for: .milliseconds(2))
        }
    }
}

struct SeriesPackTests {
    @Test func `a pack is read as it was written`() throws {
        let samples = [
            SeriesPack.Sample(offset: 0, value: 61.25, scale: 100),
            SeriesPack.Sample(offset: 5000, value: 180, scale: 100),
            SeriesPack.Sample(offset: 86_399_999, value: -0.5, scale: 100),
        ]
        let pack = SeriesPack(samples.reversed(), hasDurations: false)
        let again = try SeriesPack(pack.data, hasDurations: false)
        #expect(again.samples == samples)
        #expect(again.samples.map(\.scaled) == [6125, 18_000, -50])
        // A heart rate five seconds after the last: two bytes of time, three of value above 81.91.
        #expect(pack.data.count == 1 + (1 + 2) + (2 + 3) + (4 + 1))
    }

    @Test func `bytes that are no pack are refused`() {
        #expect(throws: SeriesPackError.truncated) { try SeriesPack(Data(), hasDurations: false) }
        #expect(throws: SeriesPackError.unknownVersion(9)) { try SeriesPack(Data([9]), hasDurations: false) }
        #expect(throws: SeriesPackError.truncated) { try SeriesPack(Data([1, 0x80]), hasDurations: true) }
        #expect(throws: SeriesPackError.truncated) {
            try SeriesPack(Data([1] + [UInt8](repeating: 0xFF, count: 12)), hasDurations: false)
        }
    }

    @Test func `samples of a workout are read as they were written, unknown stays unknown`() throws {
        let start = ImportWorkshop.now
        let samples = [
            WorkoutSample(at: start, bpm: 92, powerW: 0),
            WorkoutSample(at: start.adding(seconds: 1), speedMps: 3.217, altitudeM: -12.4, distanceM: 3.22),
            WorkoutSample(at: start.adding(milliseconds: 2500), cadence: 89.5),
        ]
        #expect(try SamplesPack.unpack(SamplesPack.pack(samples, since: start), since: start) == samples)
        #expect(try SamplesPack.unpack(Data(), since: start).isEmpty)
    }
}
