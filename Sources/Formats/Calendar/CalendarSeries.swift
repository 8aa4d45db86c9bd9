import Foundation

/// All events of one uid: the series with its exceptions, expanded.
///
/// The rules are those of RFC 5545: the event with the highest SEQUENCE is the series, an event with RECURRENCE-ID takes
/// the place of that instance, with RANGE=THISANDFUTURE also of the later ones. Clock times repeat, not spans of real
/// time: 09:00 stays 09:00 over a change to summer time.
struct CalendarSeries {
    private let local: TimeZone
    private var core: CalendarEvent?
    /// By the clock time in UTC and on its own clock of the instance that is replaced.
    private var replacements: [Int: CalendarEvent] = [:]
    private var following: [(id: Int, event: CalendarEvent)] = []

    init(_ events: [CalendarEvent], local: TimeZone) {
        self.local = local
        for event in events.map({ Self.ordered($0, local: local) }) {
            guard let id = event.recurrenceId else {
                if event.sequence > core?.sequence ?? Int.min { core = event }
                continue
            }
            let keys = Self.keys(id, local: local)
            for key in keys where event.sequence > replacements[key]?.sequence ?? Int.min {
                replacements[key] = event
            }
            if event.thisAndFuture, let key = keys.first, let winner = replacements[key] {
                following.append((key, winner))
            }
        }
        following.sort { $0.id < $1.id }
    }

    func occurrences(in window: CalendarWindow) -> (occurrences: [CalendarOccurrence], cut: Bool) {
        let starts = starts(in: window)
        let excluded = Set((core?.exclusions ?? []).flatMap { Self.keys($0, local: local) })
        var result: [CalendarOccurrence] = []
        var seen: Set<Int> = []
        var used: Set<CalendarEvent> = []
        for start in starts.times {
            let keys = Self.keys(start, local: local)
            guard !seen.contains(start.civil), !isExcluded(start, keys, excluded), let core else { continue }
            if let replacement = keys.compactMap({ replacements[$0] }).last {
                guard used.insert(replacement).inserted else { continue }
                append(replacement, replacement.start, replacement.end, in: window, to: &result)
            } else {
                seen.insert(start.civil)
                let event = following.last { $0.id < keys[0] }?.event ?? core
                let (first, last) = span(of: event, at: start, keys)
                append(event, first, last, in: window, to: &result)
            }
        }
        for event in Set(replacements.values).subtracting(used) {
            guard let id = event.recurrenceId else { continue }
            let keys = Self.keys(id, local: local)
            guard excluded.isDisjoint(with: keys), !isObsolete(event, id, keys, excluded) else { continue }
            append(event, event.start, event.end, in: window, to: &result)
        }
        return (result, starts.cut)
    }

    // MARK: instances

    /// Clock times of the series that may matter for a window.
    private func starts(in window: CalendarWindow) -> (times: [CalendarTime], cut: Bool) {
        guard let core else { return ([], false) }
        let series = zoned(core)
        let slack = max(
            0,
            following.map { abs($0.event.start.seconds(since: $0.event.recurrenceId ?? $0.event.start, local: local)) }
                .max() ?? 0)
        let longest = ([core] + following.map(\.event)).map { $0.end.seconds(since: $0.start, local: local) }.max() ?? 0
        let bounds = bounds(of: window)
        let range = (bounds.lowerBound - longest - slack - CivilTime.day)...(bounds.upperBound + slack + CivilTime.day)
        var civils: Set<Int> = []
        var cut = false
        var lastUntil: Int?
        for rule in core.rules {
            let until = rule.until.map { self.until($0, series) }
            lastUntil = until.map { max($0, lastUntil ?? $0) } ?? lastUntil
            let expansion = RecurrenceRules.expand(
                rule.text, start: series.civil, isDate: series.isDate, until: until, range: range)
            civils.formUnion(expansion.civils)
            cut = cut || expansion.cut
        }
        if core.rules.isEmpty || lastUntil.map({ series.civil <= $0 }) ?? true { civils.insert(series.civil) }
        for addition in core.additions { civils.insert(aligned(addition.start, to: series).civil) }
        let times = civils.filter { range.contains($0) }.sorted().map { civil in
            CalendarTime(civil: civil, isDate: series.isDate, zone: series.zone)
        }
        return (times, cut)
    }

    /// The start on the clock of the series: a start without zone takes the one of its end or of its exceptions.
    private func zoned(_ event: CalendarEvent) -> CalendarTime {
        let others = [event.start, event.end] + event.exclusions + event.additions.map(\.start)
        guard let zone = others.first(where: { $0.zone != .floating })?.zone, event.start.zone == .floating else {
            if others.contains(where: { !$0.isDate }) {
                return CalendarTime(civil: event.start.civil, isDate: false, zone: event.start.zone)
            }
            return event.start
        }
        return CalendarTime(civil: event.start.civil, isDate: false, zone: zone)
    }

    private func aligned(_ time: CalendarTime, to series: CalendarTime) -> CalendarTime {
        time.isDate
            ? CalendarTime(civil: time.civil, isDate: series.isDate, zone: series.zone)
            : time.inZone(series.zone, local: local)
    }

    /// The last clock time of a rule. A day without time lets the series go on until its midnight only when the events
    /// have times: the rule of the reference implementation.
    private func until(_ until: CalendarTime, _ series: CalendarTime) -> Int {
        if series.isDate { return CivilTime.midnight(until.civil) }
        if until.isDate || until.zone == .floating || series.zone == .floating { return until.civil }
        return until.inZone(series.zone, local: local).civil
    }

    private func isExcluded(_ start: CalendarTime, _ keys: [Int], _ excluded: Set<Int>) -> Bool {
        if !excluded.isDisjoint(with: keys) { return true }
        let midnight = CivilTime.midnight(start.civil)
        return core?.exclusions.contains { $0.isDate && $0.civil == midnight } ?? false
    }

    /// An old replacement that carries rules itself and whose instance the newer series does not have any more.
    private func isObsolete(
        _ event: CalendarEvent, _ id: CalendarTime, _ keys: [Int], _ excluded: Set<Int>
    ) -> Bool {
        guard event.hasRecurrence, let core, event.sequence < core.sequence else { return false }
        let day = CalendarDay(civil: id.civil)
        let there = starts(in: .days(from: day, to: day.adding(days: 1))).times.contains { start in
            let own = Self.keys(start, local: local)
            return !isExcluded(start, own, excluded) && !Set(own).isDisjoint(with: keys)
        }
        return !there
    }

    private func span(
        of event: CalendarEvent, at start: CalendarTime, _ keys: [Int]
    ) -> (CalendarTime, CalendarTime) {
        var first = start
        if event.thisAndFuture, let id = event.recurrenceId {
            first = start.adding(event.start.seconds(since: id, local: local))
        }
        let period = core?.additions.last { addition in
            addition.duration != nil && !Set(Self.keys(addition.start, local: local)).isDisjoint(with: keys)
        }
        let duration = period?.duration ?? event.end.seconds(since: event.start, local: local)
        let whole = (core?.start.isDate ?? false) && (core?.end.isDate ?? false)
        first.isDate = whole
        var last = first.adding(duration)
        last.isDate = whole
        return (first, last)
    }

    // MARK: windows

    /// The window on any clock, a day wider on both sides than any zone needs.
    private func bounds(of window: CalendarWindow) -> ClosedRange<Int> {
        switch window {
        case .days(let from, let to): from.civil...max(from.civil, to.civil)
        case .instants(let from, let to):
            Self.whole(from)...max(Self.whole(from), Self.whole(to))
        }
    }

    /// Seconds since 1970 of a date, within the years that calendars speak of.
    private static func whole(_ date: Date) -> Int {
        Int(min(max(date.timeIntervalSince1970, -62_135_596_800), 253_402_300_799))
    }

    private func append(
        _ event: CalendarEvent, _ start: CalendarTime, _ end: CalendarTime, in window: CalendarWindow,
        to list: inout [CalendarOccurrence]
    ) {
        let inside =
            switch window {
            case .days(let from, let to):
                Self.overlaps(
                    start.civil, end.zone == start.zone ? end.civil : end.inZone(start.zone, local: local).civil,
                    from.civil, to.civil)
            case .instants(let from, let to):
                Self.overlaps(
                    start.seconds(local: local), end.seconds(local: local), Self.whole(from), Self.whole(to))
            }
        guard inside else { return }
        list.append(
            CalendarOccurrence(
                uid: event.uid, summary: event.summary, start: start, end: end, allDay: start.isDate,
                status: event.status, transparent: event.transparent, categories: event.categories,
                attendees: event.attendees.count,
                declinedBy: Set(event.attendees.filter(\.declined).map(\.address)),
                hasConferenceLink: event.hasConferenceLink))
    }

    /// Something without duration is inside when its start is.
    private static func overlaps(_ start: Int, _ end: Int, _ from: Int, _ to: Int) -> Bool {
        if start == end { return from <= start && start < to }
        if from == to { return start <= from && from < end }
        return start < to && from < end
    }

    // MARK: times

    /// What an instance is known by: its clock time in UTC, then on its own clock.
    private static func keys(_ time: CalendarTime, local: TimeZone) -> [Int] {
        time.zone == .floating ? [time.civil] : [time.seconds(local: local), time.civil]
    }

    /// Start and end made alike, and in order: some files have them swapped.
    private static func ordered(_ event: CalendarEvent, local: TimeZone) -> CalendarEvent {
        var event = event
        if event.start.isDate != event.end.isDate || (event.start.zone == .floating) != (event.end.zone == .floating) {
            let zone = event.start.zone == .floating ? event.end.zone : event.start.zone
            for time in [\CalendarEvent.start, \CalendarEvent.end] {
                event[keyPath: time].isDate = false
                if event[keyPath: time].zone == .floating { event[keyPath: time].zone = zone }
            }
        }
        if event.start.seconds(local: local) > event.end.seconds(local: local) { swap(&event.start, &event.end) }
        return event
    }
}
