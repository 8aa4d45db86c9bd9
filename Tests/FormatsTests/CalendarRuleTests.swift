import Foundation
import Testing

@testable import Formats

struct CalendarRuleTests {
    /// A rule of libical's own test file with its expected instances.
    struct Case: CustomTestStringConvertible, Sendable {
        var rule: String
        var start: String
        var instances: [String]
        var testDescription: String { "\(rule) from \(start)" }
    }

    static let cases: [Case] = {
        guard let path = try? SharedData.path("ics/libical/icalrecur_test.txt"),
            let text = try? String(contentsOfFile: path, encoding: .utf8)
        else { return [] }
        var cases: [Case] = []
        var rule: String?
        var start: String?
        var known = true
        for line in text.split(whereSeparator: \.isNewline).map(String.init) {
            if line.hasPrefix("RRULE:") {
                rule = String(line.dropFirst(6))
                known = true
            }
            if line.hasPrefix("DTSTART:") { start = String(line.dropFirst(8)) }
            if line.hasPrefix("START-AT:") || line.hasPrefix("PREV-INSTANCES:") { known = false }
            if line.hasPrefix("INSTANCES:"), let rule, let start, known {
                cases.append(
                    Case(rule: rule, start: start, instances: line.dropFirst(10).split(separator: ",").map(String.init))
                )
            }
        }
        return cases
    }()

    static func civil(_ text: String) -> Int? {
        let digits = text.filter(\.isNumber)
        guard digits.count == 8 || digits.count == 14 else { return nil }
        func part(_ from: Int, _ count: Int) -> Int { Int(digits.dropFirst(from).prefix(count)) ?? 0 }
        return CivilTime.seconds(
            year: part(0, 4), month: part(4, 2), day: part(6, 2), hour: part(8, 2), minute: part(10, 2),
            second: part(12, 2))
    }

    /// The file is of a newer libical than Debian's 3.0.16, which misses the exotic rest: BYSETPOS of finer rules,
    /// BYWEEKNO without BYDAY, BYMONTHDAY below −1 of daily rules.
    @Test(.enabled(if: SharedData.isThere, "needs the shared data folder: set RESONANCE_SHARED_DATA"))
    func `two thirds of the newest libical's own cases and all without the exotic parts expand as they say`() throws {
        var agreeing = 0
        for example in Self.cases {
            let parts = example.rule.split(separator: ";").map(String.init)
            let until = parts.first { $0.hasPrefix("UNTIL=") }.flatMap { Self.civil(String($0.dropFirst(6))) }
            let rule = parts.filter { !$0.hasPrefix("UNTIL=") }.joined(separator: ";")
            let start = try #require(Self.civil(example.start))
            let wanted = example.instances.compactMap(Self.civil)
            let got = RecurrenceRules.expand(
                rule, start: start, isDate: example.start.count == 8, until: until,
                range: start...CivilTime.seconds(year: 2150, month: 1, day: 1))
            if Array(got.civils.prefix(wanted.count)) == wanted {
                agreeing += 1
            } else {
                let exotic = [
                    "BYSETPOS", "BYWEEKNO", "BYYEARDAY", "MONTHDAY", "INTERVAL", "SECONDLY", "BYMINUTE", "TH,TH",
                ]
                #expect(exotic.contains { rule.contains($0) }, "\(example)")
            }
        }
        #expect(agreeing * 3 >= Self.cases.count * 2)
    }

    private func calendar(_ lines: String) throws -> CalendarFile {
        try CalendarFile.read(bytes: Array("BEGIN:VCALENDAR\n\(lines)\nEND:VCALENDAR\n".utf8), name: "a.ics")
    }

    private func days(_ from: String, _ to: String) throws -> CalendarWindow {
        .days(from: try #require(CalendarDay(from)), to: try #require(CalendarDay(to)))
    }

    @Test func `a rule of seconds ends instead of filling the memory`() throws {
        let calendar = try calendar(
            "BEGIN:VEVENT\nUID:bomb\nDTSTART:20260101T000000Z\nRRULE:FREQ=SECONDLY\nEND:VEVENT\n"
                + "BEGIN:VEVENT\nUID:never\nDTSTART:20260101T000000Z\nRRULE:FREQ=SECONDLY;BYMONTH=2;BYMONTHDAY=30\nEND:VEVENT"
        )
        let expansion = calendar.occurrences(in: try days("2026-01-01", "2036-01-01"), local: .gmt)
        #expect(expansion.cut.contains("bomb"))
        #expect(expansion.occurrences.count <= 200_001)
    }

    @Test(
        arguments: [
            ("DTSTART:20260701T090000", "2026-07-01T09:00:00-04:00"),
            ("DTSTART;TZID=No/Such Zone:20260701T090000", "2026-07-01T09:00:00-04:00"),
            ("DTSTART;TZID=W. Europe Standard Time:20260701T090000", "2026-07-01T09:00:00+02:00"),
            (
                "DTSTART;TZID=/freeassociation.sourceforge.net/Tzfile/Europe/Berlin:20260701T090000",
                "2026-07-01T09:00:00+02:00"
            ),
            ("DTSTART;TZID=\"Europe/Berlin\":20260101T090000", "2026-01-01T09:00:00+01:00"),
            ("DTSTART:20260701T090000Z", "2026-07-01T09:00:00+00:00"),
            ("DTSTART;VALUE=DATE:20260701", "2026-07-01"),
        ])
    func `a time is read on the clock that its writer meant`(line: String, expected: String) throws {
        let newYork = try #require(TimeZone(identifier: "America/New_York"))
        let event = try #require(calendar("BEGIN:VEVENT\nUID:a\n\(line)\nEND:VEVENT").events.first)
        #expect(event.start.text(local: newYork) == expected)
    }

    @Test func `a zone that only the file describes is used`() throws {
        let zone = """
            BEGIN:VTIMEZONE\nTZID:Our Zone\nBEGIN:STANDARD\nDTSTART:19700101T030000\nTZOFFSETFROM:+0600\nTZOFFSETTO:+0500
            RRULE:FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU\nEND:STANDARD\nBEGIN:DAYLIGHT\nDTSTART:19700101T020000
            TZOFFSETFROM:+0500\nTZOFFSETTO:+0600\nRRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU\nEND:DAYLIGHT\nEND:VTIMEZONE
            """
        let calendar = try calendar(
            "\(zone)\nBEGIN:VEVENT\nUID:a\nDTSTART;TZID=Our Zone:20260327T090000\nRRULE:FREQ=DAILY;COUNT=4\nEND:VEVENT")
        let expansion = calendar.occurrences(in: try days("2026-03-01", "2026-05-01"), local: .gmt)
        #expect(
            expansion.occurrences.map { $0.start.text(local: .gmt) } == [
                "2026-03-27T09:00:00+05:00", "2026-03-28T09:00:00+05:00", "2026-03-29T09:00:00+06:00",
                "2026-03-30T09:00:00+06:00",
            ])
    }

    @Test func `this and future moves the rest of a series`() throws {
        let calendar = try calendar(
            "BEGIN:VEVENT\nUID:a\nDTSTART:20260105T090000Z\nDTEND:20260105T093000Z\nRRULE:FREQ=DAILY;COUNT=4\nEND:VEVENT\n"
                + "BEGIN:VEVENT\nUID:a\nSUMMARY:later\nRECURRENCE-ID;RANGE=THISANDFUTURE:20260107T090000Z\n"
                + "DTSTART:20260107T110000Z\nDTEND:20260107T120000Z\nEND:VEVENT")
        let expansion = calendar.occurrences(in: try days("2026-01-01", "2026-02-01"), local: .gmt)
        #expect(
            expansion.occurrences.map { "\($0.start.text(local: .gmt)) \($0.end.text(local: .gmt)) \($0.summary)" } == [
                "2026-01-05T09:00:00+00:00 2026-01-05T09:30:00+00:00 ",
                "2026-01-06T09:00:00+00:00 2026-01-06T09:30:00+00:00 ",
                "2026-01-07T11:00:00+00:00 2026-01-07T12:00:00+00:00 later",
                "2026-01-08T11:00:00+00:00 2026-01-08T12:00:00+00:00 later",
            ])
    }

    @Test func `who declined and what is free is known`() throws {
        let calendar = try calendar(
            "BEGIN:VEVENT\nUID:a\nDTSTART:20260105T090000Z\nDTEND:20260105T093000Z\nSTATUS:CANCELLED\nTRANSP:TRANSPARENT\n"
                + "CATEGORIES:Work,Team\\, all\nLOCATION:https://meet.google.com/abc\n"
                + "ATTENDEE;PARTSTAT=DECLINED:mailto:Me@example.org\nATTENDEE;PARTSTAT=ACCEPTED:mailto:b@example.org\nEND:VEVENT"
        )
        let event = try #require(
            calendar.occurrences(in: try days("2026-01-01", "2026-02-01"), local: .gmt).occurrences.first)
        #expect(event.isCancelled && event.transparent && event.hasConferenceLink && event.attendees == 2)
        #expect(event.categories.first == "Work")
        #expect(event.isDeclined(owner: ["me@example.org"]) && !event.isDeclined(owner: []))
        #expect(!event.isDeclined(owner: ["b@example.org"]))
    }

    @Test(
        .enabled(if: SharedData.isThere, "needs the shared data folder: set RESONANCE_SHARED_DATA"),
        arguments: ["ics/icalendar", "ics/libical", "ics/recurring"])
    func `every foreign calendar is read or refused with a place`(folder: String) throws {
        let root = try SharedData.path(folder)
        let files = try FileManager.default.contentsOfDirectory(atPath: root).filter { $0.hasSuffix(".ics") }
        #expect(!files.isEmpty)
        for file in files {
            do {
                let calendar = try CalendarFile.read(path: "\(root)/\(file)")
                if let window = calendar.ownWindow { _ = calendar.occurrences(in: window, local: .gmt) }
            } catch {
                #expect(
                    error.description.contains(file) && error.place != .file || error.cause == "is empty", "\(error)")
            }
        }
    }
}
