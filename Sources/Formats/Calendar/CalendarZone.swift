import Foundation

/// The clock that a time of a calendar is read on.
package enum CalendarZone: Hashable, Sendable {
    case utc
    /// No zone is given: the time is meant wherever the listener is.
    case floating
    case named(TimeZone)
    /// Described by a `VTIMEZONE` of the file, under a name that the system does not know.
    case described(DescribedZone)

    /// The moment of a clock time. In the hour that comes twice it is the first one, in the hour that is left out it is
    /// read with the offset before it (as PEP 495 with fold 0).
    ///
    /// - Parameter local: the listener's zone, for floating times.
    func instant(civil: Int, local: TimeZone) -> Int {
        if case .utc = self { return civil }
        let before = civil - offset(at: civil - CivilTime.day, local: local)
        if offset(at: before, local: local) == civil - before { return before }
        let after = civil - offset(at: civil + CivilTime.day, local: local)
        return offset(at: after, local: local) == civil - after ? after : before
    }

    /// Seconds east of UTC at a moment (seconds since 1970).
    func offset(at instant: Int, local: TimeZone) -> Int {
        switch self {
        case .utc: 0
        case .floating: local.secondsFromGMT(for: Date(timeIntervalSince1970: Double(instant)))
        case .named(let zone): zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(instant)))
        case .described(let zone): zone.offset(at: instant)
        }
    }
}

/// A zone as a file describes it: its changes of offset, oldest first.
package struct DescribedZone: Hashable, Sendable {
    struct Change: Hashable, Sendable {
        /// Seconds since 1970.
        var at: Int
        /// Seconds east of UTC from then on.
        var offset: Int
    }

    let name: String
    /// Before the first change.
    let firstOffset: Int
    let changes: [Change]

    func offset(at instant: Int) -> Int {
        var low = 0
        var high = changes.count
        while low < high {
            let middle = (low + high) / 2
            if changes[middle].at <= instant { low = middle + 1 } else { high = middle }
        }
        return low == 0 ? firstOffset : changes[low - 1].offset
    }
}

/// A time of a calendar: a clock time in a zone, or a whole day.
package struct CalendarTime: Hashable, Sendable {
    /// Clock time as seconds since 1970-01-01T00:00:00 of that clock.
    package var civil: Int
    /// A day without a time.
    package var isDate: Bool
    package var zone: CalendarZone

    /// - Parameter local: the listener's zone, for days and floating times.
    package func instant(local: TimeZone) -> Date {
        Date(timeIntervalSince1970: Double(seconds(local: local)))
    }

    func seconds(local: TimeZone) -> Int { zone.instant(civil: civil, local: local) }

    /// RFC 3339 with the offset of its zone (floating: of `local`); a day is only its date.
    package func text(local: TimeZone) -> String {
        if isDate { return CivilTime.dateText(civil) }
        let offset = civil - seconds(local: local)
        let minutes = abs(offset) / 60
        let sign = offset < 0 ? "-" : "+"
        return "\(CivilTime.text(civil))\(sign)\(CivilTime.padded(minutes / 60)):\(CivilTime.padded(minutes % 60))"
    }

    /// The same moment on another clock; days and floating times keep their clock time.
    func inZone(_ other: CalendarZone, local: TimeZone) -> CalendarTime {
        guard zone != .floating, other != .floating, zone != other else {
            return CalendarTime(civil: civil, isDate: false, zone: zone == .floating ? other : zone)
        }
        let instant = seconds(local: local)
        return CalendarTime(civil: instant + other.offset(at: instant, local: local), isDate: false, zone: other)
    }

    func adding(_ seconds: Int) -> CalendarTime {
        CalendarTime(civil: civil + seconds, isDate: isDate, zone: zone)
    }

    /// Seconds from `earlier`: on the clock when both share one, else of real time.
    func seconds(since earlier: CalendarTime, local: TimeZone) -> Int {
        zone == earlier.zone ? civil - earlier.civil : seconds(local: local) - earlier.seconds(local: local)
    }
}
