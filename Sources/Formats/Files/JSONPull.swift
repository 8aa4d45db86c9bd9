/// Reads JSON piece by piece from a stream: memory is that of the longest string, whatever the size of the file.
struct JSONPull {
    enum Token: Equatable {
        case beginObject, endObject, beginArray, endArray
        case key(String)
        case string(String)
        case number(Double)
        case bool(Bool)
        case null
    }

    let file: String
    private let stream: ByteStream
    private var piece: [UInt8] = []
    private var position = 0
    private var line = 1
    /// `{` or `[` of everything that is open.
    private var open: [UInt8] = []
    private var expectsKey = false
    private var expectsValue = true
    private static let deepest = 64
    private static let longestText = 1 << 20

    init(_ stream: ByteStream) throws(FormatError) {
        self.stream = stream
        file = stream.name
        if try peek() == 0xEF {
            for byte in [0xEF, 0xBB, 0xBF] as [UInt8] where try take() != byte { throw error("is not UTF-8") }
        }
    }

    func error(_ cause: String) -> FormatError {
        FormatError(file: file, place: .line(line), cause: cause, cure: "export or download the file again")
    }

    private mutating func peek() throws(FormatError) -> UInt8? {
        if position == piece.count {
            guard let more = try stream.next() else { return nil }
            piece = more
            position = 0
        }
        return piece[position]
    }

    private mutating func take() throws(FormatError) -> UInt8? {
        guard let byte = try peek() else { return nil }
        position += 1
        if byte == 0x0A { line += 1 }
        return byte
    }

    private mutating func skipSpace() throws(FormatError) {
        while let byte = try peek(), byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { _ = try take() }
    }

    /// The next token, or nil at the end of a complete document.
    mutating func next() throws(FormatError) -> Token? {
        try skipSpace()
        guard let byte = try peek() else {
            if open.isEmpty, !expectsValue { return nil }
            throw error(open.isEmpty ? "is empty" : "ends too early: it is cut off")
        }
        if open.isEmpty, !expectsValue { throw error("goes on after its end") }
        if !expectsValue, byte == 0x2C {
            _ = try take()
            expectsValue = true
            expectsKey = open.last == 0x7B
            try skipSpace()
            guard let after = try peek(), after != 0x7D, after != 0x5D else {
                throw error("has a comma before its end")
            }
            return try next()
        }
        if byte == 0x7D || byte == 0x5D { return try close(byte) }
        guard expectsValue else { throw error("lacks a comma") }
        if expectsKey { return try key() }
        return try value(byte)
    }

    private mutating func close(_ byte: UInt8) throws(FormatError) -> Token {
        guard open.popLast() == byte - 2 else { throw error("closes what is not open") }
        _ = try take()
        expectsValue = false
        expectsKey = false
        return byte == 0x7D ? .endObject : .endArray
    }

    private mutating func key() throws(FormatError) -> Token {
        guard try peek() == 0x22 else { throw error("lacks a key in quotes") }
        let text = try string()
        try skipSpace()
        guard try take() == 0x3A else { throw error("lacks ':' after a key") }
        expectsKey = false
        return .key(text)
    }

    private mutating func value(_ byte: UInt8) throws(FormatError) -> Token {
        switch byte {
        case 0x7B, 0x5B:
            guard open.count < Self.deepest else { throw error("is nested deeper than \(Self.deepest)") }
            _ = try take()
            open.append(byte)
            expectsKey = byte == 0x7B
            return byte == 0x7B ? .beginObject : .beginArray
        case 0x22:
            expectsValue = false
            return .string(try string())
        case 0x74: return try word("true", .bool(true))
        case 0x66: return try word("false", .bool(false))
        case 0x6E: return try word("null", .null)
        default: return try number()
        }
    }

    private mutating func word(_ word: StaticString, _ token: Token) throws(FormatError) -> Token {
        for byte in word.description.utf8 where try take() != byte { throw error("is not JSON") }
        expectsValue = false
        return token
    }

    private mutating func number() throws(FormatError) -> Token {
        var text: [UInt8] = []
        while let byte = try peek(), (0x30...0x39).contains(byte) || [0x2B, 0x2D, 0x2E, 0x45, 0x65].contains(byte) {
            text.append(byte)
            position += 1
            guard text.count <= 64 else { throw error("holds a number of more than 64 digits") }
        }
        guard !text.isEmpty, let value = Double(String(decoding: text, as: UTF8.self)), value.isFinite else {
            throw error("is not JSON")
        }
        expectsValue = false
        return .number(value)
    }

    private mutating func string() throws(FormatError) -> String {
        _ = try take()
        var text: [UInt8] = []
        while let byte = try take() {
            switch byte {
            case 0x22:
                guard let string = String(validating: text, as: UTF8.self) else { throw error("is not UTF-8") }
                return string
            case 0x5C: try escape(into: &text)
            case 0..<0x20: throw error("holds a control character in a text")
            default: text.append(byte)
            }
            guard text.count <= Self.longestText else {
                throw error("holds a text longer than \(Self.longestText) bytes")
            }
        }
        throw error("ends inside a text: it is cut off")
    }

    private mutating func escape(into text: inout [UInt8]) throws(FormatError) {
        switch try take() {
        case 0x22: text.append(0x22)
        case 0x5C: text.append(0x5C)
        case 0x2F: text.append(0x2F)
        case 0x62: text.append(0x08)
        case 0x66: text.append(0x0C)
        case 0x6E: text.append(0x0A)
        case 0x72: text.append(0x0D)
        case 0x74: text.append(0x09)
        case 0x75:
            var code = try hexadecimal()
            if (0xD800..<0xDC00).contains(code), try peek() == 0x5C {
                _ = try take()
                guard try take() == 0x75 else { throw error("holds half a surrogate pair") }
                let low = try hexadecimal()
                guard (0xDC00..<0xE000).contains(low) else { throw error("holds half a surrogate pair") }
                code = 0x10000 + (code - 0xD800) << 10 + (low - 0xDC00)
            }
            // A lone half becomes the replacement character, as other readers do.
            text.append(contentsOf: String(Character(Unicode.Scalar(code) ?? "\u{FFFD}")).utf8)
        default: throw error("holds an unknown escape in a text")
        }
    }

    private mutating func hexadecimal() throws(FormatError) -> UInt32 {
        var code: UInt32 = 0
        for _ in 0..<4 {
            guard let byte = try take(), let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
                throw error("holds a bad \\u escape")
            }
            code = code << 4 | UInt32(digit)
        }
        return code
    }

    /// Passes over the value that begins with `token`.
    mutating func skip(_ token: Token) throws(FormatError) {
        guard token == .beginObject || token == .beginArray else { return }
        let depth = open.count
        while open.count >= depth { _ = try next() }
    }
}
