import Protocols

/// The texts of what is told at its time.
package enum BodyAlerts {
    /// Title and text are those of the specification; the figures stand in the detail.
    package static func daily(_ summary: DailyStressSummary, at now: Timestamp) -> BodyAlert {
        BodyAlert(
            at: now, kind: .dailySummary, title: DailyStressSummary.title, text: DailyStressSummary.text,
            detail: summary.sentences.joined(separator: " "))
    }

    package static func weekly(_ insight: WeeklyInsight, at now: Timestamp) -> BodyAlert {
        BodyAlert(
            at: now, kind: .weeklyInsight, title: WeeklyInsight.title, text: insight.headline,
            detail: insight.sentences.joined(separator: " "))
    }

    package static func achievement(_ achievement: Achievement, at now: Timestamp) -> BodyAlert {
        BodyAlert(at: now, kind: .achievement, title: achievement.title, text: achievement.text)
    }

    package static func bedtime(_ bedtime: SleepReport.Bedtime, at now: Timestamp, clock: LocalClock) -> BodyAlert {
        let time = BodySettings.clockText(clock.minuteOfDay(of: bedtime.at))
        return BodyAlert(
            at: now, kind: .bedtime, title: "Bedtime at \(time)",
            text: "To reach your sleep goal, be in bed at \(time).", detail: bedtime.reasons.joined(separator: " "))
    }
}
