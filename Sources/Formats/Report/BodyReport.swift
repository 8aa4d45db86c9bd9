import Foundation
import Physiology
import Protocols

/// What a report is made of. Everything is optional but the span; a section without data is left out.
package struct BodyReport: Codable, Sendable {
    /// First and last local day.
    package var from: Int
    package var to: Int
    package var generatedAt: Timestamp
    /// IANA name, for the times in it.
    package var timeZone: String
    package var theme: BodySettings.Theme
    package var days: [StressBucket]
    /// 24 buckets, see ``StressTrend/typicalDay(of:clock:)``.
    package var typicalDay: [StressBucket]
    package var calendar: [StressCalendarDay]
    package var nights: [NightFigures]
    package var insights: [Insight]
    package var achievements: [Achievement]
    /// Further charts, such as fitness, fatigue and form.
    package var charts: [Chart]
    /// Further tables, such as the journal; texts of the listener are fine, they are escaped.
    package var tables: [Table]
    package var bedtime: SleepReport.Bedtime?

    /// Lines by local day.
    package struct Chart: Codable, Sendable {
        package var title: String
        package var unit: String
        package var note: String?
        package var lines: [Line]

        package struct Line: Codable, Sendable {
            package var name: String
            package var points: [Point]
            package init(name: String, points: [Point]) {
                self.name = name
                self.points = points
            }
        }
        package struct Point: Codable, Sendable {
            package var day: Int
            package var value: Double
            package init(day: Int, value: Double) {
                self.day = day
                self.value = value
            }
        }
        package init(title: String, unit: String, note: String? = nil, lines: [Line]) {
            self.title = title
            self.unit = unit
            self.note = note
            self.lines = lines
        }
    }

    package struct Table: Codable, Sendable {
        package var title: String
        package var header: [String]
        package var rows: [[String]]
        package init(title: String, header: [String], rows: [[String]]) {
            self.title = title
            self.header = header
            self.rows = rows
        }
    }

    package init(
        from: Int, to: Int, generatedAt: Timestamp, timeZone: String, theme: BodySettings.Theme = .system,
        days: [StressBucket] = [], typicalDay: [StressBucket] = [], calendar: [StressCalendarDay] = [],
        nights: [NightFigures] = [], insights: [Insight] = [], achievements: [Achievement] = [], charts: [Chart] = [],
        tables: [Table] = [], bedtime: SleepReport.Bedtime? = nil
    ) {
        self.from = from
        self.to = to
        self.generatedAt = generatedAt
        self.timeZone = timeZone
        self.theme = theme
        self.days = days
        self.typicalDay = typicalDay
        self.calendar = calendar
        self.nights = nights
        self.insights = insights
        self.achievements = achievements
        self.charts = charts
        self.tables = tables
        self.bedtime = bedtime
    }

    /// A report of stored readings and nights.
    package init(
        from: Int, to: Int, generatedAt: Timestamp, clock: LocalClock, readings: [StressReading],
        nights: [NightFigures], settings: BodySettings = BodySettings(), facts: AchievementFacts? = nil
    ) {
        let daily = StressTrend.buckets(of: readings, .daily, clock: clock)
        let span = from...max(from, to)
        let inside = readings.filter { span.contains(clock.day(of: $0.at)) }
        let insight = WeeklyInsight(
            week: span.upperBound, daily: daily,
            sleep: Dictionary(nights.map { ($0.day, $0.asleepMinutes) }) { first, _ in first },
            goalMinutes: Double(settings.sleepGoalMinutes))
        self.init(
            from: span.lowerBound, to: span.upperBound, generatedAt: generatedAt, timeZone: clock.timeZone.identifier,
            theme: settings.theme, days: daily.filter { span.contains($0.day) },
            typicalDay: inside.isEmpty ? [] : StressTrend.typicalDay(of: inside, clock: clock),
            calendar: daily.isEmpty ? [] : StressCalendar.days(span, daily: daily),
            nights: nights.filter { span.contains($0.day) }, insights: daily.isEmpty ? [] : insight.insights,
            achievements: facts.map { Achievements.earned(by: $0, today: span.upperBound) } ?? [],
            bedtime: nights.isEmpty
                ? nil
                : BedtimePlan(day: span.upperBound + 1, nights: nights, settings: settings)
                    .bedtime(day: span.upperBound + 1, clock: clock))
    }
}
