/// Reads the JSON of a hot message from front to back.
///
/// It knows plain JSON and nothing else: at the first surprise (bad syntax, a key twice, null, an overflow, bad UTF-8,
/// a lone surrogate, too deep) it fails for good, and the text is for Foundation to read or to refuse. What it does
/// accept, Foundation reads as the same value.
package struct JSONCursor {
    /// Objects and arrays within each other.
    package static let depthLimit = 64

    private let bytes: [UInt8]
    private var place = 0
    private var depth = 0
    private var key = 0..<0
    /// False after the first surprise.
    package private(set) var isGood = true

    package init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// True when nothing but white space is left and all was good.
    package mutating func isAtEnd() -> Bool {
        skipSpace()
        return isGood && place == bytes.count
    }

    // MARK: - Objects and arrays

    /// Reads `{…}`.
    ///
    /// - Parameter member: called before each value; returns false for a key that it does not know, whose value is skipped.
    package mutating func object(_ member: (inout JSONCursor) -> Bool) {
        guard enter(UInt8(ascii: "{")) else { return }
        if leave(UInt8(ascii: "}")) { return }
        repeat {
            readKey()
            guard isGood else { return }
            if !member(&self) { skipValue() }
        } while next(before: UInt8(ascii: "}"))
    }

    /// Reads `{…}` whose keys are data.
    package mutating func dictionary<Value: FastValue>(of type: Value.Type) -> [String: Value]? {
        var values: [String: Value] = [:]
        guard enter(UInt8(ascii: "{")) else { return nil }
        if leave(UInt8(ascii: "}")) { return values }
        repeat {
            guard let key = string(), take(UInt8(ascii: ":")), values[key] == nil, let value = Value(from: &self)
            else { return refuse() }
            values[key] = value
        } while next(before: UInt8(ascii: "}"))
        return isGood ? values : nil
    }

    /// Reads `[…]`.
    package mutating func array<Value: FastValue>(of type: Value.Type) -> [Value]? {
        var values: [Value] = []
        guard enter(UInt8(ascii: "[")) else { return nil }
        if leave(UInt8(ascii: "]")) { return values }
        repeat {
            guard let value = Value(from: &self) else { return refuse() }
            values.append(value)
        } while next(before: UInt8(ascii: "]"))
        return isGood ? values : nil
    }

    /// Reads the value into `slot` when the present key has this name.
    ///
    /// - Returns: whether it has.
    package mutating func take<Value: FastValue>(_ name: StaticString, _ slot: inout Value?) -> Bool {
        guard isKey(name) else { return false }
        if slot == nil, let value = Value(from: &self) { slot = value } else { isGood = false }
        return true
    }

    // MARK: - Values

    package mutating func bool() -> Bool? {
        if literal("true") { return true }
        if literal("false") { return false }
        return refuse()
    }

    package mutating func integer<Value: FixedWidthInteger>(_ type: Value.Type) -> Value? {
        skipSpace()
        let isNegative = peek == UInt8(ascii: "-")
        if isNegative { place += 1 }
        guard let first = digit else { return refuse() }
        place += 1
        var magnitude = UInt64(first)
        if first == 0 {
            // "-0" and "01" are for Foundation to judge.
            guard !isNegative, digit == nil else { return refuse() }
        } else {
            while let digit {
                place += 1
                let (shifted, over) = magnitude.multipliedReportingOverflow(by: 10)
                let (sum, more) = shifted.addingReportingOverflow(UInt64(digit))
                guard !over, !more else { return refuse() }
                magnitude = sum
            }
        }
        switch peek {
        case UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E"): return refuse()
        default: break
        }
        if isNegative {
            guard magnitude <= UInt64(Int64.max), let value = Value(exactly: -Int64(magnitude)) else { return refuse() }
            return value
        }
        return Value(exactly: magnitude) ?? refuse()
    }

    package mutating func double() -> Double? {
        skipSpace()
        let start = place
        let isNegative = peek == UInt8(ascii: "-")
        if isNegative { place += 1 }
        var mantissa: UInt64 = 0
        var figures = 0
        func add(_ digit: UInt8) {
            if figures > 0 || digit > 0 { figures += 1 }
            if figures <= 15 { mantissa = mantissa &* 10 &+ UInt64(digit) }
        }
        guard let first = digit else { return refuse() }
        place += 1
        add(first)
        if first == 0 {
            guard digit == nil else { return refuse() }
        } else {
            while let digit {
                place += 1
                add(digit)
            }
        }
        var decimals = 0
        if peek == UInt8(ascii: ".") {
            place += 1
            guard digit != nil else { return refuse() }
            while let digit {
                place += 1
                decimals += 1
                add(digit)
            }
        }
        if peek != UInt8(ascii: "e"), peek != UInt8(ascii: "E"), figures <= 15, decimals < Self.powersOfTen.count {
            // Both are exact, so one division rounds once, as reading the digits does.
            let value = Double(mantissa) / Self.powersOfTen[decimals]
            return isNegative ? -value : value
        }
        return longDouble(from: start)
    }

    /// The rare numbers: an exponent, or more digits than one division can do.
    private mutating func longDouble(from start: Int) -> Double? {
        if peek == UInt8(ascii: "e") || peek == UInt8(ascii: "E") {
            place += 1
            if peek == UInt8(ascii: "+") || peek == UInt8(ascii: "-") { place += 1 }
            guard digit != nil else { return refuse() }
            while digit != nil { place += 1 }
        }
        guard let value = Double(String(decoding: bytes[start..<place], as: UTF8.self)), value.isNormal else {
            return refuse()
        }
        return value
    }

    package mutating func string() -> String? {
        guard take(UInt8(ascii: "\"")) else { return nil }
        let start = place
        var isASCII = true
        while let byte = peek, byte >= 0x20, byte != UInt8(ascii: "\\") {
            if byte == UInt8(ascii: "\"") {
                place += 1
                let text = bytes[start..<place - 1]
                if isASCII { return String(decoding: text, as: UTF8.self) }
                return String(validating: text, as: UTF8.self) ?? refuse()
            }
            if byte >= 0x80 { isASCII = false }
            place += 1
        }
        guard peek == UInt8(ascii: "\\") else { return refuse() }
        return escapedString(from: start)
    }

    /// Reads and forgets one value of any kind.
    package mutating func skipValue() {
        skipSpace()
        switch peek {
        case UInt8(ascii: "\""): _ = string()
        case UInt8(ascii: "{"): object { _ in false }
        case UInt8(ascii: "["):
            guard enter(UInt8(ascii: "[")), !leave(UInt8(ascii: "]")) else { return }
            repeat { skipValue() } while next(before: UInt8(ascii: "]"))
        case UInt8(ascii: "t"), UInt8(ascii: "f"): _ = bool()
        case UInt8(ascii: "n"): if !literal("null") { isGood = false }
        default: _ = double()
        }
    }

    // MARK: - Parts

    /// 10^0 … 10^22, all exact.
    private static let powersOfTen: [Double] = [
        1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19,
        1e20, 1e21, 1e22,
    ]

    private var peek: UInt8? { place < bytes.count ? bytes[place] : nil }

    private var digit: UInt8? {
        guard let byte = peek, byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else { return nil }
        return byte - UInt8(ascii: "0")
    }

    private mutating func refuse<Value>() -> Value? {
        isGood = false
        return nil
    }

    private mutating func skipSpace() {
        while let byte = peek, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { place += 1 }
    }

    /// Takes one byte after white space, or fails.
    private mutating func take(_ byte: UInt8) -> Bool {
        skipSpace()
        guard isGood, peek == byte else {
            isGood = false
            return false
        }
        place += 1
        return true
    }

    private mutating func enter(_ bracket: UInt8) -> Bool {
        guard depth < Self.depthLimit, take(bracket) else {
            isGood = false
            return false
        }
        depth += 1
        return true
    }

    /// Takes the closing bracket if it comes next.
    private mutating func leave(_ bracket: UInt8) -> Bool {
        skipSpace()
        guard isGood, peek == bracket else { return false }
        place += 1
        depth -= 1
        return true
    }

    /// After a value: true behind a comma, false behind the closing bracket or after a surprise.
    private mutating func next(before bracket: UInt8) -> Bool {
        guard isGood, !leave(bracket) else { return false }
        return take(UInt8(ascii: ","))
    }

    private mutating func readKey() {
        guard take(UInt8(ascii: "\"")) else { return }
        let start = place
        while let byte = peek, byte != UInt8(ascii: "\"") {
            // An escaped or foreign key might still mean one of ours.
            guard byte >= 0x20, byte < 0x80, byte != UInt8(ascii: "\\") else {
                isGood = false
                return
            }
            place += 1
        }
        key = start..<place
        place += 1
        _ = take(UInt8(ascii: ":"))
    }

    private func isKey(_ name: StaticString) -> Bool {
        guard name.utf8CodeUnitCount == key.count else { return false }
        for offset in 0..<key.count where bytes[key.lowerBound + offset] != name.utf8Start[offset] { return false }
        return true
    }

    private mutating func literal(_ text: StaticString) -> Bool {
        skipSpace()
        guard bytes.count - place >= text.utf8CodeUnitCount else { return false }
        for offset in 0..<text.utf8CodeUnitCount where bytes[place + offset] != text.utf8Start[offset] { return false }
        place += text.utf8CodeUnitCount
        return true
    }

    private mutating func escapedString(from start: Int) -> String? {
        var text = Array(bytes[start..<place])
        while let byte = peek, byte >= 0x20 {
            place += 1
            switch byte {
            case UInt8(ascii: "\""): return String(validating: text, as: UTF8.self) ?? refuse()
            case UInt8(ascii: "\\"): guard escape(into: &text) else { return refuse() }
            default: text.append(byte)
            }
        }
        return refuse()
    }

    private mutating func escape(into text: inout [UInt8]) -> Bool {
        guard let kind = peek else { return false }
        place += 1
        switch kind {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(kind)
        case UInt8(ascii: "b"): text.append(0x08)
        case UInt8(ascii: "f"): text.append(0x0C)
        case UInt8(ascii: "n"): text.append(0x0A)
        case UInt8(ascii: "r"): text.append(0x0D)
        case UInt8(ascii: "t"): text.append(0x09)
        case UInt8(ascii: "u"):
            guard let scalar = unicodeScalar() else { return false }
            text.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
        default: return false
        }
        return true
    }

    /// What follows `\u`: four digits, or two times four for a character beyond U+FFFF.
    private mutating func unicodeScalar() -> Unicode.Scalar? {
        guard let unit = hexUnit() else { return nil }
        guard UTF16.isLeadSurrogate(unit) else { return Unicode.Scalar(unit) }
        guard peek == UInt8(ascii: "\\") else { return nil }
        place += 1
        guard peek == UInt8(ascii: "u") else { return nil }
        place += 1
        guard let trail = hexUnit(), UTF16.isTrailSurrogate(trail) else { return nil }
        return Unicode.Scalar(0x10000 + (UInt32(unit & 0x3FF) << 10 | UInt32(trail & 0x3FF)))
    }

    private mutating func hexUnit() -> UInt16? {
        var unit: UInt16 = 0
        for _ in 0..<4 {
            guard let byte = peek, let figure = Character(Unicode.Scalar(byte)).hexDigitValue else { return nil }
            place += 1
            unit = unit << 4 | UInt16(figure)
        }
        return unit
    }
}
