/// The header of one regular file in a tar archive: 512 bytes.
///
/// Source: POSIX.1-2017, `pax`, section "ustar Interchange Format". Only regular files, mode 0600, are written and read.
package struct TarEntry: Equatable, Sendable {
    /// Relative path with `/`.
    package var name: String
    /// Bytes of content.
    package var size: Int

    static let blockCount = 512
    /// Eleven octal digits.
    static let largestSize = 0o77_777_777_777
    /// What the fields for name and prefix hold together.
    static let longestName = 255

    /// - Throws: ``TarError``: `unsafeName`, `unfit`.
    package init(name: String, size: Int) throws(TarError) {
        guard Self.isSafe(name) else { throw .unsafeName(String(name.prefix(100))) }
        guard size >= 0, size <= Self.largestSize else { throw .unfit(name: name) }
        self.name = name
        self.size = size
    }

    /// Zeros that follow the content up to a whole block.
    var padding: Int { (Self.blockCount - size % Self.blockCount) % Self.blockCount }

    /// Relative, without `.`, `..`, empty parts and control characters.
    static func isSafe(_ name: String) -> Bool {
        let parts = name.split(separator: "/", omittingEmptySubsequences: false)
        return !name.isEmpty && name.utf8.count <= longestName && name.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
            && parts.allSatisfy { !$0.isEmpty && $0 != "." && $0 != ".." }
    }

    /// - Throws: ``TarError/unfit(name:)`` for a name that cannot be split at a `/`.
    func bytes() throws(TarError) -> [UInt8] {
        var block = [UInt8](repeating: 0, count: Self.blockCount)
        func put(_ text: some Collection<UInt8>, at offset: Int) {
            for (place, byte) in text.enumerated() { block[offset + place] = byte }
        }
        func octal(_ value: Int, digits: Int) -> [UInt8] {
            let text = String(value, radix: 8)
            return Array((String(repeating: "0", count: digits - text.count) + text).utf8)
        }
        let (prefix, last) = try split()
        put(last, at: 0)
        put(octal(0o600, digits: 7), at: 100)
        put(octal(0, digits: 7), at: 108)
        put(octal(0, digits: 7), at: 116)
        put(octal(size, digits: 11), at: 124)
        put(octal(0, digits: 11), at: 136)
        put([UInt8](repeating: 0x20, count: 8), at: 148)
        block[156] = UInt8(ascii: "0")
        put(Array("ustar\u{0}00".utf8), at: 257)
        put(prefix, at: 345)
        put(octal(block.reduce(0) { $0 + Int($1) }, digits: 6) + [0, 0x20], at: 148)
        return block
    }

    private func split() throws(TarError) -> (prefix: [UInt8], name: [UInt8]) {
        let bytes = Array(name.utf8)
        if bytes.count <= 100 { return ([], bytes) }
        for slash in bytes.indices where bytes[slash] == UInt8(ascii: "/") && slash <= 155 {
            let rest = bytes[(slash + 1)...]
            if rest.count <= 100 { return (Array(bytes[..<slash]), Array(rest)) }
        }
        throw .unfit(name: name)
    }

    /// Reads a header.
    ///
    /// - Returns: nil for a block of zeros, of which two end an archive.
    /// - Throws: ``TarError``: `malformed`, `unsafeName`.
    package init?(block: [UInt8]) throws(TarError) {
        guard block.count == Self.blockCount else { throw .truncated }
        if block.allSatisfy({ $0 == 0 }) { return nil }
        func text(_ range: Range<Int>) -> [UInt8] { Array(block[range].prefix { $0 != 0 }) }
        func number(_ range: Range<Int>) throws(TarError) -> Int {
            let digits = block[range].prefix { $0 != 0 && $0 != 0x20 }
            guard !digits.isEmpty, digits.allSatisfy({ (0x30...0x37).contains($0) }) else {
                throw .malformed(reason: "a number is not octal")
            }
            return digits.reduce(0) { $0 << 3 | Int($1 - 0x30) }
        }
        let sum = block.enumerated().reduce(0) { $0 + ((148..<156).contains($1.offset) ? 0x20 : Int($1.element)) }
        guard try number(148..<156) == sum else { throw .malformed(reason: "a check sum is wrong") }
        guard Array(block[257..<265]) == Array("ustar\u{0}00".utf8) else { throw .malformed(reason: "it is not ustar") }
        guard block[156] == UInt8(ascii: "0") else { throw .malformed(reason: "it holds more than regular files") }
        let prefix = text(345..<500)
        guard
            let name = String(
                validating: prefix + (prefix.isEmpty ? [] : [UInt8(ascii: "/")]) + text(0..<100), as: UTF8.self)
        else { throw .malformed(reason: "a name is not UTF-8") }
        try self.init(name: name, size: try number(124..<136))
    }
}
