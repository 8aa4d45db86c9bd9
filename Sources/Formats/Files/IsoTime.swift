/// Times of files as ISO 8601 / RFC 3339 texts.
enum IsoTime {
    /// Seconds since 1970 of `2026-01-02T03:04:05[.678][Z|+01:00]`, or nil. Without an offset it is UTC.
    static func seconds(_ text: String) -> Double? {
        let bytes = Array(text.utf8)
        guard bytes.count >= 19, bytes[4] == 0x2D, bytes[7] == 0x2D, bytes[10] == 0x54 || bytes[10] == 0x20,
            bytes[13] == 0x3A, bytes[16] == 0x3A
        else { return nil }
        func number(_ from: Int, _ count: Int) -> Int? {
            guard from + count <= bytes.count else { return nil }
            var value = 0
            for byte in bytes[from..<from + count] {
                guard (0x30...0x39).contains(byte) else { return nil }
                value = value * 10 + Int(byte - 0x30)
            }
            return value
        }
        guard let year = number(0, 4), let month = number(5, 2), let day = number(8, 2), let hour = number(11, 2),
            let minute = number(14, 2), let second = number(17, 2), (1...12).contains(month), (1...31).contains(day),
            hour < 25, minute < 60, second < 61
        else { return nil }
        var fraction = 0.0
        var index = 19
        if index < bytes.count, bytes[index] == 0x2E || bytes[index] == 0x2C {
            index += 1
            var scale = 0.1
            while index < bytes.count, (0x30...0x39).contains(bytes[index]) {
                fraction += Double(bytes[index] - 0x30) * scale
                scale /= 10
                index += 1
            }
            // Digits are decimal: keep microseconds exact.
            fraction = (fraction * 1_000_000).rounded() / 1_000_000
        }
        var offset = 0
        if index < bytes.count, bytes[index] == 0x2B || bytes[index] == 0x2D {
            let sign = bytes[index] == 0x2B ? 1 : -1
            let colon = index + 3 < bytes.count && bytes[index + 3] == 0x3A
            guard let hours = number(index + 1, 2), let minutes = number(index + (colon ? 4 : 3), 2), hours < 24 else {
                return nil
            }
            guard bytes.count == index + (colon ? 6 : 5) else { return nil }
            offset = sign * (hours * 3600 + minutes * 60)
        } else if index < bytes.count {
            guard bytes[index] == 0x5A, index + 1 == bytes.count else { return nil }
        }
        let civil = CivilTime.seconds(year: year, month: month, day: day, hour: hour, minute: minute, second: second)
        return Double(civil - offset) + fraction
    }
}
