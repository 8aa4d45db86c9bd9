import Protocols

/// What is told once a day or once a week, at a time of the wall clock. A value: keep it and nothing comes twice.
package struct BodySchedule: Hashable, Codable, Sendable {
    package enum Item: String, Codable, Hashable, Sendable, CaseIterable { case dailySummary, weeklyInsight, bedtime }

    /// Minutes after its time until which an item is still told: a machine that slept longer skips it.
    package static let grace = 180

    /// Local day on which an item was last told or skipped.
    private var doneOn: [String: Int] = [:]

    package init() {}

    /// The items that are due now; each is due once a day at most, also in the night in which an hour comes twice.
    ///
    /// They come at the time that the listener chose, also within quiet hours.
    ///
    /// - Parameter bedtime: of the coming night, for the reminder.
    package mutating func due(
        at now: Timestamp, settings: BodySettings, bedtime: Timestamp?, clock: LocalClock
    ) -> [Item] {
        guard settings.alerts else { return [] }
        let today = clock.day(of: now)
        let minute = clock.minuteOfDay(of: now)
        var due: [Item] = []
        func check(_ item: Item, isOn: Bool, at time: Int) {
            guard isOn, doneOn[item.rawValue].map({ $0 < today }) ?? true, minute >= time else { return }
            doneOn[item.rawValue] = today
            if minute - time <= Self.grace { due.append(item) }
        }
        check(.dailySummary, isOn: settings.dailySummary, at: settings.dailySummaryAt)
        check(
            .weeklyInsight, isOn: settings.weeklyInsight && LocalDate.weekday(of: today) == settings.weeklyDay,
            at: settings.weeklyAt)
        if settings.bedtimeReminder, let bedtime {
            let remindAt = bedtime.adding(seconds: -Double(settings.bedtimeLeadMinutes) * 60)
            // One reminder a night, and a night may begin on either side of midnight.
            let night = clock.night(of: bedtime)
            let isNew = doneOn[Item.bedtime.rawValue].map { $0 < night } ?? true
            if isNew, now >= remindAt {
                doneOn[Item.bedtime.rawValue] = night
                if now < bedtime.adding(seconds: 3600) { due.append(.bedtime) }
            }
        }
        return due
    }
}
