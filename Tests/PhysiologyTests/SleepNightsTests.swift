import Foundation
import Protocols
import Testing

@testable import Physiology

struct SleepNightsTests {
    private static let utc = TimeZone(secondsFromGMT: 0) ?? .gmt
    /// 2026-03-10T00:00Z.
    private static let midnight = 1_773_100_800.0

    private static func segment(
        _ from: Double, _ to: Double, _ stage: SleepSegment.Stage, _ source: String = "Watch", zone: String? = nil
    ) -> SleepSegment {
        SleepSegment(
            start: Timestamp(milliseconds: Int64((midnight + from * 3600) * 1000)),
            end: Timestamp(milliseconds: Int64((midnight + to * 3600) * 1000)), stage: stage, source: source,
            isWatch: source == "Watch", timeZone: zone)
    }

    private static func hours(_ block: SleepBlock) -> [Double] {
        [block.start, block.end].map { (Double($0.milliseconds) / 1000 - midnight) / 3600 }
    }

    /// One night as a watch, a phone and an app tell it: 23:00–07:00, awake 03:00–03:30.
    private static let night = [
        segment(-1, 1, .core), segment(1, 2, .deep), segment(2, 3, .rem), segment(3, 3.5, .awake),
        segment(3.5, 7, .core), segment(-1.5, 7.5, .inBed, "Phone"), segment(-0.75, 7.25, .asleep, "App"),
    ]

    @Test func `stages are one night, the watch is believed and nothing counts twice`() throws {
        let nights = SleepNights.nights(from: Self.night + Self.night, timeZone: Self.utc)
        let night = try #require(nights.first)
        #expect(nights.count == 1)
        #expect(night.day == 20_522)
        #expect(Self.hours(night.main) == [-1, 7])
        #expect(night.main.asleepSeconds == 7.5 * 3600)
        #expect(night.main.stageSeconds == [.core: 5.5 * 3600, .deep: 3600, .rem: 3600, .awake: 1800])
        #expect(night.main.sources == ["Watch"])
        #expect(night.inBedSeconds == 32_400.0)
        #expect(night.others.isEmpty)
    }

    @Test func `the order of the segments does not matter`() {
        let sorted = SleepNights.nights(from: Self.night, timeZone: Self.utc)
        #expect(SleepNights.nights(from: Self.night.reversed(), timeZone: Self.utc) == sorted)
    }

    @Test func `an hour awake ends a block and the longest is the main sleep`() throws {
        let nights = SleepNights.nights(
            from: [Self.segment(-2, 0, .core), Self.segment(0.99, 2, .core), Self.segment(3, 7, .core)],
            timeZone: Self.utc)
        let night = try #require(nights.first)
        #expect(nights.count == 1)
        #expect(Self.hours(night.main) == [3, 7])
        #expect(night.others.map(Self.hours) == [[-2, 2]])
    }

    @Test func `another source fills a night that the watch missed, and one it saw only the beginning of`() throws {
        let missed = SleepNights.nights(from: [Self.segment(-1, 6, .asleep, "App")], timeZone: Self.utc)
        #expect(missed.first?.main.asleepSeconds == 25_200.0)
        #expect(missed.first?.inBedSeconds == nil)
        let flat = SleepNights.nights(
            from: [Self.segment(-1, 1, .deep), Self.segment(-0.5, 7, .asleep, "App")], timeZone: Self.utc)
        let night = try #require(flat.first)
        #expect(Self.hours(night.main) == [-1, 7])
        #expect(night.main.stageSeconds == [.deep: 2 * 3600, .asleep: 6 * 3600])
    }

    @Test func `lying awake at the edges belongs to the sleep that it touches`() throws {
        let nights = SleepNights.nights(
            from: [
                Self.segment(-1, -0.5, .awake), Self.segment(-0.5, 6, .core), Self.segment(6, 6.25, .awake),
                Self.segment(6.5, 7, .awake), Self.segment(6, 9, .awake, "App"),
            ], timeZone: Self.utc)
        let night = try #require(nights.first)
        #expect(Self.hours(night.main) == [-1, 6.25])
        #expect(night.main.stageSeconds == [.core: 23_400, .awake: 2700])
    }

    @Test func `a night belongs to the day of its own zone`() throws {
        // 14:30Z is 23:30 in Tokyo and 15:30 in Berlin; 15:30Z is the next day in Tokyo.
        let tokyo = SleepNights.nights(from: [Self.segment(8, 15.5, .core, zone: "Asia/Tokyo")], timeZone: Self.utc)
        #expect(tokyo.first?.day == 20_523)
        #expect(tokyo.first?.timeZone == "Asia/Tokyo")
        let unknown = SleepNights.nights(from: [Self.segment(8, 15.5, .core, zone: "Nowhere/No")], timeZone: Self.utc)
        #expect(unknown.first?.day == 20_522)
    }

    @Test func `what is no sleep makes no night`() {
        let none = [
            Self.segment(0, 0, .core), Self.segment(2, 1, .core), Self.segment(0, 30, .asleep),
            Self.segment(0, 8, .inBed), Self.segment(0, 8, .awake),
        ]
        #expect(SleepNights.nights(from: none, timeZone: Self.utc).isEmpty)
    }

    @Test(arguments: ["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kolkata"])
    func `every local day of a year has one night, also when the hour changes`(name: String) throws {
        let zone = try #require(TimeZone(identifier: name))
        let clock = LocalClock(timeZone: zone)
        // 2026-01-01 … 2026-12-31; asleep from 23:10 to 6:50 of the next day, in stages.
        let days = 20_454..<20_454 + 365
        let segments = days.flatMap { day in
            [(-50, 120, SleepSegment.Stage.core), (120, 240, .deep), (240, 410, .rem)].map { from, to, stage in
                let start =
                    from < 0 ? clock.moment(day: day - 1, minute: 1440 + from) : clock.moment(day: day, minute: from)
                return SleepSegment(
                    start: start, end: clock.moment(day: day, minute: to), stage: stage, source: "watch", isWatch: true)
            }
        }
        let nights = SleepNights.nights(from: segments.shuffled(), timeZone: zone)
        #expect(nights.map(\.day) == Array(days))
        // 460 min by the wall clock; an hour (Lord Howe: half an hour) less and more in the nights of the change.
        let minutes = Set(nights.map { Int($0.main.asleepSeconds / 60) })
        switch name {
        case "Asia/Kolkata": #expect(minutes == [460])
        case "Australia/Lord_Howe": #expect(minutes == [430, 460, 490])
        default: #expect(minutes == [400, 460, 520])
        }
    }
}
