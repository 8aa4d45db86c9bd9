import Bus
import Foundation
import GRDB
import Physiology
import Protocols
import Store
import Synchronization
import Testing

@testable import BodyService

/// Stress, sleep and alerts on the bus, in virtual time.
struct LiveBodyTests {
    /// Tuesday 2026-03-03, 09:00 UTC.
    static let start = BodyKeeperTests.start

    /// Sits for a while: a heart rate each second, a motion sample each five.
    static func sit(_ bus: LockStep, seconds: Int, bpm: Double) async {
        for _ in 0..<seconds / 5 {
            let now = bus.now
            for second in 1...5 {
                bus.publish(
                    HeartRate(at: now.adding(seconds: Double(second)), bpm: bpm, source: "strap"),
                    on: Registry.heartRate())
            }
            bus.publish(
                Motion(at: now.adding(seconds: 5), intensity: 0, steps: 0, activity: .stationary),
                on: Registry.motion())
            await bus.advance(by: .seconds(5), step: .seconds(5))
        }
    }

    static func alerts(_ bus: LockStep, _ kind: BodyAlertKind) throws -> [BodyAlert] {
        try bus.messages(of: Registry.alert).filter { $0.kind.value == kind }
    }

    @Test func `a reading comes every six minutes, with its factors, and is kept`() async throws {
        let store = try BodyStore(directory: nil)
        let bus = LockStep(start: Self.start)
        bus.add(try BodyKeeperTests.keeper(store: store), as: .body)
        await Self.sit(bus, seconds: 1800, bpm: 72)
        #expect(bus.failures == [])
        let readings = try bus.messages(of: Registry.stress)
        let gaps = zip(readings.dropFirst(), readings).map { $0.at.seconds(since: $1.at) }
        // The first one knew five samples, the next one a whole minute.
        #expect(gaps == [60, 360, 360, 360, 360])
        #expect(readings.map { $0.quality?.value } == [.poor, .fair, .fair, .fair, .fair, .fair])
        let last = try #require(readings.last)
        #expect(last.level?.value == .normal)
        #expect(last.source?.value == .automatic)
        #expect(last.isPersonal == false)
        #expect(Set(last.factors.map(\.name)).isSuperset(of: ["rhrElevation", "activityLevel"]))
        let page = try await bus.request(ListStress(from: Self.start, to: bus.now.adding(seconds: 1)))
        #expect(page.readings == readings.reversed())
        let trend = try await bus.request(
            GetStressTrend(period: "hourly", from: Self.start, to: bus.now.adding(seconds: 1)))
        #expect(trend.buckets.map(\.readings) == [6])
        let calendar = try await bus.request(GetStressCalendar(from: Self.start, to: bus.now))
        #expect(calendar.days.map(\.date) == ["2026-03-03"])
        // Fewer than ten readings make no level of a day.
        #expect(calendar.days.first?.level == nil)
        let refusal = await #expect(throws: Refusal.self) {
            _ = try await bus.request(GetStressTrend(period: "yearly", from: Self.start, to: bus.now))
        }
        #expect(refusal?.code == "invalid")
    }

    @Test func `movement takes the level away at once`() async throws {
        let bus = LockStep(start: Self.start)
        bus.add(try BodyKeeperTests.keeper(), as: .body)
        await Self.sit(bus, seconds: 300, bpm: 72)
        for _ in 0..<24 {
            bus.publish(
                Motion(at: bus.now.adding(seconds: 5), intensity: 0.5, steps: 9, activity: .walking),
                on: Registry.motion())
            await bus.advance(by: .seconds(5), step: .seconds(5))
        }
        let last = try #require(try bus.messages(of: Registry.stress).last)
        #expect(last.gate.value == .active)
        #expect(last.level == nil)
        #expect(last.isHeld == true)
        #expect(last.at.seconds(since: Self.start) < 420)
    }

    @Test func `stress that lasts is told once, by the text of the specification, also over a kill`() async throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "live-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: directory) }
        let bus = LockStep(start: Self.start)
        var before = 0
        do {
            let store = try BodyStore(directory: directory)
            bus.add(try BodyKeeperTests.keeper(store: store), as: .body)
            await Self.sit(bus, seconds: 900, bpm: 96)
            let told = try Self.alerts(bus, .stress)
            #expect(told.map(\.title) == ["High Stress Detected"])
            #expect(told.map(\.text) == ["Your stress level is high. Take a moment to breathe and relax."])
            #expect(told.map { $0.level?.value } == [.high])
            #expect(try Self.alerts(bus, .achievement).map(\.title) == ["First Reading"])
            before = try bus.messages(of: Registry.stress).count
            bus.remove(.body)
            try store.file.close()
        }
        let store = try BodyStore(directory: directory)
        bus.add(try BodyKeeperTests.keeper(store: store), as: .body)
        await Self.sit(bus, seconds: 1200, bpm: 96)
        #expect(bus.failures == [])
        // Neither the alert nor the milestone comes again within the hour, and the rhythm goes on.
        #expect(try Self.alerts(bus, .stress).count == 1)
        #expect(try Self.alerts(bus, .achievement).count == 1)
        let readings = try bus.messages(of: Registry.stress)
        #expect(readings.count > before)
        #expect(readings[before].at.seconds(since: readings[before - 1].at) == 360)
        let page = try await bus.request(ListAlerts(from: Self.start, to: bus.now.adding(seconds: 1)))
        #expect(page.alerts.map { $0.kind.value } == [.stress, .achievement])
    }

    @Test func `what was switched off is not told`() async throws {
        let store = try BodyStore(directory: nil)
        try store.file.write { db in
            try db.execute(sql: "INSERT INTO setting VALUES ('alertHigh', 'off'), ('achievements', 'off')")
        }
        let bus = LockStep(start: Self.start)
        bus.add(try BodyKeeperTests.keeper(store: store), as: .body)
        await Self.sit(bus, seconds: 1200, bpm: 96)
        #expect(try bus.messages(of: Registry.stress).last?.level?.value == .high)
        #expect(try bus.messages(of: Registry.alert) == [])
    }

    @Test func `the summary of the day comes at its time`() async throws {
        let bus = LockStep(start: Timestamp(milliseconds: Self.start.milliseconds + 10 * 3_600_000 + 1_800_000))
        bus.add(try BodyKeeperTests.keeper(), as: .body)
        // 19:30 to 20:10.
        await Self.sit(bus, seconds: 2400, bpm: 72)
        let told = try Self.alerts(bus, .dailySummary)
        #expect(told.map(\.title) == ["Daily Stress Summary"])
        #expect(told.map(\.text) == ["Check your stress trends for today."])
        #expect(told.map { $0.at.seconds(since: Self.start) } == [39_600.0])
        #expect(told.first?.detail?.contains("readings") == true)
    }

    @Test func `samples from the future do not stop the readings`() async throws {
        let bus = LockStep(start: Self.start)
        bus.add(try BodyKeeperTests.keeper(), as: .body)
        await Self.sit(bus, seconds: 60, bpm: 72)
        let future = Self.start.adding(seconds: 86_400)
        bus.publish(HeartRate(at: future, bpm: 180, source: "strap"), on: Registry.heartRate())
        bus.publish(Motion(at: future, intensity: 1, steps: 9, activity: .running), on: Registry.motion())
        await Self.sit(bus, seconds: 600, bpm: 72)
        let last = try #require(try bus.messages(of: Registry.stress).last)
        #expect(last.isHeld == false)
        #expect(last.bpm == 72)
    }

    // MARK: Measuring

    /// A sensor that says yes.
    actor WillingSensor: BusService {
        nonisolated let subscriptions: [String] = []
        private(set) var seconds: [Double] = []

        func receive(_ event: BusEvent, bus: any BusPort) async throws {
            guard case .request(let request) = event, let query = try request.decode(SenseDensely.self) else { return }
            seconds.append(query.seconds)
            request.reply(SensingStarted(source: "strap", endAt: bus.now.adding(seconds: query.seconds)))
        }
    }

    final class Answers: Sendable {
        private let all = Mutex<[Result<StressReading, Refusal>]>([])
        func add(_ answer: Result<StressReading, Refusal>) { all.withLock { $0.append(answer) } }
        var given: [Result<StressReading, Refusal>] { all.withLock { $0 } }
    }

    static func ask(_ bus: LockStep, _ answers: Answers) {
        bus.port(of: LockStep.testIdentity).ask(MeasureStress(), deadline: .seconds(90)) { answers.add($0) }
    }

    @Test func `a measurement asks the sensor for a minute, and all who ask meanwhile have its reading`() async throws {
        let bus = LockStep(start: Self.start)
        let sensor = WillingSensor()
        bus.add(sensor, as: .sensor)
        bus.add(try BodyKeeperTests.keeper(), as: .body)
        await Self.sit(bus, seconds: 20, bpm: 72)
        let answers = Answers()
        Self.ask(bus, answers)
        await Self.sit(bus, seconds: 30, bpm: 72)
        Self.ask(bus, answers)
        #expect(answers.given.isEmpty)
        await Self.sit(bus, seconds: 60, bpm: 72)
        #expect(await sensor.seconds == [60])
        #expect(answers.given.count == 2)
        let readings = try answers.given.map { try $0.get() }
        #expect(readings.first == readings.last)
        #expect(readings.first?.source?.value == .manual)
        #expect(readings.first?.bpm == 72)
        // It is said and kept like any other.
        #expect(try bus.messages(of: Registry.stress).contains { $0.source?.value == .manual })
        let kept = try await bus.request(ListStress(from: Self.start, to: bus.now))
        #expect(kept.readings.contains { $0.source?.value == .manual })
    }

    @Test func `a measurement without a sensor, without samples or in motion says so`() async throws {
        let bus = LockStep(start: Self.start)
        bus.add(try BodyKeeperTests.keeper(), as: .body)
        await bus.advance(by: .seconds(10), step: .seconds(5))
        let answers = Answers()
        Self.ask(bus, answers)
        await bus.advance(by: .seconds(20), step: .seconds(5))
        bus.add(WillingSensor(), as: .sensor)
        Self.ask(bus, answers)
        await bus.advance(by: .seconds(80), step: .seconds(5))
        Self.ask(bus, answers)
        for _ in 0..<24 {
            bus.publish(
                Motion(at: bus.now.adding(seconds: 5), intensity: 0.5, steps: 9, activity: .walking),
                on: Registry.motion())
            await bus.advance(by: .seconds(5), step: .seconds(5))
        }
        let codes = answers.given.map { answer in
            if case .failure(let refusal) = answer { refusal.code } else { "a reading" }
        }
        #expect(codes == ["unavailable", "no-samples", "gated"])
    }

    // MARK: Sleep

    /// Nights from 22:40 to 6:20 with stages, on the mornings before and of the start.
    static func addNights(_ count: Int, to store: BodyStore) throws {
        try store.file.write { db in
            for night in 0..<count {
                let midnight = Self.start.adding(seconds: -9 * 3600 - Double(night) * 86_400)
                for (from, to, stage) in [
                    (-95.0, 385.0, "inBed"), (-80, 100, "core"), (100, 190, "deep"), (190, 200, "awake"),
                    (200, 380, "rem"),
                ] {
                    try db.execute(
                        sql: "INSERT INTO sleepSegment (startAt, endAt, stage, source, isWatch) VALUES (?, ?, ?, ?, 1)",
                        arguments: [
                            midnight.adding(seconds: from * 60).milliseconds,
                            midnight.adding(seconds: to * 60).milliseconds, stage, "watch",
                        ])
                }
            }
        }
    }

    @Test func `the last night is said, beside the bedtime that the goal asks for`() async throws {
        let store = try BodyStore(directory: nil)
        try Self.addNights(10, to: store)
        let bus = LockStep(start: Self.start)
        bus.add(try BodyKeeperTests.keeper(store: store), as: .body)
        await bus.advance(by: .seconds(120), step: .seconds(5))
        let said = try bus.messages(of: Registry.sleep)
        #expect(said.count == 1)
        let report = try #require(said.first)
        #expect(report.night == "2026-03-03")
        // 180 + 90 + 180 min.
        #expect(report.asleepMinutes == 450)
        #expect(report.stages?.deepMinutes == 90)
        #expect(report.inBedMinutes == 480)
        #expect(report.quality?.value == .excellent)
        // Awake at 6:20, goal 8 h, 15 min to fall asleep, 30 min of each night are missing: 210 in a week, 30 of them.
        let bedtime = try #require(report.bedtime)
        #expect(bedtime.wakeAt.seconds(since: Self.start) == 86_400 - 2 * 3600 - 40 * 60)
        #expect(bedtime.wakeAt.seconds(since: bedtime.at) == 60 * (480 + 15 + 30))
        let page = try await bus.request(
            ListNights(from: Self.start.adding(seconds: -5 * 86_400), to: Self.start, limit: 3))
        #expect(page.nights.map(\.night) == ["2026-03-03", "2026-03-02", "2026-03-01"])
        #expect(page.truncated)
        #expect(page.bedtime == bedtime)
        let trend = try await bus.request(
            GetSleepTrend(period: "weekly", from: Self.start.adding(seconds: -20 * 86_400), to: Self.start))
        #expect(trend.buckets.reduce(0) { $0 + $1.nights } == 10)
        #expect(trend.change?.nights == 7)
    }

    // MARK: Files

    @Test func `reports are written once, for their owner alone`() async throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "report-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let store = try BodyStore(directory: nil)
        try Self.addNights(10, to: store)
        let bus = LockStep(start: Self.start)
        bus.add(try BodyKeeperTests.keeper(store: store), as: .body)
        await Self.sit(bus, seconds: 900, bpm: 72)
        let count = try bus.messages(of: Registry.stress).count
        func write(_ format: String) async throws -> (reply: WrittenReport, text: String) {
            let path = directory.appending(path: "report.\(format)").path(percentEncoded: false)
            let reply = try await bus.request(
                WriteBodyReport(
                    path: path, format: format, from: Self.start.adding(seconds: -30 * 86_400),
                    to: bus.now.adding(seconds: 1)))
            let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
            #expect(mode == 0o600)
            return (reply, try String(contentsOfFile: path, encoding: .utf8))
        }
        let page = try await write("html")
        #expect(page.reply.readings == count && page.reply.nights == 10)
        #expect(page.reply.bytes == page.text.utf8.count)
        #expect(page.text.hasPrefix("<!DOCTYPE html>") && page.text.hasSuffix("</html>\n"))
        let table = try await write("csv")
        #expect(table.text.split(separator: "\r\n").count == count + 1)
        let list = try await write("json")
        let readings = try JSONDecoder().decode([StressReading].self, from: Data(list.text.utf8))
        #expect(readings == (try bus.messages(of: Registry.stress)))
        for (path, format) in [
            (directory.appending(path: "report.html").path(percentEncoded: false), "html"), ("relative.html", "html"),
            (directory.appending(path: "x.pdf").path(percentEncoded: false), "pdf"),
        ] {
            await #expect(throws: Refusal.self) {
                _ = try await bus.request(
                    WriteBodyReport(path: path, format: format, from: Self.start, to: bus.now))
            }
        }
    }

    @Test func `a deletion leaves no reading, no night and no alert`() async throws {
        let store = try BodyStore(directory: nil)
        try Self.addNights(3, to: store)
        let bus = LockStep(start: Self.start)
        bus.add(try BodyKeeperTests.keeper(store: store), as: .body)
        await Self.sit(bus, seconds: 900, bpm: 96)
        let _: Done = try await bus.request(
            .body, DeleteData.name, DeleteData(confirmation: DeleteData.phrase))
        for family in [Registry.stress.spec.family, Registry.sleep.spec.family] {
            let last = bus.published.last { TopicSpec.family(of: $0.topic) == family }
            #expect(last?.isTombstone == true)
        }
        let rows = try store.file.read { db in
            try ["stressReading", "alert", "achievement", "kept", "sleepSegment"].map {
                try Int.fetchOne(db, sql: "SELECT count(*) FROM \($0)")
            }
        }
        #expect(rows == [0, 0, 0, 0, 0])
    }
}
