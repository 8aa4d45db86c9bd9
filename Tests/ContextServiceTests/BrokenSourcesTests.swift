import Bus
import ContextService
import Foundation
import Logging
import Protocols
import Testing

final class BrokenSourcesTests {
    let folder: URL
    let start = Timestamp(milliseconds: 1_772_366_400_000)

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "context-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    private func write(_ text: String, _ name: String) throws -> String {
        let file = folder.appending(path: name)
        try Data(text.utf8).write(to: file)
        return file.path(percentEncoded: false)
    }

    private func agent(_ sources: ContextSources) throws -> ContextReader {
        ContextReader(
            sources: sources, listener: "me", timeZone: try #require(TimeZone(identifier: "UTC")),
            logger: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() }))
    }

    @Test func `a focus file that breaks is named with its line, and its last good value fades`() async throws {
        let path = try write("{\"active\": true, \"name\": \"Work\"}", "focus.json")
        let bus = LockStep(start: start)
        bus.add(try agent(ContextSources(focus: path)), as: .context)
        await bus.advance(by: .seconds(5), step: .seconds(1))
        let good = try #require(try bus.messages(of: Registry.desktop).last)
        #expect(good.focusActive == true && good.workState?.value == .deepWork && good.confidence == 1)

        _ = try write("{\"active\": tru", "focus.json")
        await bus.advance(by: .seconds(250), step: .seconds(5))
        let faded = try #require(try bus.messages(of: Registry.desktop).last)
        #expect(faded.focusActive == true)
        // Half-life 2 min, counted from 10 s on: 240 s are two half-lives.
        #expect(abs(faded.confidence - 0.25) < 0.05)
        let status = try await bus.request(ContextStatus())
        let source = try #require(status.sources.first { $0.name == "focus" })
        #expect(!source.ok && source.detail.contains("focus.json, line 1"))

        _ = try write("{\"active\": false}", "focus.json")
        await bus.advance(by: .seconds(5), step: .seconds(1))
        let mended = try #require(try bus.messages(of: Registry.desktop).last)
        #expect(mended.focusActive == false && mended.confidence == 1)
    }

    @Test func `a missing file is unknown, not off`() async throws {
        let bus = LockStep(start: start)
        let missing = folder.appending(path: "none.json").path(percentEncoded: false)
        bus.add(try agent(ContextSources(focus: missing)), as: .context)
        await bus.advance(by: .seconds(5), step: .seconds(1))
        let context = try #require(try bus.messages(of: Registry.desktop).last)
        #expect(context.focusActive == nil && context.workState == nil && context.confidence == 0)
        let status = try await bus.request(ContextStatus())
        #expect(status.sources.first?.detail.contains("missing") == true)
    }

    @Test func `one broken calendar names its file and the good ones stay`() async throws {
        let event = """
            BEGIN:VCALENDAR\r
            VERSION:2.0\r
            BEGIN:VEVENT\r
            UID:a\r
            SUMMARY:Planning\r
            DTSTART:20260301T115000Z\r
            DTEND:20260301T130000Z\r
            END:VEVENT\r
            END:VCALENDAR\r

            """
        let calendars = folder.appending(path: "cal")
        try FileManager.default.createDirectory(at: calendars, withIntermediateDirectories: true)
        _ = try write(event, "cal/good.ics")
        let bus = LockStep(start: start)
        bus.add(
            try agent(ContextSources(calendar: calendars.path(percentEncoded: false))), as: .context)
        await bus.advance(by: .seconds(5), step: .seconds(1))
        #expect(try bus.messages(of: Registry.calendar).last?.ongoing?.type.value == .meeting)
        _ = try write("BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\n", "cal/bad.ics")
        await bus.advance(by: .seconds(60), step: .seconds(5))
        #expect(try bus.messages(of: Registry.calendar).last?.ongoing?.type.value == .meeting)
        let status = try await bus.request(ContextStatus())
        #expect(status.sources.first?.detail.contains("bad.ics") == true)
    }

    @Test func `a calendar without a change is said again before the hub lets go of it`() async throws {
        let lines = [
            "BEGIN:VCALENDAR", "VERSION:2.0", "BEGIN:VEVENT", "UID:a", "DTSTART:20200101T100000Z",
            "DTEND:20200101T110000Z", "END:VEVENT", "END:VCALENDAR", "",
        ]
        let path = try write(lines.joined(separator: "\r\n"), "old.ics")
        let bus = LockStep(start: start)
        bus.add(try agent(ContextSources(calendar: path)), as: .context)
        await bus.advance(by: .seconds(7200), step: .seconds(30))
        let times = try bus.messages(of: Registry.calendar).map { $0.at.seconds(since: start) }
        let longest = zip(times, times.dropFirst()).map { $1 - $0 }.max() ?? .infinity
        let ttl = try #require(Registry.calendar.spec.ttl)
        #expect(longest < ttl / 2)
        #expect(times.count <= 10)
    }

    @Test func `a re-dated recording takes its calendar along`() async throws {
        // Recorded from 08:00 on 10 May 2016; the meeting is an hour later and lasts one.
        let focus = try write("{\"at\": \"2016-05-10T08:00:00Z\", \"active\": false}\n", "focus.jsonl")
        let lines = [
            "BEGIN:VCALENDAR", "VERSION:2.0", "BEGIN:VEVENT", "UID:a", "SUMMARY:Planning", "DTSTART:20160510T090000Z",
            "DTEND:20160510T100000Z", "CATEGORIES:Work", "END:VEVENT", "END:VCALENDAR", "",
        ]
        let calendar = try write(lines.joined(separator: "\r\n"), "recorded.ics")
        let bus = LockStep(start: start)
        bus.add(
            try agent(ContextSources(focus: focus, calendar: calendar, recording: .startsAt(start.date))),
            as: .context)
        await bus.advance(by: .seconds(1850), step: .seconds(10))
        let before = try #require(try bus.messages(of: Registry.calendar).last)
        #expect(before.ongoing == nil && before.minutesToNext == 30 && before.nextType?.value == .meeting)
        #expect(before.at == start.adding(seconds: 1800))
        await bus.advance(by: .seconds(3600), step: .seconds(10))
        let during = try #require(try bus.messages(of: Registry.calendar).last)
        #expect(during.ongoing?.type.value == .meeting)
        #expect(during.ongoing?.endsAt == start.adding(seconds: 7200))
        #expect(try bus.messages(of: Registry.desktop).last?.workState?.value == .meetings)
        await bus.advance(by: .seconds(3600), step: .seconds(10))
        #expect(try bus.messages(of: Registry.calendar).last?.ongoing == nil)
    }

    @Test func `what an event is follows from its categories, then its guests and title`() async throws {
        func event(_ lines: String) -> String {
            """
            BEGIN:VCALENDAR\r
            VERSION:2.0\r
            BEGIN:VEVENT\r
            UID:a\r
            DTSTART:20260301T115000Z\r
            DTEND:20260301T130000Z\r
            \(lines)\r
            END:VEVENT\r
            END:VCALENDAR\r

            """
        }
        let cases: [(String, EventType?)] = [
            ("SUMMARY:x\r\nCATEGORIES:Personal", .personal), ("SUMMARY:x\r\nCATEGORIES:Work", .meeting),
            ("SUMMARY:Focus time", .focus), ("SUMMARY:Dentist", .personal), ("SUMMARY:Weekly sync", .meeting),
            ("SUMMARY:Weekly sync\r\nTRANSP:TRANSPARENT", nil), ("SUMMARY:Weekly sync\r\nSTATUS:CANCELLED", nil),
        ]
        for (lines, expected) in cases {
            let path = try write(event(lines), "one.ics")
            let bus = LockStep(start: start)
            bus.add(try agent(ContextSources(calendar: path)), as: .context)
            await bus.advance(by: .seconds(2), step: .seconds(1))
            let context = try #require(try bus.messages(of: Registry.calendar).last)
            #expect(context.ongoing?.type.value == expected, "\(lines)")
        }
    }
}
