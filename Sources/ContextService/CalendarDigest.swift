import Formats
import Foundation
import Protocols

/// What the calendar says about one moment: declined, cancelled, transparent and all-day events are no meetings.
struct CalendarDigest: Sendable {
    struct Entry: Hashable, Sendable {
        var start: Timestamp
        var end: Timestamp
        var type: EventType
        var title: String
    }

    /// By start.
    let entries: [Entry]

    /// How far ahead the next event is looked for, seconds.
    static let horizon = 86_400.0

    /// - Parameter owner: the listener's own addresses, lower case, to see what they declined.
    init(_ occurrences: [CalendarOccurrence], local: TimeZone, owner: Set<String> = []) {
        entries = occurrences.filter {
            !$0.isCancelled && !$0.transparent && !$0.allDay && !$0.isDeclined(owner: owner)
        }.map {
            Entry(
                start: Timestamp($0.start.instant(local: local)), end: Timestamp($0.end.instant(local: local)),
                type: Self.type(of: $0), title: $0.summary)
        }.sorted { ($0.start, $0.end, $0.title) < ($1.start, $1.end, $1.title) }
    }

    func context(at now: Timestamp, allowTitles: Bool, confidence: Double, sources: [SourceAge]) -> CalendarContext {
        let ongoing = entries.filter { $0.start <= now && now < $0.end }
        // Of several, the one that binds most.
        let chosen =
            ongoing.first { $0.type == .meeting } ?? ongoing.first { $0.type == .personal } ?? ongoing.first
        let next = entries.first { $0.start > now && $0.start.seconds(since: now) <= Self.horizon }
        return CalendarContext(
            at: now,
            ongoing: chosen.map {
                CalendarContext.Ongoing(type: $0.type, endsAt: $0.end, title: allowTitles ? $0.title : nil)
            },
            minutesToNext: next.map { (($0.start.seconds(since: now)) / 60).rounded(.up) }, nextType: next?.type,
            confidence: confidence, sources: sources)
    }

    private static let meetingWords = [
        "stand-up", "standup", "meeting", "review", "1:1", "sync", "planning", "interview", "retro", "demo", "workshop",
        "besprechung", "réunion", "call",
    ]
    private static let focusWords = ["focus", "deep work", "no meetings", "writing block", "study"]

    /// The owner's categories decide; without them who is invited and what the title says.
    static func type(of occurrence: CalendarOccurrence) -> EventType {
        for category in occurrence.categories.map({ $0.lowercased() }) {
            if ["work", "meeting", "meetings", "business", "arbeit", "travail"].contains(category) { return .meeting }
            if category.contains("focus") || category.contains("deep") { return .focus }
            if ["personal", "family", "private", "privat", "home", "friends", "leisure"].contains(category) {
                return .personal
            }
        }
        let title = occurrence.summary.lowercased()
        if focusWords.contains(where: title.contains) { return .focus }
        if occurrence.attendees > 1 || occurrence.hasConferenceLink || meetingWords.contains(where: title.contains) {
            return .meeting
        }
        return .personal
    }
}
