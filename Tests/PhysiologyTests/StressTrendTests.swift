import Foundation
import Physiology
import Protocols
import Testing

struct StressTrendTests {
    static let berlin = StressAlertTests.berlin

    static func reading(_ z: Double, day: Int, minute: Int, confidence: Double = 1) -> StressReading {
        StressReading(
            at: berlin.moment(day: day, minute: minute), level: StressScale.level(z: z), score: StressScale.score(z: z),
            factors: [], gate: .none, confidence: confidence, z: z, quality: .good, source: .automatic, isHeld: false,
            bpm: 60 + 5 * z, rmssdMs: 40)
    }

    /// Number of 2026-03-04, a Wednesday.
    static let wednesday = LocalDate(year: 2026, month: 3, day: 4).number

    @Test(
        arguments: [
            (0, "1970-01-01", 4), (20_516, "2026-03-04", 3), (11_016, "2000-02-29", 2), (-1, "1969-12-31", 3),
            (20_454, "2026-01-01", 4),
        ])
    func `days are named as calendars do`(number: Int, date: String, weekday: Int) {
        #expect("\(LocalDate(number: number))" == date)
        #expect(LocalDate(number: number).number == number)
        #expect(LocalDate.weekday(of: number) == weekday)
    }

    @Test func `buckets follow the local calendar`() {
        let readings = [
            Self.reading(0, day: Self.wednesday, minute: 0), Self.reading(2, day: Self.wednesday, minute: 1439),
            Self.reading(1, day: Self.wednesday + 4, minute: 600),
            Self.reading(1, day: Self.wednesday + 5, minute: 600),
            Self.reading(3, day: Self.wednesday + 28, minute: 600),
        ].shuffled()
        let daily = StressTrend.buckets(of: readings, .daily, clock: Self.berlin)
        #expect(daily.map(\.label) == ["2026-03-04", "2026-03-08", "2026-03-09", "2026-04-01"])
        #expect(daily.first?.readings == 2)
        #expect(daily.first?.z == 1)
        #expect(daily.first?.levels == ["normal": 1, "high": 1])
        #expect(daily.first?.share(from: .high) == 0.5)
        let weekly = StressTrend.buckets(of: readings, .weekly, clock: Self.berlin)
        #expect(weekly.map(\.label) == ["2026-03-02", "2026-03-09", "2026-03-30"])
        #expect(weekly.map(\.readings) == [3, 1, 1])
        #expect(weekly.first?.days == 2)
        let monthly = StressTrend.buckets(of: readings, .monthly, clock: Self.berlin)
        #expect(monthly.map(\.label) == ["2026-03", "2026-04"])
        let hourly = StressTrend.buckets(of: readings, .hourly, clock: Self.berlin)
        #expect(hourly.first?.label == "2026-03-04 00:00")
        #expect(StressTrend.typicalDay(of: readings, clock: Self.berlin)[10].readings == 3)
    }

    @Test func `the days on which the clock is changed are one day each`() {
        // 29 March 2026 has 23 hours in Berlin, 25 October 25.
        for (date, hours) in [
            (LocalDate(year: 2026, month: 3, day: 29), 23), (.init(year: 2026, month: 10, day: 25), 25),
        ] {
            let start = Self.berlin.moment(day: date.number, minute: 0)
            let readings = (0..<hours * 10).map { step in
                StressReading(
                    at: start.adding(seconds: Double(step) * 360), level: .normal, score: 0.4, factors: [], gate: .none,
                    confidence: 1, z: 0, isHeld: false)
            }
            let daily = StressTrend.buckets(of: readings, .daily, clock: Self.berlin)
            #expect(daily.map(\.label) == ["\(date)"])
            #expect(daily.first?.readings == hours * 10)
        }
    }

    @Test func `gated and held readings do not enter the means`() {
        var gated = Self.reading(4, day: Self.wednesday, minute: 60)
        gated.gate = Open(.active)
        gated.level = nil
        var held = Self.reading(4, day: Self.wednesday, minute: 70)
        held.isHeld = true
        let bucket = StressTrend.buckets(
            of: [Self.reading(1, day: Self.wednesday, minute: 50), gated, held], .daily, clock: Self.berlin)[0]
        #expect(bucket.z == 1)
        #expect(bucket.readings == 1)
        #expect(bucket.gated == 1)
    }

    @Test func `cut points become the person's own after 14 days, and never look at today`() {
        // A person whose z is spread evenly over 0…10: the 30, 75, 92, 98 % points are 3, 7.5, 9.2, 9.8.
        func day(_ day: Int, _ scale: Double = 1) -> [StressReading] {
            (0...100).map { Self.reading(Double($0) / 10 * scale, day: day, minute: 300 + $0 * 6) }
        }
        let now = Self.berlin.moment(day: Self.wednesday, minute: 1200)
        let thirteen = (1...13).flatMap { day(Self.wednesday - $0) }
        #expect(StressCutPoints(readings: thirteen + day(Self.wednesday), at: now, clock: Self.berlin) == .common)
        let points = StressCutPoints(
            readings: thirteen + day(Self.wednesday - 14) + day(Self.wednesday, 100), at: now, clock: Self.berlin)
        #expect(points.isPersonal)
        #expect(zip(points.values, [3, 7.5, 9.2, 9.8]).allSatisfy { abs($0 - $1) < 1e-9 })
        // A year ago is no longer what is usual.
        #expect(
            StressCutPoints(
                readings: (1...20).flatMap { day(Self.wednesday - 365 - $0) }, at: now, clock: Self.berlin) == .common)
        // What was asked for is asked for when something is up.
        let manual = (1...20).flatMap { day(Self.wednesday - $0) }.map { reading in
            var reading = reading
            reading.source = Open(.manual)
            return reading
        }
        #expect(StressCutPoints(readings: manual, at: now, clock: Self.berlin) == .common)
    }

    @Test func `a day is placed among the days before it`() {
        let days = (0..<30).map { index in
            StressTrend.bucketForTest(day: Self.wednesday + index, z: index == 29 ? 0.5 : Double(index % 10) / 100)
        }
        let calendar = StressCalendar.days(Self.wednesday...Self.wednesday + 30, daily: days)
        #expect(calendar.count == 31)
        #expect(calendar[13].isProvisional)
        #expect(!calendar[14].isProvisional)
        // By the scale of moments 0.5 is Normal; no day before had a tenth of that.
        #expect(calendar[29].level == .overload)
        #expect(calendar[29].colour == "red")
        #expect(calendar[30].level == nil)
        #expect(calendar[30].colour == "gray")
        // What comes later does not change a day.
        let early = StressCalendar.days(Self.wednesday...Self.wednesday + 20, daily: Array(days.prefix(21)))
        #expect(Array(calendar.prefix(21)) == early)
    }
}

extension StressTrend {
    /// A day of 40 readings of one z.
    static func bucketForTest(day: Int, z: Double, readings: Int = 40) -> StressBucket {
        buckets(
            of: (0..<readings).map { StressTrendTests.reading(z, day: day, minute: 480 + $0 * 6) }, .daily,
            clock: StressTrendTests.berlin)[0]
    }
}
