import Bus
import ContextService
import Foundation
import Logging
import Protocols
import ServiceKit
import Testing

/// The recorded days of other people, where they are on this machine.
private let days: URL? = {
    if let path = ProcessInfo.processInfo.environment["RESONANCE_SHARED_DATA"] {
        return URL(filePath: path).appending(path: "days")
    }
    var folder = URL(filePath: #filePath)
    while folder.pathComponents.count > 1 {
        folder.deleteLastPathComponent()
        let candidate = folder.appending(path: "shared/data/days")
        if FileManager.default.fileExists(atPath: candidate.path(percentEncoded: false)) { return candidate }
    }
    return nil
}()

private func time(_ text: String) throws -> Timestamp { Timestamp(try Date.ISO8601FormatStyle().parse(text)) }

@Suite(.enabled(if: days != nil, "the recorded days (shared/data) are not on this machine"))
struct RealDaysTests {
    /// Runs the agent over a span and returns what it said last at each asked time.
    private func run(
        from: String, to: String, sources: (URL) -> ContextSources
    ) async throws -> (desktop: [DesktopContext], calendar: [CalendarContext]) {
        let folder = try #require(days)
        let bus = LockStep(start: try time(from))
        let agent = ContextReader(
            sources: sources(folder), listener: "me", timeZone: try #require(TimeZone(identifier: "UTC")),
            logger: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() }))
        bus.add(agent, as: .context)
        await bus.advance(to: try time(to), step: .seconds(5))
        return (try bus.messages(of: Registry.desktop), try bus.messages(of: Registry.calendar))
    }

    private func all(_ folder: URL) -> ContextSources {
        func path(_ name: String) -> String { folder.appending(path: name).path(percentEncoded: false) }
        return ContextSources(
            focus: path("focus.jsonl"), activityWatch: path("activitywatch.json"), calendar: path("calendar.ics"))
    }

    /// The last context said at or before a time.
    private func at<Context>(_ text: String, _ all: [Context], _ key: KeyPath<Context, Timestamp>) throws -> Context {
        let moment = try time(text)
        return try #require(all.last { $0[keyPath: key] <= moment })
    }

    @Test func `deep work, meetings and absence are seen when they were`() async throws {
        let (desktop, calendar) = try await run(
            from: "2016-05-10T09:00:00Z", to: "2016-05-10T15:45:00Z", sources: all)
        // make_days.py: stand-up 9:30-10:00 (zoom), focus "Work" 10:10-12:00 in Code and Terminal, away 12:00-14:00,
        // review 14:00-15:30.
        #expect(try at("2016-05-10T09:40:00Z", desktop, \.at).workState?.value == .meetings)
        let deep = try at("2016-05-10T11:00:00Z", desktop, \.at)
        #expect(deep.workState?.value == .deepWork)
        #expect(deep.focusActive == true && deep.focusName == "Work")
        #expect(try #require(deep.productivityMinutes) > 45)
        let lunch = try at("2016-05-10T13:00:00Z", desktop, \.at)
        #expect(lunch.workState?.value == .idle)
        #expect(lunch.app == nil)
        #expect(abs(try #require(lunch.idleSeconds) - 3600) <= 30)
        let review = try at("2016-05-10T14:30:00Z", desktop, \.at)
        #expect(review.workState?.value == .meetings)
        #expect(review.appCategory == "meeting")

        let meeting = try at("2016-05-10T14:30:00Z", calendar, \.at)
        #expect(meeting.ongoing?.type.value == .meeting)
        #expect(meeting.ongoing?.title == nil)
        // The dinner at 19:30 is next.
        #expect(meeting.minutesToNext == 300)
        #expect(meeting.nextType?.value == .personal)
        #expect(try at("2016-05-10T13:00:00Z", calendar, \.at).ongoing == nil)
    }

    @Test func `a cancelled call and a transparent block are no meetings`() async throws {
        let (_, calendar) = try await run(from: "2016-05-11T13:20:00Z", to: "2016-05-11T15:10:00Z", sources: all)
        #expect(calendar.allSatisfy { $0.ongoing == nil })
    }

    @Test func `a re-dated recording says the same at its new time`() async throws {
        let shifted = try await run(from: "2026-03-01T12:00:00Z", to: "2026-03-01T12:10:00Z") { folder in
            var sources = all(folder)
            // The first event of the recording is at 2016-05-10T06:55:00Z: 12:00 is its 11:00.
            sources.recording = .startsAt(Date(timeIntervalSince1970: 1_772_366_400 - 4 * 3600 - 300))
            sources.calendar = nil
            return sources
        }
        #expect(shifted.desktop.last?.workState?.value == .deepWork)
        #expect(shifted.desktop.last?.focusName == "Work")
    }

    @Test func `titles go out only when the owner allows them`() async throws {
        let (_, calendar) = try await run(from: "2016-05-10T14:10:00Z", to: "2016-05-10T14:11:00Z") { folder in
            var sources = all(folder)
            sources.allowTitles = true
            return sources
        }
        #expect(calendar.last?.ongoing?.title == "Design review")
    }
}
