import Protocols

/// Times as recordings write them.
enum RecordingTime {
    /// RFC 3339 (`2016-05-10T06:55:26.250Z`, with `Z` or an offset, `T` or a space), or Unix time as a number: in
    /// seconds, or in milliseconds from 10¹¹ on.
    ///
    /// - Returns: nil for anything else, also for a time without a zone: it would be a guess.
    static func parse(_ text: some StringProtocol) -> Timestamp? {
        if let number = Double(text) {
            guard number.isFinite, number >= 0, number < 1e14 else { return nil }
            return Timestamp(milliseconds: Int64((number >= 1e11 ? number : number * 1000).rounded()))
        }
        let bytes = Array(text.utf8)
        guard bytes.count >= 20, bytes[4] == 0x2D, bytes[7] == 0x2D,
            bytes[10] == 0x54 || bytes[10] == 0x20 || bytes[10] == 0x74,
            bytes[13] == 0x3A, bytes[16] == 0x3A,
            let year = digits(bytes, 0, 4), let month = digits(bytes, 5, 2), let day = digits(bytes, 8, 2),
            let hour = digits(bytes, 11, 2), let minute = digits(bytes, 14, 2), let second = digits(bytes, 17, 2),
            (1...12).contains(month), (1...31).contains(day), hour < 24, minute < 60, second <= 60
        else { return nil }
        var index = 19
        var milliseconds: Int64 = 0
        if bytes[index] == 0x2E {
            index += 1
            var scale: Int64 = 100
            let first = index
            while index < bytes.count, (0x30...0x39).contains(bytes[index]) {
                milliseconds += Int64(bytes[index] - 0x30) * scale
                scale /= 10
                index += 1
            }
            guard index > first else { return nil }
        }
        guard let zone = offset(bytes[index...]) else { return nil }
        let seconds = days(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second - zone * 60
        return Timestamp(milliseconds: seconds * 1000 + milliseconds)
    }

    /// Minutes east of Greenwich.
    private static func offset(_ text: ArraySlice<UInt8>) -> Int64? {
        let bytes = Array(text)
        if bytes == [0x5A] || bytes == [0x7A] { return 0 }
        guard bytes.count == 6, bytes[3] == 0x3A, let hours = digits(bytes, 1, 2), let minutes = digits(bytes, 4, 2),
            hours < 24, minutes < 60
        else { return nil }
        switch bytes[0] {
        case 0x2B: return hours * 60 + minutes
        case 0x2D: return -(hours * 60 + minutes)
        default: return nil
        }
    }

    private static func digits(_ bytes: [UInt8], _ start: Int, _ count: Int) -> Int64? {
        var value: Int64 = 0
        for byte in bytes[start..<(start + count)] {
            guard (0x30...0x39).contains(byte) else { return nil }
            value = value * 10 + Int64(byte - 0x30)
        }
        return value
    }

    /// Days since 1970-01-01 of a date of the Gregorian calendar.
    ///
    /// Source: Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms", `days_from_civil`.
    private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        let y = month <= 2 ? year - 1 : year
        let era = (y >= 0 ? y : y - 399) / 400
        let yearOfEra = y - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }
}
