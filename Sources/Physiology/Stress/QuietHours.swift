import Protocols

/// Local hours in which nothing disturbs; may span midnight.
package struct QuietHours: Hashable, Codable, Sendable {
    /// Local minutes since midnight; equal ones are no quiet hours at all.
    package var from: Int
    package var to: Int

    package init(from: Int, to: Int) {
        self.from = from
        self.to = to
    }

    package init?(_ settings: BodySettings) {
        guard settings.quietHours else { return nil }
        self.init(from: settings.quietFrom, to: settings.quietTo)
    }

    /// By the wall clock: in a night of summer time they are an hour longer or shorter, and begin and end on time.
    package func contains(_ at: Timestamp, clock: LocalClock) -> Bool {
        let minute = clock.minuteOfDay(of: at)
        if from <= to { return (from..<to).contains(minute) }
        return minute >= from || minute < to
    }
}
