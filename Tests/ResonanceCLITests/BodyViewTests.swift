import Foundation
import Physiology
import Protocols
import Testing

@testable import ResonanceCLI

/// What the commands about the body make of answers.
struct BodyViewTests {
    private static func day(_ date: String, resting: Double? = nil, battery: Double? = nil) -> DaySummary {
        var day = DaySummary(date: date)
        day.restingBpm = resting
        day.battery = battery
        return day
    }

    @Test func `trends leave a gap where a day has no figure, and weeks begin on Monday`() throws {
        let days = [
            Self.day("2026-01-01", resting: 50), Self.day("2026-01-02"), Self.day("2026-01-03", resting: 54),
            Self.day("2026-01-05", resting: 58),
        ]
        let byDay = BodyTrends(days: days, by: nil)
        let resting = try #require(byDay.series.first)
        #expect(byDay.series.count == 1)
        #expect(resting.points.map(\.value) == [50, nil, 54, nil, 58])
        #expect(resting.points.last?.date == "2026-01-05")
        #expect(resting.mean == 54 && resting.minimum == 50 && resting.maximum == 58 && resting.n == 3)
        // 1 January 2026 was a Thursday, the 5th a Monday.
        let byWeek = try #require(BodyTrends(days: days, by: .week).series.first)
        #expect(byWeek.points.map(\.date) == ["2025-12-29", "2026-01-05"])
        #expect(byWeek.points.map(\.value) == [52, 58])
        #expect(byWeek.points.map(\.n) == [2, 1])
        let byMonth = BodyTrends(days: days + [Self.day("2026-03-31", resting: 60)], by: .month)
        #expect(byMonth.series.first?.points.map(\.date) == ["2026-01-01", "2026-02-01", "2026-03-01"])
        #expect(byMonth.series.first?.points.map(\.value) == [54, nil, 60])
    }

    @Test func `long stretches are told by week or month by themselves`() {
        let ends = [("2026-03-01", "day"), ("2026-12-01", "week"), ("2028-01-01", "month")]
        for (end, by) in ends {
            let trends = BodyTrends(
                days: [Self.day("2026-01-01", resting: 50), Self.day(end, resting: 51)], by: nil)
            #expect(trends.by.rawValue == by)
        }
    }

    @Test func `the newest day with a measurement stands in for today, a day that was named does not change`() {
        let days = [
            Self.day("2026-01-01", resting: 50), Self.day("2026-01-02", resting: 52),
            Self.day("2026-01-03", battery: 60),
        ]
        let today = BodyToday(days: days, wanted: "2026-01-04", isExact: false, journal: nil)
        #expect(today.day?.date == "2026-01-02")
        #expect(today.before.map(\.date) == ["2026-01-01"])
        #expect(BodyToday(days: days, wanted: "2026-01-03", isExact: true, journal: nil).day?.battery == 60)
        #expect(BodyToday(days: days, wanted: "2026-01-04", isExact: true, journal: nil).day == nil)
        #expect(BodyToday(days: [], wanted: "2026-01-04", isExact: false, journal: nil).day == nil)
    }

    @Test(
        arguments: [
            ("300", 300, 8872.06), ("300ml", 300, 300), ("0.3l", 300, 300), ("12oz", 354.88, 354.88),
            ("2.5 dl", 250, 250), ("lots", nil, nil), ("-3", nil, nil), ("3 cups", nil, nil),
        ] as [(String, Double?, Double?)])
    func `an amount is in the person's unit unless it says another`(text: String, metric: Double?, imperial: Double?) {
        func rounded(_ value: Double?) -> Double? { value.map { ($0 * 100).rounded() / 100 } }
        #expect(rounded(BodyFigures(units: .metric).millilitres(text)) == metric)
        #expect(rounded(BodyFigures(units: .imperial).millilitres(text)) == imperial)
    }

    @Test func `figures are told in the person's units`() {
        let (metric, imperial) = (BodyFigures(units: .metric), BodyFigures(units: .imperial))
        #expect(metric.volume(500) == "500 ml" && imperial.volume(500) == "16.9 fl oz")
        #expect(metric.distance(10_000) == "10.00 km" && imperial.distance(10_000) == "6.21 mi")
        #expect(metric.height(100) == "100 m" && imperial.height(100) == "328 ft")
        // 5:00 a kilometre is 8:03 a mile.
        #expect(metric.pace(1000.0 / 300) == "5:00 /km" && imperial.pace(1000.0 / 300) == "8:03 /mi")
        #expect(BodyFigures.duration(minutes: 445) == "7 h 25 min")
    }

    @Test(
        arguments: [
            (.run, "4:30/km", 3.704), (.run, "4:30", 3.704), (.run, "7:15/mi", 3.7), (.run, "3.5", 3.5),
            (.run, "3.5m/s", 3.5), (.swim, "1:40/100m", 1), (.swim, "1:40", 1), (.swim, "1:30/100yd", 1.016),
            (.power, "250", 250), (.power, "4:30", nil), (.run, "0:00/km", nil), (.run, "4:75/km", nil),
        ] as [(ThresholdName, String, Double?)])
    func `a threshold is a figure or a pace`(name: ThresholdName, text: String, expected: Double?) {
        #expect(name.value(text).map { ($0 * 1000).rounded() / 1000 } == expected)
    }

    @Test func `a time of the day is of today, also where summer time began that night`() throws {
        let zone = try #require(TimeZone(identifier: "Europe/Berlin"))
        // 2026-03-29 12:00 in Berlin; clocks went from 2 to 3.
        let now = Timestamp(milliseconds: 1_774_778_400_000)
        let at = try #require(JournalMoment(argument: "08:30")).at(now: now, zone: zone)
        #expect(Wording.moment(at, zone) == "2026-03-29 08:30")
        #expect(JournalMoment(argument: "25:00") == nil)
        #expect(JournalMoment(argument: "2026-01-31T08:30:00Z") != nil)
    }
}
