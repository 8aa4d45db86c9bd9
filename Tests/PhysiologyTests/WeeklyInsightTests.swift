import Physiology
import Protocols
import Testing

struct WeeklyInsightTests {
    static let monday = StressTrendTests.wednesday - 2

    @Test(
        arguments: [
            // Tables of Student's distribution.
            (0.975, 1, 12.7062), (0.975, 4, 2.776445), (0.975, 10, 2.228139), (0.975, 30, 2.042272),
            (0.95, 5, 2.015048),
            (0.995, 20, 2.845340),
        ])
    func `quantiles are those of the tables`(p: Double, freedom: Double, expected: Double) {
        #expect(abs(StudentT.quantile(p, freedom: freedom) - expected) < 1e-4)
    }

    @Test func `two groups are compared with Welch's interval`() throws {
        // By hand: difference −3, variances 1, standard error √(2/3), 4 degrees of freedom, t 2.776445.
        let comparison = try #require(MeanComparison([1, 2, 3], against: [4, 5, 6]))
        #expect(abs(comparison.difference + 3) < 1e-12)
        #expect(abs(comparison.high - (-3 + 2.776445 * (2.0 / 3).squareRoot())) < 1e-5)
        #expect(comparison.isClear)
        #expect(MeanComparison([1, 2], against: [4, 5, 6]) == nil)
        let many = try #require(MeanComparison([1, 2, 3], against: [4, 5, 6], comparisons: 20))
        #expect(many.high > comparison.high)
    }

    /// Weeks of day buckets; the mean z of each day by its number.
    static func days(_ range: Range<Int>, z: (Int) -> Double) -> [StressBucket] {
        range.map { StressTrend.bucketForTest(day: $0, z: z($0)) }
    }

    @Test func `too few days say so`() {
        let insight = WeeklyInsight(week: Self.monday, daily: Self.days(Self.monday..<Self.monday + 2) { _ in 1 })
        #expect(insight.days == 2)
        #expect(insight.insights.allSatisfy { $0.comparison == nil && $0.sentence.contains("not enough data") })
        #expect(insight.headline == "2 days were measured this week; three are needed to compare.")
    }

    @Test func `a hard week is told with both means, the counts and the interval`() throws {
        var random = SplitMix64(seed: 5, name: "week")
        let daily = Self.days(Self.monday - 28..<Self.monday + 7) { day in
            (day >= Self.monday ? 1 : 0) + 0.2 * random.normal()
        }
        let insight = WeeklyInsight(week: Self.monday + 3, daily: daily)
        let week = try #require(insight.insights.first { $0.kind == "week" })
        #expect(week.isClear)
        let comparison = try #require(week.comparison)
        #expect(comparison.firstCount == 7 && comparison.secondCount == 28)
        // Scores of z 1 and 0: 0.621 and 0.400.
        #expect(abs(comparison.difference - 0.22) < 0.06)
        #expect(week.sentence.contains("7 days") && week.sentence.contains("28 days"))
        #expect(week.sentence.contains("95 % interval"))
        #expect(insight.headline == week.sentence)
    }

    @Test func `sleep is compared by the nights, in both groups`() throws {
        var random = SplitMix64(seed: 6, name: "sleep")
        let range = Self.monday - 35..<Self.monday + 7
        let slept = Dictionary(uniqueKeysWithValues: range.map { ($0, $0 % 3 == 0 ? 360.0 : 490) })
        let daily = Self.days(range) { day in (slept[day] == 360 ? 0.8 : 0) + 0.1 * random.normal() }
        let insight = WeeklyInsight(week: Self.monday, daily: daily, sleep: slept)
        let sleep = try #require(insight.insights.first { $0.kind == "sleep" })
        #expect(sleep.isClear)
        #expect(try #require(sleep.comparison).difference > 0.1)
        #expect(sleep.sentence.contains("after nights below the sleep goal"))
    }

    @Test func `weeks that are like all others are called different in at most one of twenty`() {
        var random = SplitMix64(seed: 7, name: "null")
        var claims = 0
        let weeks = 300
        for _ in 0..<weeks {
            let daily = Self.days(Self.monday - 28..<Self.monday + 7) { _ in 0.4 * random.normal() }
            let insight = WeeklyInsight(week: Self.monday, daily: daily)
            if insight.insights.contains(where: { ["week", "highShare", "hrv"].contains($0.kind) && $0.isClear }) {
                claims += 1
            }
        }
        // 5 % of 300 is 15; four standard errors above are 30.
        #expect(claims <= 30, "\(claims) of \(weeks)")
    }

    @Test func `milestones are earned on the day on which the data show them`() {
        let start = Self.monday
        let daily = Self.days(start..<start + 40) { _ in 0 }
        let sleep = Dictionary(uniqueKeysWithValues: (start..<start + 10).map { ($0, $0 % 7 == 6 ? 300.0 : 500) })
        let facts = AchievementFacts(daily: daily, sleep: sleep, breathing: [start + 3], journal: [start, start + 2])
        let earned = Achievements.earned(by: facts, today: start + 100)
        func day(_ id: String) -> Int? { earned.first { $0.id == id }.map { $0.day - start } }
        #expect(day("first-reading") == 0)
        #expect(day("7-day-streak") == 6)
        #expect(day("baseline-ready") == 13)
        #expect(day("30-days") == 29)
        #expect(day("30-day-streak") == 29)
        #expect(day("100-days") == nil)
        #expect(day("first-breathing") == 3)
        #expect(day("7-day-journal") == nil)
        #expect(day("first-sleep-goal") != nil)
        #expect(earned.map(\.day) == earned.map(\.day).sorted())
        // Nothing is earned ahead of time, and what was earned stays.
        let early = Achievements.earned(by: facts, today: start + 13)
        #expect(early.allSatisfy { $0.day <= start + 13 })
        #expect(Set(early.map(\.id)).isSubset(of: Set(earned.map(\.id))))
    }

    @Test func `a hole breaks a streak`() {
        let start = Self.monday
        let daily = Self.days(start..<start + 6) { _ in 0 } + Self.days(start + 7..<start + 13) { _ in 0 }
        let earned = Achievements.earned(by: AchievementFacts(daily: daily), today: start + 20)
        #expect(!earned.contains { $0.id == "7-day-streak" })
    }

    @Test func `the summary of a day compares it with the days before`() throws {
        let clock = StressTrendTests.berlin
        let today = Self.monday + 30
        let readings = (0...20).flatMap { back in
            (0..<20).map {
                StressTrendTests.reading(
                    back == 0 ? ($0 < 10 ? 2 : 0) : 0.1, day: today - back,
                    minute: ($0 < 10 ? 600 : 900) + ($0 % 10) * 6)
            }
        }
        let summary = try #require(DailyStressSummary(day: today, readings: readings, sleepScore: 77, clock: clock))
        #expect(summary.rank == 1)
        #expect(summary.usualDays == 20)
        #expect(summary.hardestHour == 10)
        #expect(summary.calmestHour == 15)
        // Ten readings of High: nine stand 6 min, the last one 10 min at most before the hole.
        #expect(summary.minutesByLevel["high"] == 64)
        #expect(
            summary.sentences.contains { $0.contains("20 readings: 50 % Elevated or above, 50 % High or Overload") })
        #expect(summary.sentences.contains { $0.contains("77") })
        #expect(DailyStressSummary(day: today + 1, readings: readings, clock: clock) == nil)
        let alert = BodyAlerts.daily(summary, at: clock.moment(day: today, minute: 1200))
        #expect(alert.title == "Daily Stress Summary")
        #expect(alert.text == "Check your stress trends for today.")
    }
}
