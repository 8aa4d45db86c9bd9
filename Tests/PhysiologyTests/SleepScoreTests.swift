import Foundation
import Physiology
import Protocols
import Testing

struct SleepScoreTests {
    static let berlin = StressAlertTests.berlin

    @Test func `parts are weighed as the page says`() {
        // 8 of 8 h, 90 % efficient, 40 % deep and REM, at the usual time: 100.
        let best = SleepScore(asleep: 480, goal: 480, efficiency: 0.9, deepAndRem: 0.4, shift: 0)
        #expect(best.score.map { abs($0 - 100) < 1e-9 } == true)
        // Half of everything: 0.5 · 0.5 + 0.2 · 0.5 + 0.2 · 0.5 + 0.1 · 0.5.
        let half = SleepScore(asleep: 240, goal: 480, efficiency: 0.775, deepAndRem: 0.275, shift: -75)
        #expect(half.score.map { abs($0 - 50) < 1e-9 } == true)
        // Only the duration is known: 6 of 8 h.
        let bare = SleepScore(asleep: 360, goal: 480, efficiency: nil, deepAndRem: nil, shift: nil)
        #expect(bare.score == 75)
        #expect(bare.knownWeight == 0.5)
        #expect(SleepScore(asleep: nil, goal: 480, efficiency: 1, deepAndRem: 1, shift: 0).score == nil)
    }

    @Test(arguments: [
        (100.0, SleepQuality.excellent), (85, .excellent), (84.9, .good), (70, .good), (50, .fair), (49, .poor),
    ])
    func `words for scores`(score: Double, quality: SleepQuality) {
        #expect(SleepScore.quality(score) == quality)
    }

    /// A night that ends on a local day: in bed from 22:40, asleep from 23:00 for eight hours, with stages.
    static func night(
        _ day: Int, start: Int = 23 * 60, minutes: Double = 480, awake: Double = 20, staged: Bool = true,
        inBed: Double? = 520
    ) -> SleepNight {
        let begin = berlin.moment(day: start >= 720 ? day - 1 : day, minute: start)
        let stages: [SleepSegment.Stage: Double] =
            staged
            ? [.core: minutes * 36, .deep: minutes * 9, .rem: minutes * 15, .awake: awake * 60]
            : [.asleep: minutes * 60, .awake: awake * 60]
        return SleepNight(
            day: day, timeZone: "Europe/Berlin",
            main: SleepBlock(
                start: begin, end: begin.adding(seconds: (minutes + awake) * 60), asleepSeconds: minutes * 60,
                stageSeconds: stages, sources: ["Watch"]), inBedSeconds: inBed.map { $0 * 60 },
            inBedStart: inBed.map { _ in begin.adding(seconds: -1200) },
            inBedEnd: inBed.map { begin.adding(seconds: $0 * 60 - 1200) })
    }

    @Test func `a night in figures`() throws {
        let day = StressTrendTests.wednesday
        let nights = NightFigures.all(
            (0..<5).map { Self.night(day + $0) }, goal: 480, timeZone: Self.berlin.timeZone)
        let last = try #require(nights.last)
        #expect(last.date == "2026-03-08")
        #expect(last.asleepMinutes == 480)
        #expect(last.awakeMinutes == 20)
        #expect(last.latencyMinutes == 20)
        // 480 of 520 min; 24/60 deep and REM; the same time as always: full marks.
        #expect(abs(try #require(last.efficiency) - 480.0 / 520) < 1e-12)
        #expect(last.score.map { abs($0 - 100) < 1e-9 } == true)
        #expect(last.quality == .excellent)
        #expect(last.startMinute == 660)
        #expect(last.parts.map(\.name) == ["duration", "efficiency", "deepAndRem", "regularity"])
        // Of the first nights nothing is usual yet.
        #expect(nights[0].parts.last?.value == nil)
        #expect(nights[3].parts.last?.value == 1)
    }

    @Test func `a night at another time is less regular, whichever side of midnight`() throws {
        let day = StressTrendTests.wednesday
        let nights = NightFigures.all(
            (0..<5).map { Self.night(day + $0) } + [Self.night(day + 5, start: 1 * 60 + 15)], goal: 480,
            timeZone: Self.berlin.timeZone)
        // 135 min later than the others: none.
        #expect(nights.last?.parts.last?.value == 0)
    }

    @Test func `HRV and heart rate of the sleep come from its minutes`() throws {
        let day = StressTrendTests.wednesday
        let night = Self.night(day)
        let minutes = (0..<600).map { step -> StillMinute in
            let at = night.main.start.adding(seconds: Double(step - 60) * 60)
            return StillMinute(at: at, bpm: step < 60 ? 90 : 50, lnRmssd: step % 2 == 0 ? log(40.0) : nil)
        }
        let figures = try #require(
            NightFigures.all([night], minutes: minutes.reversed(), goal: 480, timeZone: Self.berlin.timeZone).first)
        #expect(figures.hrvMinutes == 250)
        #expect(abs(try #require(figures.rmssdMs) - 40) < 1e-9)
        #expect(figures.bpm == 50)
        #expect(figures.lowestBpm == 50)
        let few = NightFigures.all(
            [night], minutes: Array(minutes[60..<100]), goal: 480, timeZone: Self.berlin.timeZone)[0]
        #expect(few.rmssdMs == nil)
        #expect(few.hrvMinutes == 20)
    }

    @Test func `more that is missing never raises the confidence`() {
        let day = StressTrendTests.wednesday
        func confidence(staged: Bool, inBed: Double?, awake: Double, nights: Int) -> Double {
            NightFigures.all(
                (0..<nights).map { Self.night(day + $0, awake: awake, staged: staged, inBed: inBed) }, goal: 480,
                timeZone: Self.berlin.timeZone
            ).last?.confidence ?? 0
        }
        let full = confidence(staged: true, inBed: 520, awake: 20, nights: 5)
        let noStages = confidence(staged: false, inBed: 520, awake: 20, nights: 5)
        let noBed = confidence(staged: false, inBed: nil, awake: 0, nights: 5)
        let noHabit = confidence(staged: false, inBed: nil, awake: 0, nights: 1)
        #expect(full > noStages && noStages > noBed && noBed > noHabit && noHabit > 0)
    }

    @Test func `bedtime is waking less goal, less falling asleep, less what is owed`() {
        let day = StressTrendTests.wednesday
        var settings = BodySettings()
        settings.wakeAt = 7 * 60
        // Nobody known: 7:00 − 8 h − 15 min.
        let stranger = BedtimePlan(day: day, nights: [], settings: settings)
        #expect(BodySettings.clockText(stranger.bedMinute) == "22:45")
        // 20 min of falling asleep, seven nights of 7 h: 7 h owed, at most 30 min of it a night.
        let nights = NightFigures.all(
            (1...7).map { Self.night(day - $0, minutes: 420) }, goal: 480, timeZone: Self.berlin.timeZone)
        let tired = BedtimePlan(day: day, nights: nights, settings: settings)
        #expect(BodySettings.clockText(tired.bedMinute) == "22:10")
        #expect(tired.reasons.contains { $0.contains("7 h of sleep are missing") })
    }

    @Test func `the usual time of waking differs between weekdays and weekends`() {
        let wednesday = StressTrendTests.wednesday
        let nights = NightFigures.all(
            (1...21).map { back in
                let isWeekend = LocalDate.weekday(of: wednesday - back) >= 6
                return Self.night(wednesday - back, start: isWeekend ? 30 : 22 * 60, minutes: 480, awake: 0)
            }, goal: 480, timeZone: Self.berlin.timeZone)
        let settings = BodySettings()
        #expect(BedtimePlan(day: wednesday, nights: nights, settings: settings).wakeMinute == 6 * 60)
        #expect(BedtimePlan(day: wednesday + 3, nights: nights, settings: settings).wakeMinute == 8 * 60 + 30)
    }

    @Test func `the night in which summer time begins is as long as the goal asks`() {
        var settings = BodySettings()
        settings.wakeAt = 7 * 60
        let day = LocalDate(year: 2026, month: 3, day: 29).number
        let bedtime = BedtimePlan(day: day, nights: [], settings: settings).bedtime(day: day, clock: Self.berlin)
        // 7:00 in Berlin is 05:00 UTC by then.
        #expect(bedtime.wakeAt == Timestamp(milliseconds: 1_774_760_400_000))
        #expect(bedtime.wakeAt.seconds(since: bedtime.at) == (8 * 60 + 15) * 60)
    }

    @Test(
        arguments: [
            // Noon of an ordinary day; an hour that is left out; an hour that comes twice.
            (20_516, 720, 1_772_622_000), (20_541, 150, 1_774_747_800), (20_751, 150, 1_792_888_200),
            (20_751, 0, 1_792_879_200), (20_541, 0, 1_774_738_800),
        ])
    func `a time of the wall clock is one moment`(day: Int, minute: Int, second: Int64) {
        #expect(Self.berlin.moment(day: day, minute: minute) == Timestamp(milliseconds: second * 1000))
    }

    @Test func `trends of weeks and months`() throws {
        let monday = WeeklyInsightTests.monday
        let nights = NightFigures.all(
            (0..<14).map { Self.night(monday + $0, minutes: $0 < 7 ? 480 : 420) }, goal: 480,
            timeZone: Self.berlin.timeZone)
        let weeks = SleepTrend.buckets(of: nights.shuffled(), .weekly)
        #expect(weeks.map(\.asleepMinutes) == [480, 420])
        #expect(weeks.map(\.nightsMetGoal) == [7, 0])
        #expect(weeks.first?.middleSpreadMinutes == 0)
        #expect(SleepTrend.buckets(of: nights, .monthly).map(\.label) == ["2026-03"])
        #expect(SleepTrend.recentChange(of: nights, until: monday + 13)?.difference == -60)
    }
}
