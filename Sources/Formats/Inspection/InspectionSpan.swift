import Foundation

/// The days or moments that an inspection is asked about; each side may be open.
struct InspectionSpan {
    private enum Edge {
        case day(CalendarDay)
        case moment(Date)

        func date(_ zone: TimeZone) -> Date {
            switch self {
            case .day(let day): CalendarTime(civil: day.civil, isDate: true, zone: .floating).instant(local: zone)
            case .moment(let date): date
            }
        }
    }

    private let from: Edge?
    private let to: Edge?
    private let timeZone: TimeZone

    /// - Throws: ``FormatError`` when a text is neither a date nor RFC 3339, or the end lies before the start.
    init(from: String?, to: String?, timeZone: TimeZone) throws(FormatError) {
        self.timeZone = timeZone
        self.from = try Self.edge(from, "--from")
        self.to = try Self.edge(to, "--to")
        if let from = self.from, let to = self.to, from.date(timeZone) > to.date(timeZone) {
            throw FormatError(file: "--to", cause: "lies before --from", cure: "swap the two")
        }
    }

    private static func edge(_ text: String?, _ name: String) throws(FormatError) -> Edge? {
        guard let text else { return nil }
        if let day = CalendarDay(text) { return .day(day) }
        if let seconds = IsoTime.seconds(text) { return .moment(Date(timeIntervalSince1970: seconds)) }
        throw FormatError(
            file: name, cause: "'\(text.prefix(40))' is not a date",
            cure: "write 2026-01-31, or 2026-01-31T12:00:00Z")
    }

    /// The stretch to expand a calendar for.
    func window(default own: CalendarWindow?) -> CalendarWindow? {
        var first = from
        var last = to
        if case .days(let start, let end) = own {
            first = first ?? .day(start)
            last = last ?? .day(end)
        }
        switch (first, last) {
        case (.day(let from), .day(let to)): return .days(from: from, to: Swift.max(from, to))
        case (let from?, let to?):
            return .instants(from: from.date(timeZone), to: Swift.max(from.date(timeZone), to.date(timeZone)))
        default: return nil
        }
    }

    /// True when a local day (`2026-01-31`) has a part in it.
    func contains(day: String, _ zone: TimeZone) -> Bool {
        guard let day = CalendarDay(day) else { return false }
        let start = Edge.day(day).date(zone)
        let end = Edge.day(day.adding(days: 1)).date(zone)
        return (from.map { end > $0.date(zone) } ?? true) && (to.map { start < $0.date(zone) } ?? true)
    }
}
