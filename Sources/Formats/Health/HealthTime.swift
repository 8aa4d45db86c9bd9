import Protocols

/// Moments as phones print them: in the order year, month, day, with the clock and the digits of the locale.
struct HealthTime: Equatable {
    /// Milliseconds since 1970 of the instant.
    var milliseconds: Int64
    /// Seconds east of Greenwich as printed.
    var offset: Int

    var timestamp: Timestamp { Timestamp(milliseconds: milliseconds) }
}

/// Reads moments; the last day is remembered, because exports are in the order of time.
struct HealthTimeReader {
    private var dayKey = UInt64.max
    private var daySeconds: Int64 = 0

    /// `2026-07-10 00:00:11 -0400`, also `2026-07-10 12:00:11 a. m. +0200` with any white space, `T`, fractions after a
    /// point or a comma, `Z` or `+02:00`.
    ///
    /// - Returns: nil for anything else, also for a time without an offset.
    mutating func read(_ text: RawText) -> HealthTime? {
        guard text.count == 25 else { return Self.slow(text) }
        var digits = true
        @inline(__always) func two(_ at: Int) -> Int64 {
            let (a, b) = (text[at] &- 0x30, text[at + 1] &- 0x30)
            if a > 9 || b > 9 { digits = false }
            return Int64(a) &* 10 &+ Int64(b)
        }
        guard text[10] == 0x20, text[13] == 0x3A, text[16] == 0x3A, text[19] == 0x20,
            text[20] == 0x2B || text[20] == 0x2D
        else { return Self.slow(text) }
        var key: UInt64 = 0
        for index in [2, 3, 4, 5, 6, 7, 8, 9] { key = key << 8 | UInt64(text[index]) }
        if key != dayKey || text[0] != 0x32 || text[1] != 0x30 {
            guard text[4] == 0x2D, text[7] == 0x2D else { return Self.slow(text) }
            let (year, month, day) = (two(0) * 100 + two(2), two(5), two(8))
            guard digits, HealthTime.isDate(Int(year), Int(month), Int(day)) else { return nil }
            daySeconds = Int64(CivilTime.seconds(year: Int(year), month: Int(month), day: Int(day)))
            dayKey = text[0] == 0x32 && text[1] == 0x30 ? key : .max
        }
        let (hour, minute, second) = (two(11), two(14), two(17))
        let (zoneHour, zoneMinute) = (two(21), two(23))
        guard digits, hour < 24, minute < 60, second < 61, zoneHour < 24, zoneMinute < 60 else { return nil }
        let offset = (zoneHour * 3600 + zoneMinute * 60) * (text[20] == 0x2D ? -1 : 1)
        let seconds = daySeconds + hour * 3600 + minute * 60 + second - offset
        return HealthTime(milliseconds: seconds * 1000, offset: Int(offset))
    }

    private static func slow(_ text: RawText) -> HealthTime? {
        guard text.count <= 64 else { return nil }
        return HealthTime.parse(text.text, defaultOffset: nil)
    }
}

extension HealthTime {
    fileprivate static func isDate(_ year: Int, _ month: Int, _ day: Int) -> Bool {
        guard (1900...2200).contains(year), (1...12).contains(month) else { return false }
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        let lengths = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        return (1...lengths[month - 1]).contains(day)
    }

    /// Reads any text such as ``HealthTimeReader`` knows, also a date alone.
    ///
    /// - Parameters:
    ///   - defaultOffset: seconds east of Greenwich for a time that names none; nil refuses it.
    ///   - dayFirst: the second part of the date is the day, the third the month (`2017-19-07`).
    static func parse(_ text: String, defaultOffset: Int?, dayFirst: Bool = false) -> HealthTime? {
        var scanner = TimeScanner(text)
        guard let year = scanner.number(4), scanner.take("-") || scanner.take("/"), let second = scanner.number(2),
            scanner.take("-") || scanner.take("/"), let third = scanner.number(2)
        else { return nil }
        let (month, day) = dayFirst ? (third, second) : (second, third)
        guard isDate(year, month, day) else { return nil }
        scanner.skipSpace()
        if scanner.take("T") || scanner.take("t") {}
        var milliseconds = 0.0
        if !scanner.isAtEnd {
            guard let clock = scanner.clock() else { return nil }
            milliseconds = clock * 1000
        }
        scanner.skipSpace()
        guard let offset = scanner.offset() ?? (scanner.isAtEnd ? defaultOffset : nil), scanner.isAtEnd else {
            return nil
        }
        let midnight = CivilTime.seconds(year: year, month: month, day: day)
        return HealthTime(
            milliseconds: Int64(midnight - offset) * 1000 + Int64(milliseconds.rounded()), offset: offset)
    }

    /// Seconds since the last full hour of a clock time such as `8:33:44.67 PM` or `08:33:44,67`; the fraction is exact to
    /// 0.1 ms. Nil for anything else.
    static func secondsOfHour(_ text: RawText) -> Double? {
        // The hour has one or two digits, both colons and the digits between them are ASCII in every locale seen.
        guard text.count >= 7, text.count <= 32 else { return nil }
        let first = text[1] == 0x3A ? 1 : 2
        guard text[first] == 0x3A, text.count >= first + 6, text[first + 3] == 0x3A else { return nil }
        var value = 0.0
        for (index, weight) in [(first + 1, 600.0), (first + 2, 60), (first + 4, 10), (first + 5, 1)] {
            let digit = text[index] &- 0x30
            guard digit <= 9 else { return nil }
            value += Double(digit) * weight
        }
        var index = first + 6
        guard index < text.count, text[index] == 0x2E || text[index] == 0x2C else { return value < 3600 ? value : nil }
        index += 1
        var fraction = 0
        var scale = 1
        while index < text.count, text[index] &- 0x30 <= 9, scale < 1_000_000 {
            fraction = fraction * 10 + Int(text[index] - 0x30)
            scale *= 10
            index += 1
        }
        value += Double(fraction) / Double(scale)
        return value < 3600 ? value : nil
    }
}

/// Walks over the characters of a printed time.
private struct TimeScanner {
    private var rest: Substring

    init(_ text: String) { rest = Substring(text.trimmed) }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func take(_ character: Character) -> Bool {
        guard rest.first == character else { return false }
        rest.removeFirst()
        return true
    }

    mutating func skipSpace() { while rest.first?.isWhitespace == true { rest.removeFirst() } }

    /// One to so many digits, in any script.
    mutating func number(_ longest: Int) -> Int? {
        var value: Int?
        var count = 0
        while count < longest, let digit = rest.first?.wholeNumberValue, (0...9).contains(digit) {
            value = (value ?? 0) * 10 + digit
            count += 1
            rest.removeFirst()
        }
        return value
    }

    /// Seconds since midnight of `8:33[:44[.67]] [PM]`.
    mutating func clock() -> Double? {
        guard var hour = number(2), take(":"), let minute = number(2), minute < 60 else { return nil }
        var seconds = 0.0
        if take(":") {
            guard let whole = number(2), whole < 61 else { return nil }
            seconds = Double(whole)
            if take(".") || take(",") {
                var scale = 0.1
                while let digit = number(1) {
                    seconds += Double(digit) * scale
                    scale /= 10
                }
            }
        }
        if let half = halfOfDay() {
            guard (1...12).contains(hour) else { return nil }
            hour = hour % 12 + (half ? 12 : 0)
        }
        guard hour < 24 else { return nil }
        return Double(hour * 3600 + minute * 60) + seconds
    }

    /// True for `PM`, `p.m.`, `p. m.`; false for the same with `a`; nil when nothing such follows.
    private mutating func halfOfDay() -> Bool? {
        var probe = self
        probe.skipSpace()
        let letter = probe.rest.first?.lowercased()
        guard letter == "a" || letter == "p" else { return nil }
        probe.rest.removeFirst()
        _ = probe.take(".")
        probe.skipSpace()
        guard probe.take("m") || probe.take("M") else { return nil }
        _ = probe.take(".")
        self = probe
        return letter == "p"
    }

    /// Seconds east of Greenwich of `Z`, `+0200`, `+02:00`, `GMT+2`; nil when nothing such follows.
    mutating func offset() -> Int? {
        if take("Z") || take("z") { return 0 }
        for word in ["GMT", "UTC"] where rest.hasPrefix(word) {
            rest.removeFirst(3)
            if rest.isEmpty { return 0 }
        }
        let sign = take("+") ? 1 : take("-") || take("\u{2212}") ? -1 : 0
        guard sign != 0, let hours = number(2), hours < 24 else { return nil }
        _ = take(":")
        let minutes = rest.isEmpty ? 0 : number(2)
        guard let minutes, minutes < 60 else { return nil }
        return sign * (hours * 3600 + minutes * 60)
    }
}
