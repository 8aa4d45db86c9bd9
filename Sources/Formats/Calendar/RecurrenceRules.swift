import CIcal
import Synchronization

/// Everything that goes through libical: one caller at a time, since its parser and zones keep global state.
enum LibIcal {
    private static let gate = Mutex(())

    static func exclusively<Result: Sendable, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try gate.withLock { (_) throws(Failure) -> Result in try body() }
    }
}

/// Expands recurrence rules (RFC 5545, 3.3.10) with libical's iterator.
enum RecurrenceRules {
    /// Steps that one rule may take: a daily rule of 500 years needs 183 k. A foreign `FREQ=SECONDLY` stops here.
    static let mostSteps = 200_000

    struct Expansion: Equatable, Sendable {
        /// Clock times, in order.
        var civils: [Int] = []
        /// The rule was not followed to the end.
        var cut = false
    }

    /// The clock times of a rule within `range`, both ends included.
    ///
    /// - Parameters:
    ///   - rule: without UNTIL.
    ///   - start: DTSTART on its own clock; the rule counts from it.
    ///   - until: last clock time that counts.
    static func expand(
        _ rule: String, start: Int, isDate: Bool, until: Int?, range: ClosedRange<Int>, most: Int = mostSteps
    ) -> Expansion {
        LibIcal.exclusively { unguarded(rule, start: start, isDate: isDate, until: until, range: range, most: most) }
    }

    /// The same for callers that hold the gate.
    static func unguarded(
        _ rule: String, start: Int, isDate: Bool, until: Int?, range: ClosedRange<Int>, most: Int = mostSteps
    ) -> Expansion {
        var parsed = icalrecurrencetype_from_string(rule)
        guard parsed.freq != ICAL_NO_RECURRENCE else { return Expansion() }
        let end = min(until ?? range.upperBound, range.upperBound)
        guard end >= start else { return Expansion() }
        let fine = parsed.freq == ICAL_SECONDLY_RECURRENCE || parsed.freq == ICAL_MINUTELY_RECURRENCE
        // Libical looks second by second for a day that fits: for ever when there is none.
        if fine, ["BYMONTH", "BYDAY", "BYYEARDAY", "BYWEEKNO", "BYHOUR", "BYSETPOS"].contains(where: rule.contains) {
            return Expansion(civils: range.contains(start) ? [start] : [], cut: true)
        }
        if parsed.count == 0 { parsed.until = icalTime(end, isDate: isDate) }
        guard let iterator = icalrecur_iterator_new(parsed, icalTime(start, isDate: isDate)) else {
            return Expansion()
        }
        defer { icalrecur_iterator_free(iterator) }
        if parsed.count == 0, range.lowerBound > start, fine || parsed.freq == ICAL_HOURLY_RECURRENCE {
            _ = icalrecur_iterator_set_start(iterator, icalTime(range.lowerBound, isDate: isDate))
        }
        var result = Expansion()
        for _ in 0..<most {
            let time = icalrecur_iterator_next(iterator)
            guard icaltime_is_null_time(time) == 0 else { return result }
            let civil = civil(time)
            guard civil <= end else { return result }
            if civil >= range.lowerBound { result.civils.append(civil) }
        }
        result.cut = true
        return result
    }

    static func icalTime(_ civil: Int, isDate: Bool) -> icaltimetype {
        var time = icaltime_null_time()
        let date = CivilTime.date(civil)
        let rest = civil - CivilTime.midnight(civil)
        time.year = Int32(clamping: date.year)
        time.month = Int32(date.month)
        time.day = Int32(date.day)
        time.hour = Int32(rest / 3600)
        time.minute = Int32(rest / 60 % 60)
        time.second = Int32(rest % 60)
        time.is_date = isDate ? 1 : 0
        return time
    }

    static func civil(_ time: icaltimetype) -> Int {
        CivilTime.seconds(
            year: Int(time.year), month: Int(time.month), day: Int(time.day),
            hour: time.is_date == 1 ? 0 : Int(time.hour),
            minute: time.is_date == 1 ? 0 : Int(time.minute), second: time.is_date == 1 ? 0 : Int(time.second))
    }
}
