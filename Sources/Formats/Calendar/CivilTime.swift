/// Calendar dates and clock times as seconds since 1970-01-01T00:00:00 of the same clock, whatever its zone.
enum CivilTime {
    static let day = 86_400

    /// Source: H. Hinnant, "chrono-compatible low-level date algorithms", days_from_civil; proleptic Gregorian.
    static func seconds(year: Int, month: Int, day: Int, hour: Int = 0, minute: Int = 0, second: Int = 0) -> Int {
        let shifted = month <= 2 ? year - 1 : year
        let era = (shifted >= 0 ? shifted : shifted - 399) / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return (era * 146_097 + dayOfEra - 719_468) * Self.day + hour * 3600 + minute * 60 + second
    }

    /// Midnight of the same day.
    static func midnight(_ seconds: Int) -> Int {
        seconds >= 0 ? seconds / day * day : -((-seconds + day - 1) / day) * day
    }

    /// Source: H. Hinnant, civil_from_days.
    static func date(_ seconds: Int) -> (year: Int, month: Int, day: Int) {
        let days = midnight(seconds) / day + 719_468
        let era = (days >= 0 ? days : days - 146_096) / 146_097
        let dayOfEra = days - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shifted = (5 * dayOfYear + 2) / 153
        let month = shifted < 10 ? shifted + 3 : shifted - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shifted + 2) / 5 + 1)
    }

    /// `2026-01-02`.
    static func dateText(_ seconds: Int) -> String {
        let date = date(seconds)
        return "\(padded(date.year, 4))-\(padded(date.month))-\(padded(date.day))"
    }

    /// `2026-01-02T03:04:05`.
    static func text(_ seconds: Int) -> String {
        let rest = seconds - midnight(seconds)
        return "\(dateText(seconds))T\(padded(rest / 3600)):\(padded(rest / 60 % 60)):\(padded(rest % 60))"
    }

    static func padded(_ number: Int, _ width: Int = 2) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}
