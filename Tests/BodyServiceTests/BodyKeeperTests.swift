import Bus
import Foundation
import GRDB
import Logging
import Physiology
import Protocols
import Store
import Testing

@testable import BodyService

struct BodyKeeperTests {
    /// Tuesday 2026-03-03, 09:00 UTC.
    static let start = Timestamp(milliseconds: 1_772_528_400_000)

    static func keeper(
        store: BodyStore? = nil, reader: @escaping HealthReader = LineReader.read
    ) throws -> BodyKeeper {
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        return try BodyKeeper(
            store: try store ?? BodyStore(directory: nil), clock: LocalClock(timeZone: .gmt), listener: "me",
            logger: logger, reader: reader)
    }

    /// Half a minute of one heart rate a second while sitting, with a beat every 60000 / bpm ms that swings by ±`swing`.
    static func batch(at start: Timestamp, bpm: Double, swing: Double = 20) -> BioBatch {
        let interval = 60_000 / bpm
        let count = Int(30_000 / interval)
        return BioBatch(
            heartRate: (0..<30).map { HeartRate(at: start.adding(seconds: Double($0)), bpm: bpm, source: "strap") },
            rr: [
                RRIntervals(
                    startAt: start, rrMs: (0..<count).map { interval + ($0 % 2 == 0 ? swing : -swing) },
                    source: "strap")
            ],
            motion: (0..<6).map {
                Motion(at: start.adding(seconds: Double($0) * 5), intensity: 0, steps: 0, activity: .stationary)
            })
    }

    @Test func `a calendar that was withdrawn no longer stands beside what the desktop says`() async throws {
        let store = try BodyStore(directory: nil)
        let bus = LockStep(start: Self.start)
        bus.add(try Self.keeper(store: store), as: .body)
        let meeting = CalendarContext.Ongoing(type: .meeting, endsAt: Self.start.adding(seconds: 3600))
        bus.publish(CalendarContext(at: Self.start, ongoing: meeting), on: Registry.calendar())
        await bus.advance(by: .seconds(2), step: .seconds(1))
        bus.publish(DesktopContext(at: bus.now), on: Registry.desktop())
        await bus.advance(by: .seconds(2), step: .seconds(1))
        bus.port(of: LockStep.testIdentity).withdraw(Registry.calendar())
        await bus.advance(by: .seconds(2), step: .seconds(1))
        bus.publish(DesktopContext(at: bus.now), on: Registry.desktop())
        await bus.advance(by: .seconds(2), step: .seconds(1))
        let meetings = try store.file.read { db in
            try Bool?.fetchAll(db, sql: "SELECT hasOngoingMeeting FROM desktopContext ORDER BY at")
        }
        #expect(meetings == [true, nil])
    }

    @Test func `says what is usual for a stranger before any sample`() async throws {
        let bus = LockStep(start: Self.start)
        bus.add(try Self.keeper(), as: .body)
        await bus.advance(by: .seconds(2), step: .seconds(1))
        let baseline = try #require(try bus.messages(of: Registry.baseline).last)
        // Tanaka: 208 − 0.7 · 40; mean of the NHANES adults 72.5, 8 above the resting one.
        #expect(baseline.maximumBpm == 180)
        #expect(baseline.stillBpmMean == 72.5)
        #expect(baseline.restingBpm == 64.5)
        #expect(baseline.confidence == 0)
        #expect(baseline.sources.map(\.name) == ["population"])
    }

    @Test func `thirty still minutes weigh as much as the prior`() async throws {
        let bus = LockStep(start: Self.start)
        bus.add(try Self.keeper(), as: .body)
        for half in 0..<60 {
            let at = Self.start.adding(seconds: Double(half) * 30)
            bus.publish(Self.batch(at: at, bpm: 60), on: Registry.bioBatch())
            await bus.advance(by: .seconds(30), step: .seconds(30))
        }
        await bus.advance(by: .seconds(60), step: .seconds(30))
        let reply = try await bus.request(GetBaseline())
        #expect(reply.stillMinutes == 30)
        // 30/(30 + 30): half way between 72.5 and 60.
        #expect(abs(reply.stillBpmMean - 66.25) < 1e-9)
        // The first minutes moved it already, once a minute at most.
        let published = try bus.messages(of: Registry.baseline)
        #expect((10...32).contains(published.count))
        #expect(published.map(\.stillMinutes) == published.map(\.stillMinutes).sorted())
        // 40 ms up and down between neighbours.
        let hrv = try await bus.request(GetHRV(from: Self.start, to: Self.start.adding(seconds: 1800)))
        #expect(hrv.n == 1800)
        #expect(abs(try #require(hrv.rmssdMs) - 40) < 0.5)
    }

    @Test func `an event that comes twice has one effect`() async throws {
        let store = try BodyStore(directory: nil)
        let keeper = try Self.keeper(store: store)
        let port = RecordingPort(now: Self.start)
        let workout = Workout(phase: .started, sport: "running", at: Self.start)
        let message = Received(
            topic: "bio/workout/me",
            header: Header(
                deliveryClass: .event, schema: Workout.schema, epoch: 7, sequence: 1, wallNs: 0, monotonicNs: 0),
            body: try MessageCoding.encode(workout))
        try await keeper.receive(.message(message), bus: port)
        try await keeper.receive(.message(message), bus: port)
        let rows = try store.file.read { db in
            (
                try Int.fetchOne(db, sql: "SELECT count(*) FROM workout"),
                try Int.fetchOne(db, sql: "SELECT count(*) FROM handled")
            )
        }
        #expect(rows.0 == 1)
        #expect(rows.1 == 1)
    }

    @Test func `a message that cannot be read is dropped, not asked for again`() async throws {
        let keeper = try Self.keeper()
        let message = Received(
            topic: "bio/batch/me",
            header: Header(
                deliveryClass: .event, schema: BioBatch.schema, epoch: 7, sequence: 1, wallNs: 0, monotonicNs: 0),
            body: Array("not json".utf8))
        try await keeper.receive(.message(message), bus: RecordingPort(now: Self.start))
    }

    @Test func `a run and the quarter of an hour after it are not still`() async throws {
        let bus = LockStep(start: Self.start)
        bus.add(try Self.keeper(), as: .body)
        bus.publish(Workout(phase: .started, sport: "running", at: Self.start), on: Registry.workout())
        bus.publish(
            Workout(phase: .ended, sport: "running", at: Self.start.adding(seconds: 300)), on: Registry.workout())
        await bus.advance(by: .seconds(10), step: .seconds(5))
        for half in 0..<50 {
            let at = Self.start.adding(seconds: Double(half) * 30)
            bus.publish(Self.batch(at: at, bpm: 90), on: Registry.bioBatch())
            await bus.advance(by: .seconds(30), step: .seconds(30))
        }
        // 25 min, of which 5 run and 15 recovered.
        #expect(try await bus.request(GetBaseline()).stillMinutes == 5)
    }

    @Test func `the profile sets priors and refuses what no body has`() async throws {
        let bus = LockStep(start: Self.start)
        bus.add(try Self.keeper(), as: .body)
        let young = try await bus.request(SetProfile(name: "age", value: "20"))
        #expect(young.age == 20)
        let resting = try await bus.request(SetProfile(name: "restingBpm", value: "50"))
        #expect(resting.restingBpm == 50)
        let baseline = try await bus.request(GetBaseline())
        #expect(baseline.maximumBpm == 194)
        #expect(baseline.restingBpm == 50)
        #expect(baseline.sources.map(\.name) == ["profile"])
        for (name, value) in [
            ("age", "200"), ("age", "3.5"), ("sex", "x"), ("restingBpm", "abc"), ("maximumBpm", "75"), ("shoe", "42"),
        ] {
            let refusal = await #expect(throws: Refusal.self) {
                _ = try await bus.request(SetProfile(name: name, value: value))
            }
            #expect(refusal?.code == "invalid")
        }
        #expect(try await bus.request(SetProfile(name: "age")).age == nil)
    }

    @Test func `everything survives a restart and nothing survives a deletion`() async throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "body-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: directory) }
        let bus = LockStep(start: Self.start)
        do {
            let store = try BodyStore(directory: directory)
            bus.add(try Self.keeper(store: store), as: .body)
            bus.publish(Self.batch(at: Self.start, bpm: 61.125), on: Registry.bioBatch())
            bus.publish(MoodInput(at: Self.start, mood: 4, energy: 2, via: "test"), on: Registry.mood())
            await bus.advance(by: .seconds(10), step: .seconds(5))
            _ = try await bus.request(SetProfile(name: "age", value: "33"))
            bus.remove(.body)
            try store.file.close()
        }
        let store = try BodyStore(directory: directory)
        bus.add(try Self.keeper(store: store), as: .body)
        #expect(try await bus.request(GetProfile()).age == 33)
        let series = try await bus.request(
            GetSeries(kind: "heartRate", from: Self.start, to: Self.start.adding(seconds: 60), limit: 10))
        #expect(series.points.count == 10)
        #expect(series.truncated)
        #expect(series.points.first == SeriesPoint(at: Self.start, value: 61.125))

        let export = directory.appending(path: "export.jsonl").path(percentEncoded: false)
        let exported: Exported = try await bus.request(
            .body, ExportData.name, ExportData(path: export))
        #expect(exported.rows > 40)
        let mode = try FileManager.default.attributesOfItem(atPath: export)[.posixPermissions] as? Int
        #expect(mode == 0o600)

        let done: Done = try await bus.request(
            .body, DeleteData.name, DeleteData(confirmation: DeleteData.phrase))
        #expect(done.note != nil)
        #expect(try await bus.request(GetProfile()) == Profile())
        #expect(try await bus.request(GetBaseline()).stillMinutes == 0)
        let empty = try await bus.request(
            GetSeries(kind: "rr", from: Self.start, to: Self.start.adding(seconds: 60)))
        #expect(empty.points.isEmpty)
    }

    @Test func `the desktop is kept without titles`() async throws {
        let store = try BodyStore(directory: nil)
        let bus = LockStep(start: Self.start)
        bus.add(try Self.keeper(store: store), as: .body)
        bus.publish(
            CalendarContext(
                at: Self.start,
                ongoing: .init(type: .meeting, endsAt: Self.start.adding(seconds: 600), title: "secret name")),
            on: Registry.calendar())
        await bus.advance(by: .seconds(10), step: .seconds(5))
        bus.publish(
            DesktopContext(at: Self.start, focusActive: true, focusName: "Work", app: "Code", workState: .meetings),
            on: Registry.desktop())
        await bus.advance(by: .seconds(10), step: .seconds(5))
        let row = try #require(try store.file.read { db in try Row.fetchOne(db, sql: "SELECT * FROM desktopContext") })
        #expect(row["hasOngoingMeeting"] == true)
        #expect(row["app"] == "Code")
        #expect(!"\(row)".contains("secret"))
    }
}
