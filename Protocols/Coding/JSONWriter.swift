/// Writes the JSON of a hot message, byte for byte as Foundation's encoder does with sorted keys and plain slashes.
///
/// The members of an object must be written in the order of their keys' bytes. What has no JSON, a number that is not
/// finite, marks the text as refused: Foundation then says why.
package struct JSONWriter {
    /// What was written so far.
    package private(set) var bytes: [UInt8] = []
    /// True once something had no JSON: the text is worthless.
    package private(set) var isRefused = false
    private var needsComma = false

    package init(capacity: Int = 320) { bytes.reserveCapacity(capacity) }

    /// Writes `{…}`.
    package mutating func object(_ members: (inout JSONWriter) -> Void) {
        open(UInt8(ascii: "{"))
        members(&self)
        close(UInt8(ascii: "}"))
    }

    /// Writes `"key":value`.
    package mutating func member(_ key: StaticString, _ value: some FastValue) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        bytes.append(contentsOf: UnsafeBufferPointer(start: key.utf8Start, count: key.utf8CodeUnitCount))
        bytes.append(UInt8(ascii: "\""))
        bytes.append(UInt8(ascii: ":"))
        value.write(to: &self)
    }

    /// Writes `"key":value`, or nothing for nil.
    package mutating func member(_ key: StaticString, _ value: (some FastValue)?) {
        if let value { member(key, value) }
    }

    /// Writes an object whose keys are data, in the order of their bytes.
    package mutating func dictionary(_ values: [String: some FastValue]) {
        open(UInt8(ascii: "{"))
        for key in values.keys.sorted(by: { $0.utf8.lexicographicallyPrecedes($1.utf8) }) {
            guard let value = values[key] else { continue }
            separate()
            string(key)
            bytes.append(UInt8(ascii: ":"))
            value.write(to: &self)
        }
        close(UInt8(ascii: "}"))
    }

    package mutating func array(_ values: [some FastValue]) {
        open(UInt8(ascii: "["))
        for value in values {
            separate()
            value.write(to: &self)
        }
        close(UInt8(ascii: "]"))
    }

    package mutating func bool(_ value: Bool) {
        literal(value ? "true" : "false")
    }

    package mutating func integer(_ value: some FixedWidthInteger) {
        if value < 0 { bytes.append(UInt8(ascii: "-")) }
        digits(UInt64(value.magnitude), atLeast: 1)
    }

    /// Writes the shortest digits that read back as `value`, without a final `.0`.
    package mutating func number(_ value: Double) {
        guard value.isFinite else {
            isRefused = true
            return
        }
        // At most 12 digits with 3 decimals: two such decimals never share a double, so if dividing gives the value
        // back, these are its shortest digits. −0 is no such number.
        let thousandths = (value * 1000).rounded()
        if abs(thousandths) < 1e12, thousandths / 1000 == value, value != 0 || value.sign == .plus {
            if value < 0 { bytes.append(UInt8(ascii: "-")) }
            let magnitude = UInt64(abs(thousandths))
            digits(magnitude / 1000, atLeast: 1)
            fraction(magnitude % 1000)
            return
        }
        var text = value.description[...]
        if text.hasSuffix(".0") { text.removeLast(2) }
        bytes.append(contentsOf: text.utf8)
    }

    package mutating func string(_ value: String) {
        bytes.append(UInt8(ascii: "\""))
        var value = value
        value.withUTF8 { text in
            var start = 0
            for (index, byte) in text.enumerated() where byte < 0x20 || byte == 0x22 || byte == 0x5C {
                bytes.append(contentsOf: UnsafeBufferPointer(rebasing: text[start..<index]))
                escape(byte)
                start = index + 1
            }
            bytes.append(contentsOf: UnsafeBufferPointer(rebasing: text[start...]))
        }
        bytes.append(UInt8(ascii: "\""))
    }

    // MARK: - Parts

    private mutating func open(_ bracket: UInt8) {
        bytes.append(bracket)
        needsComma = false
    }

    private mutating func close(_ bracket: UInt8) {
        bytes.append(bracket)
        needsComma = true
    }

    private mutating func separate() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
        needsComma = true
    }

    private mutating func literal(_ text: StaticString) {
        bytes.append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    /// At least `count` digits, filled up with zeros from the left.
    private mutating func digits(_ value: UInt64, atLeast count: Int) {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { buffer in
            var rest = value
            var start = 20
            while rest > 0 || 20 - start < count {
                start -= 1
                buffer[start] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
                rest /= 10
            }
            bytes.append(contentsOf: UnsafeBufferPointer(rebasing: buffer[start...]))
        }
    }

    private mutating func fraction(_ thousandths: UInt64) {
        guard thousandths > 0 else { return }
        bytes.append(UInt8(ascii: "."))
        if thousandths % 100 == 0 {
            digits(thousandths / 100, atLeast: 1)
        } else if thousandths % 10 == 0 {
            digits(thousandths / 10, atLeast: 2)
        } else {
            digits(thousandths, atLeast: 3)
        }
    }

    private mutating func escape(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""): literal("\\\"")
        case UInt8(ascii: "\\"): literal("\\\\")
        case 0x08: literal("\\b")
        case 0x09: literal("\\t")
        case 0x0A: literal("\\n")
        case 0x0C: literal("\\f")
        case 0x0D: literal("\\r")
        default:
            let hex: StaticString = "0123456789abcdef"
            literal("\\u00")
            bytes.append(UInt8(ascii: "0") + byte >> 4)
            bytes.append(hex.utf8Start[Int(byte & 15)])
        }
    }
}
