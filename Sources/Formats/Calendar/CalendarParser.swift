import CIcal
import Foundation

/// Turns the text of a calendar into plain values by libical. The caller holds the gate of ``LibIcal``.
struct CalendarParser {
    let file: String
    private var zones: [String: CalendarZone] = [:]
    /// `X-WR-TIMEZONE`: what UTC and floating times of the file are meant in.
    private var fileZone: CalendarZone?
    private var notes: [String] = []
    private var events: [CalendarEvent] = []

    private static let mostEvents = 200_000
    private static let mostNotes = 20
    private static let links = [
        "zoom.us/", "meet.google.com/", "teams.microsoft.com/", "teams.live.com/", "webex.com/", "whereby.com/",
        "meet.jit.si/", "facetime.apple.com/", "gotomeeting.com/", "bluejeans.com/", "bigbluebutton", "chime.aws/",
    ]

    init(file: String) { self.file = file }

    /// - Parameter text: with a NUL at its end.
    consuming func parse(_ text: [UInt8]) throws(FormatError) -> CalendarFile {
        let root = text.withUnsafeBufferPointer { bytes in
            bytes.withMemoryRebound(to: CChar.self) { $0.baseAddress.flatMap { icalparser_parse_string($0) } }
        }
        guard let root else {
            throw FormatError(file: file, cause: "is not iCalendar", cure: "check that it is a calendar file")
        }
        defer { icalcomponent_free(root) }
        readZones(root)
        try readEvents(root)
        return CalendarFile(source: file, events: events, notes: notes)
    }

    private mutating func note(_ text: String) {
        if notes.count < Self.mostNotes { notes.append(text) }
    }

    // MARK: components

    private static func children(
        _ parent: OpaquePointer, _ kind: icalcomponent_kind = ICAL_ANY_COMPONENT
    ) -> [OpaquePointer] {
        var list: [OpaquePointer] = []
        var child = icalcomponent_get_first_component(parent, kind)
        while let found = child {
            list.append(found)
            child = icalcomponent_get_next_component(parent, kind)
        }
        return list
    }

    private static func properties(_ component: OpaquePointer, _ kind: icalproperty_kind) -> [OpaquePointer] {
        var list: [OpaquePointer] = []
        var property = icalcomponent_get_first_property(component, kind)
        while let found = property {
            list.append(found)
            property = icalcomponent_get_next_property(component, kind)
        }
        return list
    }

    /// The unescaped text of a property.
    private static func text(_ property: OpaquePointer) -> String {
        guard let value = icalproperty_get_value(property) else { return "" }
        // Libical hands out whatever union member is asked for: the kind must be checked first.
        if icalvalue_isa(value) == ICAL_TEXT_VALUE, let text = icalvalue_get_text(value) {
            return String(cString: text)
        }
        return icalproperty_get_value_as_string(property).map { String(cString: $0) } ?? ""
    }

    private static func text(_ component: OpaquePointer, _ kind: icalproperty_kind) -> String {
        icalcomponent_get_first_property(component, kind).map { text($0) } ?? ""
    }

    private static func extension_(_ component: OpaquePointer, _ name: String) -> String? {
        properties(component, ICAL_X_PROPERTY)
            .first { icalproperty_get_x_name($0).map { String(cString: $0).uppercased() } == name }
            .map { property in
                icalproperty_get_value_as_string(property).map { String(cString: $0) } ?? ""
            }
    }

    // MARK: zones

    private mutating func readZones(_ component: OpaquePointer) {
        if let name = Self.extension_(component, "X-WR-TIMEZONE") {
            fileZone = fileZone ?? Self.systemZone(name).map(CalendarZone.named)
        }
        for child in Self.children(component) {
            if icalcomponent_isa(child) == ICAL_VTIMEZONE_COMPONENT {
                let name = Self.text(child, ICAL_TZID_PROPERTY)
                if !name.isEmpty, zones[name] == nil {
                    zones[name] =
                        Self.systemZone(name).map(CalendarZone.named)
                        ?? Self.described(child, name).map(CalendarZone.described)
                }
            } else if icalcomponent_isa(child) == ICAL_VCALENDAR_COMPONENT {
                readZones(child)
            }
        }
    }

    /// A zone of the system by its IANA name, by a Windows name, or by a longer id that ends in an IANA name.
    static func systemZone(_ id: String) -> TimeZone? {
        let name = id.trimmingCharacters(in: CharacterSet(charactersIn: "\"' :"))
        if let iana = WindowsZones.iana[name] { return TimeZone(identifier: iana) }
        if let zone = TimeZone(identifier: name), name.contains("/") || name == "UTC" || name == "GMT" { return zone }
        let parts = name.split(separator: "/")
        for count in [3, 2] where parts.count > count {
            if let zone = TimeZone(identifier: parts.suffix(count).joined(separator: "/")) { return zone }
        }
        return nil
    }

    /// The changes of offset of a VTIMEZONE, until 2100.
    private static func described(_ component: OpaquePointer, _ name: String) -> DescribedZone? {
        let horizon = CivilTime.seconds(year: 2100, month: 1, day: 1)
        var changes: [(at: Int, from: Int, to: Int)] = []
        for part in children(component) {
            guard let startProperty = icalcomponent_get_first_property(part, ICAL_DTSTART_PROPERTY),
                let fromProperty = icalcomponent_get_first_property(part, ICAL_TZOFFSETFROM_PROPERTY),
                let toProperty = icalcomponent_get_first_property(part, ICAL_TZOFFSETTO_PROPERTY)
            else { continue }
            let start = RecurrenceRules.civil(icalproperty_get_dtstart(startProperty))
            let from = Int(icalproperty_get_tzoffsetfrom(fromProperty))
            let to = Int(icalproperty_get_tzoffsetto(toProperty))
            guard abs(from) < CivilTime.day, abs(to) < CivilTime.day else { continue }
            var onsets: Set = [start]
            for property in properties(part, ICAL_RRULE_PROPERTY) {
                guard let rule = rule(property) else { continue }
                let until = rule.until.map { $0.zone == .utc ? $0.civil + from : $0.civil }
                let more = RecurrenceRules.unguarded(
                    rule.text, start: start, isDate: false, until: until, range: start...max(start, horizon), most: 1000
                )
                onsets.formUnion(more.civils)
            }
            for property in properties(part, ICAL_RDATE_PROPERTY) {
                onsets.insert(RecurrenceRules.civil(icalproperty_get_rdate(property).time))
            }
            changes.append(contentsOf: onsets.map { ($0 - from, from, to) })
        }
        changes.sort { $0.at < $1.at }
        guard let first = changes.first else { return nil }
        return DescribedZone(
            name: name, firstOffset: first.from,
            changes: changes.map { DescribedZone.Change(at: $0.at, offset: $0.to) })
    }

    private func zone(of property: OpaquePointer) -> CalendarZone {
        guard let parameter = icalproperty_get_first_parameter(property, ICAL_TZID_PARAMETER),
            let id = icalparameter_get_tzid(parameter).map({ String(cString: $0) })
        else { return fileZone ?? .floating }
        if let zone = zones[id] { return zone }
        // An unknown name is read as local time: the likeliest meaning for the owner of the file.
        return Self.systemZone(id).map(CalendarZone.named) ?? .floating
    }

    // MARK: times

    private func time(_ time: icaltimetype, _ property: OpaquePointer) -> CalendarTime? {
        guard icaltime_is_null_time(time) == 0, (1...9999).contains(time.year), (1...12).contains(time.month),
            (1...31).contains(time.day)
        else { return nil }
        let civil = RecurrenceRules.civil(time)
        if time.is_date == 1 { return CalendarTime(civil: civil, isDate: true, zone: .floating) }
        guard icaltime_is_utc(time) == 1 else {
            return CalendarTime(civil: civil, isDate: false, zone: zone(of: property))
        }
        let utc = CalendarTime(civil: civil, isDate: false, zone: .utc)
        return fileZone.map { utc.inZone($0, local: .gmt) } ?? utc
    }

    private static func rule(_ property: OpaquePointer) -> CalendarRule? {
        var rule = icalproperty_get_rrule(property)
        guard rule.freq != ICAL_NO_RECURRENCE else { return nil }
        var until: CalendarTime?
        if icaltime_is_null_time(rule.until) == 0 {
            until = CalendarTime(
                civil: RecurrenceRules.civil(rule.until), isDate: rule.until.is_date == 1,
                zone: icaltime_is_utc(rule.until) == 1 ? .utc : .floating)
        }
        rule.until = icaltime_null_time()
        guard let raw = icalrecurrencetype_as_string_r(&rule) else { return nil }
        defer { icalmemory_free_buffer(raw) }
        return CalendarRule(text: String(cString: raw), until: until)
    }

    // MARK: events

    private mutating func readEvents(_ component: OpaquePointer) throws(FormatError) {
        if icalcomponent_isa(component) == ICAL_VEVENT_COMPONENT { return try readEvent(component) }
        for child in Self.children(component) {
            let kind = icalcomponent_isa(child)
            if kind == ICAL_VEVENT_COMPONENT || kind == ICAL_VCALENDAR_COMPONENT { try readEvents(child) }
        }
    }

    private mutating func readEvent(_ component: OpaquePointer) throws(FormatError) {
        guard events.count < Self.mostEvents else {
            throw FormatError(file: file, cause: "has more than \(Self.mostEvents) events", cure: "split the calendar")
        }
        let uid = Self.text(component, ICAL_UID_PROPERTY)
        for property in Self.properties(component, ICAL_XLICERROR_PROPERTY) {
            note("event \(uid.isEmpty ? "without uid" : uid): \(Self.text(property).prefix(160))")
        }
        guard let startProperty = icalcomponent_get_first_property(component, ICAL_DTSTART_PROPERTY),
            let start = time(icalproperty_get_dtstart(startProperty), startProperty)
        else {
            note("event \(uid.isEmpty ? "without uid" : uid): no readable DTSTART, left out")
            return
        }
        var event = CalendarEvent(
            uid: uid,
            summary: Self.text(component, ICAL_SUMMARY_PROPERTY).replacing(CalendarFile.trimGuard, with: ""),
            start: start,
            end: end(component, start), status: Self.status(component))
        event.transparent =
            Self.text(component, ICAL_TRANSP_PROPERTY).uppercased() == "TRANSPARENT"
            || Self.extension_(component, "X-MICROSOFT-CDO-BUSYSTATUS")?.uppercased() == "FREE"
        event.categories = Self.properties(component, ICAL_CATEGORIES_PROPERTY)
            .flatMap { Self.text($0).split(separator: ",") }.map { $0.trimmingCharacters(in: .whitespaces) }
        event.attendees = Self.properties(component, ICAL_ATTENDEE_PROPERTY).map(Self.attendee)
        event.hasConferenceLink = Self.hasConferenceLink(component)
        event.sequence = Int(Self.text(component, ICAL_SEQUENCE_PROPERTY)) ?? -1
        readRecurrence(component, into: &event)
        events.append(event)
    }

    private mutating func readRecurrence(_ component: OpaquePointer, into event: inout CalendarEvent) {
        for property in Self.properties(component, ICAL_RRULE_PROPERTY) {
            guard let rule = Self.rule(property) else { continue }
            if !event.rules.contains(rule) { event.rules.append(rule) }
        }
        event.exclusions = Self.properties(component, ICAL_EXDATE_PROPERTY)
            .compactMap { time(icalproperty_get_exdate($0), $0) }
        event.additions = Self.properties(component, ICAL_RDATE_PROPERTY).compactMap(addition)
        if let property = icalcomponent_get_first_property(component, ICAL_RECURRENCEID_PROPERTY) {
            event.recurrenceId = time(icalproperty_get_recurrenceid(property), property)
            if let range = icalproperty_get_first_parameter(property, ICAL_RANGE_PARAMETER) {
                event.thisAndFuture = icalparameter_get_range(range) == ICAL_RANGE_THISANDFUTURE
            }
        }
    }

    private func addition(_ property: OpaquePointer) -> CalendarEvent.Addition? {
        let value = icalproperty_get_rdate(property)
        if icaltime_is_null_time(value.time) == 0 {
            return time(value.time, property).map { CalendarEvent.Addition(start: $0, duration: nil) }
        }
        guard let start = time(value.period.start, property) else { return nil }
        if let end = time(value.period.end, property) {
            return CalendarEvent.Addition(start: start, duration: end.seconds(since: start, local: .gmt))
        }
        return CalendarEvent.Addition(start: start, duration: Int(icaldurationtype_as_int(value.period.duration)))
    }

    private func end(_ component: OpaquePointer, _ start: CalendarTime) -> CalendarTime {
        if let property = icalcomponent_get_first_property(component, ICAL_DTEND_PROPERTY),
            let end = time(icalproperty_get_dtend(property), property)
        {
            return end
        }
        if let property = icalcomponent_get_first_property(component, ICAL_DURATION_PROPERTY) {
            let seconds = Int(icaldurationtype_as_int(icalproperty_get_duration(property)))
            var end = start.adding(seconds)
            if seconds % CivilTime.day != 0 { end.isDate = false }
            return end
        }
        return start.isDate ? start.adding(CivilTime.day) : start
    }

    private static func status(_ component: OpaquePointer) -> String {
        guard let property = icalcomponent_get_first_property(component, ICAL_STATUS_PROPERTY) else { return "" }
        return icalproperty_get_value_as_string(property).map { String(cString: $0).uppercased() } ?? ""
    }

    private static func attendee(_ property: OpaquePointer) -> CalendarEvent.Attendee {
        let address = icalproperty_get_attendee(property).map { String(cString: $0).lowercased() } ?? ""
        let declined = icalproperty_get_first_parameter(property, ICAL_PARTSTAT_PARAMETER)
            .map { icalparameter_get_partstat($0) == ICAL_PARTSTAT_DECLINED }
        return CalendarEvent.Attendee(
            address: address.hasPrefix("mailto:") ? String(address.dropFirst(7)) : address, declined: declined ?? false)
    }

    private static func hasConferenceLink(_ component: OpaquePointer) -> Bool {
        if extension_(component, "X-GOOGLE-CONFERENCE") != nil
            || extension_(component, "X-MICROSOFT-SKYPETEAMSMEETINGURL") != nil
            || icalcomponent_get_first_property(component, ICAL_CONFERENCE_PROPERTY) != nil
        {
            return true
        }
        let places = [ICAL_LOCATION_PROPERTY, ICAL_URL_PROPERTY, ICAL_DESCRIPTION_PROPERTY].map {
            text(component, $0).lowercased()
        }
        return places.contains { place in links.contains { place.contains($0) } }
    }
}
