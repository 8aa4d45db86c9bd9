import Foundation
import Protocols
import Testing

@testable import ResonanceCLI

struct WordingTests {
    @Test(arguments: [(0, "0:00"), (65_000, "1:05"), (3_723_000, "1:02:03"), (-5, "0:00")] as [(Int64, String)])
    func `lengths are minutes and seconds`(milliseconds: Int64, expected: String) {
        #expect(Wording.clock(milliseconds) == expected)
    }

    @Test(
        arguments: [(0.4, "0 s"), (89, "89 s"), (90, "2 min"), (3600, "60 min"), (5400, "2 h"), (172_800, "2 d")]
            as [(Double, String)])
    func `ages use the unit that says most`(seconds: Double, expected: String) {
        #expect(Wording.age(seconds) == expected)
    }

    @Test func `unknown figures are a dash, never zero`() {
        #expect(Wording.percent(nil) == "–")
        #expect(Wording.decimal(nil) == "–")
        #expect(Wording.decimal(.nan) == "–")
        #expect(Wording.bpm(nil) == "–")
        #expect(Wording.percent(0) == "0 %")
        #expect(Wording.percent(0.004) == "0.4 %")
        #expect(Wording.signed(-0.256) == "−0.26")
    }

    @Test func `moments are local to the zone`() throws {
        let berlin = try #require(TimeZone(identifier: "Europe/Berlin"))
        #expect(Wording.moment(Sample.noon, berlin) == "2026-01-01 13:00")
        #expect(Wording.timeOfDay(Sample.noon, .gmt) == "12:00:00")
    }

    @Test func `wide and combining characters count as the columns they take`() {
        #expect(Wording.displayWidth("abc") == 3)
        #expect(Wording.displayWidth("e\u{301}") == 1)
        #expect(Wording.displayWidth("東京") == 4)
        #expect(Wording.fit("東京タワー", to: 6) == "東京…")
        #expect(Wording.fit("short", to: 5) == "short")
    }

    @Test func `bars fill by the share`() {
        #expect(Wording.bar(0.5, cells: 4) == "██░░")
        #expect(Wording.bar(7, cells: 2) == "██")
        #expect(Wording.bar(.nan, cells: 2) == "░░")
    }

    @Test func `text breaks between words`() {
        #expect(Wording.wrap("one two three", to: 7) == ["one two", "three"])
        #expect(Wording.wrap("one two three", to: nil) == ["one two three"])
    }

    @Test func `control characters of foreign titles never reach the terminal`() {
        #expect("a\u{1B}[31mb\n".printable == "a\u{FFFD}[31mb\u{FFFD}")
    }

    @Test func `columns align, and the widest text shrinks on a narrow screen`() {
        var table = TextTable([.text("song"), .figure("n"), .word("id")])
        table.add("Blue Monday", "7", "s1")
        table.add("P", "128", "s2")
        #expect(
            table.lines(width: nil, style: TextStyle(on: false)) == [
                "SONG           N  ID", "Blue Monday    7  s1", "P            128  s2",
            ])
        #expect(
            table.lines(width: 17, style: TextStyle(on: false)) == [
                "SONG        N  ID", "Blue Mo…    7  s1", "P         128  s2",
            ])
    }
}
