import Foundation

/// A rule of recurrence, and when it ends.
struct CalendarRule: Hashable, Sendable {
    /// `FREQ=WEEKLY;BYDAY=TU` without UNTIL.
    var text: String
    var until: CalendarTime?
}

/// A `VEVENT` as the file has it, not yet expanded.
package struct CalendarEvent: Hashable, Sendable {
    var uid: String
    var summary: String
    var start: CalendarTime
    var end: CalendarTime
    var status: String
    var transparent = false
    var categories: [String] = []
    /// The address of each attendee with its answer; `DECLINED` is the one that matters.
    var attendees: [Attendee] = []
    var hasConferenceLink = false
    var sequence = -1
    var rules: [CalendarRule] = []
    var exclusions: [CalendarTime] = []
    var additions: [Addition] = []
    var recurrenceId: CalendarTime?
    var thisAndFuture = false
    /// RRULE, RDATE or EXDATE is there.
    var hasRecurrence: Bool { !rules.isEmpty || !additions.isEmpty || !exclusions.isEmpty }

    struct Attendee: Hashable, Sendable {
        /// Lower case, without `mailto:`.
        var address: String
        var declined: Bool
    }

    struct Addition: Hashable, Sendable {
        var start: CalendarTime
        /// Seconds, for a period.
        var duration: Int?
    }
}

/// One time that an event takes place.
package struct CalendarOccurrence: Hashable, Sendable {
    package var uid: String
    package var summary: String
    package var start: CalendarTime
    package var end: CalendarTime
    package var allDay: Bool
    /// As in the file, upper case: `CONFIRMED`, `TENTATIVE`, `CANCELLED`, or empty.
    package var status: String
    /// Does not make busy.
    package var transparent: Bool
    package var categories: [String]
    /// Everybody invited, the organiser's list included.
    package var attendees: Int
    /// Addresses that declined.
    package var declinedBy: Set<String>
    package var hasConferenceLink: Bool

    package var isCancelled: Bool { status == "CANCELLED" }

    /// True when the listener said no: one of their addresses declined, or the only invited one did.
    package func isDeclined(owner: Set<String>) -> Bool {
        if !owner.isEmpty { return !declinedBy.isDisjoint(with: owner) }
        return attendees == 1 && declinedBy.count == 1
    }
}

/// The stretch of time that is asked for: its start belongs to it, its end does not.
package enum CalendarWindow: Hashable, Sendable {
    /// Whole days on the clock of each event: from midnight of the first to midnight of the last, which is not in it.
    case days(from: CalendarDay, to: CalendarDay)
    case instants(from: Date, to: Date)
}

/// A date without a zone.
package struct CalendarDay: Hashable, Comparable, Sendable {
    /// Midnight as seconds since 1970-01-01 of its own clock.
    let civil: Int

    init(civil: Int) { self.civil = CivilTime.midnight(civil) }

    /// `2026-01-31`, or nil.
    package init?(_ text: String) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0].count == 4, let year = Int(parts[0]), let month = Int(parts[1]),
            let day = Int(parts[2]), (1...12).contains(month), (1...31).contains(day), year > 0
        else { return nil }
        self.init(civil: CivilTime.seconds(year: year, month: month, day: day))
        guard CivilTime.dateText(civil) == text else { return nil }
    }

    package func adding(days: Int) -> CalendarDay { CalendarDay(civil: civil + days * CivilTime.day) }

    package static func < (a: CalendarDay, b: CalendarDay) -> Bool { a.civil < b.civil }
}
