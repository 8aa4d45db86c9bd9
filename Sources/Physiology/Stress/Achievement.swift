import Protocols

/// A milestone that was earned by data.
package struct Achievement: Hashable, Codable, Sendable {
    /// Stable name, kebab-case.
    package var id: String
    package var title: String
    package var text: String
    /// Local day on which it was earned.
    package var day: Int
}

/// What milestones are earned by.
package struct AchievementFacts: Hashable, Codable, Sendable {
    /// Day buckets of stress, any order.
    package var daily: [StressBucket]
    /// Asleep minutes by the local day on which the night ended.
    package var sleep: [Int: Double]
    package var goalMinutes: Double
    /// Local days of breathing sessions, of journal entries, and of workouts; a day as often as it happened.
    package var breathing: [Int]
    package var journal: [Int]
    package var workouts: [Int]

    package init(
        daily: [StressBucket] = [], sleep: [Int: Double] = [:], goalMinutes: Double = 480, breathing: [Int] = [],
        journal: [Int] = [], workouts: [Int] = []
    ) {
        self.daily = daily
        self.sleep = sleep
        self.goalMinutes = goalMinutes
        self.breathing = breathing
        self.journal = journal
        self.workouts = workouts
    }
}

/// The milestones. Each is earned once, on the day on which the data first show it; none rewards a low heart rate or a
/// level as such, since those are no merit.
package enum Achievements {
    /// - Parameter today: local day; a week that is not over yet earns nothing.
    /// - Returns: what is earned, in the order of days, then of the list.
    package static func earned(by facts: AchievementFacts, today: Int) -> [Achievement] {
        let measured = Set(facts.daily.filter { $0.readings > 0 }.map(\.day)).sorted()
        let full = facts.daily.filter { $0.readings >= StressCalendar.minimumReadings }.map(\.day).sorted()
        let nights = facts.sleep.keys.sorted()
        let met = nights.filter { (facts.sleep[$0] ?? 0) >= facts.goalMinutes }
        var earned: [Achievement] = []
        func give(_ day: Int?, _ id: String, _ title: String, _ text: String) {
            if let day { earned.append(Achievement(id: id, title: title, text: text, day: day)) }
        }
        give(measured.first, "first-reading", "First Reading", "Your first stress reading is in.")
        give(
            nth(14, full), "baseline-ready", "Your Own Scale",
            "14 days of readings: levels now use your own range.")
        give(nth(30, full), "30-days", "30 Days", "30 days of readings.")
        give(nth(100, full), "100-days", "100 Days", "100 days of readings.")
        give(nth(365, full), "365-days", "365 Days", "365 days of readings.")
        give(run(of: 7, in: full), "7-day-streak", "One Full Week", "Readings on seven days in a row.")
        give(run(of: 30, in: full), "30-day-streak", "One Full Month", "Readings on thirty days in a row.")
        give(
            calmerWeek(facts.daily), "calmer-week", "A Calmer Week",
            "A week with a clearly lower mean stress score than the four weeks before.")
        give(met.first, "first-sleep-goal", "Sleep Goal Met", "A night that met your sleep goal.")
        give(
            within(7, times: 5, in: met), "5-of-7-sleep-goal", "Good Week of Sleep",
            "Five of seven nights met your goal.")
        give(run(of: 7, in: met), "7-nights-sleep-goal", "Seven Good Nights", "Seven nights in a row met your goal.")
        give(facts.breathing.min(), "first-breathing", "First Breathing Session", "You finished a breathing session.")
        give(nth(10, facts.breathing.sorted()), "10-breathing", "Ten Breathing Sessions", "Ten breathing sessions.")
        give(
            run(of: 7, in: facts.journal), "7-day-journal", "A Week of Notes", "Journal entries on seven days in a row."
        )
        give(nth(10, facts.workouts.sorted()), "10-workouts", "Ten Workouts", "Ten workouts recorded.")
        let order = Dictionary(earned.enumerated().map { ($1.id, $0) }) { first, _ in first }
        return earned.filter { $0.day <= today }.sorted { ($0.day, order[$0.id] ?? 0) < ($1.day, order[$1.id] ?? 0) }
    }

    private static func nth(_ n: Int, _ sorted: [Int]) -> Int? { sorted.count >= n ? sorted[n - 1] : nil }

    /// Last day of the first run of `length` days in a row.
    private static func run(of length: Int, in days: [Int]) -> Int? {
        var count = 0
        var previous: Int?
        for day in Set(days).sorted() {
            count = previous == day - 1 ? count + 1 : 1
            previous = day
            if count == length { return day }
        }
        return nil
    }

    /// First day on which `times` of the last `span` days are in the list.
    private static func within(_ span: Int, times: Int, in days: [Int]) -> Int? {
        let sorted = Set(days).sorted()
        return sorted.indices.first { index in
            index + 1 >= times && sorted[index] - sorted[index + 1 - times] < span
        }.map { sorted[$0] }
    }

    /// Sunday of the first week whose days are clearly below those of the four weeks before.
    private static func calmerWeek(_ daily: [StressBucket]) -> Int? {
        let weeks = Set(daily.map { LocalDate.weekStart(of: $0.day) }).sorted()
        return weeks.first { week in
            let insight = WeeklyInsight(week: week, daily: daily)
            guard insight.days >= 5, let comparison = insight.insights.first?.comparison else { return false }
            return comparison.high < 0
        }.map { $0 + 6 }
    }
}
