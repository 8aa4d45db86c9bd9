import Glibc

/// Bytes of the scanner's buffer, valid only while it hands them out.
struct RawText {
    let start: UnsafePointer<UInt8>
    let count: Int

    subscript(_ index: Int) -> UInt8 { start[index] }

    @inline(__always)
    static func == (text: RawText, word: StaticString) -> Bool {
        text.count == word.utf8CodeUnitCount && memcmp(text.start, word.utf8Start, text.count) == 0
    }

    func hasPrefix(_ word: StaticString) -> Bool {
        count >= word.utf8CodeUnitCount && memcmp(start, word.utf8Start, word.utf8CodeUnitCount) == 0
    }

    func contains(_ word: StaticString) -> Bool {
        let length = word.utf8CodeUnitCount
        var position = 0
        while position + length <= count,
            let found = memchr(start + position, Int32(word.utf8Start[0]), count - position - length + 1)
        {
            position = UnsafePointer(found.assumingMemoryBound(to: UInt8.self)) - start
            if memcmp(start + position, word.utf8Start, length) == 0 { return true }
            position += 1
        }
        return false
    }

    func dropFirst(_ number: Int) -> RawText {
        let number = min(number, count)
        return RawText(start: start + number, count: count - number)
    }

    /// Behind the namespace prefix.
    var local: RawText {
        guard let colon = memchr(start, 0x3A, count) else { return self }
        return dropFirst(colon.assumingMemoryBound(to: UInt8.self) - UnsafeMutablePointer(mutating: start) + 1)
    }

    var bytes: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(start: start, count: count) }

    /// As text: entities resolved, control characters dropped, bytes that are no UTF-8 replaced by U+FFFD.
    var text: String {
        if bytes.allSatisfy({ $0 != 0x26 && $0 >= 0x20 && $0 != 0x7F }) {
            return String(decoding: bytes, as: UTF8.self)
        }
        var clean: [UInt8] = []
        clean.reserveCapacity(count)
        var index = 0
        while index < count {
            let byte = start[index]
            index += 1
            if byte == 0x26, let (scalar, length) = entity(at: index) {
                if scalar.value >= 0x20, scalar.value != 0x7F { clean.append(contentsOf: String(scalar).utf8) }
                index += length
            } else if byte >= 0x20, byte != 0x7F {
                clean.append(byte)
            }
        }
        return String(decoding: clean, as: UTF8.self)
    }

    /// What stands for `&` + these bytes, and how many they are; nil for an `&` that is only an `&`.
    private func entity(at first: Int) -> (Unicode.Scalar, Int)? {
        let limit = min(count, first + 10)
        guard let end = (first..<limit).first(where: { start[$0] == 0x3B }) else { return nil }
        let name = RawText(start: start + first, count: end - first)
        let length = end - first + 1
        if name == "amp" { return ("&", length) }
        if name == "lt" { return ("<", length) }
        if name == "gt" { return (">", length) }
        if name == "quot" { return ("\"", length) }
        if name == "apos" { return ("'", length) }
        guard name.count >= 2, name[0] == 0x23 else { return nil }
        let isHex = name[1] | 0x20 == 0x78
        let digits = String(decoding: name.dropFirst(isHex ? 2 : 1).bytes, as: UTF8.self)
        return UInt32(digits, radix: isHex ? 16 : 10).flatMap(Unicode.Scalar.init).map { ($0, length) }
    }

    private static let powers: [Double] = (0...22).map { (0..<$0).reduce(1.0) { power, _ in power * 10 } }

    /// A decimal number with a point or a comma, white space around it; nil for anything else and for what is not finite.
    var number: Double? {
        var index = 0
        while index < count, start[index] <= 0x20 { index += 1 }
        let isNegative = index < count && start[index] == 0x2D
        if index < count, start[index] == 0x2D || start[index] == 0x2B { index += 1 }
        var mantissa: UInt64 = 0
        var digits = 0
        var fraction = 0
        var inFraction = false
        while index < count {
            let byte = start[index]
            if byte &- 0x30 < 10 {
                // Up to 2⁵³ and 10²² the quotient is rounded once, as strtod's.
                guard mantissa < 900_719_925_474_099 else { return slowNumber }
                mantissa = mantissa * 10 + UInt64(byte - 0x30)
                digits += 1
                if inFraction { fraction += 1 }
            } else if byte == 0x2E || byte == 0x2C, !inFraction {
                inFraction = true
            } else {
                break
            }
            index += 1
        }
        while index < count, start[index] <= 0x20 { index += 1 }
        guard index == count, digits > 0, fraction <= 22 else { return slowNumber }
        let value = Double(mantissa) / Self.powers[fraction]
        return isNegative ? -value : value
    }

    private var slowNumber: Double? {
        guard count <= 64 else { return nil }
        let text = String(decoding: bytes, as: UTF8.self).trimmed.replacing(",", with: ".")
        return Double(text).flatMap { $0.isFinite ? $0 : nil }
    }
}

extension StringProtocol {
    /// Without white space around it.
    var trimmed: String {
        var rest = self[...]
        while rest.first?.isWhitespace == true { rest = rest.dropFirst() }
        while rest.last?.isWhitespace == true { rest = rest.dropLast() }
        return String(rest)
    }
}
