import Foundation
import Protocols

/// A moment on the listener's own clock.
package struct LocalTime: Hashable, Sendable {
    /// 0…23, 0…59.
    package let hour: Int
    package let minute: Int
    package let isWeekend: Bool

    package init(_ moment: Timestamp, in zone: TimeZone) {
        // Whole seconds since 1970-01-01 (a Thursday) on the local clock; a calendar is not needed for it.
        let seconds = Int((Double(moment.milliseconds) / 1000).rounded(.down)) + zone.secondsFromGMT(for: moment.date)
        let day = Int((Double(seconds) / 86_400).rounded(.down))
        let ofDay = seconds - day * 86_400
        hour = ofDay / 3600
        minute = ofDay / 60 % 60
        let weekday = ((day + 4) % 7 + 7) % 7
        isWeekend = weekday == 0 || weekday == 6
    }

    package var minutes: Int { hour * 60 + minute }

    package var slot: DaySlot {
        switch hour {
        case 5..<12: .morning
        case 12..<17: .afternoon
        case 17..<22: .evening
        default: .night
        }
    }
}

/// Part of the day: morning 5–12, afternoon 12–17, evening 17–22, night 22–5, local.
package enum DaySlot: String, Codable, Hashable, Sendable, CaseIterable {
    case morning, afternoon, evening, night
}
